//! Real weights behind the real edge: structure, streaming and cancelling, never what a small model happens to say.

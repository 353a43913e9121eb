use std::sync::{Mutex, PoisonError};

use super::transformer::KvCache;

/// A text with what the model keeps of it.
pub(crate) struct Session {
    pub tokens: Vec<u32>,
    pub cache: KvCache,
}

/// Sessions at rest, to be taken up by a prompt that begins alike. The fixed part of a prompt, its instructions and
/// examples, is most of its tokens and so is computed once per process.
pub(crate) struct Sessions {
    idle: Mutex<Vec<Session>>,
}

/// One per fixed prompt, and some for prompts that two requests use at once.
const KEPT: usize = 10;

impl Sessions {
    pub(crate) fn new() -> Sessions {
        Sessions { idle: Mutex::new(Vec::new()) }
    }

    /// The idle session that shares the longest beginning with `prompt`, cut to that; a new one when none shares the
    /// `fixed` first tokens, because it is then the beginning of another prompt and will be needed again.
    pub(crate) fn take(&self, prompt: &[u32], fixed: usize) -> Session {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let best = idle
            .iter()
            .enumerate()
            .map(|(index, session)| (common_prefix(&session.tokens, prompt), index))
            .max_by_key(|(shared, _)| *shared)
            .filter(|(shared, _)| *shared >= fixed);
        let Some((shared, index)) = best else {
            return Session { tokens: Vec::new(), cache: KvCache::new() };
        };
        let mut session = idle.remove(index);
        // The last token of the prompt is always read anew, for its logits.
        session.truncate(shared.min(prompt.len().saturating_sub(1)));
        session
    }

    /// The session used longest ago makes room.
    pub(crate) fn put(&self, session: Session) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() == KEPT {
            idle.remove(0);
        }
        idle.push(session);
    }
}

impl Session {
    pub(crate) fn truncate(&mut self, length: usize) {
        self.cache.truncate(length);
        self.tokens.truncate(self.cache.length());
    }
}

fn common_prefix(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

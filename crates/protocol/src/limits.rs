//! How much one request may ask for. A request beyond them is refused as `BadRequest` before any model sees it.

/// Texts of one `POST /v1/embed`.
pub const EMBED_TEXTS: usize = 64;
/// Characters of one of them.
pub const EMBED_CHARS: usize = 8_000;
/// Episodes of one `POST /v1/extract`.
pub const EXTRACT_EPISODES: usize = 32;
/// Characters of one of them, its headings included.
pub const EXTRACT_CHARS: usize = 4_000;
/// Names already known on the page.
pub const EXTRACT_NAMES: usize = 500;
/// Passages of one `POST /v1/answer`.
pub const ANSWER_PASSAGES: usize = 20;
/// Facts beside them.
pub const ANSWER_FACTS: usize = 100;
/// Characters of the question, and of one passage.
pub const ANSWER_CHARS: usize = 10_000;
/// The longest answer.
pub const ANSWER_TOKENS: u32 = 4_096;
/// Characters of a title, a name or a fact.
pub const LINE_CHARS: usize = 2_000;

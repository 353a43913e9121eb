//! Requests with the replies they are promised.

use loci_messages::{
    AnswerEnd, CompanionState, Diagnostics, ErrorKind, Failure, GraphView, PageDetail, PageState,
    PageSummary, Reply, Request, Settings, VertexDetail,
};

use super::request;

pub type Outcome<T> = Result<T, Failure>;

macro_rules! expect {
    ($request:expr, $reply:pat => $value:expr) => {
        match request($request).await? {
            $reply => Ok($value),
            other => Err(unexpected(&other)),
        }
    };
}

pub async fn page_state(url: String) -> Outcome<PageState> {
    expect!(Request::PageState { url }, Reply::PageState { state } => state)
}

/// Pages and how many there are in all.
pub async fn pages(query: String, limit: u32, offset: u32) -> Outcome<(Vec<PageSummary>, u32)> {
    expect!(Request::Pages { query, limit, offset }, Reply::Pages { pages, total } => (pages, total))
}

pub async fn page(page: u32) -> Outcome<PageDetail> {
    expect!(Request::Page { page }, Reply::Page { page } => page)
}

/// Passages, facts and objects that erasing the page would take.
pub async fn erase_preview(page: u32) -> Outcome<(u32, u32, u32)> {
    expect!(Request::ErasePreview { page }, Reply::ErasePreview { passages, facts, objects } => (passages, facts, objects))
}

pub async fn erase_page(page: u32) -> Outcome<()> {
    expect!(Request::ErasePage { page }, Reply::Done => ())
}

pub async fn erase_everything() -> Outcome<()> {
    expect!(Request::EraseEverything, Reply::Done => ())
}

pub async fn graph(center: Option<u32>, limit: u32) -> Outcome<GraphView> {
    expect!(Request::Graph { center, limit }, Reply::Graph { graph } => graph)
}

pub async fn vertex(vertex: u32) -> Outcome<VertexDetail> {
    expect!(Request::Vertex { vertex }, Reply::Vertex { vertex } => vertex)
}

pub async fn companion() -> Outcome<CompanionState> {
    expect!(Request::Companion, Reply::Companion { companion } => companion)
}

pub async fn pair(code: String) -> Outcome<CompanionState> {
    expect!(Request::Pair { code }, Reply::Companion { companion } => companion)
}

pub async fn unpair() -> Outcome<CompanionState> {
    expect!(Request::Unpair, Reply::Companion { companion } => companion)
}

pub async fn settings() -> Outcome<Settings> {
    expect!(Request::Settings, Reply::Settings { settings } => settings)
}

pub async fn set_settings(settings: Settings) -> Outcome<Settings> {
    expect!(Request::SetSettings(settings), Reply::Settings { settings } => settings)
}

pub async fn diagnostics() -> Outcome<Diagnostics> {
    expect!(Request::Diagnostics, Reply::Diagnostics { diagnostics } => diagnostics)
}

/// The end of an answer out of the reply to an ask.
pub fn answer_end(reply: Reply) -> Outcome<AnswerEnd> {
    match reply {
        Reply::Answer { end } => Ok(end),
        other => Err(unexpected(&other)),
    }
}

fn unexpected(reply: &Reply) -> Failure {
    let name = format!("{reply:?}");
    let name = name.split([' ', '{', '(']).next().unwrap_or_default();
    Failure { kind: ErrorKind::Internal, hint: format!("The memory replied with {name}.") }
}

//! The mechanics of the core on a store in memory and a companion that computes by rule.

mod support;

use loci_engine::{Answer, AnswerItem, failure};
use loci_messages::{
    AnswerEnd, AskEvent, CaptureResult, CompanionState, Diagnostics, ErrorKind, Event, GraphView, Hit,
    PageDetail, PageState, PageStatus, PageSummary, Reply, Request, Settings,
};
use support::{Browser, PAGE, page, prose};

const URL: &str = "https://harbours.test/one";

fn captured(reply: Result<Reply, loci_messages::Failure>) -> CaptureResult {
    match reply {
        Ok(Reply::Captured { page }) => page,
        other => panic!("{other:?}"),
    }
}

fn state(browser: &mut Browser, url: &str) -> PageState {
    match browser.ask(Request::PageState { url: url.into() }) {
        Ok(Reply::PageState { state }) => state,
        other => panic!("{other:?}"),
    }
}

fn hits(browser: &mut Browser, query: &str) -> Vec<Hit> {
    match browser.ask(Request::Search { query: query.into(), limit: 10 }) {
        Ok(Reply::Hits { hits }) => hits,
        other => panic!("{other:?}"),
    }
}

fn pages(browser: &mut Browser, query: &str) -> Vec<PageSummary> {
    match browser.ask(Request::Pages { query: query.into(), limit: 10, offset: 0 }) {
        Ok(Reply::Pages { pages, total }) => {
            assert_eq!(pages.len(), total as usize);
            pages
        }
        other => panic!("{other:?}"),
    }
}

fn detail(browser: &mut Browser, page: u32) -> PageDetail {
    match browser.ask(Request::Page { page }) {
        Ok(Reply::Page { page }) => page,
        other => panic!("{other:?}"),
    }
}

fn diagnostics(browser: &mut Browser) -> Diagnostics {
    match browser.ask(Request::Diagnostics) {
        Ok(Reply::Diagnostics { diagnostics }) => diagnostics,
        other => panic!("{other:?}"),
    }
}

fn answer(browser: &mut Browser, question: &str) -> AnswerEnd {
    match browser.ask(Request::Ask { question: question.into() }) {
        Ok(Reply::Answer { end }) => end,
        other => panic!("{other:?}"),
    }
}

fn three_harbours() -> Vec<String> {
    ["Vardoe", "Hammerfest", "Kirkenes"].map(prose).to_vec()
}

fn capture_harbours(browser: &mut Browser, url: &str) -> CaptureResult {
    let texts = three_harbours();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    captured(browser.capture(url, &texts))
}

#[test]
fn a_captured_page_is_searchable_at_once_and_after_a_restart_without_a_companion() {
    let mut browser = Browser::new();
    let page = capture_harbours(&mut browser, URL);
    assert!(page.passages >= 3, "{page:?}");
    assert_eq!((page.new_passages, page.state.status), (page.passages, PageStatus::Waiting));
    let told = browser.host.events.borrow().iter().any(|(to, event)| {
        to.is_none()
            && matches!(event, Event::PageChanged { url, state } if url == URL && state.status == PageStatus::Waiting)
    });
    assert!(told, "screens hear of it");
    for _ in 0..2 {
        let found = hits(&mut browser, "lighthouse of Hammerfest");
        assert!(found[0].text.contains("Hammerfest"), "{found:?}");
        assert!(found[0].link.starts_with(&format!("{URL}#:~:text=")), "{}", found[0].link);
        assert_eq!(state(&mut browser, URL).page, Some(page.page));
        assert_eq!(diagnostics(&mut browser).queued, page.passages);
        browser = browser.restart();
    }
}

#[test]
fn the_same_page_again_costs_nothing_and_a_changed_one_is_a_new_version() {
    let mut browser = Browser::new();
    let first = capture_harbours(&mut browser, URL);
    let again = capture_harbours(&mut browser, &format!("{URL}#part"));
    assert_eq!((again.page, again.new_passages), (first.page, 0));
    let mut texts = three_harbours();
    texts.push(prose("Tromsoe"));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let changed = captured(browser.capture(URL, &texts));
    assert_eq!(changed.page, first.page);
    assert!(changed.new_passages >= 1 && changed.new_passages < changed.passages, "{changed:?}");
    assert_eq!(detail(&mut browser, first.page).summary.version, 2);
    assert_eq!(pages(&mut browser, "").len(), 1);
}

#[test]
fn what_cannot_be_remembered_is_said_and_leaves_nothing() {
    let mut browser = Browser::new();
    let mut pdf = page(URL, &[]);
    pdf.content_type = "application/pdf".into();
    let mut image = page(URL, &["text"]);
    image.content_type = "image/png".into();
    let mut private = page(URL, &["text"]);
    private.private_window = true;
    let mut scripts = page(URL, &[]);
    scripts.html = "<html><body><script>document.write('x')</script><div id=root></div></body></html>".into();
    scripts.title = String::new();
    for (request, kind) in [
        (pdf, ErrorKind::NotAPage),
        (image, ErrorKind::NotAPage),
        (private, ErrorKind::PrivateWindow),
        (scripts, ErrorKind::EmptyPage),
    ] {
        let failed = browser.ask(Request::Capture(request)).expect_err("refused");
        assert_eq!(failed.kind, kind);
        assert!(!failed.hint.is_empty());
        assert_eq!(state(&mut browser, URL).failure, Some(failed), "the panel can ask later");
    }
    assert_eq!(diagnostics(&mut browser).pages, 0);
    capture_harbours(&mut browser, URL);
    assert_eq!(state(&mut browser, URL).failure, None);
}

#[test]
fn what_the_service_worker_finds_out_reaches_the_screens() {
    let mut browser = Browser::new();
    let url = "chrome://settings/";
    browser.ask(Request::CaptureBegun { url: url.into() }).expect("noted");
    assert_eq!(state(&mut browser, url).status, PageStatus::Capturing);
    let refused = failure(ErrorKind::BrowserPage, "No extension may read this page.");
    browser.ask(Request::CaptureFailed { url: url.into(), failure: refused.clone() }).expect("noted");
    let known = state(&mut browser, url);
    assert_eq!((known.status, known.failure), (PageStatus::Unknown, Some(refused)));
}

#[test]
fn a_full_disk_is_said_and_the_memory_is_as_before() {
    let mut browser = Browser::new();
    capture_harbours(&mut browser, URL);
    let before = diagnostics(&mut browser);
    browser.store.limit(Some(before.storage_used as usize + 100));
    let failed = browser.capture("https://harbours.test/two", &[&prose("Bodoe")]).expect_err("no room");
    assert_eq!(failed.kind, ErrorKind::StorageFull);
    assert_eq!(hits(&mut browser, "Bodoe"), []);
    browser.store.limit(None);
    captured(browser.capture("https://harbours.test/two", &[&prose("Bodoe")]));
    let mut browser = browser.restart();
    assert_eq!(pages(&mut browser, "").len(), 2);
    assert!(hits(&mut browser, "Bodoe")[0].text.contains("Bodoe"));
}

#[test]
fn the_deep_pass_begins_by_itself_when_the_companion_comes() {
    let mut browser = Browser::new();
    let page = capture_harbours(&mut browser, URL);
    browser.pass_a_minute();
    assert_eq!(state(&mut browser, URL).deep_passages, 0);
    browser.companion.comes();
    browser.pass_a_minute();
    let now = state(&mut browser, URL);
    assert_eq!((now.status, now.deep_passages), (PageStatus::Remembered, page.passages));
    assert!(now.facts > 0);
    let counts = diagnostics(&mut browser);
    assert_eq!((counts.queued, counts.ungrounded), (0, page.passages));
    let steps: Vec<u32> = browser
        .host
        .events
        .borrow()
        .iter()
        .filter_map(|(_, event)| match event {
            Event::PageChanged { url, state } if url == URL => Some(state.deep_passages),
            _ => None,
        })
        .collect();
    assert!((1..=page.passages).all(|step| steps.contains(&step)), "every step is shown: {steps:?}");
}

#[test]
fn nothing_is_lost_or_doubled_when_the_companion_or_the_core_dies_in_the_middle() {
    for dies_after in 0..4 {
        for core_dies in [false, true] {
            let mut browser = Browser::new();
            let page = capture_harbours(&mut browser, URL);
            browser.companion.0.dies_after.set(Some(dies_after));
            browser.companion.comes();
            browser.pass_a_minute();
            if core_dies {
                browser = browser.restart();
            }
            browser.companion.comes();
            browser.pass_a_minute();
            browser.pass_a_minute();
            let now = state(&mut browser, URL);
            assert_eq!(now.deep_passages, page.passages, "after {dies_after}, core dies: {core_dies}");
            let mut read = browser.companion.0.read.borrow().clone();
            read.sort_unstable();
            let all = read.len();
            read.dedup();
            assert_eq!((read.len(), all), (page.passages as usize, page.passages as usize));
            let facts: Vec<String> =
                detail(&mut browser, page.page).facts.into_iter().map(|fact| fact.text).collect();
            let mut once = facts.clone();
            once.sort();
            once.dedup();
            assert_eq!(once.len(), facts.len(), "{facts:?}");
        }
    }
}

#[test]
fn a_passage_that_the_model_fails_on_does_not_hold_up_the_others() {
    let mut browser = Browser::new();
    browser.companion.0.poison.borrow_mut().insert("Vardoe".into());
    let page = capture_harbours(&mut browser, URL);
    browser.companion.comes();
    for _ in 0..5 {
        browser.pass_a_minute();
    }
    let now = state(&mut browser, URL);
    assert!(now.deep_passages >= 1 && now.deep_passages < page.passages, "{now:?}");
    assert_eq!(now.status, PageStatus::Reading, "what is left is not called done");
    let tried = browser.companion.0.read.borrow().len();
    browser.companion.0.poison.borrow_mut().clear();
    let mut browser = browser.restart();
    browser.pass_a_minute();
    assert_eq!(state(&mut browser, URL).deep_passages, page.passages, "the next start tries again");
    assert!(browser.companion.0.read.borrow().len() > tried);
}

#[test]
fn a_pause_holds_the_deep_pass_and_survives_a_restart() {
    let mut browser = Browser::new();
    let paused = Settings { paused: true, ..Settings::default() };
    browser.ask(Request::SetSettings(paused.clone())).expect("kept");
    let page = capture_harbours(&mut browser, URL);
    browser.companion.comes();
    let mut browser = browser.restart();
    assert_eq!(browser.ask(Request::Settings), Ok(Reply::Settings { settings: paused }));
    browser.pass_a_minute();
    assert_eq!(state(&mut browser, URL).deep_passages, 0);
    assert_eq!(browser.companion.0.embedded.get(), 0);
    browser.ask(Request::SetSettings(Settings::default())).expect("kept");
    browser.pass_a_minute();
    assert_eq!(state(&mut browser, URL).deep_passages, page.passages);
}

#[test]
fn vectors_are_computed_once_and_anew_for_another_model() {
    let mut browser = Browser::new();
    capture_harbours(&mut browser, URL);
    browser.companion.comes();
    browser.pass_a_minute();
    let first = browser.companion.0.embedded.get();
    assert!(first > 0);
    let mut browser = browser.restart();
    browser.pass_a_minute();
    assert_eq!(browser.companion.0.embedded.get(), first, "kept over a restart");
    *browser.companion.0.model.borrow_mut() = "other letters".into();
    captured(browser.capture("https://harbours.test/two", &[&prose("Bodoe")]));
    browser.pass_a_minute();
    assert!(browser.companion.0.embedded.get() > first * 2, "all of them are made again");
}

#[test]
fn an_answer_streams_with_its_sources_and_only_real_citations() {
    let mut browser = Browser::new();
    capture_harbours(&mut browser, URL);
    browser.companion.comes();
    browser.pass_a_minute();
    let end = answer(&mut browser, "Who built the lighthouse of Hammerfest?");
    let AnswerEnd::Answered { text, cited, sources, .. } = end else { panic!("{end:?}") };
    assert_eq!(cited, [1], "a number beyond the sources cites nothing");
    assert!(sources[0].link.contains("#:~:text="));
    let events = browser.host.events.borrow();
    let asked: Vec<&AskEvent> = events
        .iter()
        .filter_map(|(to, event)| match event {
            Event::Ask { event, .. } => {
                assert_eq!(*to, Some(PAGE), "nobody else hears it");
                Some(event)
            }
            _ => None,
        })
        .collect();
    assert!(matches!(asked[0], AskEvent::Sources { .. }), "before the first token");
    let streamed: String = asked
        .iter()
        .filter_map(|event| match event {
            AskEvent::Token { text } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(streamed, text);
}

#[test]
fn without_a_companion_a_question_gets_passages_and_without_a_memory_an_honest_no() {
    let mut browser = Browser::new();
    assert!(
        matches!(answer(&mut browser, "Anything?"), AnswerEnd::NotInMemory { nearest } if nearest.is_empty())
    );
    capture_harbours(&mut browser, URL);
    let end = answer(&mut browser, "the market of Kirkenes");
    let AnswerEnd::LexicalOnly { nearest } = end else { panic!("{end:?}") };
    assert!(!nearest.is_empty());
    browser.companion.comes();
    browser.pass_a_minute();
    let no = AnswerItem::Done(Answer { no_answer: true, ..Answer::default() });
    browser.companion.0.replies.borrow_mut().push_back(Ok(no));
    let end = answer(&mut browser, "What is the price of tea?");
    assert!(matches!(end, AnswerEnd::NotInMemory { ref nearest } if !nearest.is_empty()), "{end:?}");
    for (question, kind) in [("  ", ErrorKind::BadRequest), (&"x".repeat(10_000), ErrorKind::BadRequest)] {
        let refused = browser.ask(Request::Ask { question: question.into() }).expect_err("refused");
        assert_eq!(refused.kind, kind);
    }
}

#[test]
fn a_companion_lost_in_mid_answer_is_said() {
    let mut browser = Browser::new();
    capture_harbours(&mut browser, URL);
    browser.companion.comes();
    browser.pass_a_minute();
    let lost = || Err(failure(ErrorKind::CompanionAway, "gone"));
    browser.companion.0.replies.borrow_mut().extend([Ok(AnswerItem::Token("Some".into())), lost()]);
    let failed =
        browser.ask(Request::Ask { question: "lighthouse?".into() }).expect_err("half an answer is none");
    assert_eq!(failed.kind, ErrorKind::CompanionAway);
    browser.companion.0.replies.borrow_mut().push_back(lost());
    assert!(
        matches!(answer(&mut browser, "lighthouse?"), AnswerEnd::LexicalOnly { .. }),
        "before the first word"
    );
}

#[test]
fn stop_and_a_closed_page_end_the_models_work() {
    for leaves in [false, true] {
        let mut browser = Browser::new();
        capture_harbours(&mut browser, URL);
        browser.companion.comes();
        browser.pass_a_minute();
        browser.companion.0.silent.set(true);
        let reply = browser.begin(70, Request::Ask { question: "lighthouse?".into() });
        assert!(reply.borrow().is_none(), "still being written");
        assert_eq!(browser.companion.0.answers_dropped.get(), 0);
        if leaves {
            browser.engine.leave(PAGE);
            browser.settle();
        } else {
            browser.ask(Request::Stop { ask: 70 }).expect("stopped");
        }
        assert_eq!(browser.companion.0.answers_dropped.get(), 1);
        let reply = reply.borrow_mut().take();
        let Some(Ok(Reply::Answer { end: AnswerEnd::Stopped { text, sources, .. } })) = reply else {
            panic!("{reply:?}")
        };
        assert!(!text.is_empty() && !sources.is_empty());
    }
}

#[test]
fn an_erased_page_leaves_no_trace_and_the_preview_says_what_goes() {
    let mut browser = Browser::new();
    let first = capture_harbours(&mut browser, URL);
    captured(browser.capture("https://harbours.test/two", &[&prose("Bodoe")]));
    browser.companion.comes();
    browser.pass_a_minute();
    let before = diagnostics(&mut browser);
    let Ok(Reply::ErasePreview { passages, facts, objects }) =
        browser.ask(Request::ErasePreview { page: first.page })
    else {
        panic!("a preview")
    };
    assert_eq!(diagnostics(&mut browser), before, "the preview takes nothing");
    assert!(browser.store.holds(b"Hammerfest"));
    browser.ask(Request::ErasePage { page: first.page }).expect("erased");
    let after = diagnostics(&mut browser);
    assert_eq!(before.passages - after.passages, passages);
    assert_eq!(before.theses + before.triples - after.theses - after.triples, facts);
    assert_eq!(before.objects - after.objects, objects);
    assert!(!browser.store.holds(b"Hammerfest"), "in no table");
    assert!(browser.store.holds(b"Bodoe"), "what another page says stays");
    let missing = browser.ask(Request::ErasePage { page: first.page }).expect_err("gone");
    assert_eq!(missing.kind, ErrorKind::NotFound);
    let mut browser = browser.restart();
    assert_eq!(state(&mut browser, URL).status, PageStatus::Unknown);
    assert_eq!(pages(&mut browser, "").len(), 1);
    browser.ask(Request::EraseEverything).expect("erased");
    let mut browser = browser.restart();
    assert_eq!(pages(&mut browser, ""), []);
    assert!(!browser.store.holds(b"Bodoe"));
    let fresh = capture_harbours(&mut browser, URL);
    assert!(fresh.page > first.page, "an erased id never comes back");
}

#[test]
fn pages_are_listed_newest_first_and_found_by_text_and_title() {
    let mut browser = Browser::new();
    capture_harbours(&mut browser, URL);
    browser.host.pass(1_000);
    captured(browser.capture("https://harbours.test/two", &[&prose("Bodoe")]));
    let urls: Vec<String> = pages(&mut browser, "").into_iter().map(|page| page.url).collect();
    assert_eq!(urls, ["https://harbours.test/two", URL]);
    let found = pages(&mut browser, "Kirkenes");
    assert_eq!(found.iter().map(|page| page.url.as_str()).collect::<Vec<_>>(), [URL]);
    assert!(found[0].snippet.contains("Kirkenes"), "{}", found[0].snippet);
    assert_eq!(pages(&mut browser, "A page about harbours").len(), 2);
    assert_eq!(pages(&mut browser, "zeppelin"), []);
}

#[test]
fn the_graph_shows_objects_pages_and_what_ties_them() {
    let mut browser = Browser::new();
    let page = capture_harbours(&mut browser, URL);
    browser.companion.comes();
    browser.pass_a_minute();
    let view = |browser: &mut Browser, center, limit| -> GraphView {
        match browser.ask(Request::Graph { center, limit }) {
            Ok(Reply::Graph { graph }) => graph,
            other => panic!("{other:?}"),
        }
    };
    let whole = view(&mut browser, None, 100);
    let shown: Vec<u32> = whole.vertices.iter().map(|vertex| vertex.id).collect();
    assert!(whole.vertices.iter().any(|vertex| vertex.kind == "page" && vertex.label.contains("harbours")));
    let harbour = whole.vertices.iter().find(|vertex| vertex.label == "Hammerfest").expect("an object");
    assert!(whole.edges.iter().all(|edge| shown.contains(&edge.from) && shown.contains(&edge.to)));
    assert!(whole.edges.iter().any(|edge| edge.label == "is near"));
    let around = view(&mut browser, Some(harbour.id), 4);
    assert_eq!(around.vertices.len(), 4);
    assert!(around.vertices.iter().any(|vertex| vertex.id == harbour.id));
    let Ok(Reply::Vertex { vertex }) = browser.ask(Request::Vertex { vertex: harbour.id }) else {
        panic!("a vertex")
    };
    assert_eq!((vertex.name.as_str(), vertex.kind.as_str()), ("Hammerfest", "place"));
    assert!(vertex.facts.iter().any(|fact| fact.origin == "llm" && fact.sources[0].page == page.page));
    assert_eq!(view(&mut browser, Some(9_999), 10).vertices, []);
}

#[test]
fn pairing_fails_with_its_reason() {
    let mut browser = Browser::new();
    browser.companion.comes();
    let wrong = browser.ask(Request::Pair { code: "000000".into() }).expect_err("a wrong code");
    assert_eq!(wrong.kind, ErrorKind::WrongCode);
    let paired = browser.ask(Request::Pair { code: "123456".into() });
    assert!(matches!(paired, Ok(Reply::Companion { companion: CompanionState::Ready { .. } })));
}

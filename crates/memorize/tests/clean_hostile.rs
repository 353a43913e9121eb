//! Bad input: typed errors or a page, in sane time, never a panic.

use std::fmt::Write;

use loci_graph::Timestamp;
use loci_memorize::{CleanError, CleanPage, MAX_HTML_BYTES, RawPage, clean};
use proptest::prelude::*;

fn clean_html(html: String) -> Result<CleanPage, CleanError> {
    let url = "https://hostile.test/page".to_owned();
    clean(&RawPage { url, html, visible_text: String::new(), title: String::new(), captured: Timestamp(0) })
}

#[test]
fn pages_without_text_are_refused() {
    let scripts = "<html><head><title>App</title></head><body><script>let x = 'text that nobody reads';</script><div id=root></div></body></html>";
    for html in ["", "   ", "<html></html>", "<!-- only a comment -->", scripts, "<body hidden", "\u{0}\u{0}"]
    {
        assert_eq!(clean_html(html.to_owned()), Err(CleanError::Empty), "{html:?}");
    }
}

#[test]
fn oversized_pages_are_refused() {
    let html = "x".repeat(MAX_HTML_BYTES + 1);
    assert_eq!(
        clean_html(html),
        Err(CleanError::TooLarge { bytes: MAX_HTML_BYTES + 1, limit: MAX_HTML_BYTES })
    );
}

#[test]
fn deep_nesting_is_no_danger() {
    let text = "The text at the bottom of ten thousand elements is still found, word for word.";
    for name in ["div", "span", "b", "table", "ul", "section", "font", "a href=x"] {
        let open = format!("<{name}>").repeat(10_000);
        let close = format!("</{}>", name.split(' ').next().expect("a name")).repeat(10_000);
        let page = clean_html(format!("<html><body>{open}<p>{text}</p>{close}</body></html>"));
        assert!(page.is_ok_and(|page| page.passages[0].text.contains(text)), "{name}");
    }
}

#[test]
fn a_long_book_is_cut_into_passages() {
    let paragraph =
        "The committee met on Tuesday and spoke at length about the harbour, the bridge and the money. "
            .repeat(6);
    let words = 200_000 / paragraph.split_whitespace().count();
    let html = format!(
        "<html><body><article>{}</article></body></html>",
        format!("<p>{paragraph}</p>").repeat(words)
    );
    let page = clean_html(html).expect("a book has text");
    let lengths: Vec<usize> = page.passages.iter().map(|passage| passage.text.chars().count()).collect();
    assert!(lengths.iter().sum::<usize>() > 1_000_000);
    assert!(lengths.iter().all(|length| (400..=700).contains(length)), "{:?}", lengths.iter().max());
}

#[test]
fn facts_are_bounded() {
    let mut html = String::from(
        "<html><body><article><p>A page that declares far more than anyone could want to know about it.</p><table><tr><th>Name</th><th>Size</th></tr>",
    );
    for i in 0..20_000 {
        write!(html, "<tr><td>Thing number {i}</td><td>{i} cm</td></tr>").expect("writing to a string");
    }
    html.push_str("</table>");
    for i in 0..20_000 {
        write!(
            html,
            "<p><a href='/to/{i}'>Linked thing {i}</a> is mentioned here in passing, as are many others.</p>"
        )
        .expect("writing to a string");
    }
    html.push_str("</article><script type='application/ld+json'>[");
    for i in 0..5_000 {
        write!(html, "{{\"@type\":\"Person\",\"name\":\"P{i}\",\"jobTitle\":\"J{i}\"}},")
            .expect("writing to a string");
    }
    html.push_str("0]</script></body></html>");
    let page = clean_html(html).expect("the page has text");
    assert!(page.facts.len() <= 500, "{}", page.facts.len());
}

#[test]
fn deeply_nested_json_ld_is_ignored() {
    let json = format!("{}{}", "{\"@type\":\"Person\",\"knows\":".repeat(50_000), "1");
    let html = format!(
        "<html><body><script type='application/ld+json'>{json}</script><p>The page itself is harmless and has a sentence to keep.</p></body></html>"
    );
    assert_eq!(clean_html(html).expect("the page has text").passages.len(), 1);
}

/// Pieces that parsers stumble over, to be joined at random.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("<table><tr><th colspan=99999 rowspan=-1>a<td rowspan=9>b".to_owned()),
        Just("<p>He met Dr. Li in Paris. 他说：“好。” Then he left the house, and nobody saw him again.</p>".to_owned()),
        Just("<template shadowrootmode=open><slot name=x><slot></template>".to_owned()),
        Just("<script type=application/ld+json>{\"@type\":[\"A\",1],\"name\":{\"@value\":\"v\"},\"author\":[{}]}</script>".to_owned()),
        Just("<div itemscope itemtype='x:Y'><b itemprop='name a b'>n<div itemprop=c itemscope>".to_owned()),
        Just("<dl><dt>k:<dd>v<br>w<dt>".to_owned()),
        Just("<h2 role=heading aria-level=999>T</h2><pre>\n\n code\n</pre>".to_owned()),
        Just("<a href='://'>x<a href='/y'>why this link".to_owned()),
        Just("<meta property=article:published_time content='2024-99-99T99:99'><time datetime=x>".to_owned()),
        Just("</div></p></table></template><!--".to_owned()),
        "\\PC{0,40}",
        "[<>/='\"a-z \u{0}\u{301}\u{1f469}\u{200d}é中]{0,40}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_input_panics(pieces in prop::collection::vec(piece(), 0..12), url in "\\PC{0,30}", visible_text in "\\PC{0,60}", title in "\\PC{0,20}") {
        let page = RawPage { url, html: pieces.concat(), visible_text, title, captured: Timestamp(0) };
        if let Ok(page) = clean(&page) {
            prop_assert!(!page.passages.is_empty());
            prop_assert!(page.facts.iter().all(|fact| fact.passage < page.passages.len()));
        }
    }

    #[test]
    fn cleaning_is_deterministic(pieces in prop::collection::vec(piece(), 0..8)) {
        let html = pieces.concat();
        prop_assert_eq!(clean_html(html.clone()), clean_html(html));
    }
}

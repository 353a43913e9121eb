//! The clean side on pages of every sort: exact passages, objects and triples.

use loci_graph::Timestamp;
use loci_memorize::{CleanError, CleanPage, RawPage, clean};

const CAPTURED: Timestamp = Timestamp(1_760_000_000_000);

fn raw(url: &str, html: &str) -> RawPage {
    RawPage {
        url: url.to_owned(),
        html: html.to_owned(),
        visible_text: String::new(),
        title: String::new(),
        captured: CAPTURED,
    }
}

fn cleaned(url: &str, html: &str) -> CleanPage {
    let page = clean(&raw(url, html)).expect("the page has text");
    check_invariants(&page);
    page
}

/// What holds of every cleaned page.
fn check_invariants(page: &CleanPage) {
    assert!(!page.passages.is_empty());
    for passage in &page.passages {
        assert!(!passage.text.trim().is_empty());
    }
    for fact in &page.facts {
        assert!(fact.passage < page.passages.len());
        assert!(!fact.subject.text.is_empty() && !fact.relation.is_empty() && !fact.object.text.is_empty());
    }
}

/// "subject | relation | object (Kind)".
fn facts(page: &CleanPage) -> Vec<String> {
    let line = |fact: &loci_memorize::StructureFact| {
        format!("{} | {} | {} ({:?})", fact.subject.text, fact.relation, fact.object.text, fact.object.kind)
    };
    page.facts.iter().map(line).collect()
}

fn text(page: &CleanPage) -> String {
    page.passages.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>().join("\n---\n")
}

fn assert_facts(page: &CleanPage, expected: &[&str]) {
    let said = facts(page);
    let missing: Vec<_> = expected.iter().filter(|line| !said.iter().any(|said| said == *line)).collect();
    let extra: Vec<_> = said.iter().filter(|said| !expected.contains(&said.as_str())).collect();
    assert!(missing.is_empty() && extra.is_empty(), "missing {missing:#?}\nextra {extra:#?}");
}

#[test]
fn a_news_article() {
    let page = cleaned(
        "https://www.northport.test/news/harbour-bridge?utm_source=x#top",
        include_str!("pages/article.html"),
    );
    assert_eq!(page.url, "https://www.northport.test/news/harbour-bridge");
    assert_eq!(page.title, "Harbour bridge to reopen after two years");
    assert_eq!(page.site.as_deref(), Some("The Northport Gazette"));
    assert_eq!(page.author.as_deref(), Some("Maren Falk, Tomás Rey"));
    assert_eq!(page.language.as_deref(), Some("en-gb"));
    assert_eq!(page.published, Some(Timestamp(1_709_623_800_000)));
    assert_eq!(page.passages.len(), 3);
    assert!(page.passages[0].text.starts_with("The Harbour Bridge will reopen"));
    assert_eq!(page.passages[0].headings, Vec::<String>::new());
    assert_eq!(page.passages[1].headings, ["Ferries stay until summer"]);
    for foreign in ["cookies", "tram", "Share", "Hidden line", "All rights", "Sport"] {
        assert!(!text(&page).contains(foreign), "{foreign}");
    }
    let title = "Harbour bridge to reopen after two years";
    let expected: Vec<String> = [
        "author | Maren Falk (Person)",
        "author | Tomás Rey (Person)",
        "publisher | The Northport Gazette (Organisation)",
        "date published | 2024-03-05 (Value)",
        "section | City (Concept)",
        "about | Harbour Bridge (Place)",
        "image shows | The bridge seen from the old customs house (Value)",
        "image shows | The bridge seen from the old customs house. Photo: City Archive (Value)",
        "has section | Ferries stay until summer (Concept)",
        "has section | Speed limit (Concept)",
        "links to | Halvorsen Marine (Unknown)",
        "links to | Olav Brekke (Unknown)",
    ]
    .iter()
    .map(|line| format!("{title} | {line}"))
    .collect();
    assert_facts(&page, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    let link = page.facts.iter().find(|fact| fact.object.text == "Olav Brekke").expect("the link is stated");
    assert_eq!(link.object.aliases, ["https://www.northport.test/people/olav-brekke"]);
    assert!(page.passages[link.passage].text.contains("Olav Brekke"));
}

#[test]
fn a_chinese_article() {
    let page = cleaned("https://beigang.test/2024/0305/1.html", include_str!("pages/chinese.html"));
    assert_eq!(page.title, "港口大桥将于三月重新开放");
    assert_eq!(page.language.as_deref(), Some("zh"));
    assert_eq!(page.author.as_deref(), Some("林小梅"));
    assert!(
        page.passages[0].text.starts_with("北港市议会") && page.passages[0].text.ends_with("三条航线之一。")
    );
    assert!(!text(&page).contains("版权所有") && !text(&page).contains("鱼市场"));
    assert_facts(
        &page,
        &[
            "港口大桥将于三月重新开放 | author | 林小梅 (Person)",
            "港口大桥将于三月重新开放 | publisher | 北港日报 (Organisation)",
            "港口大桥将于三月重新开放 | has section | 渡轮运行到夏天 (Concept)",
            "港口大桥将于三月重新开放 | links to | 海工集团 (Unknown)",
            "港口大桥将于三月重新开放 | links to | 李海洋 (Unknown)",
        ],
    );
}

#[test]
fn an_infobox_and_a_table() {
    let page = cleaned("https://openpedia.test/wiki/Ada_Lindqvist", include_str!("pages/infobox.html"));
    assert_facts(
        &page,
        &[
            "Ada Lindqvist | Born | 4 May 1871 (Value)",
            "Ada Lindqvist | Born | Uppsala, Sweden (Unknown)",
            "Ada Lindqvist | Fields | Chemistry (Unknown)",
            "Ada Lindqvist | Fields | Botany (Unknown)",
            "Ada Lindqvist | Known for | Lindqvist reaction (Unknown)",
            "Berzelius Medal | Year | 1908 (Value)",
            "Berzelius Medal | Given by | Royal Academy (Unknown)",
            "Oskar Prize | Year | 1915 (Value)",
            "Oskar Prize | Given by | Royal Academy (Unknown)",
            "Linnaeus Medal | Year | 1931 (Value)",
            "Linnaeus Medal | Given by | City of Uppsala (Unknown)",
            "Ada Lindqvist | publisher | Openpedia (Organisation)",
            "Ada Lindqvist | has section | Prizes (Concept)",
            "Ada Lindqvist | links to | Chemistry (Unknown)",
            "Ada Lindqvist | links to | Botany (Unknown)",
            "Ada Lindqvist | links to | University of Uppsala (Unknown)",
        ],
    );
}

#[test]
fn a_product_in_microdata() {
    let page = cleaned("https://brightfield.test/p/200", include_str!("pages/product.html"));
    assert_facts(
        &page,
        &[
            "Trail Lantern 200 | Weight | 180 g (Value)",
            "Trail Lantern 200 | Battery life | 40 hours (Value)",
            "Trail Lantern 200 | brand | Brightfield (Organisation)",
            "Brightfield | is a | brand (Concept)",
            "Trail Lantern 200 | description | A small lantern for two people and one tent, made to survive rain, drops and the bottom of a rucksack. (Value)",
            "Trail Lantern 200 | price | 39.90 EUR (Value)",
            "Trail Lantern 200 | availability | in stock (Value)",
        ],
    );
}

#[test]
fn a_route_of_a_single_page_app() {
    let page = cleaned("https://app.test/#/tasks/42", include_str!("pages/spa.html"));
    assert_eq!(page.url, "https://app.test/#/tasks/42");
    assert_eq!(page.title, "Task 42 – Taskboard");
    assert!(text(&page).contains("The crane arrives on Monday") && !text(&page).contains("secret"));
}

#[test]
fn shadow_roots_are_read_as_rendered() {
    let page = cleaned("https://notes.test/release", include_str!("pages/shadow.html"));
    assert_eq!(page.passages.len(), 1);
    assert_eq!(
        page.passages[0].text.lines().collect::<Vec<_>>(),
        [
            "This release brings the new planner, which lays out a week of work in one view and moves what does not fit to the next one.",
            "Older plans are converted on first start. The conversion keeps comments, and it can be undone from the menu for thirty days.",
            "The planner was written by Ylva Moen over the course of two long winters in Tromsø.",
        ]
    );
}

#[test]
fn hidden_text_is_no_content() {
    let html = include_str!("pages/hostile.html");
    let visible_text = "How to prune roses\nProne roses in late winter, when the buds swell but have not yet opened. Cut each stem above an outward-facing bud, at a slant, and take out all wood that is dead, weak or crossing.\nWrite <script>alert(\"not a script\")</script> on the label if you like: it is text. Disinfect the shears between two plants so that no fungus travels with you.";
    let page =
        clean(&RawPage { visible_text: visible_text.to_owned(), ..raw("https://roses.test/prune", html) })
            .expect("the page has text");
    check_invariants(&page);
    for hidden in ["hidden", "Off-screen", "Comment", "remembered", "enable scripts"] {
        assert!(!text(&page).contains(hidden), "{hidden}");
    }
    assert!(text(&page).contains("<script>alert(\"not a script\")</script> on the label"));
    assert!(text(&page).contains("Disinfect the shears between two plants"));
}

#[test]
fn thin_pages_fall_back_to_the_visible_text() {
    let drawn = RawPage {
        visible_text: "Balance 12 crowns\nNext payment on Friday".to_owned(),
        ..raw("https://bank.test/", "<body><canvas></canvas></body>")
    };
    let page = clean(&drawn).expect("the visible text is text");
    assert_eq!(page.passages[0].text, "Balance 12 crowns\nNext payment on Friday");
    assert_eq!(clean(&raw("https://bank.test/", "")), Err(CleanError::Empty));
}

//! Vectors of multilingual-e5-small against stored ones, which agree with an independent implementation of the model.

mod support;

use loci_inference::Cancel;
use loci_protocol::{DIMENSIONS, EmbedKind};

/// The first values of each vector.
const REFERENCE: [(EmbedKind, &str, [f32; 6]); 4] = [
    (EmbedKind::Query, "Who designed the Alden Bridge?", [0.0708, -0.0229, -0.0759, 0.0033, 0.0302, -0.0737]),
    (
        EmbedKind::Passage,
        "Karl Brandt designed the Alden Bridge in 1931.",
        [0.0293, -0.0038, -0.0588, 0.0000, 0.0358, -0.0538],
    ),
    (
        EmbedKind::Passage,
        "云栖大桥由周启明设计，１９３１年建成。",
        [0.0614, -0.0015, 0.0009, -0.0174, 0.0736, -0.0004],
    ),
    (
        EmbedKind::Query,
        "Ｆｕｌｌ\u{3000}ｗｉｄｔｈ — café ﬁne №5",
        [0.0164, -0.0614, -0.0591, -0.0646, 0.0730, -0.0375],
    ),
];

fn embed(kind: EmbedKind, texts: &[&str]) -> Vec<Vec<f32>> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_string()).collect();
    support::embedder().embed(kind, &texts, &Cancel::new()).expect("the texts can be embedded")
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn vectors_are_the_stored_ones() {
    for (kind, text, first) in REFERENCE {
        let vector = embed(kind, &[text]).remove(0);
        assert_eq!(vector.len(), DIMENSIONS);
        assert!((cosine(&vector, &vector) - 1.0).abs() < 1e-4, "{text}");
        for (value, stored) in vector.iter().zip(first) {
            assert!((value - stored).abs() < 2e-3, "{text}: {:?}", &vector[..first.len()]);
        }
    }
}

#[test]
fn a_batch_gives_what_each_text_gives() {
    let long = "The library of Tovin opened in 1921 and holds maps of the river. ".repeat(30);
    let texts = ["a bridge", &long, "桥", "", "The Alden Bridge crosses the Mirel River."];
    let together = embed(EmbedKind::Passage, &texts);
    for (text, vector) in texts.iter().zip(&together) {
        let alone = embed(EmbedKind::Passage, &[text]).remove(0);
        assert!(cosine(&alone, vector) > 0.9999, "{text}");
    }
}

#[test]
fn meaning_crosses_languages() {
    let question = embed(EmbedKind::Query, &["Who designed the bridge?"]).remove(0);
    let passages = embed(EmbedKind::Passage, &["这座桥由周启明设计。", "图书馆藏有许多地图。"]);
    assert!(cosine(&question, &passages[0]) > cosine(&question, &passages[1]) + 0.01);
}

#[test]
fn a_cancelled_batch_stops() {
    let cancel = Cancel::new();
    cancel.cancel();
    assert!(support::embedder().embed(EmbedKind::Passage, &["a".into()], &cancel).is_err());
    assert_eq!(
        support::embedder().embed(EmbedKind::Query, &[], &Cancel::new()).expect("nothing to do").len(),
        0
    );
}

//! Colours of the map, read from the style sheet so that the theme holds here too.

use leptos::prelude::*;
use web_sys::Element;

pub struct Palette {
    pub paper: String,
    pub ink: String,
    pub muted: String,
    pub line: String,
    pub accent: String,
    pub font: String,
    kinds: Vec<(&'static str, String)>,
}

const KINDS: [&str; 12] = [
    "person",
    "organisation",
    "place",
    "work",
    "product",
    "event",
    "concept",
    "value",
    "thesis",
    "page",
    "episode",
    "unknown",
];

impl Palette {
    pub fn of(element: &Element) -> Option<Palette> {
        let style = window().get_computed_style(element).ok()??;
        let property = |name: &str| style.get_property_value(name).unwrap_or_default().trim().to_owned();
        Some(Palette {
            paper: property("--paper"),
            ink: property("--ink"),
            muted: property("--muted"),
            line: property("--edge"),
            accent: property("--accent"),
            font: property("font-family"),
            kinds: KINDS.iter().map(|kind| (*kind, property(&format!("--kind-{kind}")))).collect(),
        })
    }

    pub fn kind(&self, kind: &str) -> &str {
        let known = self.kinds.iter().find(|(name, _)| *name == kind);
        known.or(self.kinds.last()).map_or("", |(_, color)| color)
    }
}

/// The class of a kind's swatch.
pub fn swatch(kind: &str) -> String {
    let kind = KINDS.iter().find(|known| **known == kind).unwrap_or(&"unknown");
    format!("swatch kind-{kind}")
}

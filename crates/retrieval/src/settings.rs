//! The settings of a [`Spread`] by name, so that they can be tuned from outside.

use crate::{network::Flow, spread::Spread};

macro_rules! settings {
    ($($name:literal => $($field:ident).+),* $(,)?) => {
        impl Spread {
            /// The names of all settings.
            pub const SETTINGS: &'static [&'static str] = &[$($name),*];

            /// The setting with this name.
            pub fn setting(&mut self, name: &str) -> Option<&mut f32> {
                match name {
                    $($name => Some(&mut self.$($field).+),)*
                    _ => None,
                }
            }
        }
    };
}

settings! {
    "flow.triple" => flow.triple,
    "flow.member" => flow.member,
    "flow.thesis" => flow.thesis,
    "flow.name" => flow.name,
    "flow.mention" => flow.mention,
    "flow.mentioned" => flow.mentioned,
    "flow.same_title" => flow.same_title,
    "flow.title" => flow.title,
    "flow.rarity" => flow.rarity,
    "flow.page_rarity" => flow.page_rarity,
    "damping" => damping,
    "facts" => facts,
    "fact" => fact,
    "fact_power" => fact_power,
    "path" => path,
    "path_passage" => path_passage,
    "named_object" => named_object,
    "named_page" => named_page,
    "passages" => passages,
    "passage" => passage,
    "passage_power" => passage_power,
    "lexical" => lexical,
    "seed_rarity" => seed_rarity,
    "blend_dense" => blend_dense,
    "blend_lexical" => blend_lexical,
    "blend_fact" => blend_fact,
    "blend_path" => blend_path,
}

impl Flow {
    /// Nothing flows.
    pub const CLOSED: Flow = Flow {
        triple: 0.0,
        member: 0.0,
        thesis: 0.0,
        name: 0.0,
        mention: 0.0,
        mentioned: 0.0,
        same_title: 0.0,
        title: 0.0,
        rarity: 0.0,
        page_rarity: 0.0,
    };
}

impl Spread {
    /// No seed, no flow, damping 0.5.
    pub const NOTHING: Spread = Spread {
        flow: Flow::CLOSED,
        damping: 0.5,
        facts: 0.0,
        fact: 0.0,
        fact_power: 1.0,
        path: 0.0,
        path_passage: 0.0,
        named_object: 0.0,
        named_page: 0.0,
        passages: 0.0,
        passage: 0.0,
        passage_power: 1.0,
        lexical: 0.0,
        seed_rarity: 1.0,
        blend_dense: 0.0,
        blend_lexical: 0.0,
        blend_fact: 0.0,
        blend_path: 0.0,
    };
}

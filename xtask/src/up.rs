//! `cargo xtask up`: from nothing to a browser with Loci in it.

use std::env;

use anyhow::{Context, Result};

use crate::{
    browser::Stage,
    models::{self, Choice},
    place::Places,
    shell,
};

pub fn all(places: &Places, choice: &Choice) -> Result<()> {
    // The download goes on while the compiler works.
    let fetching = choice.begin();
    let stage = Stage::set(places)?;
    let models = fetching.finish()?;
    models::list(&models);

    let display = has_display();
    let script = if display { "e2e/up.mjs" } else { "e2e/tour.mjs" };
    let mut node = stage.node(places);
    node.arg(script);
    if let Some(url) = &choice.llm_url {
        node.env("LOCI_LLM_URL", url).env("LOCI_LLM_MODEL", choice.llm_model.as_deref().unwrap_or_default());
    } else if let Some(file) = &choice.model {
        let file =
            file.canonicalize().with_context(|| format!("there is no model file {}", file.display()))?;
        node.env("LOCI_LLM", file);
    } else if let Some(llm) = &models.llm {
        node.env("LOCI_LLM", &llm.path);
    }
    if display {
        shell::run(&mut node, "The browser or the companion ended with a fault; what it said is above.")
    } else {
        println!("         there is no display: Loci walks through sample pages by itself");
        node.env("LOCI_TOUR", places.root.join("dist/tour"));
        shell::run(&mut node, "The tour did not reach its end; what happened is above.")
    }
}

fn has_display() -> bool {
    if cfg!(any(windows, target_os = "macos")) {
        return true;
    }
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}

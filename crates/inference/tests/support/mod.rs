#![allow(dead_code, reason = "each test program uses a part of it")]

use std::sync::OnceLock;

use loci_inference::{DeviceChoice, Embedder, LocalModel, LocalOptions};
use loci_models::{EMBEDDER, FetchOptions, ModelSpec, QWEN_0_5B, SMOLLM2, StoredModel, fetch};

/// The model from the cache or from wheels already downloaded. Tests ask no hub.
pub fn stored(spec: &ModelSpec) -> StoredModel {
    let options = FetchOptions { hub: None, ..FetchOptions::from_env() };
    fetch(spec, &options, &mut |_| {}).unwrap_or_else(|error| {
        panic!(
            "{error}. Run `cargo xtask models --profile tiny` first, or `cargo xtask test`, which does so."
        )
    })
}

fn load(spec: &ModelSpec) -> LocalModel {
    let options =
        LocalOptions { device: DeviceChoice::Cpu, licence: spec.licence.into(), ..LocalOptions::default() };
    LocalModel::load(&stored(spec).path, options).expect("a checked file can be loaded")
}

/// For plumbing: what it writes has form and no sense.
pub fn smollm() -> &'static LocalModel {
    static MODEL: OnceLock<LocalModel> = OnceLock::new();
    MODEL.get_or_init(|| load(&SMOLLM2))
}

pub fn qwen() -> &'static LocalModel {
    static MODEL: OnceLock<LocalModel> = OnceLock::new();
    MODEL.get_or_init(|| load(&QWEN_0_5B))
}

pub fn embedder() -> &'static Embedder {
    static MODEL: OnceLock<Embedder> = OnceLock::new();
    MODEL.get_or_init(|| {
        Embedder::load(&stored(&EMBEDDER).path, DeviceChoice::Cpu).expect("a checked file loads")
    })
}

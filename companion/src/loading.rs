use std::{path::PathBuf, sync::Arc, thread};

use loci_inference::{
    DeviceChoice, Embedder, InferenceError, LanguageModel, LocalModel, LocalOptions, OpenAiModel,
    OpenAiOptions,
};
use loci_models::{EMBEDDER, FetchOptions, ModelError, ModelSpec, Profile, Progress, StoredModel, fetch};
use loci_protocol::{ModelStatus, ProblemCode};

use crate::{Models, Slot};

/// Which models a companion serves.
#[derive(Debug, Clone)]
pub struct Choice {
    pub profile: Profile,
    /// A GGUF file in place of the profile's.
    pub model: Option<PathBuf>,
    /// An embedder in place of the default one.
    pub embedder: Option<PathBuf>,
    /// A model server in place of any GGUF file.
    pub server: Option<OpenAiOptions>,
    pub device: DeviceChoice,
}

/// Starts to load, each model on a thread of its own, and returns at once. What fails is told by the status.
pub fn start(models: &Models, choice: Choice, fetching: FetchOptions) {
    let (slot, chosen, options) = (models.embedder.clone(), choice.clone(), fetching.clone());
    slot.set_loading(EMBEDDER.name, None);
    thread::spawn(move || load_embedder(&slot, &chosen, &options));

    let slot = models.llm.clone();
    slot.set_loading(llm_name(&choice), None);
    thread::spawn(move || load_llm(&slot, choice, &fetching));
}

fn llm_name(choice: &Choice) -> &str {
    choice.server.as_ref().map_or(choice.profile.language_model().name, |server| &server.model)
}

fn load_embedder(slot: &Slot<Embedder>, choice: &Choice, fetching: &FetchOptions) {
    let Some(stored) = find(slot, &EMBEDDER, choice.embedder.clone(), fetching) else { return };
    match Embedder::load(&stored.path, choice.device) {
        Ok(embedder) => {
            let status = ModelStatus::Ready { name: stored.name, licence: stored.licence };
            slot.set_ready(Arc::new(embedder), status);
        }
        Err(error) => fail(slot, &stored.name, &error),
    }
}

fn load_llm(slot: &Slot<dyn LanguageModel>, choice: Choice, fetching: &FetchOptions) {
    if let Some(server) = choice.server {
        let name = server.model.clone();
        return settle(slot, &name, OpenAiModel::new(server));
    }
    let Some(stored) = find(slot, choice.profile.language_model(), choice.model, fetching) else { return };
    let options = LocalOptions {
        device: choice.device,
        name: stored.name.clone(),
        licence: stored.licence,
        ..LocalOptions::default()
    };
    settle(slot, &stored.name, LocalModel::load(&stored.path, options));
}

fn settle<M: LanguageModel + 'static>(
    slot: &Slot<dyn LanguageModel>,
    name: &str,
    loaded: Result<M, InferenceError>,
) {
    match loaded {
        Ok(model) => {
            let status = model.status();
            slot.set_ready(Arc::new(model), status);
        }
        Err(error) => fail(slot, name, &error),
    }
}

/// The model file: the configured one, else the catalogue's, fetched when it is not here yet.
fn find<T: Send + Sync + ?Sized>(
    slot: &Slot<T>,
    spec: &ModelSpec,
    configured: Option<PathBuf>,
    fetching: &FetchOptions,
) -> Option<StoredModel> {
    let found = match configured {
        Some(path) => StoredModel::configured(path),
        None => fetch(spec, fetching, &mut |progress| match progress {
            Progress::Note(note) => tracing::info!("{note}"),
            Progress::Bytes { done, total } => {
                slot.set_loading(spec.name, Some(done as f32 / total.max(1) as f32));
            }
        }),
    };
    match found {
        Ok(stored) => {
            slot.set_loading(&stored.name, None);
            Some(stored)
        }
        Err(error) => {
            tracing::error!("{error}. {}", error.hint());
            let code = match error {
                ModelError::Damaged { .. } => ProblemCode::ModelDamaged,
                _ => ProblemCode::ModelMissing,
            };
            slot.set_failed(spec.name, &error.hint(), code);
            None
        }
    }
}

fn fail<T: ?Sized>(slot: &Slot<T>, name: &str, error: &InferenceError) {
    tracing::error!("{name}: {error}");
    let problem = error.problem();
    slot.set_failed(name, &problem.hint, problem.code);
}

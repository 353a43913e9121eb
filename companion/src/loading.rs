use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::Arc,
    thread,
};

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
    let (chosen, options) = (choice.clone(), fetching.clone());
    background(&models.embedder, EMBEDDER.name, move |slot| load_embedder(slot, &chosen, &options));
    let name = llm_name(&choice).to_owned();
    background(&models.llm, &name, move |slot| load_llm(slot, choice, &fetching));
}

/// A file that makes its reader panic is as good as damaged; the status must not say for ever that it is being loaded.
fn background<T, F>(slot: &Slot<T>, name: &str, load: F)
where
    T: Send + Sync + ?Sized + 'static,
    F: FnOnce(&Slot<T>) + Send + 'static,
{
    slot.set_loading(name, None);
    let (slot, name) = (slot.clone(), name.to_owned());
    thread::spawn(move || {
        if catch_unwind(AssertUnwindSafe(|| load(&slot))).is_err() {
            fail(&slot, &name, &InferenceError::Damaged("its reader panicked".into()));
        }
    });
}

fn llm_name(choice: &Choice) -> &str {
    choice.server.as_ref().map_or(choice.profile.language_model().name, |server| &server.model)
}

fn load_embedder(slot: &Slot<Embedder>, choice: &Choice, fetching: &FetchOptions) {
    let Some(stored) = find(slot, &[&EMBEDDER], choice.embedder.clone(), fetching) else { return };
    match Embedder::load(&stored.path, choice.device) {
        Ok(embedder) => {
            let status = ModelStatus::Ready { name: stored.name, licence: stored.licence };
            slot.set_ready(Arc::new(embedder), status);
        }
        Err(error) => fail(slot, &stored.name, &error),
    }
}

/// Where the profile's model cannot be had, the smallest one does its best.
fn load_llm(slot: &Slot<dyn LanguageModel>, choice: Choice, fetching: &FetchOptions) {
    if let Some(server) = choice.server {
        let name = server.model.clone();
        return settle(slot, &name, OpenAiModel::new(server));
    }
    let wanted = match choice.profile {
        Profile::Tiny => vec![Profile::Tiny.language_model()],
        larger => vec![larger.language_model(), Profile::Tiny.language_model()],
    };
    let Some(stored) = find(slot, &wanted, choice.model, fetching) else { return };
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

/// The model file: the configured one, else the first of the catalogue's that can be had. Failure goes to the status.
fn find<T: Send + Sync + ?Sized>(
    slot: &Slot<T>,
    wanted: &[&ModelSpec],
    configured: Option<PathBuf>,
    fetching: &FetchOptions,
) -> Option<StoredModel> {
    let found = match configured {
        Some(path) => StoredModel::configured(path),
        None => fetch_first(slot, wanted, fetching),
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
            slot.set_failed(wanted[0].name, &error.hint(), code);
            None
        }
    }
}

fn fetch_first<T: Send + Sync + ?Sized>(
    slot: &Slot<T>,
    wanted: &[&ModelSpec],
    fetching: &FetchOptions,
) -> Result<StoredModel, ModelError> {
    let fetch_one = |spec: &ModelSpec| {
        fetch(spec, fetching, &mut |progress| match progress {
            Progress::Note(note) => tracing::info!("{note}"),
            Progress::Bytes { done, total } => {
                slot.set_loading(spec.name, Some(done as f32 / total.max(1) as f32));
            }
        })
    };
    let mut found = fetch_one(wanted[0]);
    for next in &wanted[1..] {
        if let Err(error @ ModelError::Unreachable { .. }) = &found {
            tracing::warn!("{error}. Taking {} in its place", next.name);
            let first = std::mem::replace(&mut found, fetch_one(next));
            // Of two failures the first is what the user asked for.
            found = found.or(first);
        }
    }
    found
}

fn fail<T: ?Sized>(slot: &Slot<T>, name: &str, error: &InferenceError) {
    tracing::error!("{name}: {error}");
    let problem = error.problem();
    slot.set_failed(name, &problem.hint, problem.code);
}

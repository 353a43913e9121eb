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
use loci_models::{
    EMBEDDER, FetchOptions, ModelError, ModelSpec, Origin, Profile, Progress, StoredModel, fetch,
};
use loci_protocol::{ModelStatus, ProblemCode};

use crate::{Models, Slot};

/// What to do about a file that the user named.
const OWN_FILE: &str = "Name another file with --model or --embedder, or leave the option out: then the default model is downloaded.";

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
            let error = InferenceError::Damaged("its reader panicked".into());
            refuse(&slot, &name, &error, &error.problem().hint);
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
        Err(error) => fail(slot, &stored, &error),
    }
}

/// Where the profile's model cannot be had, the smallest one does its best.
fn load_llm(slot: &Slot<dyn LanguageModel>, choice: Choice, fetching: &FetchOptions) {
    if let Some(server) = choice.server {
        match OpenAiModel::new(server.clone()) {
            Ok(model) => set_ready(slot, model),
            Err(error) => refuse(slot, &server.model, &error, &error.problem().hint),
        }
        return;
    }
    let wanted = match choice.profile {
        Profile::Tiny => vec![Profile::Tiny.language_model()],
        larger => vec![larger.language_model(), Profile::Tiny.language_model()],
    };
    let Some(stored) = find(slot, &wanted, choice.model, fetching) else { return };
    let options = LocalOptions {
        device: choice.device,
        name: stored.name.clone(),
        licence: stored.licence.clone(),
        ..LocalOptions::default()
    };
    match LocalModel::load(&stored.path, options) {
        Ok(model) => set_ready(slot, model),
        Err(error) => fail(slot, &stored, &error),
    }
}

fn set_ready<M: LanguageModel + 'static>(slot: &Slot<dyn LanguageModel>, model: M) {
    let status = model.status();
    slot.set_ready(Arc::new(model), status);
}

/// The model file: the configured one, else the first of the catalogue's that can be had. Failure goes to the status.
fn find<T: Send + Sync + ?Sized>(
    slot: &Slot<T>,
    wanted: &[&ModelSpec],
    configured: Option<PathBuf>,
    fetching: &FetchOptions,
) -> Option<StoredModel> {
    let own = configured.is_some();
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
            let hint = if own { OWN_FILE.to_owned() } else { error.hint() };
            tracing::error!("{error}. {hint}");
            let code = match error {
                ModelError::Damaged { .. } => ProblemCode::ModelDamaged,
                _ => ProblemCode::ModelMissing,
            };
            slot.set_failed(wanted[0].name, &hint, code);
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

/// A stored file that cannot be used; one that the user named is not ours to delete.
fn fail<T: ?Sized>(slot: &Slot<T>, stored: &StoredModel, error: &InferenceError) {
    let own = stored.origin == Origin::Configured && matches!(error, InferenceError::Damaged(_));
    let hint = if own { OWN_FILE.to_owned() } else { error.problem().hint };
    refuse(slot, &stored.name, error, &hint);
}

fn refuse<T: ?Sized>(slot: &Slot<T>, name: &str, error: &InferenceError, hint: &str) {
    tracing::error!("{name}: {error}");
    slot.set_failed(name, hint, error.problem().code);
}

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use loci_inference::{Embedder, LanguageModel};
use loci_protocol::{ModelStatus, ProblemCode};

use crate::Refusal;

/// The models of this companion, each loaded while the port already answers.
#[derive(Default)]
pub struct Models {
    /// What computes, e.g. `cpu, 2 threads`.
    pub device: String,
    pub embedder: Slot<Embedder>,
    pub llm: Slot<dyn LanguageModel>,
}

/// The place of one model. Clones share it.
pub struct Slot<T: ?Sized>(Arc<RwLock<State<T>>>);

struct State<T: ?Sized> {
    status: ModelStatus,
    model: Option<Arc<T>>,
    /// Of a failed model.
    failure: ProblemCode,
}

impl<T: ?Sized> Slot<T> {
    pub fn ready(model: Arc<T>, status: ModelStatus) -> Slot<T> {
        let slot = Slot::default();
        slot.set_ready(model, status);
        slot
    }

    /// `fraction` is absent while the file is read.
    pub fn set_loading(&self, name: &str, fraction: Option<f32>) {
        self.set(ModelStatus::Loading { name: name.into(), fraction }, None, ProblemCode::ModelMissing);
    }

    pub fn set_ready(&self, model: Arc<T>, status: ModelStatus) {
        self.set(status, Some(model), ProblemCode::ModelMissing);
    }

    /// `failure` is what requests are refused with.
    pub fn set_failed(&self, name: &str, hint: &str, failure: ProblemCode) {
        self.set(ModelStatus::Failed { name: name.into(), hint: hint.into() }, None, failure);
    }

    pub fn status(&self) -> ModelStatus {
        self.0.read().unwrap_or_else(PoisonError::into_inner).status.clone()
    }

    /// The model, or why there is none.
    pub fn get(&self) -> Result<Arc<T>, Refusal> {
        let state = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = &state.model {
            return Ok(Arc::clone(model));
        }
        Err(match &state.status {
            ModelStatus::Loading { name, fraction } => {
                let done = fraction.map(|part| format!(" ({:.0} %)", part * 100.0)).unwrap_or_default();
                let hint = format!("{name} is being loaded{done}: wait a moment.");
                Refusal::new(ProblemCode::ModelMissing, hint).retry_after(Duration::from_secs(2))
            }
            ModelStatus::Failed { hint, .. } => Refusal::new(state.failure, hint),
            ModelStatus::Ready { .. } | ModelStatus::Absent => Refusal::new(
                ProblemCode::ModelMissing,
                "The companion was started without this model: start `loci serve` with one.",
            ),
        })
    }

    fn set(&self, status: ModelStatus, model: Option<Arc<T>>, failure: ProblemCode) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = State { status, model, failure };
    }
}

impl<T: ?Sized> Default for Slot<T> {
    fn default() -> Slot<T> {
        let state = State { status: ModelStatus::Absent, model: None, failure: ProblemCode::ModelMissing };
        Slot(Arc::new(RwLock::new(state)))
    }
}

impl<T: ?Sized> Clone for Slot<T> {
    fn clone(&self) -> Slot<T> {
        Slot(Arc::clone(&self.0))
    }
}

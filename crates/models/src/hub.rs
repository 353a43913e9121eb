use crate::{FetchOptions, ModelError, ModelSpec, Progress, StoredModel};

pub(crate) fn fetch(
    spec: &ModelSpec,
    _options: &FetchOptions,
    _progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<StoredModel, ModelError> {
    Err(ModelError::Unreachable { name: spec.name.into(), reason: "not written yet".into() })
}

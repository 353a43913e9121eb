use std::path::PathBuf;

/// Why a model could not be had. The message says what happened, [`ModelError::hint`] what to do.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// A configured path, or a model asked for without leave to download.
    #[error("there is no model at {}", .0.display())]
    Missing(PathBuf),
    /// The bytes are not those that were published, or not a model at all.
    #[error("{} is damaged: {reason}", .path.display())]
    Damaged { path: PathBuf, reason: String },
    /// Neither hub nor package index gave the file.
    #[error("{name} could not be downloaded: {reason}")]
    Unreachable { name: String, reason: String },
    /// The disk refused.
    #[error("{}: {source}", .path.display())]
    Io { path: PathBuf, source: std::io::Error },
}

impl ModelError {
    /// What the user can do about it.
    pub fn hint(&self) -> String {
        match self {
            ModelError::Missing(_) => {
                "Check the path, or leave it out and run `loci models` to download the default model.".into()
            }
            ModelError::Damaged { path, .. } => {
                format!("Delete {} and start again: it will be downloaded anew.", path.display())
            }
            ModelError::Unreachable { .. } => {
                "Check the network connection, or name a GGUF file you already have with `--model FILE`."
                    .into()
            }
            ModelError::Io { .. } => {
                "Check that the folder can be written and has free space, or set LOCI_CACHE to another one."
                    .into()
            }
        }
    }

    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> ModelError {
        let path = path.into();
        move |source| ModelError::Io { path, source }
    }
}

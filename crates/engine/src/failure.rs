use loci_memorize::CleanError;
use loci_messages::{ErrorKind, Failure};
use loci_store::StoreError;

/// A failure for the screens.
pub fn failure(kind: ErrorKind, hint: impl Into<String>) -> Failure {
    Failure { kind, hint: hint.into() }
}

pub(crate) fn not_found(what: &str) -> Failure {
    failure(ErrorKind::NotFound, format!("This {what} is not in the memory any more."))
}

/// What a failure of the store means to the user.
pub fn of_store(error: &StoreError) -> Failure {
    let kind = match error {
        StoreError::Full => ErrorKind::StorageFull,
        StoreError::Blocked => ErrorKind::SecondWriter,
        StoreError::Unavailable
        | StoreError::NewerSchema { .. }
        | StoreError::Closed
        | StoreError::Damaged { .. }
        | StoreError::Browser(_) => ErrorKind::StorageBroken,
    };
    failure(kind, error.to_string())
}

pub(crate) fn of_clean(error: &CleanError) -> Failure {
    let kind = match error {
        CleanError::Empty => ErrorKind::EmptyPage,
        CleanError::TooLarge { .. } => ErrorKind::TooLarge,
    };
    failure(kind, error.to_string())
}

//! The store tests that need a real IndexedDB. A page loads the module and calls `run_store_tests()`, which resolves to a JSON
//! array of `{"name", "error"}`; `error` is null for a test that passed.

#[cfg(target_arch = "wasm32")]
mod tests;

#[cfg(target_arch = "wasm32")]
pub use tests::run_store_tests;

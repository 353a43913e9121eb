//! Programs that building and testing need, found or fetched.

pub mod apt;
pub mod binaryen;
pub mod chromium;
pub mod node;
pub mod wasm_std;

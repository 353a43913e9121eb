//! `cargo xtask build`: from Rust to a folder that a browser loads.

use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use wasm_bindgen_cli_support::Bindgen;

use crate::{
    place::Places,
    shell,
    step::{Stamp, sorted_entries, step, unchanged},
    tools::{binaryen, wasm_std},
};

/// A crate that becomes a module in the browser.
struct Module {
    package: &'static str,
    /// Base name of the JavaScript and WASM files.
    name: &'static str,
}

const MODULES: [Module; 2] = [
    Module { package: "loci-extension", name: "extension_wasm" },
    Module { package: "loci-web", name: "web" },
];

/// Bytes of one module as it is downloaded.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Size {
    pub name: String,
    pub bytes: u64,
    pub gzip: u64,
}

/// Builds everything: the extension, and the companion it talks to.
pub fn all(places: &Places) -> Result<()> {
    extension(places)?;
    native(places)
}

/// Builds the companion. No package is selected: the default ones agree on their features with the tests, so what
/// those compiled is not compiled again.
pub fn native(places: &Places) -> Result<()> {
    step("compile the companion", || {
        let mut cargo = shell::cargo(places);
        shell::run(cargo.args(["build", "--release", "--bin", "loci"]), "Mend what the compiler says above.")
    })
}

/// Packages of every cargo call for the browser.
pub fn browser_packages() -> Vec<String> {
    MODULES.iter().flat_map(|module| ["-p".to_owned(), module.package.to_owned()]).collect()
}

/// Builds `dist/extension` and returns the sizes of its modules.
pub fn extension(places: &Places) -> Result<Vec<Size>> {
    let std = wasm_std::ensure(places)?;
    step("compile the extension and its screens to WASM", || compile(places, &std))?;
    let wasm_opt = binaryen::ensure(places)?;
    let mut files = Vec::new();
    let mut sizes = Vec::new();
    for module in &MODULES {
        let folder = finish_module(places, module, &wasm_opt)?;
        sizes.push(size(module.name, &folder.join(format!("{}_bg.wasm", module.name)))?);
        files.extend(list(&folder)?);
    }
    for part in ["extension/static", "web/static"] {
        let folder = places.root.join(part);
        if folder.exists() {
            files.extend(list(&folder)?);
        }
    }
    files.push((PathBuf::from("manifest.json"), places.root.join("manifest.json")));
    mirror(&files, &places.extension())?;
    for Size { name, bytes, gzip } in &sizes {
        println!("         {name}: {} kB, {} kB gzipped", bytes / 1000, gzip / 1000);
    }
    println!("         the extension is in {}", places.extension().display());
    Ok(sizes)
}

/// One cargo call for both crates, so that what they share is compiled once.
fn compile(places: &Places, std: &wasm_std::WasmStd) -> Result<()> {
    let mut cargo = shell::cargo(places);
    cargo.args(["build", "--profile", "wasm", "--target", wasm_std::TARGET]);
    cargo.args(std.cargo_arguments()).args(browser_packages());
    shell::run(&mut cargo, "Mend what the compiler says above.")
}

/// wasm-bindgen and wasm-opt; returns the folder with the result.
fn finish_module(places: &Places, module: &Module, wasm_opt: &Path) -> Result<PathBuf> {
    let file = format!("{}.wasm", module.package.replace('-', "_"));
    let compiled = places.target.join(wasm_std::TARGET).join("wasm").join(file);
    let folder = places.own().join(module.name);
    let what = format!("bind and shrink {}", module.name);
    let settings = format!("bindgen 0.2.130, {}", binaryen::settings());
    let stamp = Stamp::of(&places.own(), module.name, &[&compiled], &settings)?;
    let wasm = folder.join(format!("{}_bg.wasm", module.name));
    if stamp.is_current(&[&wasm]) {
        unchanged(&what);
        return Ok(folder);
    }
    step(&what, || {
        bind(&compiled, module.name, &folder)?;
        let bound = folder.join("bound.wasm");
        fs::rename(&wasm, &bound)?;
        binaryen::optimise(wasm_opt, &bound, &wasm)?;
        fs::remove_file(bound)?;
        stamp.keep()
    })?;
    Ok(folder)
}

/// Writes `NAME.js` and `NAME_bg.wasm` into a fresh folder.
fn bind(compiled: &Path, name: &str, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let mut bindgen = Bindgen::new();
    bindgen.input_path(compiled).out_name(name).typescript(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    bindgen.web(true)?;
    bindgen.generate(folder).with_context(|| format!("wasm-bindgen refused {}", compiled.display()))
}

/// The tests of the store that need a real IndexedDB, as a module that a page loads. Returns its folder.
pub fn store_tests(places: &Places) -> Result<PathBuf> {
    let std = wasm_std::ensure(places)?;
    let folder = places.own().join("store_browser");
    step("compile the store's tests for the browser", || {
        let mut cargo = shell::cargo(places);
        cargo.args(["build", "--profile", "wasm", "--target", wasm_std::TARGET]).args(std.cargo_arguments());
        cargo.args(["-p", "loci-store", "--example", "store_browser"]);
        shell::run(&mut cargo, "Mend what the compiler says above.")?;
        let compiled = places.target.join(wasm_std::TARGET).join("wasm/examples/store_browser.wasm");
        bind(&compiled, "store_browser", &folder)
    })?;
    Ok(folder)
}

fn size(name: &str, file: &Path) -> Result<Size> {
    let bytes = fs::read(file)?;
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&bytes)?;
    Ok(Size { name: name.into(), bytes: bytes.len() as u64, gzip: packed.finish()?.len() as u64 })
}

/// All files of a folder: path inside it, and where it lies.
pub fn list(folder: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(next) = waiting.pop() {
        for entry in sorted_entries(&next)? {
            if entry.is_dir() {
                waiting.push(entry);
            } else {
                files.push((entry.strip_prefix(folder)?.to_owned(), entry));
            }
        }
    }
    Ok(files)
}

/// Makes a folder hold exactly these files. Unchanged ones are not written, so that a browser can go on using them.
fn mirror(files: &[(PathBuf, PathBuf)], folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let wanted: BTreeSet<&Path> = files.iter().map(|(inside, _)| inside.as_path()).collect();
    for (inside, file) in list(folder)? {
        if !wanted.contains(inside.as_path()) {
            fs::remove_file(file)?;
        }
    }
    for (inside, source) in files {
        let new = fs::read(source).with_context(|| format!("cannot read {}", source.display()))?;
        let to = folder.join(inside);
        if fs::read(&to).is_ok_and(|old| old == new) {
            continue;
        }
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&to, new).with_context(|| format!("cannot write {}", to.display()))?;
    }
    Ok(())
}

//! The standard library for WebAssembly.
//!
//! In this order: it is installed → rustup adds it → it is built once from sources of exactly this compiler's version
//! (a tarball named by `$LOCI_RUST_STD_SRC`, else Debian's `rust-src`). A built one is copied into the compiler's
//! sysroot or, where that cannot be written, into a copy of the sysroot made of links in the user's cache.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{
    place::Places,
    shell,
    step::{sorted_entries, step},
};

pub const TARGET: &str = "wasm32-unknown-unknown";
/// Beside the libraries this program built; holds the hash of the compiler's commit.
const MARK: &str = "built-by-loci.txt";

/// How to reach the library: nothing to do, or another sysroot to name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WasmStd {
    Installed,
    Sysroot(PathBuf),
}

impl WasmStd {
    /// What cargo must be told.
    pub fn cargo_arguments(&self) -> Vec<String> {
        match self {
            WasmStd::Installed => Vec::new(),
            // A list given by `--config` is joined to the one in .cargo/config.toml.
            WasmStd::Sysroot(sysroot) => vec![
                "--config".into(),
                format!("target.{TARGET}.rustflags=['--sysroot','{}']", sysroot.display()),
            ],
        }
    }
}

struct Compiler {
    sysroot: PathBuf,
    release: String,
    commit: String,
}

pub fn ensure(places: &Places) -> Result<WasmStd> {
    let compiler = Compiler::ask(places)?;
    if compiles(places, None) {
        return Ok(WasmStd::Installed);
    }
    let farm = places.cache.join("sysroot").join(&compiler.commit);
    if compiles(places, Some(&farm)) {
        return Ok(WasmStd::Sysroot(farm));
    }
    // Libraries of an earlier compiler would be found beside those of rustup.
    remove_own(&compiler.sysroot.join("lib/rustlib").join(TARGET).join("lib"))?;
    if add_by_rustup() && compiles(places, None) {
        return Ok(WasmStd::Installed);
    }
    let libraries = build(places, &compiler)?;
    install(places, &compiler, &libraries, &farm)
}

impl Compiler {
    fn ask(places: &Places) -> Result<Compiler> {
        let hint = "Is Rust installed? See https://rustup.rs";
        let sysroot = shell::output(rustc(places).args(["--print", "sysroot"]), hint)?;
        let version = shell::output(rustc(places).arg("-vV"), hint)?;
        let field = |name: &str| {
            let line = version.lines().find_map(|line| line.strip_prefix(name));
            line.map(|value| value.trim().to_owned()).with_context(|| format!("rustc -vV says no {name}"))
        };
        Ok(Compiler {
            sysroot: sysroot.trim().into(),
            release: field("release:")?,
            commit: field("commit-hash:")?,
        })
    }
}

/// The surest check there is: rustc itself refuses a library of another compiler.
fn compiles(places: &Places, sysroot: Option<&Path>) -> bool {
    let mut command = rustc(places);
    if let Some(sysroot) = sysroot {
        if !sysroot.exists() {
            return false;
        }
        command.arg("--sysroot").arg(sysroot);
    }
    let folder = places.own();
    let source = folder.join("probe.rs");
    let probe = "pub fn probe() -> std::collections::HashMap<String, u8> { Default::default() }\n";
    if fs::create_dir_all(&folder).and_then(|()| fs::write(&source, probe)).is_err() {
        return false;
    }
    command.args(["--target", TARGET, "--crate-type", "lib", "--crate-name", "probe", "--emit", "metadata"]);
    shell::succeeds(command.arg("--out-dir").arg(&folder).arg(&source))
}

fn add_by_rustup() -> bool {
    let Some(rustup) = shell::find_program("rustup") else { return false };
    step("add the WASM target with rustup", || {
        let mut command = Command::new(rustup);
        if !shell::succeeds(command.args(["target", "add", TARGET])) {
            println!("         rustup has none here; the library is built from source");
        }
        Ok(())
    })
    .is_ok()
}

/// Compiles the library and returns the folder of its rlibs.
fn build(places: &Places, compiler: &Compiler) -> Result<PathBuf> {
    let work = places.tools().join(format!("rust-std-{}", compiler.release));
    let output = work.join("target");
    let sources = match find_library(&work) {
        Some(sources) => sources,
        None => unpack_sources(&work, compiler)?,
    };
    step("build the WASM standard library from source (once for this compiler)", || {
        let mut cargo = shell::cargo(places);
        cargo
            .current_dir(&work)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
            .env("RUSTFLAGS", "-Zforce-unstable-if-unmarked -Cembed-bitcode=yes")
            .args(["build", "--locked", "--release", "--target", TARGET, "--target-dir"])
            .arg(&output)
            .arg("--manifest-path")
            .arg(sources.join("sysroot/Cargo.toml"));
        shell::run(
            &mut cargo,
            &format!(
                "The sources in {} do not build. Delete that folder and run this again.",
                work.display()
            ),
        )
    })?;
    Ok(output.join(TARGET).join("release/deps"))
}

fn unpack_sources(work: &Path, compiler: &Compiler) -> Result<PathBuf> {
    fs::create_dir_all(work)?;
    if let Some(tarball) = std::env::var_os("LOCI_RUST_STD_SRC") {
        step("unpack the sources named by LOCI_RUST_STD_SRC", || {
            let mut tar = Command::new("tar");
            tar.arg("xf").arg(&tarball).arg("-C").arg(work);
            shell::run(
                &mut tar,
                "LOCI_RUST_STD_SRC must name a tarball of the folder `library` of Rust's sources.",
            )
        })?;
    } else {
        step(&format!("fetch Debian's rust-src {}", compiler.release), || debian_sources(work, compiler))?;
    }
    find_library(work).with_context(|| format!("there is no library/sysroot under {}", work.display()))
}

/// `library` lies at the top of a tarball, and under usr/src/rustc-VERSION in Debian's package.
fn find_library(work: &Path) -> Option<PathBuf> {
    let below = work.join("usr/src");
    let mut places = vec![work.to_owned()];
    places.extend(sorted_entries(work).unwrap_or_default());
    places.extend(sorted_entries(&below).unwrap_or_default());
    places
        .into_iter()
        .map(|place| place.join("library"))
        .find(|library| library.join("sysroot/Cargo.toml").exists())
}

/// Fetches the package with package lists of its own, so that the system's stay as they are; unpacks, not installs it.
fn debian_sources(work: &Path, compiler: &Compiler) -> Result<()> {
    let help = format!(
        "Install the target with `rustup target add {TARGET}`, or set LOCI_RUST_STD_SRC to a tarball of the folder `library` of Rust {}.",
        compiler.release
    );
    if shell::find_program("apt-get").is_none() || shell::find_program("dpkg-deb").is_none() {
        bail!("There is no WASM standard library, and no apt to fetch its sources with.\n  {help}");
    }
    let Some(mirror) = debian_mirror() else {
        bail!("There is no WASM standard library, and this system names no Debian mirror.\n  {help}");
    };
    let keyring = Path::new("/usr/share/keyrings/debian-archive-keyring.gpg");
    for suite in ["trixie-backports", "forky", "sid", "trixie"] {
        let apt = work.join("apt");
        let lists = apt.join("lists");
        fs::create_dir_all(lists.join("partial"))?;
        fs::create_dir_all(apt.join("cache/archives/partial"))?;
        let list = apt.join("sources.list");
        fs::write(&list, format!("deb [signed-by={}] {mirror} {suite} main\n", keyring.display()))?;
        let options = [
            format!("Dir::Etc::sourcelist={}", list.display()),
            "Dir::Etc::sourceparts=-".into(),
            format!("Dir::State::lists={}", lists.display()),
            format!("Dir::Cache={}", apt.join("cache").display()),
            "APT::Sandbox::User=".into(),
            "Acquire::Languages=none".into(),
        ];
        let with_options = |program: &str| {
            let mut command = Command::new(program);
            command.current_dir(work);
            for option in &options {
                command.args(["-o", option]);
            }
            command
        };
        if !shell::succeeds(with_options("apt-get").args(["-q", "update"])) {
            continue;
        }
        let madison = shell::output(with_options("apt-cache").args(["madison", "rust-src"]), &help)?;
        let wanted = format!("{}+", compiler.release);
        let Some(version) = madison
            .lines()
            .filter_map(|line| line.split('|').nth(1))
            .map(str::trim)
            .find(|version| version.starts_with(&wanted))
        else {
            continue;
        };
        shell::run(with_options("apt-get").args(["-q", "download", &format!("rust-src={version}")]), &help)?;
        let package =
            sorted_entries(work)?.into_iter().find(|file| file.extension().is_some_and(|ext| ext == "deb"));
        let package = package.context("apt fetched no package")?;
        shell::run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(work), &help)?;
        fs::remove_file(package)?;
        fs::remove_dir_all(apt)?;
        return Ok(());
    }
    bail!("There is no WASM standard library, and Debian has no rust-src {}.\n  {help}", compiler.release)
}

/// The Debian mirror that this machine itself uses.
fn debian_mirror() -> Option<String> {
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    files.extend(sorted_entries(Path::new("/etc/apt/sources.list.d")).unwrap_or_default());
    let texts = files.into_iter().filter_map(|file| fs::read_to_string(file).ok());
    let words: Vec<String> =
        texts.flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
    words.into_iter().find(|word| word.contains("://") && word.trim_end_matches('/').ends_with("/debian"))
}

fn install(places: &Places, compiler: &Compiler, libraries: &Path, farm: &Path) -> Result<WasmStd> {
    let own = compiler.sysroot.join("lib/rustlib").join(TARGET).join("lib");
    if copy_libraries(libraries, &own, compiler).is_ok() && compiles(places, None) {
        return Ok(WasmStd::Installed);
    }
    step("link the compiler's sysroot into the cache, for it cannot be written", || {
        link_sysroot(&compiler.sysroot, farm)?;
        copy_libraries(libraries, &farm.join("lib/rustlib").join(TARGET).join("lib"), compiler)
    })?;
    if !compiles(places, Some(farm)) {
        bail!(
            "The WASM standard library was built but does not compile a program. Delete {} and run this again.",
            farm.display()
        );
    }
    Ok(WasmStd::Sysroot(farm.to_owned()))
}

fn copy_libraries(from: &Path, to: &Path, compiler: &Compiler) -> Result<()> {
    fs::create_dir_all(to)?;
    remove_own(to)?;
    for library in rlibs(from)? {
        fs::copy(&library, to.join(library.file_name().context("a file has a name")?))?;
    }
    fs::write(to.join(MARK), &compiler.commit)?;
    Ok(())
}

/// Removes libraries that this program built, as the mark beside them says.
fn remove_own(folder: &Path) -> Result<()> {
    if folder.join(MARK).exists() {
        for library in rlibs(folder)? {
            fs::remove_file(library)?;
        }
        fs::remove_file(folder.join(MARK))?;
    }
    Ok(())
}

fn rlibs(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = sorted_entries(folder)?;
    files.retain(|file| file.extension().is_some_and(|ext| ext == "rlib"));
    Ok(files)
}

/// Everything of the sysroot by links, except the folder that receives the new library.
fn link_sysroot(sysroot: &Path, farm: &Path) -> Result<()> {
    if farm.exists() {
        fs::remove_dir_all(farm)?;
    }
    let mut real = PathBuf::new();
    for part in ["", "lib", "rustlib"] {
        real.push(part);
        fs::create_dir_all(farm.join(&real))?;
        for entry in sorted_entries(&sysroot.join(&real))? {
            let name = entry.file_name().context("an entry has a name")?;
            let goes_on = matches!((part, name.to_str()), ("", Some("lib")) | ("lib", Some("rustlib")));
            if !goes_on && name != TARGET {
                link(&entry, &farm.join(&real).join(name))?;
            }
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(original: &Path, link: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink(original, link)?)
}

#[cfg(not(unix))]
fn link(original: &Path, _link: &Path) -> Result<()> {
    bail!(
        "{} cannot be linked on this system; install the target with `rustup target add {TARGET}`",
        original.display()
    )
}

fn rustc(places: &Places) -> Command {
    let mut command = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.current_dir(&places.root);
    command
}

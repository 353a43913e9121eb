//! Running other programs.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::place::Places;

/// Runs a program with its output on the screen; an error names it and says what to do.
pub fn run(command: &mut Command, hint: &str) -> Result<()> {
    let shown = shown(command);
    let status = command.status().with_context(|| format!("cannot start {shown}\n  {hint}"))?;
    if !status.success() {
        bail!("{shown} ended with {status}\n  {hint}");
    }
    Ok(())
}

/// Runs a program and returns what it printed.
pub fn output(command: &mut Command, hint: &str) -> Result<String> {
    let shown = shown(command);
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {shown}\n  {hint}"))?;
    if !output.status.success() {
        bail!("{shown} ended with {}\n  {hint}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program runs to a good end; its output is dropped.
pub fn succeeds(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

/// The cargo that started this program.
pub fn cargo(places: &Places) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(&places.root).env("CARGO_TARGET_DIR", &places.target);
    // Cargo hands its standard input on to `rustc -`, which would read whatever this program was given.
    command.stdin(Stdio::null());
    // They describe this program's own package and would make build scripts that watch them run again.
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PKG_")
            || name == "CARGO_MANIFEST_DIR"
            || name == "CARGO_MANIFEST_PATH"
        {
            command.env_remove(name);
        }
    }
    command
}

/// A program on PATH.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_executable(file))
}

pub fn is_executable(file: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    file.is_file()
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args()).map(OsStr::to_string_lossy);
    format!("`{}`", words.collect::<Vec<_>>().join(" "))
}

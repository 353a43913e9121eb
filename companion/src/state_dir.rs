use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Serialize, de::DeserializeOwned};

/// Why the state directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Neither an option, `$LOCI_STATE` nor a home directory says where the state is kept.
    #[error("no place for the companion's state: name one with --state DIR or LOCI_STATE")]
    NoPlace,
    /// The operating system refused.
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    /// The file is there and cannot be read.
    #[error(
        "{path} is damaged ({reason}). Move it away and pair your browsers again, or restore it from a backup"
    )]
    Damaged { path: PathBuf, reason: String },
}

/// The companion's own directory: pairings and the open pairing code, nothing of any page. The directory is for its
/// owner alone (0700), and so is every file (0600).
///
/// A file is replaced as a whole, so a reader never sees half of one; a change that reads first holds [`Self::lock`].
#[derive(Debug, Clone)]
pub struct StateDir {
    path: PathBuf,
}

/// Held while a file is read, changed and written, by any process.
#[derive(Debug)]
pub struct StateLock(#[expect(dead_code, reason = "holding the open file is what keeps the lock")] File);

impl StateDir {
    /// The directory in use when none is named: `$LOCI_STATE`, else `loci` in the user's data directory.
    ///
    /// # Errors
    /// [`StateError::NoPlace`] when the environment names none of them.
    pub fn default_path() -> Result<PathBuf, StateError> {
        let folder = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        folder("LOCI_STATE")
            .or_else(|| folder("XDG_DATA_HOME").map(|data| data.join("loci")))
            .or_else(|| folder("HOME").map(|home| home.join(".local/share/loci")))
            .or_else(|| folder("LOCALAPPDATA").map(|data| data.join("loci")))
            .ok_or(StateError::NoPlace)
    }

    /// Opens the directory and makes it when it is not there. Files that others could read are closed to them.
    pub fn open(path: impl Into<PathBuf>) -> Result<StateDir, StateError> {
        let path = path.into();
        let io = |source| StateError::Io { path: path.clone(), source };
        if !path.is_dir() {
            create_private_dir(&path).map_err(io)?;
        }
        for entry in fs::read_dir(&path).map_err(io)? {
            let file = entry.map_err(io)?.path();
            if file.is_file() && file.extension().is_some_and(|end| end == "json") {
                make_private(&file).map_err(io)?;
            }
        }
        Ok(StateDir { path })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Waits until no other process or thread changes the state.
    pub fn lock(&self) -> Result<StateLock, StateError> {
        let (file, path) = self.open_lock("lock")?;
        file.lock().map_err(|source| StateError::Io { path, source })?;
        Ok(StateLock(file))
    }

    /// Takes the lock that a running companion holds for its life; `None` when one is running. The operating system
    /// lets it go however the process ends.
    pub fn lock_serving(&self) -> Result<Option<StateLock>, StateError> {
        let (file, path) = self.open_lock("serving")?;
        match file.try_lock() {
            Ok(()) => Ok(Some(StateLock(file))),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(source)) => Err(StateError::Io { path, source }),
        }
    }

    /// What the file holds; `None` when it is not there.
    pub fn read<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, StateError> {
        let path = self.path.join(name);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(StateError::Io { path, source }),
        };
        // serde_json quotes the offending value, which may be a key: only the place is told.
        serde_json::from_slice(&bytes).map(Some).map_err(|error| StateError::Damaged {
            path,
            reason: format!("line {}, column {}", error.line(), error.column()),
        })
    }

    /// Replaces the file in one step, mode 0600, on the disk when this returns.
    pub fn write<T: Serialize>(&self, name: &str, value: &T) -> Result<(), StateError> {
        let path = self.path.join(name);
        let fresh = self.path.join(format!("{name}.new"));
        let io = |source| StateError::Io { path: path.clone(), source };
        let bytes = serde_json::to_vec_pretty(value).map_err(|error| io(error.into()))?;
        match fs::remove_file(&fresh) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io(error)),
            _ => {}
        }
        let mut file = private_options().write(true).create_new(true).open(&fresh).map_err(io)?;
        file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(io)?;
        fs::rename(&fresh, &path).map_err(io)?;
        sync_dir(&self.path).map_err(io)
    }

    /// Takes the file away; no error when it is not there.
    pub fn remove(&self, name: &str) -> Result<(), StateError> {
        let path = self.path.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(StateError::Io { path, source: error })
            }
            _ => Ok(()),
        }
    }

    fn open_lock(&self, name: &str) -> Result<(File, PathBuf), StateError> {
        let path = self.path.join(name);
        private_options()
            .write(true)
            .create(true)
            .open(&path)
            .map(|file| (file, path.clone()))
            .map_err(|source| StateError::Io { path, source })
    }
}

#[cfg(unix)]
fn private_options() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

#[cfg(not(unix))]
fn private_options() -> OpenOptions {
    OpenOptions::new()
}

#[cfg(unix)]
fn create_private_dir(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create_private_dir(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(unix)]
fn make_private(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_path: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(not(unix))]
fn sync_dir(_path: &Path) -> io::Result<()> {
    Ok(())
}

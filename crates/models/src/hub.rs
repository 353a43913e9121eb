//! Files of a model hub, over its plain `resolve` addresses.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use reqwest::{Client, StatusCode, header, redirect::Policy};

use crate::{
    Cache, HubFile, HubSource, ModelError, ModelSpec, Progress,
    fetch::{check_sha256, publish},
};

/// A machine without a hub should learn that soon.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// A broken transfer is taken up again this often.
const ATTEMPTS: usize = 4;

pub(crate) fn fetch(
    spec: &ModelSpec,
    source: &HubSource,
    base: &str,
    cache: &Cache,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<PathBuf, ModelError> {
    let failed = |reason: String| ModelError::Unreachable { name: spec.name.into(), reason };
    // Another library of this process may have chosen its provider already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| failed(error.to_string()))?;
    let hub = Hub::new(spec, source, base).map_err(|error| failed(describe(&error)))?;
    runtime.block_on(hub.fetch(cache, progress))
}

struct Hub<'a> {
    spec: &'a ModelSpec,
    source: &'a HubSource,
    base: &'a str,
    /// Follows redirects to where the bytes are.
    client: Client,
    /// Stays at the hub, whose own reply bears the checksum.
    metadata_client: Client,
}

/// What the hub says about a file.
struct Metadata {
    size: Option<u64>,
    sha256: Option<String>,
}

impl<'a> Hub<'a> {
    fn new(spec: &'a ModelSpec, source: &'a HubSource, base: &'a str) -> reqwest::Result<Hub<'a>> {
        let builder = || Client::builder().connect_timeout(CONNECT_TIMEOUT).read_timeout(READ_TIMEOUT);
        let client = builder().build()?;
        let metadata_client = builder().redirect(Policy::none()).build()?;
        Ok(Hub { spec, source, base: base.trim_end_matches('/'), client, metadata_client })
    }

    async fn fetch(
        &self,
        cache: &Cache,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<PathBuf, ModelError> {
        let mut metadata = Vec::new();
        for file in self.source.files {
            metadata.push(self.metadata(file).await.map_err(|error| self.failed(describe(&error)))?);
        }
        let total = metadata.iter().map(|file| file.size).sum::<Option<u64>>().unwrap_or(self.spec.bytes);
        let target = cache.models().join(self.source.stored_as);
        let part = cache.models().join(format!("{}.part", self.source.stored_as));
        let is_folder = self.source.files.len() > 1;
        if is_folder {
            fs::create_dir_all(&part).map_err(ModelError::io(&part))?;
        }
        let mut before = 0;
        for (file, metadata) in self.source.files.iter().zip(&metadata) {
            let path = if is_folder { part.join(file.name) } else { part.clone() };
            let sha256 = file.sha256.map(str::to_owned).or_else(|| metadata.sha256.clone());
            self.download(file, metadata, &path, &mut |done| {
                progress(Progress::Bytes { done: before + done, total });
            })
            .await?;
            if let Some(sha256) = sha256 {
                // A damaged part must not be resumed the next time.
                check_sha256(&path, &sha256).inspect_err(|_| drop(fs::remove_file(&path)))?;
            }
            before += fs::metadata(&path).map_err(ModelError::io(&path))?.len();
        }
        publish(&part, &target)?;
        Ok(target)
    }

    async fn metadata(&self, file: &HubFile) -> reqwest::Result<Metadata> {
        let reply = self.metadata_client.head(self.address(file)).send().await?;
        if reply.status().is_client_error() || reply.status().is_server_error() {
            reply.error_for_status_ref()?;
        }
        let header = |name: &str| reply.headers().get(name)?.to_str().ok().map(str::to_owned);
        let etag = header("x-linked-etag").unwrap_or_default();
        let etag = etag.trim_matches('"');
        // Large files are named by their SHA-256, small ones by a git hash, which is shorter.
        let sha256 = (etag.len() == 64).then(|| etag.to_owned());
        Ok(Metadata { size: header("x-linked-size").and_then(|size| size.parse().ok()), sha256 })
    }

    async fn download(
        &self,
        file: &HubFile,
        metadata: &Metadata,
        path: &Path,
        on_bytes: &mut (dyn FnMut(u64) + Send),
    ) -> Result<(), ModelError> {
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            let have = fs::metadata(path).map_or(0, |metadata| metadata.len());
            if metadata.size == Some(have) {
                on_bytes(have);
                return Ok(());
            }
            match self.transfer(file, path, have, on_bytes).await? {
                Ok(()) => return Ok(()),
                Err(error) => last = describe(&error),
            }
        }
        Err(self.failed(last))
    }

    /// One try. The outer error is the disk's and final, the inner one the network's.
    async fn transfer(
        &self,
        file: &HubFile,
        path: &Path,
        have: u64,
        on_bytes: &mut (dyn FnMut(u64) + Send),
    ) -> Result<reqwest::Result<()>, ModelError> {
        let request = self.client.get(self.address(file)).header(header::RANGE, format!("bytes={have}-"));
        let mut reply = match request.send().await.and_then(reqwest::Response::error_for_status) {
            Ok(reply) => reply,
            Err(error) => {
                if error.status() == Some(StatusCode::RANGE_NOT_SATISFIABLE) {
                    // What lies here is longer than the file: begin anew.
                    fs::remove_file(path).map_err(ModelError::io(path))?;
                }
                return Ok(Err(error));
            }
        };
        let resumed = reply.status() == StatusCode::PARTIAL_CONTENT;
        let mut out = fs::OpenOptions::new()
            .create(true)
            .write(true)
            .append(resumed)
            .truncate(!resumed)
            .open(path)
            .map_err(ModelError::io(path))?;
        let mut done = if resumed { have } else { 0 };
        loop {
            match reply.chunk().await {
                Ok(Some(bytes)) => {
                    out.write_all(&bytes).map_err(ModelError::io(path))?;
                    done += bytes.len() as u64;
                    on_bytes(done);
                }
                Ok(None) => return Ok(Ok(())),
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    fn address(&self, file: &HubFile) -> String {
        format!("{}/{}/resolve/main/{}", self.base, self.source.repository, file.name)
    }

    fn failed(&self, reason: String) -> ModelError {
        ModelError::Unreachable { name: self.spec.name.into(), reason }
    }
}

/// The error with its causes: the outermost alone only says that a request failed.
fn describe(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

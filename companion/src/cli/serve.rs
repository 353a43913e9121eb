use std::{
    io::IsTerminal,
    net::{IpAddr, Ipv4Addr},
    path::PathBuf,
    time::Duration,
};

use anyhow::{Context, Result, bail};
use clap::Args;
use loci_companion::{
    App, Clock, Models, Settings, StateDir, SystemClock, hide_panic_messages, listen, loading, pairing_code,
    server,
    serving::{self, Serving},
};
use loci_inference::{DeviceChoice, OpenAiOptions, set_threads};
use loci_models::{FetchOptions, Profile};
use tracing_subscriber::EnvFilter;

use super::{pair::grouped, say};

#[derive(Args)]
pub struct ServeArguments {
    /// Listen on this port alone [default: 4387, else 4388, else 4389]
    #[arg(long)]
    port: Option<u16>,
    /// Which models: tiny, cpu or gpu
    #[arg(long, default_value_t)]
    profile: Profile,
    /// A GGUF file in place of the profile's language model
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// multilingual-e5-small as a file or folder in place of the default one
    #[arg(long, value_name = "FILE|DIR")]
    embedder: Option<PathBuf>,
    /// An OpenAI-compatible server in place of a language model here, up to and including /v1
    #[arg(long, value_name = "URL", requires = "llm_model", conflicts_with = "model")]
    llm_url: Option<String>,
    /// Its model
    #[arg(long, value_name = "NAME", requires = "llm_url")]
    llm_model: Option<String>,
    /// The environment variable that holds its key
    #[arg(long, value_name = "ENV", requires = "llm_url")]
    llm_key: Option<String>,
    /// CPU threads that compute [default: one per physical core]
    #[arg(long)]
    threads: Option<usize>,
    /// Show a pairing code at once
    #[arg(long)]
    pair: bool,
}

pub fn serve(state: StateDir, arguments: ServeArguments) -> Result<()> {
    start_log();
    hide_panic_messages();
    if let Some(threads) = arguments.threads {
        set_threads(threads);
    }
    let Some(lock) = state.lock_serving()? else {
        let port = serving::running(&state)?.map(|serving| format!(" on port {}", serving.port));
        bail!(
            "a companion runs already{} with the state directory {}. Use it, stop it, or name another directory \
             with --state DIR",
            port.unwrap_or_default(),
            state.path().display()
        );
    };
    let choice = choice(&arguments)?;
    let runtime = tokio::runtime::Runtime::new()?;
    let result = runtime.block_on(async {
        let listener = listen::listen(IpAddr::V4(Ipv4Addr::LOCALHOST), arguments.port).await?;
        let port = listener.local_addr()?.port();
        let models = Models { device: choice.device.describe(), ..Models::default() };
        loading::start(&models, choice, FetchOptions::from_env());
        let app = App::new(port, state.clone(), Settings { models, ..Settings::default() });
        let (process, bearer) = (std::process::id(), app.local_bearer().to_owned());
        serving::announce(&state, &lock, &Serving { port, process, bearer })?;
        let stop = stop_signal()?;

        say(&format!("listening on http://127.0.0.1:{port}"))?;
        if arguments.pair {
            let code = pairing_code::open(&state, SystemClock.now())?;
            say(&format!("pairing code {}", grouped(&code)))?;
        }
        server::serve(listener, app, stop).await;
        tracing::info!("stopped");
        Ok(())
    });
    // A model may be in the middle of a long step: it is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(500));
    result
}

fn choice(arguments: &ServeArguments) -> Result<loading::Choice> {
    let key = arguments.llm_key.as_deref().map(|name| {
        std::env::var(name).with_context(|| format!("--llm-key {name}: that environment variable is not set"))
    });
    let server = match (&arguments.llm_url, &arguments.llm_model) {
        (Some(url), Some(model)) => {
            Some(OpenAiOptions { url: url.clone(), model: model.clone(), key: key.transpose()? })
        }
        _ => None,
    };
    Ok(loading::Choice {
        profile: arguments.profile,
        model: arguments.model.clone(),
        embedder: arguments.embedder.clone(),
        server,
        device: DeviceChoice::Auto,
    })
}

/// On standard error; `LOCI_LOG` chooses what.
fn start_log() {
    let filter = EnvFilter::try_from_env("LOCI_LOG").unwrap_or_else(|_| {
        EnvFilter::new("warn,loci=info,loci_companion=info,loci_inference=info,loci_models=info")
    });
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .init();
}

/// Ctrl-C, or what `kill` sends. The handlers stand when this returns, so no signal is missed.
#[cfg(unix)]
fn stop_signal() -> Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => (),
            _ = terminate.recv() => (),
        }
    })
}

#[cfg(not(unix))]
fn stop_signal() -> Result<impl Future<Output = ()>> {
    Ok(async {
        // Without a handler there is no way to stop but to end the process.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

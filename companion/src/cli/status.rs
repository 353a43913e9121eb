use std::{
    io::{Read, Write},
    net::{Ipv4Addr, TcpStream},
    time::Duration,
};

use anyhow::{Context, Result, bail};
use loci_companion::{
    StateDir,
    serving::{self, Serving},
};
use loci_protocol::{HEADER, ModelStatus, PROTOCOL_VERSION, StatusReply};

use super::say;

pub fn status(state: &StateDir, json: bool) -> Result<()> {
    let Some(serving) = serving::running(state)? else {
        bail!("no companion runs with the state directory {}: start `loci serve`", state.path().display());
    };
    let body =
        ask(&serving).with_context(|| format!("the companion on port {} did not answer", serving.port))?;
    if json {
        return say(&body);
    }
    let status: StatusReply = serde_json::from_str(&body)?;
    say(&format!(
        "loci {} on http://127.0.0.1:{} (process {})",
        status.version, serving.port, serving.process
    ))?;
    say(&format!("device    {}", status.device))?;
    say(&format!("embedder  {}", sentence(&status.embedder)))?;
    say(&format!("llm       {}", sentence(&status.llm)))?;
    let queue = status.queue;
    say(&format!(
        "queue     {} running, {} waiting, room for {}",
        queue.running, queue.waiting, queue.capacity
    ))
}

fn sentence(model: &ModelStatus) -> String {
    match model {
        ModelStatus::Ready { name, licence } => format!("{name}, ready (licence: {licence})"),
        ModelStatus::Loading { name, fraction: Some(part) } => {
            format!("{name}, {:.0} % fetched", part * 100.0)
        }
        ModelStatus::Loading { name, fraction: None } => format!("{name}, being loaded"),
        ModelStatus::Failed { name, hint } => format!("{name}, failed: {hint}"),
        ModelStatus::Absent => "none".into(),
    }
}

/// One request to ourselves over the loopback needs no client library: HTTP/1.0 answers whole and closes.
fn ask(serving: &Serving) -> Result<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, serving.port))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(
        stream,
        "GET /v1/status HTTP/1.0\r\nHost: 127.0.0.1:{}\r\n{HEADER}: {PROTOCOL_VERSION}\r\n\
         Authorization: Bearer {}\r\n\r\n",
        serving.port, serving.bearer
    )?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply)?;
    let (head, body) = reply.split_once("\r\n\r\n").context("the reply has no body")?;
    let line = head.lines().next().unwrap_or_default();
    if line.split_whitespace().nth(1) != Some("200") {
        bail!("{line}");
    }
    Ok(body.to_owned())
}

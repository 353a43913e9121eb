use std::{io, net::IpAddr};

use loci_protocol::PORTS;
use tokio::net::TcpListener;

/// Why the companion cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Everyone on the network could reach that address.
    #[error("the companion listens on the loopback address alone, and {0} is none")]
    NotLoopback(IpAddr),
    /// The port that was asked for, or the default one and both fall-backs, are in use.
    #[error("{}: stop that program, or choose another port with `--port`", taken(.0))]
    Taken(Vec<(u16, Option<String>)>),
    /// The operating system refused for another reason.
    #[error("cannot listen on port {port}: {source}. Choose another port with `--port`")]
    Io { port: u16, source: io::Error },
}

/// Listens on the port asked for (0: any free one), else on the first free one of [`PORTS`].
pub async fn listen(address: IpAddr, port: Option<u16>) -> Result<TcpListener, ListenError> {
    let ports = port.map_or_else(|| PORTS.to_vec(), |port| vec![port]);
    first_free(address, &ports).await
}

/// Listens on the first of these ports that is free.
pub async fn first_free(address: IpAddr, ports: &[u16]) -> Result<TcpListener, ListenError> {
    if !address.is_loopback() {
        return Err(ListenError::NotLoopback(address));
    }
    let mut taken = Vec::new();
    for &port in ports {
        match TcpListener::bind((address, port)).await {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                let user = user_of(port);
                tracing::warn!("port {port} is in use by {}", user.as_deref().unwrap_or("another program"));
                taken.push((port, user));
            }
            Err(source) => return Err(ListenError::Io { port, source }),
        }
    }
    Err(ListenError::Taken(taken))
}

fn taken(ports: &[(u16, Option<String>)]) -> String {
    let one = |(port, user): &(u16, Option<String>)| {
        format!("port {port} is in use by {}", user.as_deref().unwrap_or("another program"))
    };
    ports.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The program that listens on a port, e.g. `python3 (process 4711)`; `None` where the system does not tell.
#[cfg(target_os = "linux")]
fn user_of(port: u16) -> Option<String> {
    let sockets = std::fs::read_to_string("/proc/net/tcp").ok()?;
    // Fields: slot, local address:port, remote, state (0A is LISTEN), ..., inode as the tenth.
    let inode = sockets.lines().skip(1).find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let listens = fields.get(1)?.ends_with(&format!(":{port:04X}")) && *fields.get(3)? == "0A";
        listens.then(|| fields.get(9).map(ToString::to_string)).flatten()
    })?;
    let socket = format!("socket:[{inode}]");
    let holds = |process: &std::path::Path| {
        let files = std::fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        files
            .map(|file| file.path())
            .any(|file| std::fs::read_link(file).is_ok_and(|target| target.as_os_str() == socket.as_str()))
    };
    std::fs::read_dir("/proc").ok()?.flatten().map(|entry| entry.path()).find_map(|process| {
        let id: u32 = process.file_name()?.to_str()?.parse().ok()?;
        let name = holds(&process).then(|| std::fs::read_to_string(process.join("comm")).ok()).flatten()?;
        Some(format!("{} (process {id})", name.trim()))
    })
}

#[cfg(not(target_os = "linux"))]
fn user_of(_port: u16) -> Option<String> {
    None
}

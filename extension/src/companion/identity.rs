use loci_messages::{CompanionState, ErrorKind, Failure};
use loci_protocol::{HelloReply, PORTS, PROTOCOL_VERSION, trust};
use serde::{Deserialize, Serialize};

use crate::http::{Call, Lost, call};

/// Milliseconds that a hello may take: it costs the companion nothing.
const PATIENCE: u32 = 2_000;

/// What the companion gave this profile at pairing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pairing {
    pub profile: String,
    pub token: String,
}

/// Who answers on a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answerer {
    /// It knows the pairing's secret.
    Proven {
        port: u16,
        version: String,
    },
    /// It speaks the protocol; there is no pairing by which it could prove itself.
    Stranger {
        port: u16,
    },
    /// It did not prove itself though there is a pairing.
    Impostor {
        port: u16,
    },
    OtherVersion {
        port: u16,
        version: String,
    },
}

impl Answerer {
    /// How the screens call it.
    pub fn state(self) -> CompanionState {
        match self {
            Answerer::Proven { port, .. } | Answerer::Stranger { port } => CompanionState::Unpaired { port },
            Answerer::Impostor { port } => CompanionState::Impostor { port },
            Answerer::OtherVersion { port, version } => CompanionState::OtherVersion { port, version },
        }
    }

    /// Why nothing is sent to it.
    pub fn refusal(&self) -> Failure {
        match self {
            Answerer::Proven { .. } | Answerer::Stranger { .. } => loci_engine::failure(
                ErrorKind::CompanionUnpaired,
                "Pair this browser with the companion first: run `loci pair` and type the code in the settings.",
            ),
            Answerer::Impostor { port } => loci_engine::failure(
                ErrorKind::CompanionImpostor,
                format!(
                    "Port {port} answers, but cannot prove that it is your companion; nothing was sent to it. If you removed \
                     this browser from the companion, forget the pairing and pair again."
                ),
            ),
            Answerer::OtherVersion { version, .. } => loci_engine::failure(
                ErrorKind::CompanionOtherVersion,
                format!(
                    "The companion is version {version} and speaks another protocol. Update both to the same version."
                ),
            ),
        }
    }
}

/// Looks for the companion on `preferred` and the usual ports. A proven one wins; else the first that answers.
pub(crate) async fn find(preferred: Option<u16>, pairing: Option<&Pairing>) -> Option<Answerer> {
    let mut first = None;
    let usual = PORTS.into_iter().filter(|port| Some(*port) != preferred);
    for port in preferred.into_iter().chain(usual) {
        match meet(port, pairing).await {
            Some(proven @ Answerer::Proven { .. }) => return Some(proven),
            Some(other) => first = first.or(Some(other)),
            None => {}
        }
    }
    first
}

/// Says hello on one port; `None` when nobody there speaks the protocol. The hello holds a nonce and the profile's id alone.
pub(crate) async fn meet(port: u16, pairing: Option<&Pairing>) -> Option<Answerer> {
    let nonce = nonce().ok()?;
    let mut path = format!("/v1/hello?nonce={nonce}");
    if let Some(pairing) = pairing {
        path.push_str("&profile=");
        path.push_str(&pairing.profile);
    }
    let reply = call(Call { port, path: &path, headers: &[], body: None, patience: PATIENCE }).await.ok()?;
    if reply.status != 200 {
        return None;
    }
    let hello: HelloReply = reply.json(PATIENCE).await.ok()?;
    if hello.protocol != PROTOCOL_VERSION {
        return Some(Answerer::OtherVersion { port, version: hello.version });
    }
    let Some(pairing) = pairing else { return Some(Answerer::Stranger { port }) };
    let key = trust::proof_key(&pairing.token);
    let proven = hello.proof.is_some_and(|proof| {
        trust::proof_holds(&proof, &key, &nonce, port, &pairing.profile, &hello.version)
    });
    Some(if proven { Answerer::Proven { port, version: hello.version } } else { Answerer::Impostor { port } })
}

fn nonce() -> Result<String, Lost> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| Lost)?;
    Ok(hex::encode(bytes))
}

//! The derivations that companion and extension share.
//!
//! A token yields two keys: one to authenticate (the companion keeps only its hash) and one to prove (kept as it is).
//! `hello` proves the companion before the extension sends anything else, the token included.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

/// The bearer sent with each request: hex of HMAC-SHA256(token, "loci authenticate").
pub fn bearer(token: &str) -> String {
    hex::encode(mac(token.as_bytes(), &[b"loci authenticate"]))
}

/// What the companion stores of the bearer.
pub fn bearer_hash(bearer: &str) -> String {
    hex::encode(Sha256::digest(bearer.as_bytes()))
}

/// The key that proves the companion: hex of HMAC-SHA256(token, "loci prove").
pub fn proof_key(token: &str) -> String {
    hex::encode(mac(token.as_bytes(), &[b"loci prove"]))
}

/// Hex HMAC-SHA256 with the proof key over nonce, port, profile id and program version. The port is in it so that a
/// program on another port cannot relay the question to the real companion.
pub fn proof(proof_key: &str, nonce: &str, port: u16, profile: &str, version: &str) -> String {
    let port = port.to_string();
    hex::encode(mac(
        proof_key.as_bytes(),
        &[nonce.as_bytes(), port.as_bytes(), profile.as_bytes(), version.as_bytes()],
    ))
}

/// Whether `given` is the proof, compared in constant time.
pub fn proof_holds(
    given: &str,
    proof_key: &str,
    nonce: &str,
    port: u16,
    profile: &str,
    version: &str,
) -> bool {
    let port = port.to_string();
    let fields: [&[u8]; 4] = [nonce.as_bytes(), port.as_bytes(), profile.as_bytes(), version.as_bytes()];
    hex::decode(given).is_ok_and(|given| feed(proof_key.as_bytes(), &fields).verify_slice(&given).is_ok())
}

fn mac(key: &[u8], fields: &[&[u8]]) -> [u8; 32] {
    feed(key, fields).finalize().into_bytes().into()
}

/// Each field is preceded by its length, so that no two lists of fields feed the same bytes.
fn feed(key: &[u8], fields: &[&[u8]]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    for field in fields {
        mac.update(&(field.len() as u64).to_be_bytes());
        mac.update(field);
    }
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_is_bound_to_every_field() {
        let key = proof_key("token");
        let good = proof(&key, "nonce", 4387, "p1", "0.1.0");
        assert!(proof_holds(&good, &key, "nonce", 4387, "p1", "0.1.0"));
        for (nonce, port, profile, version) in [
            ("other", 4387, "p1", "0.1.0"),
            ("nonce", 4388, "p1", "0.1.0"),
            ("nonce", 4387, "p2", "0.1.0"),
            ("nonce", 4387, "p1", "0.1.1"),
            ("nonc", 4387, "ep1", "0.1.0"),
        ] {
            assert!(
                !proof_holds(&good, &key, nonce, port, profile, version),
                "{nonce} {port} {profile} {version}"
            );
        }
        assert!(
            !proof_holds(&good, &bearer("token"), "nonce", 4387, "p1", "0.1.0"),
            "the bearer proves nothing"
        );
    }
}

//! The client of the companion.
//!
//! Whoever answers on the port is asked to prove that it knows the pairing's secret before anything else is sent to it, the
//! token included. The proof is asked for again whenever a connection failed or some time has passed, since another program may
//! have taken the port.

mod client;
mod identity;

pub(crate) use client::Companion;

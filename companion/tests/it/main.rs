//! The companion as its clients meet it: over a socket, in one test program.

mod client;
mod companion;
mod description;
mod limits;
mod models;
mod pairing;
mod program;
mod scripted;
mod streams;
mod trust;

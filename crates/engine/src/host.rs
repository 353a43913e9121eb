use futures::future::LocalBoxFuture;
use loci_graph::Timestamp;
use loci_messages::Event;

/// A page connected to the core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u32);

/// What the surroundings give the engine: the time, and a way to be heard.
pub trait Host {
    fn now(&self) -> Timestamp;

    /// Done after so many milliseconds; 0 gives the event loop a turn.
    fn sleep(&self, milliseconds: u32) -> LocalBoxFuture<'static, ()>;

    /// Tells one page, or all.
    fn emit(&self, to: Option<ClientId>, event: Event);
}

use std::{sync::Arc, time::Duration};

use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, sync::Semaphore, time};

use crate::{App, routes};

/// A browser opens at most six connections per host and profile.
const CONNECTIONS: usize = 128;
/// Time to send the head of a request, and for an idle connection.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for open replies to end after the companion was told to stop.
const GRACE: Duration = Duration::from_secs(5);

/// Serves until `stop` resolves; then accepts nothing more, ends every stream with an error event, cancels what
/// computes and waits a little for the replies to go out.
pub async fn serve(listener: TcpListener, app: App, stop: impl Future<Output = ()>) {
    let router = routes::router(app.clone());
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    let open = GracefulShutdown::new();
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    let mut stop = std::pin::pin!(stop);

    loop {
        let free = Arc::clone(&connections).acquire_owned();
        let accepted = async {
            let free = free.await.expect("the semaphore is never closed");
            (listener.accept().await, free)
        };
        let (accepted, free) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        let Ok((stream, _)) = accepted else {
            // Out of file descriptors, or the client has left already.
            time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        // An event is small and should go out at once; failing to say so costs milliseconds only.
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(router.clone());
        let connection = open.watch(http.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!("connection: {error}");
            }
            drop(free);
        });
    }

    drop(listener);
    app.stop();
    if time::timeout(GRACE, open.shutdown()).await.is_err() {
        tracing::warn!("some connections did not end in time");
    }
}

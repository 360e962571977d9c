//! Serves over TCP and bounds what a client can hold: the number of connections, and the time until the head
//! of a request is complete. The service bounds bodies and WebSockets itself.

use std::sync::Arc;
use std::time::Duration;

use gleaner_http::Service;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Upper bound on open connections. Further ones wait in the accept queue of the system.
pub(crate) const MAX_CONNECTIONS: usize = 1_024;

/// A connection must send the whole head of its next request within this time. It is also the idle timeout.
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Pause after a failed accept. The cause, such as a lack of file descriptors, may pass as connections end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves HTTP/1.1 until the program ends.
pub(crate) async fn serve(listener: TcpListener, service: Service, max_connections: usize) {
    let permits = Arc::new(Semaphore::new(max_connections));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "accept failed");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let service = TowerToHyperService::new(service.clone());
        let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        tokio::spawn(async move {
            // An error here is a client that stalls or goes away.
            let _ = connection.await;
            drop(permit);
        });
    }
}

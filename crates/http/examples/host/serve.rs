//! Serves over TCP, with limits on connections and on the time for the head of a request. The service itself
//! limits bodies and WebSockets.

use std::sync::Arc;
use std::time::Duration;

use gleaner_http::Service;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Upper bound on open connections. Further ones wait in the backlog of the system.
pub(crate) const MAX_CONNECTIONS: usize = 1_024;

/// A connection must send the whole head of its next request within this time. It is also the idle timeout.
pub(crate) const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// Pause after a failed accept. File descriptors, for example, become free as connections end.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves HTTP/1.1 until the program ends.
pub(crate) async fn serve(listener: TcpListener, service: Service, max_connections: usize) {
    let slots = Arc::new(Semaphore::new(max_connections));
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let service = TowerToHyperService::new(service.clone());
        let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        tokio::spawn(async move {
            // An error here is a client that stalls or disconnects.
            let _ = connection.await;
            drop(slot);
        });
    }
}

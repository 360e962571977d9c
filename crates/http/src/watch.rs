//! Watching a job over a WebSocket (RFC 6455): the frames of the desk's watch, each as a text message.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt as _, Stream, StreamExt as _};
use gleaner::event::WatchFrame;
use gleaner::service::TeamId;
use http::header::{
    AUTHORIZATION, CONNECTION, HeaderName, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::Full;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use crate::auth;
use crate::failure::Failure;

/// Watchers of one service at once; one more is asked to come back (`429`).
pub const MAX_WATCHERS: usize = 1_000;
/// Of these, watchers of one team.
pub const MAX_WATCHERS_OF_TEAM: usize = 250;
/// A watcher is pinged this often, and given up after twice as long without a word.
pub const PING_EVERY: Duration = Duration::from_secs(30);
/// How long a watcher may take to read one message.
pub const SEND_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a watcher may take to complete the upgrade, and to close in its turn.
pub const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// A watcher has nothing to say but pongs and its goodbye.
const MAX_INCOMING: usize = 4_096;
/// Seconds after which a watcher for whom there was no place may ask again.
const FULL_PAUSE: u64 = 5;
/// The reason of the closing frame, which the official clients look for.
const CLOSING_REASON: &str = r#"{"type":"done"}"#;

/// The places of a service's watchers.
#[derive(Debug, Clone)]
pub(crate) struct Watchers {
    all: Arc<Semaphore>,
    of_team: Arc<Mutex<HashMap<TeamId, usize>>>,
}

impl Default for Watchers {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(MAX_WATCHERS)), of_team: Arc::default() }
    }
}

/// A watcher's place; dropping it gives it back.
#[derive(Debug)]
pub(crate) struct WatcherPermit {
    of_team: Arc<Mutex<HashMap<TeamId, usize>>>,
    team: TeamId,
    _one_of_all: OwnedSemaphorePermit,
}

impl Watchers {
    pub(crate) fn place(&self, team: &TeamId) -> Result<WatcherPermit, Failure> {
        let mut of_team = self.of_team.lock().unwrap_or_else(PoisonError::into_inner);
        if of_team.get(team).is_some_and(|taken| *taken >= MAX_WATCHERS_OF_TEAM) {
            return Err(Failure::busy("the team has too many watchers at once", FULL_PAUSE));
        }
        let one_of_all = Arc::clone(&self.all)
            .try_acquire_owned()
            .map_err(|_| Failure::busy("too many watchers at once", FULL_PAUSE))?;
        *of_team.entry(team.clone()).or_default() += 1;
        Ok(WatcherPermit { of_team: Arc::clone(&self.of_team), team: team.clone(), _one_of_all: one_of_all })
    }
}

impl Drop for WatcherPermit {
    fn drop(&mut self) {
        let mut of_team = self.of_team.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = of_team.get_mut(&self.team) {
            *taken = taken.saturating_sub(1);
            if *taken == 0 {
                of_team.remove(&self.team);
            }
        }
    }
}

/// A request to become a WebSocket.
pub(crate) struct Handshake {
    upgrade: OnUpgrade,
    accept: String,
    protocol: Option<HeaderValue>,
}

impl Handshake {
    /// `None` where the request asks for no WebSocket.
    pub(crate) fn of(parts: &mut Parts) -> Result<Option<Self>, Failure> {
        let headers = &parts.headers;
        if !names(headers, &CONNECTION, "upgrade") || !names(headers, &UPGRADE, "websocket") {
            return Ok(None);
        }
        if headers.get(SEC_WEBSOCKET_VERSION).is_none_or(|version| version != "13") {
            return Err(Failure::websocket_version());
        }
        let key = headers.get(SEC_WEBSOCKET_KEY).filter(|key| is_key(key.as_bytes()));
        let key = key.ok_or_else(|| {
            Failure::fault("sec-websocket-key", "`sec-websocket-key` must be 16 bytes in base64")
        })?;
        let accept = derive_accept_key(key.as_bytes());
        // A protocol that the server takes up must be among those offered; it is the one that carried the key.
        let protocol = match headers.contains_key(AUTHORIZATION) {
            true => None,
            false => auth::subprotocol(headers).and_then(|name| HeaderValue::from_str(name).ok()),
        };
        let upgrade = parts
            .extensions
            .remove::<OnUpgrade>()
            .ok_or_else(|| Failure::bad_request("this connection cannot become a WebSocket; use HTTP/1.1"))?;
        Ok(Some(Self { upgrade, accept, protocol }))
    }

    /// Agrees, and sends the frames once the connection is upgraded.
    pub(crate) fn accept(
        self,
        frames: impl Stream<Item = WatchFrame> + Send + 'static,
        place: WatcherPermit,
    ) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        if let Ok(accept) = HeaderValue::from_str(&self.accept) {
            headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
        }
        if let Some(protocol) = self.protocol {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, protocol);
        }
        let upgrade = self.upgrade;
        tokio::spawn(async move {
            let _place = place;
            if let Ok(Ok(upgraded)) = timeout(CLOSE_TIMEOUT, upgrade).await {
                let mut config = WebSocketConfig::default();
                config.max_message_size = Some(MAX_INCOMING);
                config.max_frame_size = Some(MAX_INCOMING);
                let io = TokioIo::new(upgraded);
                let socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
                serve(socket, frames).await;
            }
        });
        response
    }
}

/// Does a header of comma-separated tokens name this one, in any case?
fn names(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|found| found.trim().eq_ignore_ascii_case(token))
}

/// 16 bytes in base64: 22 characters and two of padding (RFC 6455, 4.2.1).
fn is_key(key: &[u8]) -> bool {
    let Some((text, padding)) = key.split_at_checked(22) else { return false };
    padding == b"==" && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

/// Sends the frames to their end, or until the watcher goes away.
async fn serve<S>(mut socket: WebSocketStream<S>, frames: impl Stream<Item = WatchFrame>)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    let mut frames = pin!(frames);
    let mut ping = tokio::time::interval_at(Instant::now() + PING_EVERY, PING_EVERY);
    let mut heard = Instant::now();
    loop {
        let message = tokio::select! {
            frame = frames.next() => match frame.map(|frame| serde_json::to_string(&frame)) {
                Some(Ok(text)) => Message::text(text),
                None | Some(Err(_)) => break,
            },
            incoming = socket.next() => match incoming {
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => {
                    heard = Instant::now();
                    continue;
                }
            },
            _ = ping.tick() => {
                if heard.elapsed() > PING_EVERY * 2 {
                    return;
                }
                Message::Ping(Bytes::new())
            }
        };
        if !matches!(timeout(SEND_TIMEOUT, socket.send(message)).await, Ok(Ok(()))) {
            return;
        }
    }
    let goodbye = CloseFrame { code: CloseCode::Normal, reason: Utf8Bytes::from_static(CLOSING_REASON) };
    let _gone_already = timeout(CLOSE_TIMEOUT, async {
        if socket.close(Some(goodbye)).await.is_ok() {
            // Until it closes in its turn: else what it has not read yet might be lost with the connection.
            while let Some(Ok(_)) = socket.next().await {}
        }
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handshake(headers: &[(&str, &str)]) -> Result<bool, StatusCode> {
        let mut request = http::Request::get("/v2/crawl/x");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let handshake = Handshake::of(&mut request.body(()).unwrap().into_parts().0);
        handshake.map(|found| found.is_some()).map_err(|failure| failure.into_response().status())
    }

    #[test]
    fn a_handshake_is_complete_or_refused() {
        const KEY: (&str, &str) = ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        const VERSION: (&str, &str) = ("sec-websocket-version", "13");
        const ASK: [(&str, &str); 2] = [("connection", "keep-alive, Upgrade"), ("upgrade", "WebSocket")];
        let [connection, upgrade] = ASK;
        for (name, headers, want) in [
            ("none", vec![], Ok(false)),
            ("another protocol", vec![connection, ("upgrade", "h2c")], Ok(false)),
            ("no upgrade header", vec![connection, KEY, VERSION], Ok(false)),
            ("an old version", vec![connection, upgrade, KEY, ("sec-websocket-version", "8")], Err(426)),
            ("no version", vec![connection, upgrade, KEY], Err(426)),
            ("no key", vec![connection, upgrade, VERSION], Err(400)),
            ("a short key", vec![connection, upgrade, VERSION, ("sec-websocket-key", "YQ==")], Err(400)),
            // Nothing beneath that could be upgraded.
            ("all there", vec![connection, upgrade, VERSION, KEY], Err(400)),
        ] {
            let found = handshake(&headers).map_err(|status| status.as_u16());
            assert_eq!(found, want, "{name}");
        }
    }

    #[test]
    fn keys_are_16_bytes() {
        assert!(is_key(b"dGhlIHNhbXBsZSBub25jZQ=="));
        for wrong in
            [&b""[..], b"dGhlIHNhbXBsZSBub25jZQ", b"dGhlIHNhbXBsZSBub25jZQ==a", b"d!hlIHNhbXBsZSBub25jZQ=="]
        {
            assert!(!is_key(wrong), "{wrong:?}");
        }
    }
}

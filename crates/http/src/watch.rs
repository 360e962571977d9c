//! Watching a job over a WebSocket (RFC 6455): each frame of the job service is one text message.

use std::collections::HashMap;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt as _, Stream, StreamExt as _};
use gleaner::service::{RESPONSE_PIECE, TeamId, WatchMessage};
use http::header::{
    AUTHORIZATION, CONNECTION, HeaderName, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use crate::auth;
use crate::failure::Failure;
use crate::response_body::ResponseBody;

/// Upper bound on the watchers of one service. Further ones are refused with 429.
pub const MAX_WATCHERS: usize = 1_000;
/// The same bound for one team.
pub const MAX_WATCHERS_PER_TEAM: usize = 250;
/// Interval of pings. A watcher that sends nothing for twice as long is disconnected.
pub const PING_EVERY: Duration = Duration::from_secs(30);
/// How long a watcher may take to read one message.
pub const SEND_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a watcher may take to complete the upgrade, and to answer a close.
pub const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// Upper bound on the size of incoming messages. Watchers send only control frames.
const MAX_INCOMING: usize = 4_096;
/// Retry time, in seconds, of a watcher that was refused.
const RETRY_SECONDS: u64 = 5;
/// The reason in the close frame, which the official clients expect.
const CLOSE_REASON: &str = r#"{"type":"done"}"#;

/// The watcher slots of a service.
#[derive(Debug, Clone)]
pub(crate) struct Watchers {
    all: Arc<Semaphore>,
    /// The number of watchers of each team.
    teams: Arc<Mutex<HashMap<TeamId, usize>>>,
}

impl Default for Watchers {
    fn default() -> Self {
        Self { all: Arc::new(Semaphore::new(MAX_WATCHERS)), teams: Arc::default() }
    }
}

/// The slot of a watcher; dropping it frees the slot.
#[derive(Debug)]
pub(crate) struct WatcherPermit {
    teams: Arc<Mutex<HashMap<TeamId, usize>>>,
    team: TeamId,
    _permit: OwnedSemaphorePermit,
}

impl Watchers {
    pub(crate) fn acquire(&self, team: &TeamId) -> Result<WatcherPermit, Failure> {
        let mut teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        if teams.get(team).is_some_and(|watchers| *watchers >= MAX_WATCHERS_PER_TEAM) {
            return Err(Failure::busy("the team has too many watchers", RETRY_SECONDS));
        }
        let permit = Arc::clone(&self.all)
            .try_acquire_owned()
            .map_err(|_| Failure::busy("the service has too many watchers", RETRY_SECONDS))?;
        *teams.entry(team.clone()).or_default() += 1;
        Ok(WatcherPermit { teams: Arc::clone(&self.teams), team: team.clone(), _permit: permit })
    }
}

impl Drop for WatcherPermit {
    fn drop(&mut self) {
        let mut teams = self.teams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(watchers) = teams.get_mut(&self.team) {
            *watchers = watchers.saturating_sub(1);
            if *watchers == 0 {
                teams.remove(&self.team);
            }
        }
    }
}

/// A WebSocket handshake.
pub(crate) struct Handshake {
    upgrade: OnUpgrade,
    accept: String,
    protocol: Option<HeaderValue>,
}

impl Handshake {
    /// Reads the handshake of a request; `None` if it is not a WebSocket request.
    pub(crate) fn of(parts: &mut Parts) -> Result<Option<Self>, Failure> {
        let headers = &parts.headers;
        if !has_token(headers, &CONNECTION, "upgrade") || !has_token(headers, &UPGRADE, "websocket") {
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
        // A client that sent its key as a subprotocol expects the server to select that subprotocol.
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

    /// Accepts the handshake, and sends the messages once the connection is upgraded.
    pub(crate) fn accept(
        self,
        messages: impl Stream<Item = WatchMessage> + Send + 'static,
        permit: WatcherPermit,
    ) -> Response<ResponseBody> {
        let mut response = Response::new(ResponseBody::from(Bytes::new()));
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
            let _permit = permit;
            if let Ok(Ok(upgraded)) = timeout(CLOSE_TIMEOUT, upgrade).await {
                let mut config = WebSocketConfig::default();
                config.max_message_size = Some(MAX_INCOMING);
                config.max_frame_size = Some(MAX_INCOMING);
                let io = TokioIo::new(upgraded);
                let socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
                send_all(socket, messages).await;
            }
        });
        response
    }
}

/// Whether a header of comma-separated tokens contains this one, in any case.
fn has_token(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|value| value.trim().eq_ignore_ascii_case(token))
}

/// Whether this is 16 bytes in base64: 22 characters and two of padding (RFC 6455, 4.2.1).
fn is_key(key: &[u8]) -> bool {
    let Some((text, padding)) = key.split_at_checked(22) else { return false };
    padding == b"==" && text.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

/// Sends all messages, or stops when the watcher disconnects.
async fn send_all<S>(mut socket: WebSocketStream<S>, messages: impl Stream<Item = WatchMessage>)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    let mut messages = pin!(messages);
    let mut ping = tokio::time::interval_at(Instant::now() + PING_EVERY, PING_EVERY);
    let mut last_received = Instant::now();
    loop {
        let message = tokio::select! {
            message = messages.next() => match message {
                Some(message) => frames(message),
                None => break,
            },
            incoming = socket.next() => match incoming {
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => {
                    last_received = Instant::now();
                    continue;
                }
            },
            _ = ping.tick() => {
                if last_received.elapsed() > PING_EVERY * 2 {
                    return;
                }
                vec![Message::Ping(Bytes::new())]
            }
        };
        if !is_sent(&mut socket, message).await {
            return;
        }
    }
    let close = CloseFrame { code: CloseCode::Normal, reason: Utf8Bytes::from_static(CLOSE_REASON) };
    let _disconnected = timeout(CLOSE_TIMEOUT, async {
        if socket.close(Some(close)).await.is_ok() {
            // Wait for the close of the watcher; an earlier end of the connection could lose unread messages.
            while let Some(Ok(_)) = socket.next().await {}
        }
    })
    .await;
}

/// Whether the watcher took a message in time.
async fn is_sent<S>(socket: &mut WebSocketStream<S>, frames: Vec<Message>) -> bool
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    let sending = async {
        for frame in frames {
            if socket.send(frame).await.is_err() {
                return false;
            }
            // Other connections have their turn between pieces, even if the system takes all of them.
            tokio::task::yield_now().await;
        }
        true
    };
    timeout(SEND_TIMEOUT, sending).await.unwrap_or(false)
}

/// The frames of a message. A long one has several (RFC 6455, 5.4), because the socket copies each frame into
/// a buffer that keeps its size.
fn frames(message: WatchMessage) -> Vec<Message> {
    let frame =
        |payload: Bytes, kind, is_last| Message::Frame(Frame::message(payload, OpCode::Data(kind), is_last));
    let mut left: usize = message.parts.iter().map(Bytes::len).sum();
    if left <= RESPONSE_PIECE {
        return vec![frame(message.parts.concat().into(), Data::Text, true)];
    }
    let (mut frames, mut kind) = (Vec::new(), Data::Text);
    for mut part in message.parts {
        while !part.is_empty() {
            let piece = part.split_to(part.len().min(RESPONSE_PIECE));
            left = left.saturating_sub(piece.len());
            frames.push(frame(piece, kind, left == 0));
            kind = Data::Continue;
        }
    }
    frames
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
        handshake.map(|handshake| handshake.is_some()).map_err(|failure| failure.into_response().status())
    }

    #[test]
    fn incomplete_handshakes_are_refused() {
        const KEY: (&str, &str) = ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        const VERSION: (&str, &str) = ("sec-websocket-version", "13");
        let [connection, upgrade] = [("connection", "keep-alive, Upgrade"), ("upgrade", "WebSocket")];
        for (name, headers, want) in [
            ("none", vec![], Ok(false)),
            ("another protocol", vec![connection, ("upgrade", "h2c")], Ok(false)),
            ("no upgrade header", vec![connection, KEY, VERSION], Ok(false)),
            ("an old version", vec![connection, upgrade, KEY, ("sec-websocket-version", "8")], Err(426)),
            ("no version", vec![connection, upgrade, KEY], Err(426)),
            ("no key", vec![connection, upgrade, VERSION], Err(400)),
            ("a short key", vec![connection, upgrade, VERSION, ("sec-websocket-key", "YQ==")], Err(400)),
            // The request has no connection that could be upgraded.
            ("complete headers", vec![connection, upgrade, VERSION, KEY], Err(400)),
        ] {
            let result = handshake(&headers).map_err(|status| status.as_u16());
            assert_eq!(result, want, "{name}");
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

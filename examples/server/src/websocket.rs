//! The WebSocket mode: one `response.create` message per turn, one text message per event.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use deltafold::json::Value;
use deltafold::write::{ApiError, ErrorType};
use futures_util::{SinkExt, StreamExt};
use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONNECTION, UPGRADE};
use hyper::upgrade::Upgraded;
use hyper::{Request as HttpRequest, Response as HttpResponse};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Message, Role};
use tokio_tungstenite::WebSocketStream;

use crate::context::{not_found, Context};
use crate::http::{switching, Stream};
use crate::request::{invalid, Request};
use crate::state::Server;
use crate::turn::Turn;

/// Maximum duration of a connection (WS-13).
const LIFETIME: Duration = Duration::from_secs(60 * 60);

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// The memory of one connection.
#[derive(Default)]
struct Memory {
    /// The newest response: its id, and the conversation up to its end. It need not be stored (WS-10).
    newest: Option<(String, Vec<Value>)>,
    /// Responses whose continuation failed: this connection can no longer continue them (WS-12).
    dropped: HashSet<String>,
}

/// Returns `true` if the request asks for a WebSocket.
pub(crate) fn is_upgrade(request: &HttpRequest<Incoming>) -> bool {
    let has = |name, word: &str| {
        let value = request.headers().get(name).and_then(|value| value.to_str().ok());
        value.is_some_and(|value| value.split(',').any(|part| part.trim().eq_ignore_ascii_case(word)))
    };
    has(CONNECTION, "upgrade") && has(UPGRADE, "websocket")
}

/// Accepts the upgrade and serves the connection in its own task.
pub(crate) fn upgrade(
    mut request: HttpRequest<Incoming>,
    server: Arc<Server>,
) -> Result<HttpResponse<Either<Full<Bytes>, Stream>>, ApiError> {
    let key = request.headers().get("sec-websocket-key").map(|key| derive_accept_key(key.as_bytes()));
    let accept = key.ok_or_else(|| invalid("bad_handshake", "The WebSocket handshake has no key."))?;
    let upgraded = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        if let Ok(upgraded) = upgraded.await {
            let mut socket = WebSocketStream::from_raw_socket(TokioIo::new(upgraded), Role::Server, None).await;
            if tokio::time::timeout(LIFETIME, serve(&mut socket, &server)).await.is_err() {
                let message = "Connections end after 60 minutes; reconnect.";
                let code = "websocket_connection_limit_reached";
                let error = ApiError::new(ErrorType::InvalidRequest, code, message);
                let _ = socket.send(Message::text(error.to_websocket())).await;
            }
            let _ = socket.close(None).await;
        }
    });
    Ok(switching(&accept))
}

/// Processes one message after the other, so that no two responses are in flight (WS-06).
async fn serve(socket: &mut Socket, server: &Arc<Server>) {
    let mut memory = Memory::default();
    while let Some(Ok(message)) = socket.next().await {
        let text = match message {
            Message::Text(text) => text,
            Message::Close(_) => return,
            Message::Binary(_) => {
                let error = invalid("invalid_message", "Messages are text.");
                if socket.send(Message::text(error.to_websocket())).await.is_err() {
                    return;
                }
                continue;
            }
            _ => continue,
        };
        let sent = match Request::from_websocket(&text, &server.options) {
            Ok(request) => turn(&request, socket, server, &mut memory).await,
            Err(error) => socket.send(Message::text(error.to_websocket())).await,
        };
        if sent.is_err() {
            return;
        }
    }
}

async fn turn(
    request: &Request,
    socket: &mut Socket,
    server: &Arc<Server>,
    memory: &mut Memory,
) -> Result<(), tokio_tungstenite::tungstenite::Error> {
    let previous = request.text("previous_response_id").map(str::to_owned);
    let dropped = previous.as_ref().filter(|id| memory.dropped.contains(*id));
    let newest = memory.newest.as_ref().map(|(id, items)| (id.as_str(), items.as_slice()));
    let prepared = match dropped {
        Some(id) => Err(not_found(id)),
        None => Context::of(request, server, newest).and_then(|context| Turn::new(request, context, server)),
    };
    let failed = match prepared {
        Err(error) => {
            socket.send(Message::text(error.to_websocket())).await?;
            true
        }
        Ok(mut turn) => {
            while turn.step().await {
                while let Some(event) = turn.writer.poll_event() {
                    let message = Message::text(event);
                    if let Err(error) = socket.send(message).await {
                        turn.abandon();
                        return Err(error);
                    }
                }
            }
            if turn.failure.is_none() {
                memory.newest = Some((turn.writer.options().id.clone(), turn.all_items()));
            }
            turn.failure.is_some()
        }
    };
    if let Some(previous) = previous.filter(|_| failed) {
        if memory.newest.as_ref().is_some_and(|(id, _)| *id == previous) {
            memory.newest = None;
        }
        memory.dropped.insert(previous);
    }
    Ok(())
}

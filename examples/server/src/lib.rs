//! A reference server for Open Responses: `POST /v1/responses` as JSON and as an event stream, and the WebSocket mode on
//! the same path, with a scripted model.
//!
//! ```text
//! request ─▶ validate ─▶ Context (earlier turns) ─▶ script: steps of a model ─▶ Turn: steps ─▶ Writer ─▶ bytes
//! ```
//!
//! The model is a script: the same request gets the same response, so that clients and compliance suites can be run against
//! it. The rest is a reference: requests are checked against the contract, responses are written
//! by [`deltafold::Writer`] and are valid. The sockets and the clock are here, not in the core.

mod compact;
mod context;
mod http;
mod request;
mod schema;
mod script;
mod state;
mod turn;
mod websocket;

use std::io;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use deltafold::write::ReasoningNames;
use deltafold::Edition;
use tokio::net::TcpListener;

pub use state::Server;

/// The options of the server.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The names to use where Open Responses and OpenAI differ; with OpenAI's, messages without `type` are accepted.
    pub reasoning_names: ReasoningNames,
    /// The edition that requests are checked against and answers follow.
    pub edition: Edition,
    /// A constant time in seconds, so that responses can be compared byte by byte.
    pub clock: Option<u64>,
}

impl Options {
    pub(crate) fn now(&self) -> u64 {
        let real = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        self.clock.unwrap_or_else(real)
    }
}

/// Serves connections until the listener fails.
///
/// # Errors
///
/// The error of the listener when it cannot accept further connections.
pub async fn serve(listener: TcpListener, options: Options) -> io::Result<()> {
    let server = Arc::new(Server::new(options));
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(http::connection(stream, Arc::clone(&server)));
    }
}

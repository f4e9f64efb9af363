//! HTTP: routing of requests, and writing of responses.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Waker, Poll};

use deltafold::write::{ApiError, ErrorType};
use http_body_util::{BodyExt, Either, Full, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{HeaderValue, CACHE_CONTROL, CONTENT_TYPE};
use hyper::service::service_fn;
use hyper::{Method, Request as HttpRequest, Response as HttpResponse, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use crate::compact::compact;
use crate::context::Context;
use crate::request::{invalid, Request};
use crate::state::Server;
use crate::turn::Turn;
use crate::websocket;

/// Maximum size of a request body; enough for an image of the largest size that the contract allows.
const BODY: usize = 64 << 20;

type Answer = HttpResponse<Either<Full<Bytes>, Stream>>;

/// Serves one connection until it closes.
pub(crate) async fn connection(stream: TcpStream, server: Arc<Server>) {
    let service = service_fn(move |request| {
        let server = Arc::clone(&server);
        async move { Ok::<_, Infallible>(answer(request, server).await) }
    });
    // A client that disconnects in the middle is not an error of the server.
    let _ = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
}

async fn answer(request: HttpRequest<Incoming>, server: Arc<Server>) -> Answer {
    let path = request.uri().path().to_owned();
    let path = path.strip_prefix("/v1").unwrap_or(&path).trim_end_matches('/');
    let result = match (request.method().clone(), path) {
        (Method::GET, "/responses") if websocket::is_upgrade(&request) => websocket::upgrade(request, server),
        (Method::POST, "/responses") => create(request, server).await,
        (Method::POST, "/responses/compact") => match body(request).await {
            Ok(body) => compact(&body, &server).map(|answer| json(StatusCode::OK, answer)),
            Err(error) => Err(error),
        },
        (Method::POST, path) if path.ends_with("/cancel") => cancel(path, &server).await,
        _ => Err(ApiError::new(ErrorType::NotFound, "unknown_url", "No such path; use POST /v1/responses.")),
    };
    result.unwrap_or_else(|error| refuse(&error))
}

async fn create(request: HttpRequest<Incoming>, server: Arc<Server>) -> Result<Answer, ApiError> {
    let body = body(request).await?;
    let request = Request::from_http(&body, &server.options)?;
    let context = Context::of(&request, &server, None)?;
    let mut turn = Turn::new(&request, context, &server)?;
    if request.flag("stream") {
        return Ok(stream(turn));
    }
    while turn.step().await {}
    match &turn.failure {
        Some(error) => Err(error.clone()),
        None => Ok(json(StatusCode::OK, turn.writer.response_json())),
    }
}

/// Cancels a running response and returns it.
async fn cancel(path: &str, server: &Server) -> Result<Answer, ApiError> {
    let id = path.trim_start_matches("/responses/").trim_end_matches("/cancel");
    match server.running(id) {
        Some(running) => Ok(json(StatusCode::OK, running.cancel().await)),
        None if server.stored(id).is_some() => {
            Err(invalid("response_already_ended", "The response has already ended."))
        }
        None => Err(ApiError::new(ErrorType::NotFound, "response_not_found", "The response does not exist.")),
    }
}

async fn body(request: HttpRequest<Incoming>) -> Result<Bytes, ApiError> {
    let media = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if media.split(';').next().map(str::trim) != Some("application/json") {
        return Err(invalid("unsupported_media_type", "Expected a body of type application/json."));
    }
    let whole = Limited::new(request.into_body(), BODY).collect().await;
    whole.map(|whole| whole.to_bytes()).map_err(|_| invalid("body_unreadable", "The request body could not be read."))
}

/// Streams a turn: one write per step.
fn stream(mut turn: Turn) -> Answer {
    let (sender, receiver) = mpsc::channel(16);
    tokio::spawn(async move {
        while turn.step().await {
            let bytes = turn.writer.take();
            if !bytes.is_empty() && sender.send(Bytes::from(bytes)).await.is_err() {
                turn.abandon();
            }
        }
    });
    let mut answer = HttpResponse::new(Either::Right(Stream(receiver)));
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer
}

fn refuse(error: &ApiError) -> Answer {
    let status = StatusCode::from_u16(error.kind.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    json(status, error.to_body())
}

fn json(status: StatusCode, text: String) -> Answer {
    let mut answer = HttpResponse::new(Either::Left(Full::new(Bytes::from(text))));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}

/// A body whose chunks come from a channel.
pub(crate) struct Stream(mpsc::Receiver<Bytes>);

impl Body for Stream {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, waker: &mut Waker<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(waker).map(|chunk| chunk.map(|chunk| Ok(Frame::data(chunk))))
    }
}

/// Returns the response that upgrades a connection to the WebSocket protocol.
pub(crate) fn switching(accept: &str) -> Answer {
    let mut answer = HttpResponse::new(Either::Left(Full::new(Bytes::new())));
    *answer.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = answer.headers_mut();
    for (name, value) in [("connection", "Upgrade"), ("upgrade", "websocket"), ("sec-websocket-accept", accept)] {
        if let Ok(value) = value.parse() {
            headers.insert(name, value);
        }
    }
    answer
}

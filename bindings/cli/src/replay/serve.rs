//! `deltafold serve`: sends captures to HTTP clients of this machine, so that any client can be pointed at them.
//!
//! Only the loopback address is bound, and only requests whose `Host` names it are answered: no web page can read a capture
//! through a DNS name of its own. One thread serves all connections, at most [`CONNECTIONS`] at once; each answers one request.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::net::Ipv4Addr;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::Duration;

use clap::ValueHint;
use deltafold::json::{write_string, Value};
use deltafold::{Limits, Reader};
use http_body_util::channel::Channel;
use http_body_util::{BodyExt, Either, Full, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{HeaderValue, CACHE_CONTROL, CONTENT_TYPE, HOST};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

use super::split::{CaptureFormat, EventSplitter};
use super::{PaceArgs, Player};
use crate::args::positive;
use crate::dialect_input::{drain, DialectInput, SourceFormat};
use crate::input::{self, shown, Input};
use crate::{print, Failure, Io};

/// Replay captures to HTTP clients of this machine
#[derive(Debug, clap::Args)]
#[command(
    before_help = "Binds the loopback address only, and prints the address. POST to /v1/responses (or any path that ends in responses) \
                   answers with the capture whose file name, without extension, is the model of the request; for other models the \
                   captures take turns. A request without \"stream\": true gets the folded response as JSON. GET /NAME sends one \
                   capture, GET / lists them.",
    after_help = "\
Exit codes:
  0  the requested number of requests was served
  1  the port cannot be bound
  2  the arguments are invalid or a file cannot be opened

Examples:
  deltafold serve --port 8080 --rate 50 examples/streams/tour.sse"
)]
pub(crate) struct ServeArgs {
    /// Captures to serve
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    files: Vec<OsString>,
    /// TCP port; 0 selects a free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Exit after N requests (default: serve until Ctrl-C)
    #[arg(long, value_name = "N", value_parser = positive)]
    requests: Option<usize>,
    /// Close a connection when its client takes longer than this to send the request, or to read the next bytes
    #[arg(long, value_name = "SECONDS", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
    /// Let web pages of any origin read the answers
    #[arg(long)]
    cors: bool,
    #[command(flatten)]
    pace: PaceArgs,
}

/// How many connections are open at once; further clients wait.
const CONNECTIONS: usize = 64;
/// The maximum size of a request's head and of its body.
const HEAD_BYTES: usize = 64 << 10;
const BODY_BYTES: usize = 16 << 20;

type Answer = Response<Either<Full<Bytes>, Channel<Bytes, std::io::Error>>>;

struct Server {
    files: Vec<OsString>,
    pace: PaceArgs,
    timeout: Duration,
    cors: bool,
    /// Number of requests for which the captures took turns.
    turns: AtomicUsize,
}

pub(crate) fn run(args: &ServeArgs, io: &mut Io<'_>) -> Result<u8, Failure> {
    for file in &args.files {
        if file == "-" {
            return Err(Failure::Usage("stdin cannot be served repeatedly; name files".into()));
        }
        input::open(file)?;
    }
    let server = Server {
        files: args.files.clone(),
        pace: args.pace,
        timeout: Duration::from_secs(args.timeout),
        cors: args.cors,
        turns: AtomicUsize::new(0),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build();
    let runtime = runtime.map_err(|error| Failure::Work(format!("cannot start the server: {error}")))?;
    runtime.block_on(serve(Arc::new(server), args.port, args.requests, io))
}

async fn serve(server: Arc<Server>, port: u16, requests: Option<usize>, io: &mut Io<'_>) -> Result<u8, Failure> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .map_err(|error| Failure::Work(format!("cannot listen on 127.0.0.1:{port}: {error}; try another --port")))?;
    let address = listener.local_addr().map_err(|error| Failure::Work(format!("no address: {error}")))?;
    print(io, &format!("listening on http://{address}\n"))?;
    let connections = Arc::new(Semaphore::new(CONNECTIONS));
    let mut accepted = 0;
    while requests.is_none_or(|requests| accepted < requests) {
        // Neither fails: the semaphore is never closed, and a client that disconnects before it is accepted is skipped.
        let Ok(permit) = Arc::clone(&connections).acquire_owned().await else { break };
        let Ok((stream, _)) = listener.accept().await else { continue };
        accepted += 1;
        let server = Arc::clone(&server);
        tokio::spawn(async move {
            server.connection(stream).await;
            drop(permit);
        });
    }
    // All permits are free when all connections are closed.
    let _ = connections.acquire_many(CONNECTIONS as u32).await;
    Ok(0)
}

impl Server {
    /// Answers one request. An error ends its connection only.
    async fn connection(self: Arc<Self>, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let timeout = self.timeout;
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(timeout));
        let service = hyper::service::service_fn(move |request| {
            let server = Arc::clone(&self);
            async move { Ok::<_, Infallible>(server.answer(request).await) }
        });
        let served = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(timeout)
            .keep_alive(false)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(Box::pin(stream)), service)
            .await;
        drop(served);
    }

    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let mut answer = self.route(request).await;
        if self.cors {
            let headers = answer.headers_mut();
            for (name, value) in [
                ("access-control-allow-origin", "*"),
                ("access-control-allow-headers", "*"),
                ("access-control-allow-methods", "GET, POST"),
            ] {
                headers.insert(name, HeaderValue::from_static(value));
            }
        }
        answer
    }

    async fn route(&self, request: Request<Incoming>) -> Answer {
        let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let host = host.rsplit_once(':').map_or(host, |(name, _)| name).to_ascii_lowercase();
        if !["127.0.0.1", "localhost", "[::1]", ""].contains(&host.as_str()) {
            return plain(StatusCode::FORBIDDEN, "this server answers only to 127.0.0.1 and localhost\n");
        }
        let path = request.uri().path();
        match *request.method() {
            Method::OPTIONS => plain(StatusCode::NO_CONTENT, ""),
            Method::GET if path == "/" => plain(StatusCode::OK, &self.list()),
            Method::GET => match self.files.iter().find(|file| base_name(file) == path.trim_start_matches('/')) {
                Some(file) => self.stream(file),
                None => plain(StatusCode::NOT_FOUND, &self.list()),
            },
            Method::POST if path.trim_end_matches('/').ends_with("responses") => match self.read_body(request).await {
                Ok(body) => self.respond(&body),
                Err(status) => plain(status, "the request body cannot be read\n"),
            },
            Method::POST => plain(StatusCode::NOT_FOUND, "POST to /v1/responses\n"),
            _ => plain(StatusCode::METHOD_NOT_ALLOWED, "GET or POST\n"),
        }
    }

    /// Reads a body as it arrives; the error is the status to answer with.
    async fn read_body(&self, request: Request<Incoming>) -> Result<Bytes, StatusCode> {
        let body = request.into_body();
        if body.size_hint().lower() > BODY_BYTES as u64 {
            return Err(StatusCode::PAYLOAD_TOO_LARGE);
        }
        match tokio::time::timeout(self.timeout, Limited::new(body, BODY_BYTES).collect()).await {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => Err(StatusCode::PAYLOAD_TOO_LARGE),
            Ok(Err(_)) => Err(StatusCode::BAD_REQUEST),
            Err(_) => Err(StatusCode::REQUEST_TIMEOUT),
        }
    }

    /// Answers a request for a response: as a stream or as JSON.
    fn respond(&self, body: &[u8]) -> Answer {
        let body = Value::parse(&String::from_utf8_lossy(body), Limits::default().depth).unwrap_or_default();
        let file = self.select(body.str_at("model").unwrap_or_default());
        if body.get("stream").and_then(Value::as_bool) == Some(true) {
            self.stream(file)
        } else {
            folded(file)
        }
    }

    fn list(&self) -> String {
        self.files.iter().map(|file| format!("/{}\n", base_name(file))).collect()
    }

    fn select(&self, model: &str) -> &OsStr {
        let named = self.files.iter().find(|file| Path::new(file).file_stem().is_some_and(|stem| stem == model));
        let next = || self.files.get(self.turns.fetch_add(1, Ordering::Relaxed) % self.files.len().max(1));
        named.or_else(next).map_or(OsStr::new(""), OsString::as_os_str)
    }

    /// Sends a capture, in chunks at the requested rate.
    fn stream(&self, file: &OsStr) -> Answer {
        let opened = Input::open_file(file).and_then(|input| Ok((input, content_type(file)?)));
        let Ok((input, content_type)) = opened else {
            let message = format!("{} is no longer readable\n", shown(file));
            return plain(StatusCode::INTERNAL_SERVER_ERROR, &message);
        };
        let mut player = Player::new(input, self.pace);
        let (mut sender, body) = Channel::new(1);
        tokio::spawn(async move {
            let started = tokio::time::Instant::now();
            loop {
                match player.next() {
                    Ok(Some(chunk)) => {
                        if let Some(due) = chunk.due.and_then(|due| started.checked_add(due)) {
                            tokio::time::sleep_until(due).await;
                        }
                        if sender.send_data(Bytes::copy_from_slice(chunk.bytes)).await.is_err() {
                            return;
                        }
                    }
                    Ok(None) => return,
                    // The connection ends without the last chunk, so that the client sees the failure.
                    Err(_) => return sender.abort(std::io::Error::other("the capture cannot be read")),
                }
            }
        });
        let mut answer = Response::new(Either::Right(body));
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        answer.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        answer
    }
}

/// Sends the accumulated response of a capture.
fn folded(file: &OsStr) -> Answer {
    match fold(file) {
        Ok(json) => full(StatusCode::OK, "application/json", json),
        Err(failure) => {
            let mut json =
                String::from("{\"error\":{\"type\":\"server_error\",\"code\":null,\"param\":null,\"message\":");
            write_string(failure.message().unwrap_or_default(), &mut json);
            json.push_str("}}");
            full(StatusCode::INTERNAL_SERVER_ERROR, "application/json", json)
        }
    }
}

fn plain(status: StatusCode, text: &str) -> Answer {
    full(status, "text/plain; charset=utf-8", text.to_owned())
}

fn full(status: StatusCode, content_type: &'static str, body: String) -> Answer {
    let mut answer = Response::new(Either::Left(Full::from(body)));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    answer
}

fn fold(file: &OsStr) -> Result<String, Failure> {
    let mut input = Input::open_file(file)?;
    let failure = |error: deltafold::Error| Failure::Work(error.to_string());
    let mut source = DialectInput::new(SourceFormat::AUTO).map_err(failure)?;
    let mut reader = Reader::new();
    while let Some(chunk) = input.chunk()? {
        source.push(chunk, &mut reader).map_err(failure)?;
        drain(&mut reader).map_err(failure)?;
    }
    source.end(&mut reader).map_err(failure)?;
    reader.finish().map_err(failure)?;
    Ok(reader.response().to_json())
}

/// The content type of a capture, by its first bytes.
fn content_type(file: &OsStr) -> Result<&'static str, Failure> {
    let mut splitter = EventSplitter::default();
    if let Some(chunk) = Input::open_file(file)?.chunk()? {
        splitter.push(chunk);
    }
    Ok(match splitter.format() {
        Some(CaptureFormat::JsonLines) => "application/x-ndjson",
        Some(CaptureFormat::Binary) => "application/vnd.amazon.eventstream",
        Some(CaptureFormat::Sse) | None => "text/event-stream",
    })
}

fn base_name(file: &OsStr) -> String {
    Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

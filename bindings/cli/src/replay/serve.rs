//! `deltafold serve`: captures behind an HTTP endpoint on this machine, to point any client at.
//!
//! Only the loopback address is bound, and only requests that name it as their host are answered, so that no page in a
//! browser can reach a capture under another name. One thread per connection, one request per connection.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use deltafold::json::{write_string, Value};
use deltafold::{Limits, Reader};

use super::cut::Cutter;
use super::{Pace, RATE, SEED, SPLIT};
use crate::args::Args;
use crate::input::{self, shown, Input, Stdin};
use crate::intake::{Asked, Intake};
use crate::table::{Command, Files, Opt, Words};
use crate::{print, Failure, Io};

pub(crate) const COMMAND: Command = Command {
    name: "serve",
    summary: "replay captures to HTTP clients of this machine",
    usage: &["FILE… [options]"],
    about: "Binds the loopback address only, and prints where it listens. POST to /v1/responses (or any path that ends in \
            responses) answers with the capture whose file name, without its ending, is the request's model; for other models \
            the captures take turns. A request without \"stream\": true gets the folded response as JSON. GET /NAME sends \
            one capture, GET / lists them.",
    options: &[
        Opt::with("--port", "N", Words::Free, "the port (default 0: one that is free, see what is printed)"),
        Opt::with("--requests", "N", Words::Free, "end after so many requests (default: at Ctrl-C)"),
        Opt::flag("--cors", "let pages of any origin read the answers"),
        SPLIT,
        RATE,
        SEED,
    ],
    files: Files::Some,
    exits: &[
        ("0", "the wished number of requests was answered"),
        ("1", "the port cannot be bound"),
        ("2", "the call was wrong or a file cannot be opened"),
    ],
    examples: &["deltafold serve --port 8080 --rate 50 examples/streams/tour.sse"],
    run,
};

/// How long a client may take for its request.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a request's head and body may be.
const HEAD: u64 = 64 << 10;
const BODY: usize = 16 << 20;

struct Server<'a> {
    files: &'a [OsString],
    pace: Pace,
    cors: bool,
    turn: AtomicUsize,
}

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let pace = Pace::from_args(args)?;
    let port = match args.text("--port")? {
        None => 0,
        Some(text) => {
            text.parse().map_err(|_| Failure::Usage(format!("--port is a number below 65536, found {text}")))?
        }
    };
    let requests = args.number("--requests")?;
    for file in args.named() {
        if file == "-" {
            return Err(Failure::Usage("stdin cannot be served again and again; name files".into()));
        }
        input::open(file)?;
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .map_err(|error| Failure::Work(format!("cannot listen on 127.0.0.1:{port}: {error}; try another --port")))?;
    let address = listener.local_addr().map_err(|error| Failure::Work(format!("no address: {error}")))?;
    print(io, &format!("listening on http://{address}\n"))?;
    let server = Server { files: args.named(), pace, cors: args.has("--cors"), turn: AtomicUsize::new(0) };
    std::thread::scope(|scope| {
        for stream in listener.incoming().take(requests.unwrap_or(usize::MAX)) {
            // A client that is gone before it is accepted is its own affair.
            let Ok(stream) = stream else { continue };
            let server = &server;
            scope.spawn(move || server.answer(stream));
        }
    });
    Ok(0)
}

/// What a client asked for.
struct Request {
    method: String,
    path: String,
    host: String,
    body: Vec<u8>,
}

impl Server<'_> {
    /// Answers one request. Whatever goes wrong with the connection ends it, and nothing else.
    fn answer(&self, stream: TcpStream) {
        let _ = stream.set_read_timeout(Some(PATIENCE));
        let _ = stream.set_nodelay(true);
        let mut out = &stream;
        let answered = match read_request(&stream) {
            Ok(request) => self.route(&request, &mut out),
            Err(status) => self.plain(&mut out, status, "the request cannot be read\n"),
        };
        let _ = answered;
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.set_read_timeout(Some(Duration::from_secs(1)));
        // What the client still sends is read, or the system would cut off what it has not read yet.
        let _ = std::io::copy(&mut (&stream).take(HEAD), &mut std::io::sink());
    }

    fn route(&self, request: &Request, out: &mut dyn Write) -> std::io::Result<()> {
        let name = request.host.rsplit_once(':').map_or(request.host.as_str(), |(name, _)| name);
        if !["127.0.0.1", "localhost", "[::1]", ""].contains(&name) {
            return self.plain(out, "403 Forbidden", "this server answers only to 127.0.0.1 and localhost\n");
        }
        let path = request.path.split('?').next().unwrap_or_default();
        match request.method.as_str() {
            "OPTIONS" => self.plain(out, "204 No Content", ""),
            "GET" if path == "/" => self.plain(out, "200 OK", &self.list()),
            "GET" => match self.files.iter().find(|file| base(file) == path.trim_start_matches('/')) {
                Some(file) => self.stream(file, out),
                None => self.plain(out, "404 Not Found", &self.list()),
            },
            "POST" if path.trim_end_matches('/').ends_with("responses") => {
                let body = String::from_utf8_lossy(&request.body);
                let body = Value::parse(&body, Limits::default().depth).unwrap_or_default();
                let file = self.pick(body.str_at("model").unwrap_or_default());
                if body.get("stream").and_then(Value::as_bool) == Some(true) {
                    self.stream(file, out)
                } else {
                    self.folded(file, out)
                }
            }
            "POST" => self.plain(out, "404 Not Found", "POST to /v1/responses\n"),
            _ => self.plain(out, "405 Method Not Allowed", "GET or POST\n"),
        }
    }

    fn list(&self) -> String {
        self.files.iter().map(|file| format!("/{}\n", base(file))).collect()
    }

    fn pick(&self, model: &str) -> &OsStr {
        let named = self.files.iter().find(|file| Path::new(file).file_stem().is_some_and(|stem| stem == model));
        let turn = || self.files.get(self.turn.fetch_add(1, Ordering::Relaxed) % self.files.len().max(1));
        named.or_else(turn).map_or(OsStr::new(""), OsString::as_os_str)
    }

    /// Sends a capture as it is, in chunks of its pace.
    fn stream(&self, file: &OsStr, out: &mut dyn Write) -> std::io::Result<()> {
        let mut nothing = std::io::empty();
        let stdin = Stdin::new(&mut nothing);
        let opened = Input::open(file, None, &stdin).and_then(|input| Ok((input, content_type(file)?)));
        let Ok((mut input, kind)) = opened else {
            return self.plain(out, "500 Internal Server Error", &format!("{} cannot be read any more\n", shown(file)));
        };
        self.head(out, "200 OK", kind, "transfer-encoding: chunked\r\ncache-control: no-store\r\n")?;
        let sent = self.pace.send(&mut input, |piece| {
            let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
            out.write_all(&chunk).and_then(|()| out.flush()).map_err(|_| Failure::Closed)
        });
        match sent {
            Ok(()) => out.write_all(b"0\r\n\r\n"),
            Err(_) => Ok(()),
        }
    }

    /// Sends the response that a capture adds up to.
    fn folded(&self, file: &OsStr, out: &mut dyn Write) -> std::io::Result<()> {
        match fold(file) {
            Ok(json) => {
                let length = format!("content-length: {}\r\n", json.len());
                self.head(out, "200 OK", "application/json", &length)?;
                out.write_all(json.as_bytes())
            }
            Err(failure) => {
                let mut json =
                    String::from("{\"error\":{\"type\":\"server_error\",\"code\":null,\"param\":null,\"message\":");
                write_string(failure.message().unwrap_or_default(), &mut json);
                json.push_str("}}");
                let length = format!("content-length: {}\r\n", json.len());
                self.head(out, "500 Internal Server Error", "application/json", &length)?;
                out.write_all(json.as_bytes())
            }
        }
    }

    fn plain(&self, out: &mut dyn Write, status: &str, text: &str) -> std::io::Result<()> {
        let length = format!("content-length: {}\r\n", text.len());
        self.head(out, status, "text/plain; charset=utf-8", &length)?;
        out.write_all(text.as_bytes())
    }

    fn head(&self, out: &mut dyn Write, status: &str, kind: &str, more: &str) -> std::io::Result<()> {
        let cors = if self.cors {
            "access-control-allow-origin: *\r\naccess-control-allow-headers: *\r\naccess-control-allow-methods: GET, POST\r\n"
        } else {
            ""
        };
        write!(out, "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{more}{cors}connection: close\r\n\r\n")
    }
}

fn fold(file: &OsStr) -> Result<String, Failure> {
    let mut nothing = std::io::empty();
    let stdin = Stdin::new(&mut nothing);
    let mut input = Input::open(file, None, &stdin)?;
    let mut intake = Intake::new(Asked { from: None, messages: false })?;
    let mut reader = Reader::new();
    let failure = |error: deltafold::Error| Failure::Work(error.to_string());
    while let Some(chunk) = input.chunk()? {
        intake.push(chunk, &mut reader).map_err(failure)?;
        while reader.poll_event().map_err(failure)?.is_some() {}
    }
    intake.end(&mut reader).map_err(failure)?;
    reader.finish();
    Ok(reader.response().to_json())
}

/// The type that goes with the first bytes.
fn content_type(file: &OsStr) -> Result<&'static str, Failure> {
    let mut nothing = std::io::empty();
    let stdin = Stdin::new(&mut nothing);
    let mut input = Input::open(file, None, &stdin)?;
    let mut cutter = Cutter::default();
    if let Some(chunk) = input.chunk()? {
        cutter.push(chunk);
    }
    Ok(match (cutter.is_lines(), cutter.is_binary()) {
        (true, _) => "application/x-ndjson",
        (_, true) => "application/vnd.amazon.eventstream",
        _ => "text/event-stream",
    })
}

fn base(file: &OsStr) -> String {
    Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads a request; the error is the status to answer with.
fn read_request(stream: &TcpStream) -> Result<Request, &'static str> {
    const BAD: &str = "400 Bad Request";
    let mut reader = BufReader::new(stream);
    let mut head = (&mut reader).take(HEAD);
    let mut line = String::new();
    let mut next = |line: &mut String| {
        line.clear();
        head.read_line(line).map_err(|_| BAD).and_then(|length| if length == 0 { Err(BAD) } else { Ok(()) })
    };
    next(&mut line)?;
    let mut words = line.split_whitespace();
    let (Some(method), Some(path), Some(version)) = (words.next(), words.next(), words.next()) else { return Err(BAD) };
    if !version.starts_with("HTTP/1.") {
        return Err("505 HTTP Version Not Supported");
    }
    let mut request = Request { method: method.into(), path: path.into(), host: String::new(), body: Vec::new() };
    let (mut length, mut chunked, mut waits) = (0, false, false);
    loop {
        next(&mut line)?;
        let Some((name, value)) = line.split_once(':') else { break };
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "host" => request.host = value.to_ascii_lowercase(),
            "content-length" => length = value.parse().map_err(|_| BAD)?,
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "expect" => waits = true,
            _ => {}
        }
    }
    if length > BODY {
        return Err("413 Content Too Large");
    }
    if waits {
        (&mut { stream }).write_all(b"HTTP/1.1 100 Continue\r\n\r\n").map_err(|_| BAD)?;
    }
    if chunked {
        request.body = read_chunks(&mut reader).ok_or(BAD)?;
    } else {
        request.body.resize(length, 0);
        reader.read_exact(&mut request.body).map_err(|_| BAD)?;
    }
    Ok(request)
}

fn read_chunks(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.by_ref().take(1 << 10).read_line(&mut line).ok()?;
        let length = usize::from_str_radix(line.split(';').next()?.trim(), 16).ok()?;
        if body.len().checked_add(length)? > BODY {
            return None;
        }
        let from = body.len();
        body.resize(from + length, 0);
        reader.read_exact(body.get_mut(from..)?).ok()?;
        let mut end = [0; 2];
        // Trailers are not asked for; the connection ends with this request.
        if length == 0 {
            return Some(body);
        }
        reader.read_exact(&mut end).ok()?;
    }
}

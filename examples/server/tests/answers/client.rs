//! A server in the background, and small clients.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;

use deltafold::json::Value;
use deltafold::validate::{validate_response, validate_websocket_error, Layers};
use deltafold::{Edition, Reader};
use deltafold_server::{serve, Options};
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

/// Starts a server on a free loopback port; it ends with the test program.
pub(crate) fn start(options: Options) -> SocketAddr {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            sender.send(listener.local_addr().unwrap()).unwrap();
            serve(listener, options).await.unwrap();
        });
    });
    receiver.recv().unwrap()
}

/// Status and headers of a response.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
}

impl Head {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// An HTTP client that opens a connection for each request.
pub(crate) struct Client {
    server: SocketAddr,
}

impl Client {
    pub(crate) fn new(server: SocketAddr) -> Self {
        Self { server }
    }

    /// Sends a request and reads the whole response.
    pub(crate) fn post(&mut self, path: &str, body: &str) -> (Head, Vec<u8>) {
        self.open(path, body).finish()
    }

    /// Sends a request that must succeed and returns the body, which must be a valid response.
    pub(crate) fn json(&mut self, path: &str, body: &str) -> Value {
        let (head, answer) = self.post(path, body);
        let answer = String::from_utf8(answer).unwrap();
        assert_eq!(head.status, 200, "{answer}");
        let found = validate_response(&answer, Edition::default()).unwrap();
        assert!(found.is_empty(), "{answer}: {found:#?}");
        Value::parse(&answer, 128).unwrap()
    }

    /// Sends a request and returns the response unread.
    pub(crate) fn open(&mut self, path: &str, body: &str) -> Open {
        let mut stream = TcpStream::connect(self.server).unwrap();
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer k\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
            self.server
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        Open { stream, read: Vec::new() }
    }
}

/// A response that is still arriving.
pub(crate) struct Open {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Open {
    /// Reads until a text has arrived, and returns everything that was read.
    pub(crate) fn until(&mut self, text: &str) -> String {
        let mut chunk = [0; 4096];
        loop {
            let all = String::from_utf8_lossy(&self.read).into_owned();
            if all.contains(text) {
                return all;
            }
            let count = self.stream.read(&mut chunk).unwrap();
            assert!(count > 0, "ended before {text:?}: {all}");
            self.read.extend_from_slice(&chunk[..count]);
        }
    }

    /// Reads to the end.
    pub(crate) fn finish(mut self) -> (Head, Vec<u8>) {
        self.stream.read_to_end(&mut self.read).unwrap();
        let split = self.read.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let (head, body) = (String::from_utf8(self.read[..split].to_vec()).unwrap(), &self.read[split + 4..]);
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let pair = |line: &str| {
            let (name, value) = line.split_once(':').unwrap();
            (name.trim().to_ascii_lowercase(), value.trim().to_owned())
        };
        let head = Head { status, headers: lines.map(pair).collect() };
        let chunked = head.get("transfer-encoding") == Some("chunked");
        (head, if chunked { dechunk(body) } else { body.to_vec() })
    }
}

fn dechunk(mut body: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    loop {
        let end = body.windows(2).position(|two| two == b"\r\n").unwrap();
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        body = &body[end + 2..];
        if length == 0 {
            return out;
        }
        out.extend_from_slice(&body[..length]);
        body = &body[length + 2..];
    }
}

/// A WebSocket client.
pub(crate) struct Socket {
    socket: WebSocket<TcpStream>,
}

impl Socket {
    pub(crate) fn connect(server: SocketAddr) -> Self {
        let stream = TcpStream::connect(server).unwrap();
        let (socket, _) = tungstenite::client(format!("ws://{server}/v1/responses"), stream).unwrap();
        Self { socket }
    }

    pub(crate) fn send(&mut self, message: &str) {
        self.socket.send(Message::text(message)).unwrap();
    }

    pub(crate) fn receive(&mut self) -> String {
        loop {
            if let Message::Text(text) = self.socket.read().unwrap() {
                return text.to_string();
            }
        }
    }

    /// Sends a request as a turn and returns the messages up to its end, which must be valid.
    pub(crate) fn turn(&mut self, request: &str, edition: Edition) -> Vec<String> {
        let messages = self.messages(request);
        let mut reader = Reader::builder().validate(Layers::SCHEMA | Layers::STREAM).edition(edition).build();
        reader.note_request(request).unwrap();
        for message in &messages {
            reader.feed_json(message).unwrap();
            while reader.poll_event().unwrap().is_some() {}
        }
        reader.finish().unwrap();
        assert!(reader.findings().is_empty(), "{request}: {:#?}", reader.findings());
        let last = Value::parse(messages.last().unwrap(), 128).unwrap();
        let found = match last.get("response") {
            Some(response) => validate_response(&response.to_string(), edition).unwrap(),
            None => validate_websocket_error(messages.last().unwrap(), edition).unwrap(),
        };
        assert!(found.is_empty(), "{request}: {found:#?}");
        messages
    }

    /// Sends a request as a turn and returns the messages up to its end, without checks.
    pub(crate) fn messages(&mut self, request: &str) -> Vec<String> {
        self.send(&request.replacen('{', "{\"type\":\"response.create\",", 1));
        let mut messages = Vec::new();
        loop {
            let message = self.receive();
            let value = Value::parse(&message, 128).unwrap();
            let kind = value.str_at("type").unwrap().to_owned();
            messages.push(message);
            // An error without a number is an envelope and ends the turn; one with a number is an event.
            let envelope = kind == "error" && value.get("sequence_number").is_none();
            if envelope || ["response.completed", "response.incomplete", "response.failed"].contains(&kind.as_str()) {
                return messages;
            }
        }
    }
}

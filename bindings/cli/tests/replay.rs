//! `deltafold replay` and `deltafold serve`: the bytes are those of the capture, and real clients read them.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use common::{deltafold, run, run_command, Folder};

const TOUR: &str = "../../examples/streams/tour.sse";

#[test]
fn the_bytes_are_the_same_however_they_are_cut() {
    let whole = std::fs::read_to_string(TOUR).unwrap();
    for arguments in
        [&[][..], &["--split", "1"], &["--split", "random"], &["--split=random", "--seed", "9"], &["--rate", "100000"]]
    {
        let done = run_command(deltafold().arg("replay").args(arguments).arg(TOUR), b"");
        assert_eq!((done.code, &*done.errors), (0, ""), "{arguments:?}");
        assert!(done.output == whole, "{arguments:?}");
    }
    let done = run(&["replay", "-"], whole.as_bytes());
    assert!(done.output == whole);
}

#[test]
fn a_mistake_is_code_2_and_a_message_that_says_what_to_do() {
    for (arguments, message) in [
        (&["replay", "--split", "0"][..], "--split is a whole number above 0 or random, found 0"),
        (&["replay", "--rate", "-3"], "--rate is a number of events a second above 0, found -3"),
        (&["serve"], "expected at least one file, found 0; `deltafold serve --help` shows how to call it"),
        (&["serve", "-"], "stdin cannot be served again and again; name files"),
        (&["serve", "no/such/file"], "cannot open no/such/file: No such file or directory (os error 2)"),
        (&["serve", "--port", "70000", TOUR], "--port is a number below 65536, found 70000"),
    ] {
        let done = run(arguments, b"");
        assert_eq!((done.code, &*done.errors), (2, &*format!("deltafold: {message}\n")), "{arguments:?}");
    }
}

/// Ended with the test, however that ends.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that ends after so many requests, and its address.
fn serve(arguments: &[&str], requests: usize) -> (Server, String) {
    let mut child = deltafold()
        .args(["serve", "--requests", &requests.to_string()])
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs");
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").unwrap_or_else(|| panic!("{line}")).to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    (Server(child), address)
}

/// Head and body of an answer; chunks are joined.
fn ask(address: &str, request: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut whole = Vec::new();
    stream.read_to_end(&mut whole).unwrap();
    let find = |bytes: &[u8], end: &[u8]| bytes.windows(end.len()).position(|window| window == end).expect("it ends");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let end = find(&whole, b"\r\n\r\n");
    let (head, mut rest) = (text(&whole[..end]), &whole[end + 4..]);
    if !head.contains("transfer-encoding: chunked") {
        return (head, text(rest));
    }
    let mut joined = Vec::new();
    loop {
        let end = find(rest, b"\r\n");
        let length = usize::from_str_radix(&text(&rest[..end]), 16).unwrap();
        if length == 0 {
            return (head, text(&joined));
        }
        joined.extend_from_slice(&rest[end + 2..end + 2 + length]);
        rest = &rest[end + 4 + length..];
    }
}

fn post(path: &str, body: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

#[test]
fn a_client_gets_the_stream_or_the_response_that_it_asks_for() {
    let tour = std::fs::read_to_string(TOUR).unwrap();
    let folder = Folder::new("serve");
    let other = folder.file("other.sse", b"data: {\"type\":\"x:y\"}\n\n");
    let (mut child, address) = serve(&["--split", "random", TOUR, other.to_str().unwrap()], 8);
    let (head, body) = ask(&address, &post("/v1/responses", r#"{"model":"tour","stream":true}"#));
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n") && head.contains("content-type: text/event-stream"), "{head}");
    assert!(body == tour);
    let (head, body) = ask(&address, &post("/v1/responses", r#"{"model":"tour","stream":false}"#));
    assert!(head.contains("content-type: application/json"), "{head}");
    assert_eq!(body.trim_end(), run(&["fold", TOUR], b"").output.trim_end());
    // Models without a capture of their own: in turn.
    let turns: Vec<bool> =
        (0..2).map(|_| ask(&address, &post("/responses", r#"{"model":"m","stream":true}"#)).1 == tour).collect();
    assert_eq!(turns, [true, false]);
    let (_, list) = ask(&address, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    assert_eq!(list, "/tour.sse\n/other.sse\n");
    assert!(ask(&address, "GET /tour.sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").1 == tour);
    let chunked = "POST /responses HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n\
                   1e\r\n{\"model\":\"tour\",\"stream\":true}\r\n0\r\n\r\n";
    assert!(ask(&address, chunked).1 == tour);
    assert!(ask(&address, "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n").0.starts_with("HTTP/1.1 404 "));
    assert!(child.0.wait().unwrap().success());
}

#[test]
fn only_this_machine_under_its_own_name_is_answered() {
    let (mut child, address) = serve(&[TOUR], 4);
    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: capture.example:80\r\n\r\n", "HTTP/1.1 403 "),
        ("nonsense\r\n\r\n", "HTTP/1.1 400 "),
        ("DELETE / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 405 "),
        ("POST /responses HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n", "HTTP/1.1 413 "),
    ] {
        let (head, body) = ask(&address, request);
        assert!(head.starts_with(status), "{request}: {head}");
        assert!(!body.contains("tour.sse"), "{body}");
        assert!(!head.contains("access-control"), "{head}");
    }
    assert!(child.0.wait().unwrap().success());
}

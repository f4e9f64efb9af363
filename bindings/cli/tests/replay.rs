//! `deltafold replay` and `deltafold serve`: the bytes are those of the capture, and real clients read them.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};

use common::{deltafold, run, run_command, Folder};

const TOUR: &str = "../../examples/streams/tour.sse";

#[test]
fn the_bytes_are_the_same_for_every_split() {
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
fn a_usage_error_is_code_2_and_its_message_names_the_fix() {
    for (arguments, message) in [
        (
            &["replay", "--split", "0"][..],
            "invalid value '0' for '--split <N|random>': expected a whole number above 0, or random",
        ),
        (&["replay", "--rate", "0"], "invalid value '0' for '--rate <EVENTS>': expected a number above 0"),
        (&["replay", "--seed", "0"], "invalid value '0' for '--seed <N>'"),
        (&["serve"], "required arguments were not provided:\n  <FILE>..."),
        (&["serve", "-"], "stdin cannot be served repeatedly; name files"),
        (&["serve", "no/such/file"], "cannot open no/such/file: No such file or directory (os error 2)"),
        (&["serve", "--port", "70000", TOUR], "invalid value '70000' for '--port <N>': 70000 is not in 0..=65535"),
    ] {
        let done = run(arguments, b"");
        assert_eq!(done.code, 2, "{arguments:?}");
        assert!(done.errors.contains(message), "{arguments:?}: {}", done.errors);
    }
}

/// A child process that is killed at the end of the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server that exits after this number of requests; returns it and its address.
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

/// Returns head and body of an HTTP response; chunks are joined.
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
    // Models without a capture of their own get the captures in turn.
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

/// Returns a number of `/proc/PID/status`.
#[cfg(target_os = "linux")]
fn status_of(server: &Server, field: &str) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.0.id())).unwrap();
    let value = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    value.trim().trim_end_matches(" kB").parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn clients_that_send_nothing_cost_neither_threads_nor_memory() {
    let (server, address) = serve(&[TOUR], 200);
    let announced = "POST /responses HTTP/1.1\r\nHost: localhost\r\nContent-Length: 16000000\r\n\r\n{";
    let clients: Vec<TcpStream> = (0..60)
        .map(|_| {
            let mut client = TcpStream::connect(&address).unwrap();
            client.write_all(announced.as_bytes()).unwrap();
            client
        })
        .collect();
    // This request is answered although the other connections are open.
    assert!(ask(&address, &post("/responses", r#"{"model":"tour"}"#)).0.starts_with("HTTP/1.1 200 "));
    let more: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(&address).unwrap()).collect();
    std::thread::sleep(std::time::Duration::from_millis(200));
    let (threads, kilobytes) = (status_of(&server, "Threads:"), status_of(&server, "VmHWM:"));
    assert!(threads <= 4, "{threads} threads for {} clients", clients.len() + more.len());
    assert!(kilobytes < 64 << 10, "{kilobytes} kB for {} clients", clients.len() + more.len());
}

#[test]
fn a_client_that_does_not_read_or_write_is_disconnected() {
    let folder = Folder::new("serve-slow");
    let large = folder.file("large.sse", &b"data: 0123456789012345678901234567890123456789\n\n".repeat(1 << 20));
    let (mut server, address) = serve(&["--timeout", "1", large.to_str().unwrap()], 4);
    let connect = |text: &str| {
        let mut client = TcpStream::connect(&address).unwrap();
        client.write_all(text.as_bytes()).unwrap();
        client
    };
    let _clients = [
        connect("GET /large.sse HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        connect("GET /large.sse HTTP/1.1\r\nHost: loc"),
        connect("POST /responses HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"),
        connect(""),
    ];
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while server.0.try_wait().unwrap().is_none() {
        assert!(std::time::Instant::now() < deadline, "the server still waits for its clients");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn a_body_larger_than_the_limit_is_refused_without_an_announced_length() {
    let (mut server, address) = serve(&[TOUR], 1);
    let mut client = TcpStream::connect(&address).unwrap();
    client.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
    client.write_all(b"POST /responses HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n").unwrap();
    let chunk = [b"100000\r\n".as_slice(), &vec![b' '; 1 << 20], b"\r\n"].concat();
    for _ in 0..17 {
        // The server answers before it has read everything.
        if client.write_all(&chunk).is_err() {
            break;
        }
    }
    let mut head = [0; 12];
    client.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 413");
    drop(client);
    assert!(server.0.wait().unwrap().success());
}

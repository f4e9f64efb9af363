//! Runs the programs of this folder against servers on the loopback address.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::routing::post;
use axum::Router;
use deltafold::futures::{writer_body, ResponseEventsExt};
use deltafold::write::Writer;
use deltafold::WriterOptions;
use futures_util::{stream, StreamExt};
use serde_json::json;
use tokio::net::TcpListener;

/// Starts the reference server and returns its address.
async fn reference_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(deltafold_server::serve(listener, deltafold_server::Options::default()));
    format!("http://{address}/v1/responses")
}

/// Serves these routes and returns the address.
async fn serve(routes: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move { axum::serve(listener, routes).await });
    format!("http://{address}")
}

/// The recorded Anthropic stream of the examples, as chunks of 64 bytes.
fn anthropic_chunks() -> Vec<Vec<u8>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../streams/dialects/anthropic.sse");
    std::fs::read(path).expect("an example stream").chunks(64).map(<[u8]>::to_vec).collect()
}

/// A gateway that is stopped at the end of the test.
struct Gateway {
    process: Child,
    url: String,
}

impl Gateway {
    fn start(upstream: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_gateway"))
            .args(["0", upstream])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the gateway starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("a pipe")).read_line(&mut line).expect("its first line");
        let url = line.trim().strip_prefix("listening on ").expect("its address").to_owned();
        Self { process, url }
    }

    async fn ask(&self) -> reqwest::Response {
        let request = json!({ "model": "m", "input": "Hi", "stream": true });
        reqwest::Client::new().post(&self.url).json(&request).send().await.expect("an answer")
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_concurrent_streams_all_complete() {
    let url = reference_server().await;
    let output = tokio::task::spawn_blocking(move || {
        Command::new(env!("CARGO_BIN_EXE_concurrent")).args([&url, "100"]).output().expect("the program runs")
    });
    let output = output.await.expect("the program ends");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.starts_with("completed: 100\n"), "{text}");
    assert!(!text.contains("\n0 bytes"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gateway_converts_an_anthropic_stream_to_open_responses() {
    let upstream = Router::new().route(
        "/v1/messages",
        post(|| async { Body::from_stream(stream::iter(anthropic_chunks()).map(Ok::<_, std::io::Error>)) }),
    );
    let upstream = serve(upstream).await;
    let gateway = Gateway::start(&format!("{upstream}/v1/messages"));
    let mut events = gateway.ask().await.bytes_stream().response_events();
    while let Some(event) = events.next().await {
        event.expect("the stream is complete");
    }
    assert_eq!(events.outcome().map(|outcome| outcome.name()), Some("completed"));
    assert!(!events.response().output_text().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gateway_ends_the_stream_when_the_upstream_breaks_off() {
    let broken = || async {
        let chunks: Vec<_> = anthropic_chunks().into_iter().take(12).map(Ok).collect();
        let error = Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset));
        Body::from_stream(stream::iter(chunks.into_iter().chain([error])))
    };
    let upstream = serve(Router::new().route("/v1/messages", post(broken))).await;
    let gateway = Gateway::start(&format!("{upstream}/v1/messages"));
    let mut events = gateway.ask().await.bytes_stream().response_events();
    while let Some(event) = events.next().await {
        if event.is_err() {
            break;
        }
    }
    assert_eq!(events.outcome().map(|outcome| outcome.name()), Some("failed"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_gateway_passes_the_status_of_the_upstream_on() {
    let upstream = Router::new().route("/v1/messages", post(|| async { (StatusCode::TOO_MANY_REQUESTS, "slow down") }));
    let upstream = serve(upstream).await;
    let answer = Gateway::start(&format!("{upstream}/v1/messages")).ask().await;
    assert_eq!(answer.status(), 429);
    let body: serde_json::Value = answer.json().await.expect("a JSON body");
    assert_eq!(body["error"]["type"], "too_many_requests");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_is_the_body_of_an_axum_response() {
    let answer = || async {
        let (mut sender, body) = writer_body(Writer::new(WriterOptions::new("resp_1", "m-1", 1)));
        tokio::spawn(async move {
            sender.write(Writer::start)?;
            if sender.drained().await {
                sender.write(|writer| writer.complete(None))?;
            }
            Ok::<_, deltafold::Error>(())
        });
        Body::from_stream(body.map(|chunk: Result<Bytes, _>| chunk))
    };
    let url = serve(Router::new().route("/", post(answer))).await;
    let answer = reqwest::Client::new().post(url).send().await.expect("an answer");
    let mut events = answer.bytes_stream().response_events();
    while let Some(event) = events.next().await {
        event.expect("the stream is complete");
    }
    assert_eq!(events.outcome().map(|outcome| outcome.name()), Some("completed"));
}

//! A gateway from Anthropic's Messages API to Open Responses, with axum and reqwest:  gateway PORT UPSTREAM
//!
//! UPSTREAM is the address of a Messages endpoint. A client posts an Open Responses request to `/v1/responses` and reads an Open Responses
//! stream. If the upstream breaks off, the client still gets a terminal event.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::extract::State;
use axum::http::{header, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use deltafold::adapter::{Converter, Dialect};
use deltafold::futures::ResponseEventsExt;
use deltafold::json::Value;
use deltafold::write::{ApiError, ErrorType};
use serde_json::json;

#[derive(Clone)]
struct Gateway {
    client: reqwest::Client,
    upstream: String,
}

async fn respond(State(gateway): State<Gateway>, Json(request): Json<serde_json::Value>) -> Response {
    match forward(gateway, &request).await {
        Ok(answer) => answer,
        Err(error) => {
            let status = StatusCode::from_u16(error.kind.http_status()).unwrap_or(StatusCode::BAD_GATEWAY);
            (status, [(header::CONTENT_TYPE, "application/json")], error.to_body()).into_response()
        }
    }
}

async fn forward(gateway: Gateway, request: &serde_json::Value) -> Result<Response, ApiError> {
    let input = request["input"].as_str().ok_or_else(|| {
        ApiError::new(ErrorType::InvalidRequest, "unsupported_input", "This example accepts only text input.")
            .with_param("input")
    })?;
    let message = json!({
        "model": request["model"],
        "max_tokens": 1024,
        "stream": true,
        "messages": [{ "role": "user", "content": input }],
    });
    let unreachable =
        |error: reqwest::Error| ApiError::new(ErrorType::ServerError, "upstream_failed", error.to_string());
    let answer = gateway.client.post(gateway.upstream).json(&message).send().await.map_err(unreachable)?;
    if !answer.status().is_success() {
        let kind = ErrorType::from_http_status(answer.status().as_u16().into());
        return Err(ApiError::new(kind, "upstream_failed", format!("The upstream returned {}.", answer.status())));
    }

    // The core has no clock: the time of the response is an option.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let options = Value::parse(&json!({ "now": now }).to_string(), 8).unwrap_or_default();
    let converter = Converter::new(Some(Dialect::Anthropic), Dialect::OpenResponses, &options)
        .map_err(|error| ApiError::new(ErrorType::ServerError, "gateway_failed", error.to_string()))?;
    let body = Body::from_stream(answer.bytes_stream().convert_with(converter));
    Ok(([(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")], body).into_response())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage = "usage: gateway PORT UPSTREAM";
    let port: u16 = arguments.next().ok_or(usage)?.parse()?;
    let upstream = arguments.next().ok_or(usage)?;

    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on http://{}/v1/responses", listener.local_addr()?);
    let gateway = Gateway { client: reqwest::Client::new(), upstream };
    let routes = Router::new().route("/v1/responses", post(respond)).with_state(gateway);
    axum::serve(listener, routes).await?;
    Ok(())
}

//! Reads many streams at the same time with reqwest and tokio:  `concurrent URL [STREAMS]`
//!
//! URL is the `/v1/responses` address of an Open Responses server. Prints how the streams ended.

use std::collections::BTreeMap;

use deltafold::futures::ResponseEventsExt;
use deltafold::Kind;
use futures_util::StreamExt;
use serde_json::json;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The result of one stream: how it ended, its text, and the number of its deltas.
struct Summary {
    outcome: String,
    text: String,
    deltas: usize,
}

async fn read_one(client: reqwest::Client, url: String, number: usize) -> Result<Summary, Failure> {
    let request = json!({ "model": "scripted", "input": format!("Say {number}."), "stream": true });
    let answer = client.post(url).json(&request).send().await?.error_for_status()?;

    let mut events = answer.bytes_stream().response_events();
    let mut deltas = 0;
    while let Some(event) = events.next().await {
        if event?.as_event().kind() == Kind::OutputTextDelta {
            deltas += 1;
        }
    }
    let outcome = events.outcome().map_or("unknown", |outcome| outcome.name()).to_owned();
    Ok(Summary { outcome, text: events.response().output_text().into_owned(), deltas })
}

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("usage: concurrent URL [STREAMS]")?;
    let streams: usize = arguments.next().map_or(Ok(100), |count| count.parse())?;

    let client = reqwest::Client::new();
    // Each stream has its own task; reader, events and response move between threads with it.
    let tasks: Vec<_> =
        (0..streams).map(|number| tokio::spawn(read_one(client.clone(), url.clone(), number))).collect();

    let mut outcomes = BTreeMap::<String, usize>::new();
    let (mut bytes, mut deltas) = (0, 0);
    for task in tasks {
        let summary = task.await??;
        *outcomes.entry(summary.outcome).or_default() += 1;
        bytes += summary.text.len();
        deltas += summary.deltas;
    }
    for (outcome, count) in outcomes {
        println!("{outcome}: {count}");
    }
    println!("{bytes} bytes of text in {deltas} deltas");
    Ok(())
}

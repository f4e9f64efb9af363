//! `deltafold-server`: listens on loopback and prints its address.

use std::process::ExitCode;

use deltafold_server::{serve, Options};
use tokio::net::TcpListener;

const USAGE: &str =
    "usage: deltafold-server [--port N] [--dialect open_responses|openai] [--edition NAME] [--clock SECONDS]

Listens on 127.0.0.1, by default on port 8080 (0 selects a free one), and prints the base URL.";

fn main() -> ExitCode {
    let (port, options) = match arguments(std::env::args().skip(1)) {
        Ok(parsed) => parsed,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    // One thread is enough: the model is a script.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let ended = runtime.and_then(|runtime| {
        runtime.block_on(async {
            let listener = TcpListener::bind(("127.0.0.1", port)).await?;
            println!("listening on http://{}/v1", listener.local_addr()?);
            serve(listener, options).await
        })
    });
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn arguments(mut given: impl Iterator<Item = String>) -> Result<(u16, Options), String> {
    let (mut port, mut options) = (8080, Options::default());
    while let Some(name) = given.next() {
        if name == "--help" || name == "-h" {
            return Err(USAGE.to_owned());
        }
        let value = given.next().ok_or_else(|| format!("{name} needs a value\n{USAGE}"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{name} needs a number\n{USAGE}"));
        match name.as_str() {
            "--port" => port = u16::try_from(number()?).map_err(|_| USAGE.to_owned())?,
            "--dialect" => {
                options.reasoning_names = value.parse().map_err(|error: deltafold::Error| error.to_string())?
            }
            "--edition" => options.edition = value.parse().map_err(|error| format!("{error}"))?,
            "--clock" => options.clock = Some(number()?),
            _ => return Err(USAGE.to_owned()),
        }
    }
    Ok((port, options))
}

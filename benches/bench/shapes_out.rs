//! Writes shapes to a folder, for benches in other languages: `NAME.sse`, and `expected.json` with the result of each.
//!
//! ```text
//! cargo run --release -p deltafold-benches --bin deltafold-shapes -- FOLDER [--quick] [NAME…]
//! ```

use std::path::Path;
use std::process::ExitCode;

use deltafold_benches::shapes::{Shape, NAMES};
use deltafold_benches::Mode;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().position(|argument| argument == "--quick").map(|at| arguments.remove(at));
    let mode = if quick.is_some() { Mode::Quick } else { Mode::Full };
    let Some((folder, names)) = arguments.split_first() else {
        eprintln!("usage: deltafold-shapes FOLDER [--quick] [NAME…]");
        return ExitCode::from(2);
    };
    let names: Vec<&str> = if names.is_empty() { NAMES.to_vec() } else { names.iter().map(String::as_str).collect() };
    match write(Path::new(folder), mode, &names) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("deltafold-shapes: {message}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path, mode: Mode, names: &[&str]) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let mut expected = serde_json::Map::new();
    for name in names {
        let shape = Shape::named(name, mode).ok_or(format!("no shape is called {name}"))?;
        let file = folder.join(format!("{name}.sse"));
        std::fs::write(file, &shape.stream).map_err(|error| error.to_string())?;
        let result = serde_json::json!({
            "events": shape.expected.events,
            "parts": shape.expected.parts,
            "text_bytes": shape.expected.text_bytes,
            "text_hash": format!("{:016x}", shape.expected.text_hash),
        });
        expected.insert((*name).to_owned(), result);
    }
    let text = serde_json::Value::Object(expected).to_string();
    std::fs::write(folder.join("expected.json"), text).map_err(|error| error.to_string())
}

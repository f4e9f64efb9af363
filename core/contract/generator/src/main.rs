//! Generates the contract tables of the core, the types of the Python and npm packages, and the coverage page, from the fact files in `core/contract`.
//!
//! - `cargo run -p deltafold-contract` writes every output.
//! - `cargo run -p deltafold-contract -- --check` writes nothing and exits with 1 if an output is not up
//!   to date.
//! - `cargo run -p deltafold-contract -- --import FILE` replaces the fact files with those of a `contract.json`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use deltafold_contract::{
    coverage, import, items, kinds, pydantic, python, request, tables, typescript, Compiler, Facts,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments.as_slice() {
        [] => outputs().and_then(write),
        ["--check"] => outputs().and_then(check),
        ["--import", file] => import::run(Path::new(file), &folder()),
        _ => Err("usage: deltafold-contract [--check | --import FILE]".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("deltafold-contract: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The generated files: path from the root of the repository, and text.
type Output = (&'static str, String);

fn outputs() -> Result<Vec<Output>, String> {
    let facts = Facts::load(&folder())?;
    let compiler = Compiler::run(&facts)?;
    Ok(vec![
        ("core/src/accumulate/typed_items.rs", items::typed_items(&facts)?),
        ("core/src/contract/item_kinds.rs", items::item_kinds(&facts)),
        ("core/src/contract/kinds.rs", kinds::generate(&facts)?),
        ("core/src/contract/tables.rs", tables::generate(&facts, &compiler)?),
        ("core/src/request/generated.rs", request::generate(&facts)?),
        ("docs/coverage.md", coverage::generate(&facts, &compiler)?),
        ("npm/src/contract.ts", typescript::generate(&facts)?),
        ("python/deltafold/models.py", pydantic::generate(&facts, &compiler)),
        ("python/deltafold/types.py", python::generate(&facts, &compiler)?),
    ])
}

fn write(outputs: Vec<Output>) -> Result<(), String> {
    for (path, text) in outputs {
        std::fs::write(root().join(path), text).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(())
}

fn check(outputs: Vec<Output>) -> Result<(), String> {
    for (path, text) in outputs {
        let found = std::fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
        if found != text {
            return Err(format!("{path} is out of date; run `cargo run -p deltafold-contract`"));
        }
    }
    Ok(())
}

/// `core/contract`, the folder of the fact files.
fn folder() -> PathBuf {
    root().join("core/contract")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

//! Generators for the test steps: the C header, the wasm glue, and the list of what a wasm module imports.

use std::path::Path;
use std::process::ExitCode;

mod wasm;

const USAGE: &str = "usage: tools header CRATE_FOLDER OUT.h
       tools bindgen MODULE.wasm OUT_FOLDER NAME
       tools imports MODULE.wasm";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args.as_slice() {
        ["header", krate, out] => header(Path::new(krate), Path::new(out)),
        ["bindgen", module, out, name] => bindgen(Path::new(module), Path::new(out), name),
        ["imports", module] => imports(Path::new(module)),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

type Done = Result<(), Box<dyn std::error::Error>>;

/// Writes the header of a crate with the settings of its `cbindgen.toml`.
fn header(krate: &Path, out: &Path) -> Done {
    let config = cbindgen::Config::from_file(krate.join("cbindgen.toml"))?;
    let bindings = cbindgen::Builder::new().with_crate(krate).with_config(config).generate()?;
    let mut text = Vec::new();
    bindings.write(&mut text);
    // The newlines of a header are LF on every system, so that the committed file can be compared byte by byte.
    let text = String::from_utf8(text)?.replace("\r\n", "\n");
    std::fs::write(out, text)?;
    Ok(())
}

/// Writes the `web` glue for a module: the one form that every entry of the npm package builds on.
fn bindgen(module: &Path, out: &Path, name: &str) -> Done {
    wasm_bindgen_cli_support::Bindgen::new()
        .input_path(module)
        .web(true)?
        .out_name(name)
        .typescript(true)
        .omit_default_module_path(true)
        .remove_producers_section(true)
        .generate(out)?;
    Ok(())
}

/// Prints `module.name` for each import, a line each.
fn imports(module: &Path) -> Done {
    for (from, name) in wasm::imports(&std::fs::read(module)?)? {
        println!("{from}.{name}");
    }
    Ok(())
}

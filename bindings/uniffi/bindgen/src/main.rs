//! Generates the Kotlin, Ruby and Swift code of the binding from the metadata in the built library.
//!
//! ```text
//! bindgen LIBRARY FOLDER CRATE      writes FOLDER/{kotlin,ruby,swift}; CRATE is the folder of bindings/uniffi
//! ```

use std::process::ExitCode;

use camino::Utf8PathBuf;
use uniffi_bindgen::bindings::{generate_with_bindgen_paths, GenerateOptions, TargetLanguage};
use uniffi_bindgen::{BindgenPaths, BindgenPathsLayer};

/// Finds `uniffi.toml` without running Cargo.
struct Root(Utf8PathBuf);

impl BindgenPathsLayer for Root {
    fn get_crate_root(&self, _: &str) -> Option<Utf8PathBuf> {
        Some(self.0.clone())
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [library, folder, root] = arguments.as_slice() else {
        eprintln!("usage: bindgen LIBRARY FOLDER CRATE");
        return ExitCode::from(2);
    };
    let languages =
        [("kotlin", TargetLanguage::Kotlin), ("ruby", TargetLanguage::Ruby), ("swift", TargetLanguage::Swift)];
    for (name, language) in languages {
        let mut paths = BindgenPaths::default();
        paths.add_layer(Root(root.into()));
        let options = GenerateOptions {
            languages: vec![language],
            source: library.into(),
            out_dir: Utf8PathBuf::from(folder).join(name),
            ..GenerateOptions::default()
        };
        if let Err(error) = generate_with_bindgen_paths(options, paths) {
            eprintln!("error: {name}: {error:#}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

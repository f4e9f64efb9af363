//! The header documents the contract of every function, and every function has a misuse test.

use std::path::Path;

/// These functions only return constants.
const CONSTANT: [&str; 5] =
    ["dfold_version", "dfold_abi_version", "dfold_status_str", "dfold_status_name", "dfold_kind_name"];

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns every function that the header declares, with the comment above it.
fn functions(header: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut comment = String::new();
    let mut in_comment = false;
    for line in header.lines() {
        if line.starts_with("/**") {
            comment.clear();
            in_comment = true;
        }
        if in_comment {
            comment.push_str(line);
            comment.push('\n');
            in_comment = !line.ends_with("*/");
            continue;
        }
        let name = line
            .split('(')
            .next()
            .filter(|head| head.len() < line.len())
            .and_then(|head| head.split([' ', '*']).next_back());
        if let Some(name) = name.filter(|name| name.starts_with("dfold_") && !line.starts_with([' ', '#'])) {
            found.push((name.to_owned(), core::mem::take(&mut comment)));
        }
    }
    found
}

#[test]
fn every_function_documents_ownership_null_threads_and_view_lifetimes() {
    let functions = functions(&read("../../include/deltafold.h"));
    assert!(functions.len() > 30, "the header was not parsed: {} functions", functions.len());
    for (name, comment) in functions {
        for word in ["- Ownership: ", "- NULL: ", "- Threads: ", "- Views: "] {
            assert!(comment.contains(word), "{name} does not document {word}");
        }
    }
}

#[test]
fn every_function_has_a_misuse_test() {
    let tests = read("tests/misuse.c");
    for (name, _) in functions(&read("../../include/deltafold.h")) {
        // The compiler reports a test that is defined there and not called.
        assert!(tests.contains(&format!("    misuse_{name}();")), "{name} has no misuse test");
    }
}

#[test]
fn every_function_that_does_work_has_a_panic_test() {
    let tests = read("tests/feature/panics.c");
    for (name, _) in functions(&read("../../include/deltafold.h")) {
        let tested = tests.contains(&format!("{name}(")) || tests.contains(&format!(" {name});"));
        assert!(tested || CONSTANT.contains(&name.as_str()), "{name} has no test of a panic");
    }
}

#[test]
fn every_function_that_does_work_is_inside_the_panic_boundary() {
    // The unit tests of ffi.rs and panic.rs force a panic inside the `ffi` and `boundary` functions; the other entries call those.
    const GATES: [&str; 10] = [
        "ffi::create(",
        "ffi::with(",
        "ffi::with_output(",
        "ffi::free(",
        "ffi::init(",
        "boundary_or(",
        "run_intent(writer, ",
        "append_text(writer, ",
        "open_item(writer, out_item",
        "json_of(",
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut source = String::new();
    for file in std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        source.push_str(&std::fs::read_to_string(file.unwrap().path()).unwrap());
    }
    for (name, _) in functions(&read("../../include/deltafold.h")) {
        let start = source.find(&format!("extern \"C\" fn {name}(")).unwrap_or_else(|| panic!("{name} has no source"));
        let body = source[start..].split("\n}\n").next().unwrap_or_default();
        let inside = GATES.iter().any(|gate| body.contains(gate));
        assert!(inside || CONSTANT.contains(&name.as_str()), "{name} can unwind into C:\n{body}");
    }
}

//! What the project depends on: each direct dependency has a written reason, lock files are committed, and the core stays small.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are inside the workspace")
}

/// Files of the repository that end so. Without git, as in a source archive, nothing can be listed.
fn tracked(end: &str) -> Vec<String> {
    let listed = Command::new("git").args(["ls-files"]).current_dir(root()).output().expect("git lists the files");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let names = String::from_utf8(listed.stdout).unwrap();
    names.lines().filter(|name| name.rsplit('/').next() == Some(end)).map(str::to_owned).collect()
}

fn text(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Names in the dependency tables of a Cargo manifest that are not our own crates.
fn cargo_dependencies(manifest: &str) -> BTreeSet<String> {
    let mut inside = false;
    let mut names = BTreeSet::new();
    for line in manifest.lines() {
        if let Some(table) = line.strip_prefix('[') {
            inside = table.trim_end_matches(']').ends_with("dependencies");
        } else if inside && line.starts_with(|char: char| char.is_ascii_alphabetic()) {
            let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if !name.starts_with("deltafold") {
                names.insert(name.to_owned());
            }
        }
    }
    names
}

#[test]
fn every_direct_dependency_has_a_written_reason() {
    let page = text("docs/dependencies.md");
    let reasons: BTreeSet<&str> = page.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let mut used = BTreeSet::new();
    for file in tracked("Cargo.toml") {
        used.extend(cargo_dependencies(&text(&file)).into_iter().map(|name| (name, file.clone())));
    }
    for file in tracked("package.json") {
        let manifest: serde_json::Value = serde_json::from_str(&text(&file)).unwrap();
        for table in ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] {
            let names = manifest[table].as_object().into_iter().flatten();
            used.extend(names.map(|(name, _)| (name.clone(), file.clone())));
        }
    }
    assert!(used.len() > 40, "{used:?}");
    let missing: Vec<_> = used.iter().filter(|(name, _)| !reasons.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "no reason in docs/dependencies.md: {missing:?}");
}

#[test]
fn what_users_get_in_npm_and_python_needs_nothing_else() {
    let manifest: serde_json::Value = serde_json::from_str(&text("npm/package.json")).unwrap();
    assert!(manifest["dependencies"].as_object().is_none_or(|names| names.is_empty()));
    let project = text("python/pyproject.toml");
    let needed = project.lines().find_map(|line| line.strip_prefix("dependencies = "));
    assert!(needed.is_none_or(|list| list == "[]"), "{needed:?}");
}

#[test]
fn every_workspace_has_its_lock_file_committed() {
    let locks = tracked("Cargo.lock");
    let mut own = 0;
    for file in tracked("Cargo.toml") {
        // A workspace of its own says so; the others are members of one.
        if text(&file).lines().any(|line| line.trim() == "[workspace]") {
            own += 1;
            let lock = file.replace("Cargo.toml", "Cargo.lock");
            assert!(locks.contains(&lock), "{lock} is not committed");
        }
    }
    assert!(own >= 3, "{own} workspaces");
    let locks = tracked("package-lock.json");
    for file in tracked("package.json") {
        let named: serde_json::Value = serde_json::from_str(&text(&file)).unwrap();
        let any = ["dependencies", "devDependencies"].iter().any(|table| named[*table].is_object());
        assert!(!any || locks.contains(&file.replace("package.json", "package-lock.json")), "{file} has no lock");
    }
}

#[test]
fn the_cores_own_tree_has_at_most_twelve_crates() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let tree = |more: &[&str]| {
        let arguments = ["tree", "--locked", "--offline", "-p", "deltafold", "-e", "normal", "--prefix", "none"];
        let done = Command::new(&cargo).args(arguments).args(more).current_dir(root()).output().expect("cargo runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let lines = String::from_utf8(done.stdout).unwrap();
        lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect::<BTreeSet<_>>()
    };
    let plain = tree(&[]);
    assert_eq!(plain.iter().map(String::as_str).collect::<Vec<_>>(), ["deltafold", "memchr", "simdutf8"]);
    assert!(plain.len() <= 12);
    // The one feature that brings an interpreter is the exception, and off by default.
    assert!(tree(&["--features", "explain"]).len() <= 12);
    assert!(tree(&["--features", "tool-schemas"]).len() > 12);
}

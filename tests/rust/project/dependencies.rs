//! The dependencies of the project: each direct dependency has a written reason, lock files are committed, and the core stays small.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are inside the workspace")
}

/// Returns the files of the repository with this ending. Without git, as in a source archive, there are none.
fn tracked(end: &str) -> Vec<String> {
    let listed = Command::new("git").args(["ls-files"]).current_dir(root()).output().expect("git lists the files");
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));
    let names = String::from_utf8(listed.stdout).unwrap();
    names.lines().filter(|name| name.rsplit('/').next() == Some(end)).map(str::to_owned).collect()
}

fn text(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns the names in the dependency tables of a Cargo manifest that are not our own crates.
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
fn the_npm_and_python_packages_have_no_dependencies() {
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
        // A separate workspace declares itself; other manifests are members of one.
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
        // npm cannot lock these tools: their packages for other platforms are not in every registry. Exact versions pin them.
        if file == "npm/packaging/package.json" {
            let versions = named["dependencies"].as_object().expect("the tools");
            let exact =
                |version: &str| version.split('.').count() == 3 && version.starts_with(|c: char| c.is_ascii_digit());
            assert!(versions.values().all(|version| exact(version.as_str().unwrap())), "{file}: {versions:?}");
            continue;
        }
        let any = ["dependencies", "devDependencies"].iter().any(|table| named[*table].is_object());
        assert!(!any || locks.contains(&lock_of(&file)), "{file} has no lock");
    }
}

/// The lock file of a `package.json`; that of a workspace is in the folder above, whose manifest names the workspace.
fn lock_of(file: &str) -> String {
    let folder = file.trim_end_matches("/package.json");
    if let Some((above, name)) = folder.rsplit_once('/') {
        let root = format!("{above}/package.json");
        if tracked("package.json").contains(&root) {
            let root: serde_json::Value = serde_json::from_str(&text(&root)).unwrap();
            if root["workspaces"].as_array().into_iter().flatten().any(|workspace| workspace == name) {
                return format!("{above}/package-lock.json");
            }
        }
    }
    format!("{folder}/package-lock.json")
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
    // The one feature that adds a JSON Schema validator is the exception, and off by default.
    assert!(tree(&["--features", "explain"]).len() <= 12);
    assert!(tree(&["--features", "tool-schemas"]).len() > 12);
}

/// Returns the quoted words of `.ci/deny.toml` after a key, up to the closing bracket.
fn denied(after: &str) -> BTreeSet<String> {
    let rules = text(".ci/deny.toml");
    let list = rules.split_once(&format!("\n{after} = [")).and_then(|(_, rest)| rest.split_once("]\n")).expect(after).0;
    let entries = list.split('"').skip(1).step_by(2).map(str::to_owned);
    // In an entry with a reason, the name is first.
    entries.filter(|entry| after == "allow" || !entry.contains(' ')).collect()
}

/// Returns the banned crates, each with the packages that may depend on it anyway (`wrappers`).
fn bans() -> BTreeMap<String, BTreeSet<String>> {
    let rules = text(".ci/deny.toml");
    let list = rules.split_once("\ndeny = [").and_then(|(_, rest)| rest.split_once("\n]\n")).expect("a list of bans").0;
    let strings = |text: &str| text.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let entries = list.lines().filter(|line| line.contains("crate = "));
    let entry = |line: &str| {
        let wrappers =
            line.split_once("wrappers = [").and_then(|(_, rest)| rest.split_once(']')).map_or("", |(one, _)| one);
        (strings(line)[0].clone(), strings(wrappers).into_iter().collect())
    };
    entries.map(entry).collect()
}

/// Returns `true` if the allowed licences satisfy a licence expression; a slash is the old form of `OR`.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any_of(&mut words, allowed);
    assert_eq!(words.next(), None, "{expression}");
    met
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn any_of(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    let mut met = all_of(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all_of(words, allowed);
    }
    met
}

fn all_of(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    let mut met = one(words, allowed);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allowed);
    }
    met
}

fn one(words: &mut Words<'_>, allowed: &BTreeSet<String>) -> bool {
    let word = words.next().expect("a licence");
    if word == "(" {
        let met = any_of(words, allowed);
        assert_eq!(words.next(), Some(")"));
        return met;
    }
    match words.next_if_eq(&"WITH").and_then(|_| words.next()) {
        Some(exception) => allowed.contains(&format!("{word} WITH {exception}")) || allowed.contains(word),
        None => allowed.contains(word),
    }
}

#[test]
fn licence_expressions_are_evaluated() {
    let allowed = BTreeSet::from(["MIT", "Apache-2.0", "Unicode-3.0", "A WITH b"].map(str::to_owned));
    for good in
        ["MIT", "GPL-3.0 OR MIT", "MIT/Apache-2.0", "(GPL-3.0 OR MIT) AND Unicode-3.0", "A WITH b", "MIT WITH b"]
    {
        assert!(is_allowed(good, &allowed), "{good}");
    }
    for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0) AND Zlib", "A", "A WITH c", "MIT AND (GPL-3.0 OR Zlib)"]
    {
        assert!(!is_allowed(bad, &allowed), "{bad}");
    }
}

/// The licence check of `cargo deny`, without it: for every crate of any build of the workspace, on any machine.
#[test]
fn every_licence_is_allowed_and_every_allowed_one_is_used() {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let arguments = ["metadata", "--locked", "--all-features", "--format-version", "1"];
    let done = Command::new(cargo).args(arguments).current_dir(root()).output().expect("cargo runs");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let allowed = denied("allow");
    let (mut judged, mut used) = (0, BTreeSet::new());
    for package in metadata["packages"].as_array().unwrap() {
        let (name, licence) = (&package["name"], package["license"].as_str().unwrap_or("none"));
        assert!(is_allowed(licence, &allowed), "{name} has the licence {licence}");
        used.extend(allowed.iter().filter(|known| licence.contains(known.as_str())).cloned());
        judged += usize::from(!package["source"].is_null());
    }
    assert!(judged > 100, "{judged} crates");
    assert_eq!(used, allowed, "an allowed licence that no crate has");
}

/// The same for sources and bans, in every lock file: only the public registry, with a checksum each.
#[test]
fn every_locked_crate_is_from_the_registry_and_none_is_banned() {
    let (banned, mut sources, mut crates) = (bans(), BTreeSet::new(), 0);
    assert!(banned.len() >= 3, "{banned:?}");
    let manifests: Vec<String> = tracked("Cargo.toml").iter().map(|file| text(file)).collect();
    // `peers` is the comparison beside the checkout.
    let ours: BTreeSet<&str> = manifests
        .iter()
        .flat_map(|manifest| manifest.lines())
        .filter_map(|line| line.strip_prefix("name = "))
        .chain(["\"peers\""])
        .collect();
    for file in tracked("Cargo.lock") {
        for package in text(&file).split("[[package]]\n").skip(1) {
            let field = |key: &str| package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
            let name = field("name").unwrap().trim_matches('"');
            if let Some(wrappers) = banned.get(name) {
                assert!(!wrappers.is_empty(), "{file}: {name} is banned by .ci/deny.toml");
            }
            let dependencies = package.split_once("dependencies = [").map_or("", |(_, rest)| rest);
            for dependency in dependencies.lines().map(|line| line.trim_matches([' ', '"', ',', ']'])) {
                let dependency = dependency.split(' ').next().unwrap_or(dependency);
                let allowed = banned.get(dependency).is_none_or(|wrappers| wrappers.contains(name));
                assert!(allowed, "{file}: {name} depends on {dependency}, which is banned by .ci/deny.toml");
            }
            let Some(source) = field("source") else {
                assert!(ours.contains(format!("\"{name}\"").as_str()), "{file}: {name} has no source and is not ours");
                continue;
            };
            assert_eq!(field("checksum").map(str::len), Some(66), "{file}: {name} has no checksum");
            sources.insert(source.to_owned());
            crates += 1;
        }
    }
    assert!(crates > 300, "{crates} locked crates");
    assert!(sources.len() == 1 && sources.iter().all(|source| source.ends_with("crates.io-index\"")), "{sources:?}");
    for file in tracked("Cargo.toml") {
        // The package `*` of a profile is every package.
        let manifest = text(&file).replace(".package.\"*\"]", "");
        assert!(!manifest.contains("\"*\""), "{file} accepts any version of a dependency");
    }
}

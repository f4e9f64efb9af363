//! The page itself: every row exists, and so does every test that it names.

use std::collections::BTreeSet;
use std::path::Path;

fn page() -> String {
    std::fs::read_to_string(root().join("docs/robustness.md")).expect("docs/robustness.md")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are inside the workspace")
}

/// Id and proof of each row.
fn rows(page: &str) -> Vec<(String, String)> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.split(" | ").collect();
        let id = cells.first()?.to_string();
        let numbered = id.len() > 1 && id[1..].bytes().all(|byte| byte.is_ascii_digit());
        numbered.then(|| (id, cells.last().unwrap_or(&"").trim_end_matches(" |").to_owned()))
    };
    page.lines().filter_map(row).collect()
}

#[test]
fn every_row_is_on_the_page_once() {
    let groups = [('F', 1..=12), ('J', 13..=20), ('S', 21..=27), ('M', 28..=35), ('M', 51..=51), ('B', 36..=50)];
    let expected: Vec<String> =
        groups.into_iter().flat_map(|(letter, range)| range.map(move |number| format!("{letter}{number}"))).collect();
    let found: Vec<String> = rows(&page()).into_iter().map(|(id, _)| id).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_tests_of_every_row_exist_and_a_row_without_tests_gives_a_reason() {
    for (id, proof) in rows(&page()) {
        let names: Vec<&str> = proof.split('`').skip(1).step_by(2).collect();
        if names.is_empty() {
            assert!(proof.starts_with("open: ") && proof.len() > 30, "{id} names no test and no reason: {proof}");
            continue;
        }
        exist(&id, &names);
    }
}

/// Checks that files exist, and that each name is in the file named before it.
fn exist(id: &str, names: &[&str]) {
    let mut file = String::new();
    for name in names {
        let path = root().join(name);
        if name.contains('/') {
            let text = std::fs::read_to_string(&path);
            file = if path.is_dir() {
                String::new()
            } else {
                text.unwrap_or_else(|error| panic!("{id}: {name}: {error}"))
            };
        } else {
            assert!(file.contains(name), "{id}: there is no {name} in the file before it");
        }
    }
}

/// The text with single spaces, as a table has it.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text with `label` for every `[label](target)`: the two pages are in different folders.
fn without_link_targets(text: &str) -> String {
    let mut links = text.split("](");
    let mut plain = links.next().unwrap_or_default().to_owned();
    for rest in links {
        plain.push_str(rest.split_once(')').map_or(rest, |(_, after)| after));
    }
    plain.replace('[', "")
}

#[test]
fn every_promise_of_the_readme_names_its_tests() {
    let page = page();
    let section = page.split("\n## ").find(|section| section.starts_with("Promises")).expect("a section");
    let rows =
        section.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.rsplit_once(" | ")).skip(2);
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md").replace("**", "");
    let (guarantees, _) = readme
        .split_once("## Guarantees")
        .and_then(|(_, rest)| rest.split_once("[docs/robustness.md]"))
        .expect("a section");
    let guarantees = without_link_targets(&on_one_line(guarantees));
    let readme = without_link_targets(&on_one_line(&readme));
    let mut promises = Vec::new();
    for (promise, proof) in rows {
        let promise = without_link_targets(promise);
        assert!(readme.contains(&promise), "the README does not say: {promise}");
        let names: Vec<&str> = proof.split('`').skip(1).step_by(2).collect();
        assert!(names.len() > 1, "{promise} names no test");
        exist(&promise, &names);
        promises.push(promise);
    }
    assert!(promises.len() >= 15, "{promises:?}");
    // Every sentence of the guarantees starts with a promise of the table, or is one.
    for guarantee in guarantees.split(" - ").filter(|line| !line.trim().is_empty()) {
        assert!(promises.iter().any(|promise| guarantee.contains(promise)), "no row for: {guarantee}");
    }
}

#[test]
fn every_language_has_a_test_for_secrets() {
    let page = page();
    let section = page.split("\n## ").find(|section| section.starts_with("Secrets")).expect("a section");
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"))
        .map(|row| row.split(" | ").collect())
        .skip(2)
        .collect();
    for row in &rows {
        let names: Vec<&str> = row[2].split('`').skip(1).step_by(2).collect();
        assert!(!names.is_empty(), "{row:?}");
        exist(row[0], &names);
    }
    for language in ["Rust", "command line", "C and C++", "Python", "JavaScript", "Ruby", "Kotlin"] {
        assert!(rows.iter().any(|row| row[0] == language), "{language} has no row");
    }
}

#[test]
fn every_test_of_a_fault_is_on_the_page() {
    let page = page();
    let mut tests = BTreeSet::new();
    for name in ["boundary", "framing", "json", "memory", "stream"] {
        let path = root().join("tests/rust/faults").join(name).with_extension("rs");
        let text = std::fs::read_to_string(path).unwrap();
        let named = text.split("#[test]\nfn ").skip(1).filter_map(|rest| rest.split('(').next());
        tests.extend(named.map(str::to_owned));
    }
    assert!(tests.len() >= 37, "{tests:?}");
    for test in tests {
        assert!(page.contains(&format!("`{test}`")), "{test} is not on the page");
        let id = test.split('_').next().unwrap_or_default().to_uppercase();
        let row = format!("| {}{} |", &id[..1], id[1..].trim_start_matches('0'));
        let line = page.lines().find(|line| line.starts_with(&row)).unwrap_or_default();
        assert!(line.contains(&test), "{test} is not in the row {row}");
    }
}

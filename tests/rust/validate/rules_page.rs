//! The page of rules says what the rule table says.

use deltafold::validate::{markdown, Client, Rule};
use deltafold::Severity;

#[test]
fn the_page_of_rules_is_what_the_table_prints() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/rules.md");
    if std::env::var_os("DELTAFOLD_UPDATE").is_some() {
        std::fs::write(path, markdown()).unwrap();
    }
    let page = std::fs::read_to_string(path).unwrap();
    assert!(
        page == markdown(),
        "docs/rules.md is old: DELTAFOLD_UPDATE=1 cargo test -p deltafold-tests --test validate"
    );
}

#[test]
fn broken_clients_are_those_that_were_measured() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/clients/broken-rules.json");
    let measured: std::collections::BTreeMap<String, Vec<String>> =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let names = |rule: &Rule| rule.broken_clients().iter().map(|client| client.name().to_owned()).collect::<Vec<_>>();
    let table: std::collections::BTreeMap<_, _> = Rule::ALL
        .iter()
        .filter(|rule| !rule.broken_clients().is_empty())
        .map(|rule| (rule.id().to_owned(), names(rule)))
        .collect();
    assert_eq!(table, measured);
    for rule in Rule::ALL {
        assert!(rule.broken_clients().is_empty() || rule.severity() >= Severity::Warning, "{}", rule.id());
    }
    assert!(Client::ALL.iter().all(|client| Client::from_name(client.name()) == Some(*client)));
}

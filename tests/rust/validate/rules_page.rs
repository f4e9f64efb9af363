//! `docs/rules.md` is generated from the rule table.

use deltafold::validate::{rules_markdown, Client, Rule};
use deltafold::Severity;

#[test]
fn the_rules_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/rules.md");
    if std::env::var_os("DELTAFOLD_UPDATE").is_some() {
        std::fs::write(path, rules_markdown()).unwrap();
    }
    let page = std::fs::read_to_string(path).unwrap();
    assert!(
        page == rules_markdown(),
        "docs/rules.md is out of date; run DELTAFOLD_UPDATE=1 cargo test -p deltafold-tests --test validate"
    );
}

#[test]
fn the_broken_clients_of_each_rule_are_the_measured_ones() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/clients/broken-rules.json");
    let measured: std::collections::BTreeMap<String, std::collections::BTreeMap<String, Vec<String>>> =
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let measured = &measured["rules"];
    let names = |rule: &Rule| rule.broken_clients().iter().map(|client| client.name().to_owned()).collect::<Vec<_>>();
    let table: std::collections::BTreeMap<_, _> = Rule::ALL
        .iter()
        .filter(|rule| !rule.broken_clients().is_empty())
        .map(|rule| (rule.id().to_owned(), names(rule)))
        .collect();
    assert_eq!(&table, measured);
    for rule in Rule::ALL {
        assert!(rule.broken_clients().is_empty() || rule.severity() >= Severity::Warning, "{}", rule.id());
    }
    assert!(Client::ALL.iter().all(|client| Client::from_name(client.name()) == Some(*client)));
}

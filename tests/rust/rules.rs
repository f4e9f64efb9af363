//! The page of rules says what the rule table says.

use deltafold::validate::markdown;

#[test]
fn the_page_of_rules_is_what_the_table_prints() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/rules.md");
    if std::env::var_os("DELTAFOLD_UPDATE").is_some() {
        std::fs::write(path, markdown()).unwrap();
    }
    let page = std::fs::read_to_string(path).unwrap();
    assert!(page == markdown(), "docs/rules.md is old: DELTAFOLD_UPDATE=1 cargo test -p deltafold-tests --test rules");
}

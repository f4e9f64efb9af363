//! `deltafold check --explain`: the text of a rule.

use deltafold::validate::{rules_markdown, Rule};

use crate::args::did_you_mean;
use crate::Failure;

/// The text of a rule; `all` is the page of all rules.
pub(super) fn text(id: &str) -> Result<String, Failure> {
    Ok(if id == "all" { rules_markdown() } else { page(rule(id)?) })
}

/// Finds a rule by its id.
pub(super) fn rule(id: &str) -> Result<Rule, Failure> {
    Rule::from_id(id).ok_or_else(|| {
        let hint = did_you_mean(&id.to_ascii_uppercase(), Rule::ALL.iter().map(|rule| rule.id()));
        Failure::Usage(format!("no rule `{id}`{hint}; `deltafold check --explain all` lists them"))
    })
}

fn page(rule: Rule) -> String {
    let words = rule.explain();
    let mut text = format!("{}: {}\n\n", rule.id(), words.statement);
    text.push_str(&format!("  level      {} ({})\n", rule.level().name(), rule.severity().name()));
    text.push_str(&format!("  binds      {}\n", rule.binds().name()));
    text.push_str(&format!("  editions   {}\n", rule.scope().name()));
    text.push_str(&format!("  layer      {}\n", rule.layer().name()));
    text.push_str(&format!("  seen in    {}\n\n", rule.reported_by().name()));
    text.push_str(&format!("Why it matters: {}\n", words.reason));
    for (title, example) in [("Right", words.valid), ("Wrong", words.invalid)] {
        if !example.is_empty() {
            text.push_str(&format!("\n{title}:\n"));
            for line in example.lines() {
                text.push_str(&format!("  {line}\n"));
            }
        }
    }
    if !words.unchecked.is_empty() {
        text.push_str(&format!("\nNever reported: {}.\n", words.unchecked));
    }
    text
}

//! The texts of the rules: the rule in one sentence, its reason, a right and a wrong example, and why some are never reported.
//!
//! - *Takes*: a [`Rule`].
//! - *Gives*: its [`Explanation`], and the page of all rules as Markdown.
//! - *Promises*: every rule has a text.
//! - *Costs*: 60 KB of constants.
//!
//! Text only, in the feature `explain`: no reader or check depends on it. `docs/rules.md` and `deltafold check --explain` are
//! printed from here.

use alloc::string::String;
use core::fmt::Write;

use super::rule::Rule;

mod framing;
mod item;
mod object;
mod part;
mod request;
mod stream;
mod tool;
mod transport;

/// The texts of one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The rule in one or two sentences.
    pub statement: &'static str,
    /// The consequence of breaking the rule.
    pub reason: &'static str,
    /// A short example that follows the rule.
    pub valid: &'static str,
    /// A short example that breaks the rule.
    pub invalid: &'static str,
    /// Why this rule never has a finding; empty for rules that are checked.
    pub unchecked: &'static str,
}

impl Rule {
    /// Returns the rule in one or two sentences.
    pub fn sentence(self) -> &'static str {
        self.explain().statement
    }

    /// Returns the texts of the rule: sentence, reason and examples.
    pub fn explain(self) -> &'static Explanation {
        const NONE: &Explanation = &Explanation { statement: "", reason: "", valid: "", invalid: "", unchecked: "" };
        TABLES.iter().flat_map(|table| table.iter()).find(|(rule, _)| *rule == self).map_or(NONE, |(_, words)| words)
    }
}

/// Returns the page `docs/rules.md`: every rule with its texts, then the list of the rules that are never reported.
pub fn rules_markdown() -> String {
    let mut out = String::from(HEAD);
    let checked = Rule::ALL.iter().filter(|rule| rule.reported_by().is_reported()).count();
    let unseen = Rule::COUNT - checked;
    let _ = writeln!(
        out,
        "{} rules: {checked} are checked, {unseen} are not; the table at the end gives the reasons.\n",
        Rule::COUNT
    );
    out.push_str(OWN);
    let mut family = "";
    for rule in Rule::ALL {
        let prefix = rule.id().split('-').next().unwrap_or_default();
        if prefix != family {
            family = prefix;
            let title = FAMILIES.iter().find(|(name, _)| *name == family).map_or(family, |(_, title)| *title);
            let _ = writeln!(out, "## {title}\n");
        }
        write_rule(*rule, &mut out);
    }
    out.push_str(UNSEEN_HEAD);
    for rule in Rule::ALL.iter().filter(|rule| !rule.reported_by().is_reported()) {
        let _ = writeln!(out, "| {} | {} |", rule.id(), rule.explain().unchecked);
    }
    out
}

fn write_rule(rule: Rule, out: &mut String) {
    let words = rule.explain();
    let _ = writeln!(out, "### {}\n\n{}\n", rule.id(), words.statement);
    let _ = writeln!(
        out,
        "Level {}; binds {}; editions: {}; layer {}; seen in: {}.\n",
        rule.level().name(),
        rule.binds().name(),
        rule.scope().name(),
        rule.layer().name(),
        rule.reported_by().name()
    );
    let _ = writeln!(out, "{}\n", words.reason);
    if let [first, others @ ..] = rule.broken_clients() {
        let _ = write!(out, "Clients that fail: {first}");
        for client in others {
            let _ = write!(out, ", {client}");
        }
        out.push_str(".\n\n");
    }
    if !words.valid.is_empty() {
        let _ = writeln!(out, "```text\nright\n{}\nwrong\n{}\n```\n", indent(words.valid), indent(words.invalid));
    }
}

fn indent(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str("  ");
        out.push_str(line);
    }
    out
}

/// Defines a table of explanations; only rules that are never reported have `unseen`.
macro_rules! explain {
    ($($rule:ident statement $statement:literal reason $reason:literal valid $valid:literal invalid $invalid:literal $(unchecked $unchecked:literal)?;)*) => {
        pub(super) const TABLE: &[(crate::validate::Rule, super::Explanation)] = &[$(
            (crate::validate::Rule::$rule, super::Explanation {
                statement: $statement,
                reason: $reason,
                valid: $valid,
                invalid: $invalid,
                unchecked: concat!($($unchecked)?),
            }),
        )*];
    };
}
use explain;

const TABLES: &[&[(Rule, Explanation)]] = &[
    framing::TABLE,
    stream::TABLE,
    item::TABLE,
    part::TABLE,
    tool::TABLE,
    object::TABLE,
    request::TABLE,
    transport::TABLE,
];

const HEAD: &str = "\
<!-- Generated from core/src/validate; `DELTAFOLD_UPDATE=1 cargo test -p deltafold-tests --test validate` writes it again. -->

# Rules

Ids are stable. A finding has the rule, its severity, the layer that found it, the event, the byte offset and, where it helps,
a JSON pointer. The level determines the severity: MUST, schema and implied rules give errors, SHOULD rules warnings, practice
rules notes. A rule whose violation makes a published client fail gives at least a warning. A profile may lower the severity.

";

/// The section of the page on schemas that are not part of the contract.
const OWN: &str = "\
For types named `slug:name` the contract checks only the number, id and status. To check their other fields, register
JSON Schemas (`ExtensionSchemas` in Rust, `schemas` in the options of a reader, `deltafold check --schema FILE`):

```json
{\"events\": {\"acme:progress\": {\"required\": [\"percent\"], \"properties\": {\"percent\": {\"type\": \"number\", \"maximum\": 100}}}},
 \"items\": {\"acme:note\": {\"properties\": {\"note\": {\"type\": \"string\"}}}}}
```

A violation is reported as SCHEMA-01 to SCHEMA-04, with a pointer. Supported keywords: `type`, `enum`, `const`, `properties`,
`required`, `additionalProperties`, `items`, `minItems`, `maxItems`, `minimum`, `maximum`, `minLength`, `maxLength`, and
annotations (`title`, `description`, `default`, …). A schema with any other keyword is refused.

The same object, also as `schemas` of a profile, adds to an edition: event and item types without a slug that the contract does not
have, further fields of its objects (`fields`) and further words of its enums (`values`). `{\"edition\": \"split\", \"schemas\": {…}}` is a
profile for a server that has the full surface and more.

";

const UNSEEN_HEAD: &str = "\
## Rules that are never reported

A byte stream, a response object or a request object alone does not show whether these rules are followed.

| rule | why no finding is made |
| --- | --- |
";

const FAMILIES: &[(&str, &str)] = &[
    ("HTTP", "HTTP"),
    ("SSE", "Event-stream framing"),
    ("SEQ", "Sequence numbers"),
    ("LIFE", "Response life cycle"),
    ("ITEM", "Items"),
    ("PART", "Content parts"),
    ("TEXT", "Text, log probabilities, padding"),
    ("ANN", "Annotations"),
    ("REF", "Refusals"),
    ("RSN", "Reasoning"),
    ("ARG", "Tool-call input"),
    ("TOOL", "Tools and tool choice"),
    ("OBJ", "Response object"),
    ("INC", "Incomplete results"),
    ("ERR", "Errors"),
    ("EXT", "Extensions"),
    ("REQ", "Requests"),
    ("PREV", "Chaining"),
    ("TRUNC", "Truncation"),
    ("TIER", "Service tiers"),
    ("WS", "WebSocket"),
    ("CMP", "Compaction"),
    ("SCHEMA", "Contract (ours)"),
    ("READ", "Reading (ours)"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_explained_once_and_rules_without_findings_give_a_reason() {
        for rule in Rule::ALL {
            let entries = TABLES.iter().flat_map(|table| table.iter()).filter(|(name, _)| name == rule).count();
            assert_eq!(entries, 1, "{}", rule.id());
            let words = rule.explain();
            assert!(!words.statement.is_empty() && !words.reason.is_empty(), "{}", rule.id());
            assert_eq!(words.unchecked.is_empty(), rule.reported_by().is_reported(), "{}", rule.id());
            assert_eq!(words.valid.is_empty(), words.invalid.is_empty(), "{}", rule.id());
            assert!(!rule.reported_by().is_reported() || !words.invalid.is_empty(), "{} has no example", rule.id());
        }
    }

    #[test]
    fn the_page_lists_every_rule() {
        let page = rules_markdown();
        for rule in Rule::ALL {
            assert!(page.contains(&alloc::format!("### {}\n", rule.id())));
        }
    }
}

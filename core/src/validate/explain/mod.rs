//! The rules in words: one sentence, why it matters, a right and a wrong example, and why some are never reported.
//!
//! Text only, behind the feature `explain`: nothing that reads or checks depends on it. `docs/rules.md` is printed from
//! here, and so is `deltafold check --explain`.

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

/// A rule in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The rule in one sentence or two.
    pub says: &'static str,
    /// What goes wrong for whom when it is broken.
    pub why: &'static str,
    /// A small example that keeps it.
    pub right: &'static str,
    /// A small example that breaks it.
    pub wrong: &'static str,
    /// Why no finding is ever made under this rule; empty for rules that are checked.
    pub unseen: &'static str,
}

impl Rule {
    /// The rule in one sentence.
    pub fn sentence(self) -> &'static str {
        self.explain().says
    }

    /// The rule in words, with examples.
    pub fn explain(self) -> &'static Explanation {
        const NONE: &Explanation = &Explanation { says: "", why: "", right: "", wrong: "", unseen: "" };
        TABLES.iter().flat_map(|table| table.iter()).find(|(rule, _)| *rule == self).map_or(NONE, |(_, words)| words)
    }
}

/// Prints all rules as the page `docs/rules.md`: every rule with its words, then the list of those never reported.
pub fn markdown() -> String {
    let mut out = String::from(HEAD);
    let checked = Rule::ALL.iter().filter(|rule| rule.reported_by().is_reported()).count();
    let unseen = Rule::COUNT - checked;
    let _ = writeln!(out, "{} rules: {checked} are checked, {unseen} stand at the end with the reason.\n", Rule::COUNT);
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
        let _ = writeln!(out, "| {} | {} |", rule.id(), rule.explain().unseen);
    }
    out
}

fn write_rule(rule: Rule, out: &mut String) {
    let words = rule.explain();
    let _ = writeln!(out, "### {}\n\n{}\n", rule.id(), words.says);
    let _ = writeln!(
        out,
        "Level {}; binds {}; editions: {}; layer {}; seen in: {}.\n",
        rule.level().word(),
        rule.binds().words(),
        rule.scope().words(),
        rule.layer().name(),
        rule.reported_by().words()
    );
    let _ = writeln!(out, "{}\n", words.why);
    if let [first, others @ ..] = rule.broken_clients() {
        let _ = write!(out, "Clients that fail: {first}");
        for client in others {
            let _ = write!(out, ", {client}");
        }
        out.push_str(".\n\n");
    }
    if !words.right.is_empty() {
        let _ = writeln!(out, "```text\nright\n{}\nwrong\n{}\n```\n", indent(words.right), indent(words.wrong));
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

/// Fills a table of explanations; `unseen` is only for rules that are never reported.
macro_rules! explain {
    ($($rule:ident says $says:literal why $why:literal right $right:literal wrong $wrong:literal $(unseen $unseen:literal)?;)*) => {
        pub(super) const TABLE: &[(crate::validate::Rule, super::Explanation)] = &[$(
            (crate::validate::Rule::$rule, super::Explanation {
                says: $says,
                why: $why,
                right: $right,
                wrong: $wrong,
                unseen: concat!($($unseen)?),
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
<!-- Generated from core/src/validate; `DELTAFOLD_UPDATE=1 cargo test -p deltafold-tests --test validate` writes it anew. -->

# Rules

Ids are stable. A finding names the rule, its severity, the layer that saw it, the event, the byte and, where it helps,
the JSON pointer. Severity follows the level: MUST, schema and implied rules make errors, SHOULD warnings, practice notes.
A rule whose violation makes a published client fail is at least a warning. A profile may lower the severity.

";

/// What the page says of schemas that are not the contract's.
const OWN: &str = "\
Types named `slug:name` are judged by the contract for their number, id and status only. Whoever defines them can register
JSON Schemas (`ExtensionSchemas` in Rust, `schemas` in the options of a reader, `deltafold check --schema FILE`):

```json
{\"events\": {\"acme:progress\": {\"required\": [\"percent\"], \"properties\": {\"percent\": {\"type\": \"number\", \"maximum\": 100}}}},
 \"items\": {\"acme:note\": {\"properties\": {\"note\": {\"type\": \"string\"}}}}}
```

What breaks them is SCHEMA-01 to SCHEMA-04, with a pointer. Known keywords: `type`, `enum`, `const`, `properties`, `required`,
`additionalProperties`, `items`, `minItems`, `maxItems`, `minimum`, `maximum`, `minLength`, `maxLength`, and those that only
say something (`title`, `description`, `default`, …). A schema with any other keyword is refused.

";

const UNSEEN_HEAD: &str = "\
## Rules that are never reported

Each of these leaves no trace of its own in a byte stream, a response object or a request object.

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
    fn every_rule_is_explained_once_and_unseen_rules_say_why() {
        for rule in Rule::ALL {
            let entries = TABLES.iter().flat_map(|table| table.iter()).filter(|(name, _)| name == rule).count();
            assert_eq!(entries, 1, "{}", rule.id());
            let words = rule.explain();
            assert!(!words.says.is_empty() && !words.why.is_empty(), "{}", rule.id());
            assert_eq!(words.unseen.is_empty(), rule.reported_by().is_reported(), "{}", rule.id());
            assert_eq!(words.right.is_empty(), words.wrong.is_empty(), "{}", rule.id());
            assert!(!rule.reported_by().is_reported() || !words.wrong.is_empty(), "{} has no example", rule.id());
        }
    }

    #[test]
    fn the_page_lists_every_rule() {
        let page = markdown();
        for rule in Rule::ALL {
            assert!(page.contains(&alloc::format!("### {}\n", rule.id())));
        }
    }
}

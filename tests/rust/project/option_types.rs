//! `npm/src/options.ts` and `python/deltafold/options.py` are generated: a type for each options object, with a documented member for each
//! option. The members are those of `docs/options.md`.

use std::collections::BTreeMap;
use std::fmt::Write;

use deltafold::adapter::{option_table, Dialect, Direction, OptionSpec, OptionType};
use deltafold::Edition;

use super::options_page::{names_of, OptionsObject, OBJECTS};

/// One member of an options type.
struct Member {
    name: &'static str,
    required: bool,
    typescript: String,
    python: String,
    /// One sentence per line.
    about: Vec<String>,
}

/// The options objects with a generated type, and its name. The other objects have hand-written types, because their members differ by language.
const TYPES: &[(&str, &str)] = &[
    ("Limits", "Limits"),
    ("Profile", "CustomProfile"),
    ("Exemption", "Exemption"),
    ("Extension schemas", "ExtensionSchemas"),
    ("History policy", "CustomPolicy"),
];

fn union<'a>(words: impl Iterator<Item = &'a str> + Clone) -> (String, String) {
    let quoted = |between: &str| words.clone().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(between);
    (quoted(" | "), format!("Literal[{}]", quoted(", ")))
}

/// The type of an option in TypeScript and Python.
fn types(object: &str, name: &str, value: &str) -> (String, String) {
    let pair = |typescript: &str, python: &str| (typescript.to_owned(), python.to_owned());
    match (object, name, value) {
        (_, "edition", _) => union(Edition::ALL.iter().map(|edition| edition.name())),
        ("Profile", "exemptions", _) => pair("readonly Exemption[]", "Sequence[Exemption]"),
        ("Profile", "clients", _) => union_list(deltafold::validate::Client::ALL.iter().map(|client| client.name())),
        ("Extension schemas", ..) => pair("Readonly<Record<string, object>>", "Mapping[str, Mapping[str, Any]]"),
        ("History policy", "drop_fields", _) => {
            pair("Readonly<Record<string, readonly string[]>>", "Mapping[str, Sequence[str]]")
        }
        ("History policy", "pairs", _) => {
            pair("boolean | readonly (readonly [string, string])[]", "bool | Sequence[Sequence[str]]")
        }
        (_, _, "string") => pair("string", "str"),
        (_, _, "string | null") => pair("string | null", "str | None"),
        (_, _, "boolean") => pair("boolean", "bool"),
        (_, _, "integer") => pair("number", "int"),
        (_, _, "object") => pair("Readonly<Record<string, unknown>>", "Mapping[str, Any]"),
        (_, _, "list of strings") => pair("readonly string[]", "Sequence[str]"),
        (_, _, words) => {
            let words: Vec<&str> = words.split('`').skip(1).step_by(2).collect();
            assert!(!words.is_empty(), "{object} {name} has no type: {value}");
            union(words.into_iter())
        }
    }
}

fn union_list<'a>(words: impl Iterator<Item = &'a str> + Clone) -> (String, String) {
    let (typescript, python) = union(words);
    (format!("readonly ({typescript})[]"), format!("Sequence[{python}]"))
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    // A link of the page has no target here.
    let text = format!("{first}{}", letters.as_str()).replace("](", "](https://#");
    let mut plain = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("](https://#") {
        plain.push_str(&before.replacen('[', "", 1));
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    format!("{plain}.")
}

fn object_members(object: &OptionsObject) -> Vec<Member> {
    object
        .rows
        .iter()
        .map(|(name, value, default, meaning)| {
            let (typescript, python) = types(object.title, name, value);
            let default = if *default == "required" { String::new() } else { format!("Default: {default}.") };
            let about = [sentence(meaning), default].into_iter().filter(|line| !line.is_empty()).collect();
            Member { name, required: default_is_required(object, name), typescript, python, about }
        })
        .collect()
}

fn default_is_required(object: &OptionsObject, name: &str) -> bool {
    object.rows.iter().any(|(row, _, default, _)| *row == name && *default == "required")
}

/// The options of all adapters. A name that both directions have is one member with the text of each.
fn adapter_members() -> Vec<Member> {
    let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
    let mut members: Vec<Member> = Vec::new();
    for option in option_table() {
        let about = adapter_text(option);
        if let Some(at) = by_name.get(option.name) {
            members[*at].about.extend(about);
            continue;
        }
        by_name.insert(option.name, members.len());
        let (typescript, python) = match option.value {
            OptionType::Words(words) => union(words.iter().map(|(word, _)| *word)),
            other => types("", option.name, &other.name()),
        };
        members.push(Member { name: option.name, required: false, typescript, python, about });
    }
    members
}

fn adapter_text(option: &OptionSpec) -> Vec<String> {
    let mut about = vec![sentence(option.meaning)];
    if let OptionType::Words(words) = option.value {
        about.extend(words.iter().map(|(word, effect)| format!("`{word}`: {effect}.")));
    }
    about.push(format!("Default: {}.", option.default));
    about.push(match option.required {
        [] => format!("For {}.", names_of(option.dialects)),
        required => format!("For {}; required for {}.", names_of(option.dialects), names_of(required)),
    });
    about
}

fn all_types() -> Vec<(&'static str, String, Vec<Member>)> {
    let mut all: Vec<_> = TYPES
        .iter()
        .map(|(title, name)| {
            let object = OBJECTS.iter().find(|object| object.title == *title).expect("a title of the page");
            (*name, format!("The members of {}.", describe(title)), object_members(object))
        })
        .collect();
    all.push((
        "AdapterOptions",
        "The options of the adapters on both sides of a conversion.".to_owned(),
        adapter_members(),
    ));
    all
}

fn describe(title: &str) -> &'static str {
    match title {
        "Limits" => "`limits`: bounds on memory, nesting depth and counts",
        "Profile" => "a profile: the known deviations of a provider",
        "Exemption" => "an exemption of a profile: a rule with a lower severity, and the location",
        "Extension schemas" => "`schemas`: JSON Schemas of extension types",
        _ => "a policy: the form in which answers are sent back",
    }
}

fn typescript() -> String {
    let mut out = String::from("/* Generated by tests/rust/project/option_types.rs; do not edit. */\n");
    for (name, about, members) in all_types() {
        write!(out, "\n/** {about} */\nexport interface {name} {{\n").unwrap();
        for member in members {
            match member.about.as_slice() {
                [line] => writeln!(out, "  /** {line} */").unwrap(),
                lines => {
                    let lines: String = lines.iter().map(|line| format!("   * {line}\n")).collect();
                    write!(out, "  /**\n{lines}   */\n").unwrap();
                }
            }
            let mark = if member.required { "" } else { "?" };
            writeln!(out, "  {}{mark}: {};", member.name, member.typescript).unwrap();
        }
        out.push_str("}\n");
    }
    for (name, about, direction) in [
        ("SourceOptions", "The options of the adapter that reads a dialect, by dialect.", Direction::Read),
        ("TargetOptions", "The options of the adapter that writes a dialect, by dialect.", Direction::Write),
    ] {
        write!(out, "\n/** {about} */\nexport interface {name} {{\n").unwrap();
        for dialect in Dialect::ALL.iter().filter(|dialect| match direction {
            Direction::Read => dialect.is_read(),
            Direction::Write => dialect.is_written(),
        }) {
            let verb = if direction == Direction::Read { "reads" } else { "writes" };
            writeln!(out, "  /** Options of the adapter that {verb} `{}`. */", dialect.name()).unwrap();
            writeln!(out, "  {:?}: {};", dialect.name(), dialect_type(*dialect, direction)).unwrap();
        }
        out.push_str("}\n");
    }
    out
}

/// The type of the options of one adapter: members of `AdapterOptions`, those that the adapter requires as such.
fn dialect_type(dialect: Dialect, direction: Direction) -> String {
    let names = |required: bool| {
        let options =
            option_table().filter(|option| option.direction == direction && option.dialects.contains(&dialect));
        let chosen = options.filter(|option| option.required.contains(&dialect) == required);
        chosen.map(|option| format!("{:?}", option.name)).collect::<Vec<_>>().join(" | ")
    };
    let optional = match names(false) {
        names if names.is_empty() => "Record<never, never>".to_owned(),
        names => format!("Pick<AdapterOptions, {names}>"),
    };
    match names(true) {
        names if names.is_empty() => optional,
        names => format!("{optional} & Required<Pick<AdapterOptions, {names}>>"),
    }
}

fn python() -> String {
    let mut out = String::from(
        "# Generated by tests/rust/project/option_types.rs; do not edit.\n\"\"\"Types of options: a TypedDict for each object, with all \
         members and their defaults.\"\"\"\n\nfrom __future__ import annotations\n\nfrom typing import Any, Literal, Mapping, Sequence, \
         TypedDict\n\n__all__ = [\n",
    );
    let types = all_types();
    let mut names: Vec<&str> = types.iter().map(|(name, ..)| *name).chain(["ConvertOptions"]).collect();
    names.sort_unstable();
    for name in names {
        writeln!(out, "    {name:?},").unwrap();
    }
    out.push_str("]\n");
    let class = |out: &mut String, head: &str, about: &str, members: &[&Member]| {
        write!(out, "\n\nclass {head}:\n    \"\"\"{about}\"\"\"\n\n").unwrap();
        for member in members {
            writeln!(out, "    {}: {}", member.name, member.python).unwrap();
            let about = member.about.join("\n\n    ");
            writeln!(out, "    \"\"\"{about}\"\"\"").unwrap();
        }
    };
    for (name, about, members) in &types {
        let (required, optional): (Vec<_>, Vec<_>) = members.iter().partition(|member| member.required);
        if required.is_empty() {
            class(&mut out, &format!("{name}(TypedDict, total=False)"), about, &optional);
        } else {
            class(&mut out, &format!("_{name}Required(TypedDict)"), "The required members.", &required);
            class(&mut out, &format!("{name}(_{name}Required, total=False)"), about, &optional);
        }
    }
    out.push_str(
        "\n\nclass ConvertOptions(AdapterOptions, total=False):\n    \"\"\"The keyword arguments of `convert`, `convert_stream` and \
         `aconvert_stream`.\"\"\"\n\n    framing: Literal[\"sse\", \"jsonl\"]\n    \"\"\"The framing of the output. Default: \
         `sse`.\"\"\"\n    limits: Limits\n    \"\"\"The limits of both sides.\"\"\"\n",
    );
    out
}

fn is_up_to_date(path: &str, text: &str) {
    let whole = format!("{}/../{path}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("DELTAFOLD_UPDATE").is_some() {
        std::fs::write(&whole, text).unwrap();
    }
    let found = std::fs::read_to_string(&whole).unwrap_or_default();
    assert!(
        found == text,
        "{path} is out of date; run DELTAFOLD_UPDATE=1 cargo test -p deltafold-tests --test project"
    );
}

#[test]
fn the_option_types_of_typescript_are_up_to_date() {
    is_up_to_date("npm/src/options.ts", &typescript());
}

#[test]
fn the_option_types_of_python_are_up_to_date() {
    is_up_to_date("python/deltafold/options.py", &python());
}

#[test]
fn every_option_of_every_adapter_is_a_documented_member() {
    let members = adapter_members();
    for option in option_table() {
        let member = members.iter().find(|member| member.name == option.name).expect(option.name);
        assert!(member.about.contains(&sentence(option.meaning)), "{}", option.name);
    }
}

//! `docs/options.md` is generated: the adapters' options from the core's table, the other objects from the tables below, whose names
//! and order are compared with the names that the core accepts.

use std::fmt::Write;

use deltafold::adapter::{option_table, Dialect, Direction, OptionSpec, OptionType};
use deltafold::json::PartialOptions;
use deltafold::request::Policy;
use deltafold::validate::ExtensionSchemas;
use deltafold::{Error, Limits, Profile, ReaderOptions, WriterOptions};

/// Name, type, default, meaning.
pub(crate) type Row = (&'static str, &'static str, &'static str, &'static str);

/// An options object that is not an adapter's.
pub(crate) struct OptionsObject {
    pub(crate) title: &'static str,
    about: &'static str,
    pub(crate) rows: &'static [Row],
    /// Parses a text that has an unknown member; the error lists the known ones.
    parse: fn(&str) -> Result<(), Error>,
    /// A text with the member `unknown` in this object.
    unknown: &'static str,
}

pub(crate) const OBJECTS: &[OptionsObject] = &[
    OptionsObject {
        title: "Reader",
        about: "Rust: `ReaderOptions`, `Reader::builder`. Python: keyword arguments of `Reader`, `events` and `aevents`. JavaScript: \
                `ReaderOptions`. C: `dfold_reader_options`, or JSON for `dfold_reader_new_json`. UniFFI: `ReaderOptions`.",
        rows: &[
            ("strict", "boolean", "false", "end reading at the first finding that is an error"),
            ("quote", "boolean", "false", "findings may quote short pieces of the payload, which can contain secrets"),
            ("ignore_terminal_snapshot", "boolean", "false", "build the response from the events alone: the snapshot of the terminal event gives the outcome and changes nothing else"),
            ("derive_item_ids", "boolean", "false", "give items without an id one when the response has ended, derived from the id of the response and the index of the item, so that a stream always gives the same ids"),
            ("profile", "string or object", "`any`", "the name of a profile, or a [profile](#profile)"),
            ("edition", "string", "that of the profile", "the edition to validate against: `2026-01-15`, `2026-04-24`, `split`, `split-2026-01` or `openai`"),
            ("layers", "string or list", "`none`", "the layers of validation: `all`, `none`, or a list of `framing`, `schema` and `stream`"),
            ("images", "`keep-last`, `keep` or `drop`", "`keep-last`", "which preview images of an image generation are kept"),
            ("starting_after", "integer", "none", "the stream continues after this sequence number, so it need not begin with `response.created`"),
            ("limits", "object", "see below", "[limits](#limits)"),
            ("schemas", "object", "none", "[schemas of extension types](#extension-schemas), for the layer `schema`"),
        ],
        parse: |text| ReaderOptions::from_json(text).map(drop),
        unknown: r#"{"unknown":1}"#,
    },
    OptionsObject {
        title: "Limits",
        about: "Rust: `Limits`. A limit that is exceeded ends reading with an error of the class `limit`.",
        rows: &[
            ("line_bytes", "integer", "64 MiB", "bytes in one line"),
            ("frame_bytes", "integer", "64 MiB", "bytes of data in one frame"),
            ("buffered_bytes", "integer", "256 MiB", "bytes that were fed and not yet polled"),
            ("depth", "integer", "128", "nesting of one JSON payload; at most 512"),
            ("items", "integer", "100,000", "output items in a response"),
            ("parts", "integer", "100,000", "parts, summaries, commands or annotations in one item"),
            ("response_bytes", "integer", "256 MiB", "bytes that are held of a response"),
            ("findings", "integer", "1,000", "findings that are stored; further ones are only counted"),
            ("overflow", "`error` or `drop`", "`error`", "`drop` continues after a line or frame that is too long, without its payload"),
        ],
        parse: |text| Limits::from_json(text).map(drop),
        unknown: r#"{"unknown":1}"#,
    },
    OptionsObject {
        title: "Profile",
        about: "A file for `deltafold check --profile`, an object for the option `profile` of a reader, and in Rust `Profile::from_json`. \
                A profile changes findings and nothing else. `\"edition\": \"split\"` with `schemas` is the full surface with additions.",
        rows: &[
            ("name", "string", "that of `extends`", "the name in reports"),
            ("about", "string", "that of `extends`", "a sentence on the streams that the profile is for"),
            ("extends", "string", "`open-responses`", "the built-in profile whose exemptions apply first"),
            ("edition", "string", "that of `extends`", "the edition to validate against"),
            ("clients", "list of strings", "none", "clients whose breakage is an error: every rule that breaks one of them, whatever the profile exempts"),
            ("schemas", "object", "none", "[additions to the edition](#extension-schemas): types, fields and words that are valid too"),
            ("exemptions", "list of objects", "none", "[exemptions](#exemption); of two that apply, the later one counts"),
        ],
        parse: |text| Profile::from_json(text).map(drop),
        unknown: r#"{"unknown":1}"#,
    },
    OptionsObject {
        title: "Exemption",
        about: "An element of `exemptions` in a profile.",
        rows: &[
            ("rule", "string", "required", "the id of a [rule](rules.md), such as `SEQ-03`"),
            ("path", "string", "everywhere", "a JSON pointer into the event or object; `*` is any one step, a last `**` any number of steps"),
            ("severity", "`note`, `none`, `warning` or `error`", "`note`", "the severity of the findings; `none` drops them"),
            ("why", "string", "none", "the evidence: where the deviation was observed"),
        ],
        parse: |text| Profile::from_json(text).map(drop),
        unknown: r#"{"exemptions":[{"unknown":1}]}"#,
    },
    OptionsObject {
        title: "Extension schemas",
        about: "Rust: `ExtensionSchemas::from_json`. The types, fields and words that an edition lacks: an addition only allows more. Schemas use `type`, `enum`, `const`, `properties`, `required`, \
                `additionalProperties`, `items`, `minItems`, `maxItems`, `minimum`, `maximum`, `minLength` and `maxLength`; annotations such as \
                `title` are ignored, and every other keyword is an error.",
        rows: &[
            ("events", "object", "none", "a schema by event type: `slug:name`, or a name that the contract does not have"),
            ("items", "object", "none", "a schema by item type, named as events are; it must also allow the incomplete item of the added event"),
            ("fields", "object", "none", "further fields: by the name of a schema of the contract, such as `ResponseResource`, an object with a schema for each"),
            ("values", "object", "none", "further words: by the name of an enum, such as `ServiceTierEnum`, or of a schema and its field, such as `FunctionCall.status`, a list"),
        ],
        parse: |text| ExtensionSchemas::from_json(text).map(drop),
        unknown: r#"{"unknown":1}"#,
    },
    OptionsObject {
        title: "Writer",
        about: "Rust: `WriterOptions`. Python: keyword arguments of `Writer`. JavaScript: `WriterOptions`. C: `dfold_writer_options`, or \
                JSON for `dfold_writer_new_json`.",
        rows: &[
            ("id", "string", "required", "the id of the response; the ids of items are derived from it"),
            ("model", "string", "empty", "the name of the model"),
            ("created_at", "integer", "the clock; 0 in Rust", "the time of creation in seconds since 1970; by the clock, `completed_at` is too"),
            ("template", "object", "none", "response fields that replace the defaults"),
            ("request", "object", "none", "the request, whose fields are repeated in the response"),
            ("reasoning_names", "`open_responses` or `openai`", "`open_responses`", "the names of the events for raw reasoning"),
            ("edition", "string", "`2026-04-24`", "the edition, which decides the available items and events"),
            ("heartbeat", "`comment`, `keepalive` or `off`", "`comment`", "what a heartbeat writes"),
        ],
        parse: |text| WriterOptions::from_json(text).map(drop),
        unknown: r#"{"unknown":1}"#,
    },
    OptionsObject {
        title: "Partial JSON",
        about: "Rust: `json::PartialOptions`. Python: keyword arguments of `PartialJson` and `partial_json`. JavaScript: \
                `PartialOptions`. What an unfinished value shows: `include` the part that is certain, `omit` nothing, `mark` `null`.",
        rows: &[
            ("strings", "`include`, `omit` or `mark`", "`include`", "strings without their closing quote"),
            ("numbers", "`include`, `omit` or `mark`", "`omit`", "numbers that may continue"),
            ("literals", "`include`, `omit` or `mark`", "`omit`", "incomplete `true`, `false` and `null`"),
            ("depth", "integer", "128", "open containers; at most 512"),
            ("record_changes", "boolean", "false", "record every change for `changes`"),
        ],
        parse: |text| PartialOptions::from_json(text).map(drop),
        unknown: r#"{"unknown":1}"#,
    },
    OptionsObject {
        title: "History policy",
        about: "Rust: `request::Policy::from_json`. Which items of a response the next request contains, and in which form.",
        rows: &[
            ("name", "string", "`custom`", "the name"),
            ("extends", "string", "`stateless`", "the built-in policy to start from"),
            ("chain", "`stateless` or `stateful`", "that of `extends`", "`stateless` sends all items again; `stateful` sends `previous_response_id` and new items only"),
            ("edition", "string", "that of `extends`", "items that are not valid input in this edition are not sent"),
            ("ids", "`keep` or `drop`", "that of `extends`", "whether items keep their `id`"),
            ("extensions", "`keep` or `drop`", "that of `extends`", "whether items of types named `slug:name` are sent"),
            ("reasoning", "`keep`, `encrypted` or `drop`", "that of `extends`", "which reasoning items are sent: all, those with `encrypted_content`, or none"),
            ("drop_items", "list of strings", "that of `extends`", "item types that are not sent"),
            ("reference_items", "list of strings", "that of `extends`", "item types that are sent as a reference to the stored item"),
            ("drop_fields", "object", "that of `extends`", "lists of fields that are not sent, by item type; `*` is every type"),
            ("pairs", "boolean or list", "that of `extends`", "item types that are sent only together, as pairs of the first and the following type"),
        ],
        parse: |text| Policy::from_json(text).map(drop),
        unknown: r#"{"unknown":1}"#,
    },
];

const HEAD: &str = "<!-- Generated by tests/rust/project/options_page.rs; do not edit. -->

# Options

All options of all objects. In every language they have these names; bindings that take JSON take one object with them. An option that is
absent or `null` has its default. An unknown name is an error that lists the known names.
";

fn page() -> String {
    let mut page = String::from(HEAD);
    for object in OBJECTS {
        write!(
            page,
            "\n## {}\n\n{}\n\n| name | value | default | meaning |\n| --- | --- | --- | --- |\n",
            object.title, object.about
        )
        .unwrap();
        for (name, value, default, meaning) in object.rows {
            writeln!(page, "| `{name}` | {value} | {default} | {meaning} |").unwrap();
        }
    }
    page.push_str(
        "\n## Adapters\n\nThe options of both sides of a conversion are members of one object. Rust: `ConverterOptions` with \
         `InboundOptions`, `AgUiOptions`, `ChatOptions` and `UiOptions`. Python: keyword arguments of `Converter` and `convert`, as `deltafold.options.AdapterOptions`. JavaScript: \
         `AdapterOptions`. Command line: `deltafold convert --options JSON`. [dialects.md](dialects.md) has the input forms.\n",
    );
    for (direction, title) in [(Direction::Read, "Reading a dialect"), (Direction::Write, "Writing a dialect")] {
        write!(
            page,
            "\n### {title}\n\n| name | value | default | dialects | meaning |\n| --- | --- | --- | --- | --- |\n"
        )
        .unwrap();
        for option in option_table().filter(|option| option.direction == direction) {
            adapter_row(option, &mut page);
        }
    }
    page
}

/// The names of dialects, as code.
pub(crate) fn names_of(dialects: &[Dialect]) -> String {
    dialects.iter().map(|dialect| format!("`{}`", dialect.name())).collect::<Vec<_>>().join(", ")
}

fn adapter_row(option: &OptionSpec, page: &mut String) {
    let readable =
        Dialect::ALL.iter().filter(|dialect| dialect.is_read() && **dialect != Dialect::OpenResponses).count();
    let dialects = if option.dialects.len() == readable { "all".to_owned() } else { names_of(option.dialects) };
    let required = match option.required {
        [] => String::new(),
        dialects => format!("; required for {}", names_of(dialects)),
    };
    let (value, words) = match option.value {
        OptionType::Words(words) => (
            words.iter().map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(", "),
            words.iter().map(|(word, effect)| format!("; `{word}`: {effect}")).collect::<String>(),
        ),
        other => (other.name().replace('|', "or"), String::new()),
    };
    writeln!(
        page,
        "| `{}` | {value} | {} | {dialects} | {}{words}{required} |",
        option.name, option.default, option.meaning
    )
    .unwrap();
}

/// The names in the message of an error for an unknown name.
fn known_names(message: &str) -> Vec<&str> {
    let list = match message.split_once("known options: ") {
        Some((_, list)) => list,
        None => message.split_once('(').and_then(|(_, rest)| rest.split_once(')')).expect("a list of names").0,
    };
    list.split(", ").collect()
}

#[test]
fn the_options_page_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/options.md");
    if std::env::var_os("DELTAFOLD_UPDATE").is_some() {
        std::fs::write(path, page()).unwrap();
    }
    let found = std::fs::read_to_string(path).unwrap();
    assert!(
        found == page(),
        "docs/options.md is out of date; run DELTAFOLD_UPDATE=1 cargo test -p deltafold-tests --test project"
    );
}

#[test]
fn the_page_has_every_option_that_the_core_accepts_and_an_unknown_one_lists_them() {
    for object in OBJECTS {
        let error = (object.parse)(object.unknown).expect_err(object.title);
        let documented: Vec<&str> = object.rows.iter().map(|(name, ..)| *name).collect();
        assert_eq!(known_names(&error.to_string()), documented, "{}", object.title);
    }
}

#[test]
fn the_page_has_the_default_limits() {
    let limits = Limits::default();
    let sizes = [
        ("line_bytes", limits.line_bytes),
        ("frame_bytes", limits.frame_bytes),
        ("buffered_bytes", limits.buffered_bytes),
        ("depth", limits.depth),
        ("items", limits.items),
        ("parts", limits.parts),
        ("response_bytes", limits.response_bytes),
        ("findings", limits.findings),
    ];
    let rows = OBJECTS.iter().find(|object| object.title == "Limits").unwrap().rows;
    assert_eq!(rows.len(), sizes.len() + 1, "`overflow` is the only row without a size");
    for (name, size) in sizes {
        let (_, _, default, _) = rows.iter().find(|(row, ..)| *row == name).expect(name);
        let (number, unit) = default.split_once(' ').unwrap_or((default, ""));
        let number: usize = number.replace(',', "").parse().unwrap();
        assert_eq!(number << if unit == "MiB" { 20 } else { 0 }, size, "{name}");
    }
}

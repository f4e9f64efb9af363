//! [`Problem`]: one violation of a schema, and its message.
//!
//! A message states the expected and the found value in names of the schema only; it never repeats payload text.

use alloc::string::String;
use core::fmt::{self, Write as _};

use super::path::Path;
use crate::contract::schema::{self, EnumStrings, NodeShape, SchemaId, SchemaNode, SchemaUnion};
use crate::contract::Edition;
use crate::json::ValueKind;
use crate::validate::extension_schema::Types;
use crate::validate::Rule;

/// One violation, borrowed from the walk while it visits the value.
pub(super) struct Problem<'a> {
    pub(super) rule: Rule,
    pub(super) kind: ProblemKind<'a>,
    pub(super) path: &'a Path<'a>,
    pub(super) context: Context,
    /// Byte offset of the value in its text; of the enclosing object if the value is missing.
    pub(super) at: usize,
    /// For an extension schema, the nearest declared member name around the value; empty at the top.
    pub(super) member: Option<&'a str>,
}

/// The kind of a violation.
#[derive(Clone, Copy)]
pub(crate) enum ProblemKind<'a> {
    /// A required field is absent.
    Missing(&'a str),
    /// A forbidden field is present.
    Forbidden(&'static str),
    /// An extension schema does not declare this member and allows no others.
    Undeclared,
    /// The JSON type is not the one of the contract's node.
    Type(SchemaNode, ValueKind),
    /// The JSON type is not one of the extension schema's types.
    ExtensionType(Types, ValueKind),
    /// A number with a fraction in place of a whole number.
    Fraction,
    /// Not one of the declared strings.
    Value(EnumStrings),
    /// Not one of the values that an extension schema declares.
    ExtensionValue,
    /// Outside its bounds.
    Bounds(Measure, Interval<'a>),
    /// Does not match a pattern, described in words.
    Pattern(&'static str),
    /// The discriminator names no variant of the union. The name is given if the contract has it elsewhere.
    Variant(SchemaUnion, Option<&'static str>),
    /// An extension item lacks a string that every item has.
    ExtensionItem(&'static str),
    /// A message in an input has no type.
    ShortMessage,
}

/// The quantity that a bound limits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    Number,
    Characters,
    Elements,
    Members,
}

/// The bounds of a quantity, both included; `None` if unbounded.
#[derive(Clone, Copy)]
pub(crate) enum Interval<'a> {
    Counts(u64, Option<u64>),
    /// A lower or upper bound as an extension schema writes it.
    AtLeast(&'a str),
    AtMost(&'a str),
}

/// Position of the walk in the contract.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// The innermost schema that contains the value.
    pub(super) schema: Option<SchemaId>,
    /// The union that led to this schema.
    pub(super) via: Option<SchemaId>,
    /// The number of the field of this schema that contains the value; `None` for the schema's own value.
    pub(super) field: Option<u16>,
    /// The name of the selected variant, such as `function_call`; empty if there was no selection.
    pub(super) variant: &'static str,
    pub(super) edition: Edition,
}

impl Context {
    /// The field; empty for the schema's own value.
    pub(super) fn field(&self) -> &'static str {
        self.field.map_or("", schema::declared_string)
    }
}

impl Problem<'_> {
    /// JSON pointer to the value, or to the position of a missing one.
    pub(super) fn pointer(&self) -> String {
        match self.kind {
            ProblemKind::Missing(field) => self.path.key(field).pointer(),
            ProblemKind::ExtensionItem(field) => self.path.key(field).pointer(),
            ProblemKind::ShortMessage => self.path.key("type").pointer(),
            _ => self.path.pointer(),
        }
    }

    /// The expected and the found value.
    pub(super) fn message(&self) -> String {
        let mut out = String::with_capacity(96);
        // Writing to a string cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        out.push_str("expected ");
        match self.kind {
            ProblemKind::Missing(field) => {
                out.extend(["`", field, "`"]);
                match (self.context.variant, self.context.schema, self.member) {
                    (_, _, Some("")) => {}
                    (_, _, Some(member)) => out.extend([" in `", member, "`"]),
                    ("", Some(schema), _) if self.context.field.is_none() => out.extend([" in `", schema.name(), "`"]),
                    ("", ..) => out.push_str(" in the object"),
                    (variant, ..) => out.extend([" in `", variant, "`"]),
                }
                out.write_str(", found none")
            }
            ProblemKind::ExtensionItem(field) => {
                write!(out, "a string `{field}` in an extension item, found none")
            }
            ProblemKind::ShortMessage => out.write_str(
                "`\"type\":\"message\"` in a message, found the short form without it, which only OpenAI accepts",
            ),
            ProblemKind::Forbidden(field) => write!(out, "no `{field}` here, found one"),
            ProblemKind::Undeclared => {
                out.push_str("only declared members");
                match self.member {
                    None | Some("") => {}
                    Some(member) => write!(out, " in `{member}`")?,
                }
                out.write_str(", found another member")
            }
            ProblemKind::Type(node, found) => {
                write_node(node, self.context.edition, out)?;
                self.write_subject(out)?;
                write!(out, ", found {}", with_article(found))
            }
            ProblemKind::ExtensionType(types, found) => {
                types.write(out);
                self.write_subject(out)?;
                write!(out, ", found {}", with_article(found))
            }
            ProblemKind::Fraction => {
                out.push_str("a whole number");
                self.write_subject(out)?;
                out.write_str(", found a fraction")
            }
            ProblemKind::Value(strings) => {
                write_names(strings.iter(), out)?;
                self.write_subject(out)?;
                out.write_str(", found another string")
            }
            ProblemKind::ExtensionValue => {
                out.push_str("a declared value");
                self.write_subject(out)?;
                out.write_str(", found another value")
            }
            ProblemKind::Bounds(measure, interval) => self.write_bounds(measure, interval, out),
            ProblemKind::Pattern(words) => {
                out.push_str(words);
                self.write_subject(out)?;
                out.write_str(", found another text")
            }
            ProblemKind::Variant(union, known) => {
                write_names(union.names(), out)?;
                write!(out, " for `{}`, found ", union.discriminator().unwrap_or("type"))?;
                match known {
                    Some(name) => {
                        write!(out, "`{name}`, which edition {} does not allow here", self.context.edition)
                    }
                    None => out.write_str("an unknown name"),
                }
            }
        }
    }

    fn write_bounds(&self, measure: Measure, interval: Interval<'_>, out: &mut String) -> fmt::Result {
        let (unit, fewer, more) = match measure {
            Measure::Number => ("", "a smaller number", "a larger number"),
            Measure::Characters => (" characters", "fewer", "more"),
            Measure::Elements => (" elements", "fewer", "more"),
            Measure::Members => (" members", "fewer", "more"),
        };
        let found = match interval {
            Interval::Counts(least, None) => {
                write!(out, "at least {least}{unit}")?;
                fewer
            }
            Interval::Counts(0, Some(most)) if measure != Measure::Number => {
                write!(out, "at most {most}{unit}")?;
                more
            }
            Interval::Counts(least, Some(most)) => {
                write!(out, "{least} to {most}{unit}")?;
                if measure == Measure::Number {
                    "a number outside this range"
                } else {
                    "fewer or more"
                }
            }
            Interval::AtLeast(least) => {
                write!(out, "at least {least}{unit}")?;
                fewer
            }
            Interval::AtMost(most) => {
                write!(out, "at most {most}{unit}")?;
                more
            }
        };
        self.write_subject(out)?;
        write!(out, ", found {found}")
    }

    /// Names the value that the message is about. Keys that no schema declares are payload and are left out.
    fn write_subject(&self, out: &mut String) -> fmt::Result {
        match (self.member, self.path.last_key()) {
            (Some(""), _) => Ok(()),
            (Some(member), Some(key)) if member == key => write!(out, " for `{member}`"),
            (Some(member), _) => write!(out, " inside `{member}`"),
            (None, Some(key)) if schema::string_id(key).is_some() => write!(out, " for `{key}`"),
            (None, _) if self.context.field.is_some() => write!(out, " inside `{}`", self.context.field()),
            _ => Ok(()),
        }
    }
}

fn with_article(kind: ValueKind) -> &'static str {
    match kind {
        ValueKind::Null => "null",
        ValueKind::True | ValueKind::False => "a boolean",
        ValueKind::Number => "a number",
        ValueKind::String => "a string",
        ValueKind::Array => "an array",
        ValueKind::Object => "an object",
    }
}

/// Describes the values that a node of the contract allows.
fn write_node(node: SchemaNode, edition: Edition, out: &mut String) -> fmt::Result {
    match node.shape() {
        NodeShape::Any => out.write_str("any value"),
        NodeShape::Null => out.write_str("null"),
        NodeShape::Bool => out.write_str("a boolean"),
        NodeShape::Int(_) => out.write_str("a whole number"),
        NodeShape::Num(_) => out.write_str("a number"),
        NodeShape::Str(_) => out.write_str("a string"),
        NodeShape::Enum(strings) => write_names(strings.iter(), out),
        NodeShape::Array(..) => out.write_str("an array"),
        NodeShape::Map(..) | NodeShape::Object(_) => out.write_str("an object"),
        NodeShape::Ref(schema) => match schema.node(edition) {
            Some(node) => write_node(node, edition, out),
            None => out.write_str("an object"),
        },
        NodeShape::AllOf(first, _) => write_node(first, edition, out),
        NodeShape::AnyOf(nodes) => {
            nodes.first().map_or(Ok(()), |node| write_node(SchemaNode::from_index(*node), edition, out))
        }
        NodeShape::Union(union) => {
            let forms = [
                (union.string_node().is_some(), "a string"),
                (union.number_node().is_some(), "a number"),
                (union.boolean_node().is_some(), "a boolean"),
                (union.array_node().is_some(), "an array"),
                (union.has_objects(), "an object"),
            ];
            let names = forms.into_iter().filter(|(allowed, _)| *allowed).map(|(_, name)| name);
            for (at, name) in names.enumerate() {
                write!(out, "{}{name}", if at > 0 { " or " } else { "" })?;
            }
            Ok(())
        }
    }?;
    if node.nullable() {
        out.write_str(" or null")?;
    }
    Ok(())
}

/// Writes a name, or "one of" and several names; of many names only the first eight and the number of the others.
fn write_names(mut names: impl Iterator<Item = &'static str>, out: &mut String) -> fmt::Result {
    const SHOWN: usize = 8;
    let Some(first) = names.next() else { return Ok(()) };
    let Some(second) = names.next() else { return write!(out, "`{first}`") };
    write!(out, "one of `{first}`, `{second}`")?;
    for name in names.by_ref().take(SHOWN - 2) {
        write!(out, ", `{name}`")?;
    }
    match names.count() {
        0 => Ok(()),
        more => write!(out, " and {more} more"),
    }
}

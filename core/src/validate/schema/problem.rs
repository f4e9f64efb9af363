//! [`Problem`]: what is wrong with one value, and the words for it.
//!
//! A message says what was expected and what was found, by names of the contract only: payload text is never repeated.

use alloc::string::String;
use core::fmt::{self, Write as _};

use super::path::Path;
use crate::contract::schema::{self, Node, SchemaId, Shape, Strings, Union};
use crate::contract::Edition;
use crate::json::Tag;
use crate::validate::Rule;

/// One problem. Exists while the walk stands at the value.
pub(super) struct Problem<'a> {
    pub(super) rule: Rule,
    pub(super) fault: Fault,
    pub(super) path: &'a Path<'a>,
    pub(super) context: Context,
    /// Byte position of the value in its text; of the object around it where the value is missing.
    pub(super) at: usize,
    /// The message of [`Fault::Own`].
    pub(super) own: &'a str,
}

/// What is wrong.
#[derive(Clone, Copy)]
pub(super) enum Fault {
    /// A required field is not there.
    Missing(&'static str),
    /// A field is there that must not be.
    Forbidden(&'static str),
    /// Another JSON type than the node allows.
    Type(Node, Tag),
    /// A number with a fraction where a whole one is asked for.
    Fraction,
    /// Not one of the declared strings.
    Value(Strings),
    /// Out of bounds: what is measured, least, most.
    Bounds(Measure, u32, u32),
    /// Does not follow a pattern, told in words.
    Pattern(&'static str),
    /// The field that names the variant says nothing that is declared. The name is known if the contract has it
    /// somewhere else.
    Variant(Union, Option<&'static str>),
    /// An extension item lacks what every item has.
    Extension(&'static str),
    /// Against a schema of the caller's own, which has its own words.
    Own,
}

/// What a bound measures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Number,
    Characters,
    Elements,
    Members,
}

/// Where the walk stands in the contract.
#[derive(Clone, Copy)]
pub(super) struct Context {
    /// The nearest schema around the value.
    pub(super) schema: Option<SchemaId>,
    /// The union through which that schema was reached.
    pub(super) via: Option<SchemaId>,
    /// The field of that schema in which the value stands; empty for the schema's own value.
    pub(super) field: &'static str,
    /// The name of the variant that was chosen, such as `function_call`; empty if there was no choice.
    pub(super) variant: &'static str,
    pub(super) edition: Edition,
}

impl Problem<'_> {
    /// The pointer to the value, or to where the missing one should be.
    pub(super) fn pointer(&self) -> String {
        match self.fault {
            Fault::Missing(field) | Fault::Extension(field) => self.path.key(field).pointer(),
            _ => self.path.pointer(),
        }
    }

    /// What was expected and what was found.
    pub(super) fn message(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        match self.fault {
            Fault::Own => out.write_str(self.own),
            Fault::Missing(field) => {
                match (self.context.variant, self.context.schema) {
                    ("", Some(schema)) if self.context.field.is_empty() => write!(out, "`{}`", schema.name())?,
                    ("", _) => out.push_str("the object"),
                    (variant, _) => write!(out, "`{variant}`")?,
                }
                write!(out, " needs `{field}`, which is missing")
            }
            Fault::Extension(field) => write!(out, "an extension item needs `{field}`, which is missing or no string"),
            Fault::Forbidden(field) => write!(out, "`{field}` must not be sent here, whatever its value"),
            Fault::Type(node, found) => {
                self.name(out)?;
                write!(out, " is {}, expected ", article(found))?;
                expected(node, self.context.edition, out)
            }
            Fault::Fraction => {
                self.name(out)?;
                out.write_str(" has a fraction, expected a whole number")
            }
            Fault::Value(strings) => {
                self.name(out)?;
                out.write_str(" is another string than ")?;
                list(strings.iter(), out)
            }
            Fault::Bounds(measure, least, most) => self.bounds(measure, least, most, out),
            Fault::Pattern(words) => {
                self.name(out)?;
                write!(out, " does not follow its pattern, expected {words}")
            }
            Fault::Variant(union, known) => {
                let field = union.field().unwrap_or("type");
                match known {
                    Some(name) => write!(out, "`{name}` is no `{field}` of edition {} here", self.context.edition)?,
                    None => write!(out, "`{field}` names nothing known")?,
                }
                out.write_str(", expected ")?;
                list(union.names(), out)
            }
        }
    }

    fn bounds(&self, measure: Measure, least: u32, most: u32, out: &mut String) -> fmt::Result {
        self.name(out)?;
        let unit = match measure {
            Measure::Number => "",
            Measure::Characters => " characters",
            Measure::Elements => " elements",
            Measure::Members => " members",
        };
        match (least, most) {
            (least, u32::MAX) => write!(out, " is below its bound, expected at least {least}{unit}"),
            (0, most) if measure != Measure::Number => write!(out, " is too long, expected at most {most}{unit}"),
            (least, most) => write!(out, " is out of bounds, expected {least} to {most}{unit}"),
        }
    }

    /// What the message is about. A key that the contract does not declare is payload, and not repeated.
    fn name(&self, out: &mut String) -> fmt::Result {
        match self.path {
            Path::Key(_, key) if schema::number(key).is_some() => write!(out, "`{key}`"),
            _ if !self.context.field.is_empty() => write!(out, "a value in `{}`", self.context.field),
            Path::Root => out.write_str("the value"),
            _ => out.write_str("a value"),
        }
    }
}

fn article(tag: Tag) -> &'static str {
    match tag {
        Tag::Null => "null",
        Tag::True | Tag::False => "a boolean",
        Tag::Number => "a number",
        Tag::String => "a string",
        Tag::Array => "an array",
        Tag::Object => "an object",
    }
}

/// The words for what a node allows.
fn expected(node: Node, edition: Edition, out: &mut String) -> fmt::Result {
    match node.shape() {
        Shape::Any => out.write_str("anything"),
        Shape::Null => out.write_str("null"),
        Shape::Bool => out.write_str("a boolean"),
        Shape::Int(_) => out.write_str("a whole number"),
        Shape::Num(_) => out.write_str("a number"),
        Shape::Str(_) => out.write_str("a string"),
        Shape::Enum(strings) => list(strings.iter(), out),
        Shape::Array(..) => out.write_str("an array"),
        Shape::Map(..) | Shape::Object(_) => out.write_str("an object"),
        Shape::Ref(schema) => match schema.node(edition) {
            Some(node) => expected(node, edition, out),
            None => out.write_str("an object"),
        },
        Shape::Both(first, _) => expected(first, edition, out),
        Shape::Try(nodes) => nodes.first().map_or(Ok(()), |node| expected(Node::listed(*node), edition, out)),
        Shape::Union(union) => {
            let forms = [
                (union.string().is_some(), "a string"),
                (union.number().is_some(), "a number"),
                (union.boolean().is_some(), "a boolean"),
                (union.array().is_some(), "an array"),
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

/// A list of names; the first few if there are many.
fn list(names: impl Iterator<Item = &'static str>, out: &mut String) -> fmt::Result {
    const SHOWN: usize = 8;
    let mut more = 0;
    for (at, name) in names.enumerate() {
        match at {
            0 => write!(out, "`{name}`")?,
            1..SHOWN => write!(out, ", `{name}`")?,
            _ => more += 1,
        }
    }
    if more > 0 {
        write!(out, " and {more} more")?;
    }
    Ok(())
}

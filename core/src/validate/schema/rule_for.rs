//! Maps a problem to the rule that it breaks: a rule about the field if there is one, otherwise `SCHEMA-01` to `SCHEMA-05`.

use super::problem::{Context, ProblemKind};
use crate::contract::schema::{self, NodeShape, SchemaId, SchemaNode};
use crate::contract::tables::id;
use crate::contract::{Edition, Kind};
use crate::json::{ValueKind, ValueRef};
use crate::validate::Rule;

/// The value at which the walk started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Root {
    /// An event of this kind.
    Event(Kind),
    /// Any other value.
    Value,
}

/// Classes of problems that the rules distinguish.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProblemClass {
    Missing,
    Null,
    Type,
    Fraction,
    Value,
    Bounds,
    Variant,
    Forbidden,
}

use ProblemClass::{Bounds, Forbidden, Fraction, Missing, Null, Type, Value, Variant};

/// Every class.
const ANY: &[ProblemClass] = &[Missing, Null, Type, Fraction, Value, Bounds, Variant, Forbidden];
/// Absent or of the wrong type.
const LACK: &[ProblemClass] = &[Missing, Null, Type, Fraction];
/// Every field.
const ALL: &str = "";
/// A field that no line names.
const INSIDE: &str = "/";

/// Schema, field, problem classes, rule. The first matching line wins. A missing field counts as the field itself.
const LINES: &[(SchemaId, &str, &[ProblemClass], Rule)] = &[
    (id::RESPONSE_RESOURCE, "user", &[Missing], Rule::Obj12),
    (id::RESPONSE_RESOURCE, "created_at", &[Fraction], Rule::Obj03),
    (id::RESPONSE_RESOURCE, "completed_at", &[Fraction], Rule::Obj03),
    (id::RESPONSE_RESOURCE, "object", &[Value], Rule::Obj11),
    (id::RESPONSE_RESOURCE, ALL, &[Missing], Rule::Obj01),
    (id::RESPONSE_RESOURCE, ALL, &[Null], Rule::Obj02),
    (id::JSON_SCHEMA_RESPONSE_FORMAT, "schema", &[Type], Rule::Obj04),
    (id::TEXT_FORMAT_PARAM, "type", &[Variant], Rule::Obj05),
    (id::USAGE, ALL, LACK, Rule::Obj06),
    (id::INPUT_TOKENS_DETAILS, ALL, LACK, Rule::Obj06),
    (id::OUTPUT_TOKENS_DETAILS, ALL, LACK, Rule::Obj06),
    (id::METADATA_PARAM, ALL, ANY, Rule::Obj08),
    (id::CREATE_RESPONSE_BODY, "input", &[Type], Rule::Req01),
    (id::CREATE_RESPONSE_BODY, ALL, &[Bounds], Rule::Obj09),
    (id::INPUT_TEXT_CONTENT_PARAM, ALL, &[Bounds], Rule::Obj09),
    (id::INPUT_IMAGE_CONTENT_PARAM_AUTO_PARAM, ALL, &[Bounds], Rule::Obj09),
    (id::INPUT_FILE_CONTENT_PARAM, ALL, &[Bounds], Rule::Obj09),
    (id::OUTPUT_TEXT_CONTENT_PARAM, ALL, &[Bounds], Rule::Obj09),
    (id::MESSAGE, "phase", ANY, Rule::Obj10),
    (id::ASSISTANT_MESSAGE_ITEM_PARAM, "phase", ANY, Rule::Obj10),
    (id::INCOMPLETE_DETAILS, ALL, LACK, Rule::Inc02),
    (id::ERROR, ALL, LACK, Rule::Err07),
    (id::ERROR_PAYLOAD, ALL, ANY, Rule::Err04),
    (id::ERROR_STREAMING_EVENT, "error", ANY, Rule::Err04),
    (id::REASONING, "effort", &[Value], Rule::Rsn10),
    (id::REASONING_PARAM, "effort", &[Value], Rule::Rsn10),
    (id::REASONING, ALL, &[Missing], Rule::Rsn11),
    (id::REASONING_BODY, "summary", LACK, Rule::Rsn02),
    (id::REASONING_BODY, "content", LACK, Rule::Rsn02),
    (id::REASONING_BODY, "encrypted_content", LACK, Rule::Rsn02),
    (id::REASONING_ITEM_PARAM, "summary", LACK, Rule::Rsn08),
    (id::REASONING_ITEM_PARAM, "content", ANY, Rule::Rsn08),
    (id::OUTPUT_TEXT_CONTENT, "annotations", &[Missing, Null, Type], Rule::Text09),
    (id::ANNOTATION, "type", &[Variant], Rule::Ann04),
    (id::OUTPUT_TEXT_CONTENT, "annotations", &[Variant], Rule::Ann04),
    (id::ALLOWED_TOOLS_PARAM, ALL, ANY, Rule::Tool08),
    (id::ALLOWED_TOOL_CHOICE, ALL, ANY, Rule::Tool08),
    (id::FUNCTION_TOOL, ALL, &[Missing], Rule::Tool12),
    (id::FUNCTION_TOOL_PARAM, "name", ANY, Rule::Tool13),
    (id::TOOL, "type", &[Variant], Rule::Tool11),
    (id::RESPONSES_TOOL_PARAM, "type", &[Variant], Rule::Tool11),
    (id::FUNCTION_CALL_ITEM_PARAM, "call_id", &[Bounds], Rule::Arg06),
    (id::FUNCTION_CALL_ITEM_PARAM, "name", &[Bounds], Rule::Arg06),
    (id::FUNCTION_CALL_OUTPUT_ITEM_PARAM, "call_id", &[Bounds], Rule::Arg06),
    (id::USER_MESSAGE_ITEM_PARAM, "content", &[Variant], Rule::Req02),
    (id::SYSTEM_MESSAGE_ITEM_PARAM, "content", &[Variant], Rule::Req02),
    (id::DEVELOPER_MESSAGE_ITEM_PARAM, "content", &[Variant], Rule::Req02),
    (id::ASSISTANT_MESSAGE_ITEM_PARAM, "content", &[Variant], Rule::Req02),
    (id::ITEM_REFERENCE_PARAM, ALL, ANY, Rule::Req04),
    (id::ITEM_PARAM, "type", &[Missing], Rule::Item20),
    (id::WEB_SOCKET_RESPONSE_CREATE_EVENT, "type", ANY, Rule::Ws02),
    (id::WEB_SOCKET_RESPONSE_CREATE_EVENT, ALL, &[Forbidden], Rule::Ws03),
    (id::WEB_SOCKET_ERROR_EVENT, ALL, ANY, Rule::Ws14),
    (id::COMPACT_RESPONSE_METHOD_PUBLIC_BODY, ALL, ANY, Rule::Cmp01),
    (id::COMPACT_RESOURCE, ALL, ANY, Rule::Cmp02),
    (id::COMPACTION_SUMMARY_ITEM_PARAM, "encrypted_content", &[Bounds], Rule::Cmp06),
];

/// The rule that a problem breaks. `view` is the value, or the object that contains a missing one.
pub(super) fn rule_for(root: Root, view: ValueRef<'_>, problem: &ProblemKind, context: &Context) -> Rule {
    let sort = sort(view, problem);
    let field = match *problem {
        ProblemKind::Missing(field) if context.field.is_none() => field,
        // A value missing deeper inside a field is not a problem of the field itself.
        ProblemKind::Missing(_) => INSIDE,
        ProblemKind::Variant(union, _) if context.field.is_none() => union.discriminator().unwrap_or("type"),
        _ => context.field(),
    };
    match problem {
        ProblemKind::ExtensionItem(_) => return Rule::Ext10,
        ProblemKind::ShortMessage => return Rule::Item20,
        _ => {}
    }
    match root {
        // Of an extension event the contract defines only the sequence number.
        Root::Event(Kind::Extension) => return Rule::Ext05,
        Root::Event(_) if field == "sequence_number" => return Rule::Seq01,
        _ => {}
    }
    if let Some(rule) = contextual_rule(root, view, problem, sort, field, context) {
        return rule;
    }
    let line = LINES.iter().find(|(schema, name, sorts, _)| {
        context.schema == Some(*schema) && (name.is_empty() || *name == field) && sorts.contains(&sort)
    });
    match (line, root) {
        // For an event, a separate rule requires the whole response.
        (Some((.., Rule::Obj01)), Root::Event(_)) => Rule::Life04,
        (Some((.., rule)), _) => *rule,
        (None, _) => by_place(root, sort, field, context),
    }
}

/// Rules that depend on more than schema, field and class.
fn contextual_rule(
    root: Root,
    view: ValueRef<'_>,
    problem: &ProblemKind,
    sort: ProblemClass,
    field: &str,
    context: &Context,
) -> Option<Rule> {
    if field == "logprobs" && matches!(sort, Missing | Null | Type) {
        let first = matches!(context.edition, Edition::V2026_01_15 | Edition::Split2026_01);
        return Some(if first || sort == Missing { Rule::Text03 } else { Rule::Text04 });
    }
    if matches!(root, Root::Event(kind) if kind.is_response_state()) && field == "response" {
        return LACK.contains(&sort).then_some(Rule::Life04);
    }
    let items = [id::ITEM_FIELD, id::ITEM_PARAM];
    if sort == Variant && context.field.is_none() && context.schema.is_some_and(|schema| items.contains(&schema)) {
        let name = view.as_str().unwrap_or_default();
        return Some(match name.contains(':') {
            true => Rule::Ext01,
            false if is_legacy(context, problem) => Rule::Schema05,
            false => Rule::Item18,
        });
    }
    let tools = [id::TOOL, id::RESPONSES_TOOL_PARAM];
    if context.schema.is_some_and(|schema| tools.contains(&schema)) && is_legacy(context, problem) {
        return Some(Rule::Schema05);
    }
    if sort == Variant && root == Root::Event(Kind::OutputTextAnnotationAdded) {
        return Some(Rule::Ann04);
    }
    if let ProblemKind::Variant(_, Some(known)) = problem {
        let role = LINES.iter().any(|line| Some(line.0) == context.schema && line.1 == field && line.3 == Rule::Req02);
        match *known {
            "refusal" if role => return Some(Rule::Ref04),
            "input_video" if role => return Some(Rule::Req03),
            _ => {}
        }
    }
    // An input item without `type` is read as a reference, which needs an id; the real problem is the missing `type`.
    let nameless = context.schema == Some(id::ITEM_REFERENCE_PARAM) && context.variant.is_empty();
    (nameless && sort == Missing).then_some(Rule::Item20)
}

/// Returns `true` for a type that another edition has at this position: invalid in this edition, but not an invented name.
fn is_legacy(context: &Context, problem: &ProblemKind) -> bool {
    let ProblemKind::Variant(_, Some(known)) = problem else { return false };
    let Some(NodeShape::Union(union)) =
        context.schema.and_then(|schema| schema.node(Edition::Split)).map(SchemaNode::shape)
    else {
        return false;
    };
    schema::string_id(known).is_some_and(|number| union.case_node(number).is_some())
}

/// Rules that depend on the position instead of the schema, then the general rules.
fn by_place(root: Root, sort: ProblemClass, field: &str, context: &Context) -> Rule {
    let item = context.via == Some(id::ITEM_FIELD);
    match sort {
        Missing | Null if item && root == Root::Event(Kind::OutputItemAdded) => Rule::Item04,
        Missing if item && matches!(field, "id" | "type" | "status") => Rule::Item01,
        Missing if context.schema == Some(id::ITEM_FIELD) && matches!(field, "id" | "type" | "status") => Rule::Item01,
        Missing | Forbidden => Rule::Schema01,
        Null | Type | Fraction => Rule::Schema02,
        Value => Rule::Schema03,
        Bounds => Rule::Schema04,
        Variant => Rule::Schema05,
    }
}

fn sort(view: ValueRef<'_>, problem: &ProblemKind) -> ProblemClass {
    match problem {
        ProblemKind::Missing(_) | ProblemKind::ExtensionItem(_) | ProblemKind::ShortMessage => Missing,
        // Problems of extension schemas are reported with their rule and do not reach this function.
        ProblemKind::Undeclared | ProblemKind::ExtensionType(..) | ProblemKind::ExtensionValue => Value,
        ProblemKind::Forbidden(_) => Forbidden,
        ProblemKind::Type(..) if view.kind() == ValueKind::Null => Null,
        ProblemKind::Type(..) => Type,
        ProblemKind::Fraction => Fraction,
        ProblemKind::Value(_) => Value,
        ProblemKind::Bounds(..) | ProblemKind::Pattern(_) => Bounds,
        ProblemKind::Variant(..) => Variant,
    }
}

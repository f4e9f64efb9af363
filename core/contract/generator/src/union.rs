//! Unions: selects the variant of a value, so that a problem is reported for that variant and not for all of them.

use serde_json::Value;

use crate::compile::{strings, Compiler};
use crate::node::{Limits, Shape, Union, NONE};
use crate::source::Source;

/// One variant: its node, and the properties that distinguish it.
#[derive(Clone)]
struct Variant {
    node: u16,
    forms: Forms,
}

/// The JSON forms that a variant accepts.
#[derive(Clone, Debug, Default)]
struct Forms {
    string: bool,
    number: bool,
    boolean: bool,
    array: bool,
    /// For each accepted object: the strings that its fields are bound to.
    objects: Vec<Bound>,
}

/// The fields of an object that must have one of some strings: name, strings, whether the field may be left out.
type Bound = Vec<(String, Vec<String>, bool)>;

/// Returns the node for a union.
pub(crate) fn compile(compiler: &mut Compiler, value: &Value, source: Source<'_>) -> Result<u16, String> {
    let mut nullable = value["nullable"] == true;
    let mut variants = Vec::new();
    for variant in value["variants"].as_array().into_iter().flatten() {
        if variant["type"] == "null" {
            nullable = true;
            continue;
        }
        if variant["type"] == "any" {
            return Ok(compiler.pool.add(Shape::Any, false));
        }
        nullable |= variant["nullable"] == true;
        variants.push(Variant { node: compiler.node(variant, source)?, forms: forms(variant, source)? });
    }
    let declared = value["discriminator"].as_str();
    let node = join(compiler, &variants, declared)?;
    Ok(if nullable { compiler.pool.nullable(node) } else { node })
}

fn join(compiler: &mut Compiler, variants: &[Variant], declared: Option<&str>) -> Result<u16, String> {
    if let [only] = variants {
        // Kept as a union, so that an unknown name in its field is reported as such.
        if only.forms.objects.is_empty() {
            return Ok(only.node);
        }
    }
    let pick =
        |form: fn(&Forms) -> bool| variants.iter().filter(|v| form(&v.forms)).map(|v| v.node).collect::<Vec<_>>();
    let string = strings_of(compiler, pick(|forms| forms.string));
    let number = numbers_of(compiler, pick(|forms| forms.number));
    let boolean = same(compiler, pick(|forms| forms.boolean));
    let array = same(compiler, pick(|forms| forms.array));
    let objects: Vec<(Bound, u16)> =
        variants.iter().flat_map(|v| v.forms.objects.iter().map(|bound| (bound.clone(), v.node))).collect();
    if objects.is_empty() && [string, number, boolean, array].iter().filter(|node| **node != NONE).count() == 1 {
        return [string, number, boolean, array].into_iter().find(|node| *node != NONE).ok_or("empty union".into());
    }
    let (field, cases, absent, other) = tell_apart(compiler, objects, declared, &[])?;
    let union = Union { string, number, boolean, array, field, cases, absent, other };
    Ok(compiler.pool.add(Shape::Union(Box::new(union)), false))
}

/// Field, cases, the node for objects without the field, and the node for another string in it.
type Parts = (Option<String>, Vec<(String, u16)>, u16, u16);

/// Sorts objects by the strings in one field; objects with the same string by another field.
fn tell_apart(
    compiler: &mut Compiler,
    objects: Vec<(Bound, u16)>,
    declared: Option<&str>,
    used: &[&str],
) -> Result<Parts, String> {
    let field = declared.map(String::from).or_else(|| best_field(&objects, used));
    let Some(field) = field else {
        return Ok((None, Vec::new(), NONE, same(compiler, objects.into_iter().map(|(_, node)| node).collect())));
    };
    let mut cases: Vec<(String, Vec<(Bound, u16)>)> = Vec::new();
    let (mut absent, mut other) = (Vec::new(), Vec::new());
    for (bound, node) in objects {
        let Some((_, values, optional)) = bound.iter().find(|(name, _, _)| *name == field) else {
            absent.push(node);
            other.push(node);
            continue;
        };
        if *optional {
            absent.push(node);
        }
        for value in values {
            match cases.iter_mut().find(|(known, _)| known == value) {
                Some((_, group)) => group.push((bound.clone(), node)),
                None => cases.push((value.clone(), vec![(bound.clone(), node)])),
            }
        }
    }
    let mut resolved = Vec::new();
    for (value, group) in cases {
        let mut nodes: Vec<u16> = group.iter().map(|(_, node)| *node).collect();
        nodes.dedup();
        let node = match nodes.as_slice() {
            [node] => *node,
            _ => {
                let used: Vec<&str> = used.iter().copied().chain([field.as_str()]).collect();
                below(compiler, group, &used)?
            }
        };
        resolved.push((value, node));
    }
    let (absent, other) = (same(compiler, absent), same(compiler, other));
    Ok((Some(field), resolved, absent, other))
}

/// Several objects with the same string in the first field: a second field, or trial.
fn below(compiler: &mut Compiler, group: Vec<(Bound, u16)>, used: &[&str]) -> Result<u16, String> {
    let nodes: Vec<u16> = group.iter().map(|(_, node)| *node).collect();
    let Some(field) = best_field(&group, used) else { return Ok(same(compiler, nodes)) };
    let mut values: Vec<&String> =
        group.iter().flat_map(|(bound, _)| bound.iter().filter(|b| b.0 == field).flat_map(|b| &b.1)).collect();
    let all = values.len();
    values.sort();
    values.dedup();
    if values.len() < all {
        // The second field does not distinguish them either.
        return Ok(same(compiler, nodes));
    }
    let (field, cases, absent, other) = tell_apart(compiler, group, Some(&field), used)?;
    let union = Union { string: NONE, number: NONE, boolean: NONE, array: NONE, field, cases, absent, other };
    Ok(compiler.pool.add(Shape::Union(Box::new(union)), false))
}

/// Returns the field that most objects bind to strings; the first of several.
fn best_field(objects: &[(Bound, u16)], used: &[&str]) -> Option<String> {
    if objects.len() < 2 {
        return None;
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for (name, _, _) in objects.iter().flat_map(|(bound, _)| bound) {
        if used.contains(&name.as_str()) {
            continue;
        }
        match counts.iter_mut().find(|(known, _)| known == name) {
            Some((_, count)) => *count += 1,
            None => counts.push((name, 1)),
        }
    }
    // A field that fewer than half of them bind does not distinguish enough.
    let (name, count) = counts.into_iter().rev().max_by_key(|(_, count)| *count)?;
    (count * 2 >= objects.len()).then(|| name.into())
}

/// Returns no node, one node, or the trial of several.
fn same(compiler: &mut Compiler, mut nodes: Vec<u16>) -> u16 {
    nodes.sort_unstable();
    nodes.dedup();
    match nodes.as_slice() {
        [] => NONE,
        [node] => *node,
        _ => compiler.pool.add(Shape::AnyOf(nodes), false),
    }
}

/// A free string includes any list of strings beside it; lists are merged.
fn strings_of(compiler: &mut Compiler, nodes: Vec<u16>) -> u16 {
    let free = Shape::Str(Limits::default());
    if let Some(node) = nodes.iter().find(|node| compiler.pool.get(**node).shape == free) {
        return *node;
    }
    let mut values = Vec::new();
    for node in &nodes {
        match &compiler.pool.get(*node).shape {
            Shape::Enum(more) => values.extend(more.iter().cloned()),
            _ => return same(compiler, nodes),
        }
    }
    match nodes.len() {
        0 => NONE,
        1 => nodes[0],
        _ => compiler.pool.add(Shape::Enum(values), false),
    }
}

/// A number without bounds includes an integer beside it.
fn numbers_of(compiler: &mut Compiler, nodes: Vec<u16>) -> u16 {
    let free = Shape::Num(Limits::default());
    let found = nodes.iter().copied().find(|node| compiler.pool.get(*node).shape == free);
    found.unwrap_or_else(|| same(compiler, nodes))
}

/// Follows references, unions and intersections to the forms that a variant accepts.
fn forms(value: &Value, source: Source<'_>) -> Result<Forms, String> {
    if let Some(name) = value["ref"].as_str() {
        let (_, value) = source.find(name)?;
        return forms(&value, source);
    }
    let mut out = Forms::default();
    let kind = value["type"].as_str().or(value["kind"].as_str()).unwrap_or_default();
    match kind {
        _ if strings(value).is_some() => out.string = true,
        "string" => out.string = true,
        "integer" | "number" => out.number = true,
        "boolean" => out.boolean = true,
        "array" => out.array = true,
        "map" => out.objects.push(Vec::new()),
        "object" => out.objects.push(bound(value, source)?),
        "union" => {
            for variant in value["variants"].as_array().into_iter().flatten().filter(|v| v["type"] != "null") {
                let inner = forms(variant, source)?;
                out.string |= inner.string;
                out.number |= inner.number;
                out.boolean |= inner.boolean;
                out.array |= inner.array;
                out.objects.extend(inner.objects);
            }
        }
        // Only TypeScript's open strings occur inside unions.
        "intersection" => out.string = true,
        other => return Err(format!("{other} inside a union is not supported")),
    }
    Ok(out)
}

fn bound(value: &Value, source: Source<'_>) -> Result<Bound, String> {
    let mut out = Vec::new();
    for (name, field) in value["fields"].as_object().into_iter().flatten() {
        let target = match field["ref"].as_str() {
            Some(name) => source.find(name)?.1,
            None => field.clone(),
        };
        if let Some(values) = strings(&target) {
            let optional = field["required"] != true || field["nullable"] == true;
            out.push((name.clone(), values, optional));
        }
    }
    // `type` names the kind of object; if it is bound, it comes first.
    out.sort_by_key(|(name, _, _)| name != "type");
    Ok(out)
}

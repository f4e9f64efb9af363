//! Every way in which one member, element or scalar of a value can be wrong.

use serde_json::{json, Map, Value};

/// One changed value.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The change and its location.
    pub what: String,
    /// The changed object or array, before the change.
    pub around: String,
    /// The changed value.
    pub value: Value,
}

/// Returns all mutations of a value: each member and element, at any depth, removed, made null, of every other type, renamed, out of
/// bounds; each object extended by an unknown key.
pub fn mutations(value: &Value) -> Vec<Mutation> {
    let mut out = Vec::new();
    for replacement in replacements(value) {
        let (what, around) = (format!("root becomes {}", short(&replacement)), String::new());
        out.push(Mutation { what, around, value: replacement });
    }
    let mut path = Vec::new();
    visit(value, value, &mut path, &mut out);
    out
}

#[derive(Clone)]
enum Step {
    Key(String),
    Index(usize),
}

fn visit(root: &Value, value: &Value, path: &mut Vec<Step>, out: &mut Vec<Mutation>) {
    match value {
        Value::Object(members) => {
            change(root, path, "extended", out, |members| {
                members.as_object_mut().unwrap().insert("acme:extra".into(), json!({ "deep": [null] }));
            });
            for (key, member) in members {
                path.push(Step::Key(key.clone()));
                let name = key.clone();
                at_parent(root, path, "dropped", out, |parent| {
                    parent.as_object_mut().unwrap().shift_remove(&name);
                });
                at_parent(root, path, "renamed", out, |parent| {
                    let parent = parent.as_object_mut().unwrap();
                    let value = parent.shift_remove(&name).unwrap();
                    parent.insert(format!("{name}_"), value);
                });
                scalar(root, member, path, out);
                visit(root, member, path, out);
                path.pop();
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                path.push(Step::Index(index));
                scalar(root, element, path, out);
                visit(root, element, path, out);
                path.pop();
            }
        }
        _ => {}
    }
}

fn scalar(root: &Value, value: &Value, path: &[Step], out: &mut Vec<Mutation>) {
    for replacement in replacements(value) {
        let what = format!("becomes {}", short(&replacement));
        change(root, path, &what, out, |value| *value = replacement.clone());
    }
}

/// Returns values of every other type, and values of the same type that may be out of bounds.
fn replacements(value: &Value) -> Vec<Value> {
    let mut all = vec![Value::Null];
    if !value.is_boolean() {
        all.push(json!(false));
    }
    match value {
        Value::String(_) => {
            let strings = ["", "no such value", "acme:search", "message", "function", "text", "refusal", "json_object"];
            all.extend(strings.map(|text| json!(text)));
            // Sixty-five characters, in more bytes.
            all.push(json!("é".repeat(65)));
            all.push(json!("x".repeat(513)));
        }
        _ => all.push(json!("vs_1")),
    }
    match value {
        Value::Number(_) => {
            let texts = ["0", "-1", "15", "21", "101", "1.5", "2.0", "10e-1", "1e-1", "12345678901234567890123"];
            all.extend(texts.map(|text| serde_json::from_str::<Value>(text).expect("a number")));
        }
        _ => all.push(json!(7)),
    }
    match value {
        Value::Array(elements) => {
            all.push(json!([]));
            all.push(elements.iter().cloned().chain([Value::Null]).collect());
            all.push(elements.iter().cloned().chain([json!({})]).collect());
            // Longer than any bound on the number of elements; long elements have no bounds.
            if let Some(first) = elements.first().filter(|first| first.to_string().len() < 100) {
                all.push(vec![first.clone(); 129].into());
            }
        }
        _ => all.push(json!([])),
    }
    match value {
        Value::Object(_) => {
            all.push((0..17).map(|at| (format!("key{at}"), json!("value"))).collect::<Map<_, _>>().into());
            all.push(json!({}));
        }
        _ => all.push(json!({})),
    }
    all
}

/// Adds the root with the value at the path replaced.
fn change(root: &Value, path: &[Step], what: &str, out: &mut Vec<Mutation>, with: impl FnOnce(&mut Value)) {
    let mut value = root.clone();
    let mut around = String::new();
    let mut target = &mut value;
    for (at, step) in path.iter().enumerate() {
        if at + 1 == path.len() {
            around = target.to_string();
        }
        target = match step {
            Step::Key(key) => &mut target[key],
            Step::Index(index) => &mut target[*index],
        };
    }
    with(target);
    out.push(Mutation { what: format!("{} {what}", pointer(path)), around, value });
}

fn at_parent(root: &Value, path: &[Step], what: &str, out: &mut Vec<Mutation>, with: impl FnOnce(&mut Value)) {
    let (parent, what) = (&path[..path.len() - 1], format!("{}: {what}", pointer(path)));
    change(root, parent, &what, out, with);
}

fn pointer(path: &[Step]) -> String {
    let steps = path.iter().map(|step| match step {
        Step::Key(key) => format!("/{key}"),
        Step::Index(index) => format!("/{index}"),
    });
    steps.collect()
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(24).collect()
}

//! Compares two JSON values.

use deltafold::json::{Object, Value};
use deltafold::Limits;

/// One difference. A side without the value is `None`.
pub(super) struct Difference {
    /// JSON pointer; indices are those of the side that has the value, the first if both have.
    path: String,
    one: Option<Value>,
    other: Option<Value>,
}

impl Difference {
    /// The path in the notation `output[1].content[0].text`.
    pub(super) fn location(&self) -> String {
        let mut text = String::new();
        for step in self.path.split('/').skip(1) {
            if !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit()) {
                text.push_str(&format!("[{step}]"));
            } else {
                let dot = if text.is_empty() { "" } else { "." };
                text.push_str(&format!("{dot}{}", step.replace("~1", "/").replace("~0", "~")));
            }
        }
        text
    }

    /// Both sides, truncated; of two texts, the part around the first difference.
    pub(super) fn excerpts(&self) -> (Option<String>, Option<String>) {
        if let (Some(Value::String(one)), Some(Value::String(other))) = (&self.one, &self.other) {
            let common = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
            let from = common.saturating_sub(CONTEXT);
            let at = format!("(from character {from}) ");
            let excerpt = |text: &str| {
                let piece: String = text.chars().skip(from).take(WINDOW).collect();
                let (before, after) =
                    (if from > 0 { "…" } else { "" }, if text.chars().nth(from + WINDOW).is_some() { "…" } else { "" });
                format!("{}\"{before}{}{after}\"", if from > 0 { &at } else { "" }, piece.replace('\n', "⏎"))
            };
            return (Some(excerpt(one)), Some(excerpt(other)));
        }
        (self.one.as_ref().map(short), self.other.as_ref().map(short))
    }

    pub(super) fn to_value(&self) -> Value {
        let mut object = Object::new();
        object.push("path", self.path.as_str());
        let kind = match (&self.one, &self.other) {
            (Some(_), None) => "removed",
            (None, _) => "added",
            _ => "changed",
        };
        object.push("kind", kind);
        if let Some(one) = &self.one {
            object.push("a", one.clone());
        }
        if let Some(other) = &self.other {
            object.push("b", other.clone());
        }
        object.into()
    }
}

/// How many characters of a text are shown, and how many of them before the difference.
const WINDOW: usize = 60;
const CONTEXT: usize = 20;
/// The maximum product of lengths of two lists that are aligned; longer lists are compared index by index.
const MAX_ALIGNMENT: usize = 1 << 22;

/// Every difference, in the order of the first value.
pub(super) fn compare(one: &Value, other: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare_values(one, other, "", &mut found);
    found
}

/// Recursion is bounded by the depth limit of the JSON parser.
fn compare_values(one: &Value, other: &Value, path: &str, found: &mut Vec<Difference>) {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) => objects(a, b, path, found),
        (Value::Array(a), Value::Array(b)) => lists(a, b, path, found),
        (Value::String(a), Value::String(b)) if a != b && holds_json(path) => {
            let parse = |text: &str| Value::parse(text, Limits::default().depth).ok();
            match (parse(a), parse(b)) {
                (Some(a), Some(b)) => compare_values(&a, &b, path, found),
                _ => found.push(Difference { path: path.into(), one: Some(one.clone()), other: Some(other.clone()) }),
            }
        }
        _ if one == other => {}
        _ => found.push(Difference { path: path.into(), one: Some(one.clone()), other: Some(other.clone()) }),
    }
}

fn objects(a: &Object, b: &Object, path: &str, found: &mut Vec<Difference>) {
    let keys = a.iter().chain(b.iter().filter(|(key, _)| !a.contains_key(key))).map(|(key, _)| key);
    for key in keys.filter(|key| !is_ignored(key)) {
        let path = format!("{path}/{}", key.replace('~', "~0").replace('/', "~1"));
        // A member that is null or empty equals a missing member.
        let present = |value: Option<&Value>| value.filter(|value| !is_empty_value(value)).cloned();
        match (present(a.get(key)), present(b.get(key))) {
            (Some(_), Some(_)) if key == "encrypted_content" => {}
            (Some(one), Some(other)) => compare_values(&one, &other, &path, found),
            (None, None) => {}
            (one, other) => found.push(Difference { path, one, other }),
        }
    }
}

fn lists(a: &[Value], b: &[Value], path: &str, found: &mut Vec<Difference>) {
    for (one, other) in align(a, b) {
        match (one, other) {
            (Some((at, one)), Some((_, other))) => compare_values(one, other, &format!("{path}/{at}"), found),
            (Some((at, one)), None) => {
                found.push(Difference { path: format!("{path}/{at}"), one: Some(one.clone()), other: None });
            }
            (None, Some((at, other))) => {
                found.push(Difference { path: format!("{path}/{at}"), one: None, other: Some(other.clone()) });
            }
            (None, None) => {}
        }
    }
}

/// An element and its index.
type Element<'v> = Option<(usize, &'v Value)>;

/// Pairs the elements of two lists in order, by type and name, so that one more item in a list does not make all items after
/// it differ.
fn align<'v>(a: &'v [Value], b: &'v [Value]) -> Vec<(Element<'v>, Element<'v>)> {
    let element = |list: &'v [Value], at: usize| list.get(at).map(|value| (at, value));
    if a.len() == b.len() || a.len().saturating_mul(b.len()) > MAX_ALIGNMENT {
        return (0..a.len().max(b.len())).map(|at| (element(a, at), element(b, at))).collect();
    }
    let key = |value: &Value| {
        let text = |key| value.str_at(key).unwrap_or_default().to_owned();
        (text("type"), text("name"), value.as_object().is_none().then(|| value.to_string()))
    };
    let (left, right): (Vec<_>, Vec<_>) = (a.iter().map(key).collect(), b.iter().map(key).collect());
    // The longest common subsequence, computed from the end: length[i][j] is that of left[i..] and right[j..].
    let wide = right.len() + 1;
    let mut length = vec![0_u32; (left.len() + 1) * wide];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            length[i * wide + j] = if left[i] == right[j] {
                length[(i + 1) * wide + j + 1] + 1
            } else {
                length[(i + 1) * wide + j].max(length[i * wide + j + 1])
            };
        }
    }
    let (mut pairs, mut i, mut j) = (Vec::new(), 0, 0);
    while i < left.len() || j < right.len() {
        if i < left.len() && j < right.len() && left[i] == right[j] {
            pairs.push((element(a, i), element(b, j)));
            (i, j) = (i + 1, j + 1);
        } else if j == right.len() || (i < left.len() && length[(i + 1) * wide + j] >= length[i * wide + j + 1]) {
            pairs.push((element(a, i), None));
            i += 1;
        } else {
            pairs.push((None, element(b, j)));
            j += 1;
        }
    }
    pairs
}

/// Ids and times.
fn is_ignored(key: &str) -> bool {
    key == "id" || key.ends_with("_id") || key.ends_with("_at") || key == "sequence_number"
}

/// Members whose text is JSON: its spacing and the order of its keys are not compared.
fn holds_json(path: &str) -> bool {
    path.ends_with("/arguments")
}

fn is_empty_value(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.is_empty(),
        _ => false,
    }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(2 * WINDOW) {
        None => text,
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::compare;
    use deltafold::json::Value;

    fn locations(one: &str, other: &str) -> Vec<String> {
        let parse = |text| Value::parse(text, 64).unwrap();
        compare(&parse(one), &parse(other)).iter().map(|difference| difference.location()).collect()
    }

    #[test]
    fn ids_times_key_order_and_empty_members_do_not_differ() {
        let one = r#"{"id":"a","created_at":1,"x":[{"call_id":"c","n":1,"m":null}],"l":[]}"#;
        let other = r#"{"x":[{"n":1,"call_id":"d"}],"id":"b"}"#;
        assert_eq!(locations(one, other), [""; 0]);
    }

    #[test]
    fn arguments_are_compared_as_json() {
        let with = |text: &str| format!("{{\"output\":[{{\"arguments\":{}}}]}}", Value::from(text));
        assert_eq!(locations(&with(r#"{"a":1,"b":[2]}"#), &with(r#"{ "b": [2], "a": 1 }"#)), [""; 0]);
        assert_eq!(locations(&with(r#"{"a":1}"#), &with(r#"{"a":2}"#)), ["output[0].arguments.a"]);
        assert_eq!(locations(&with(r#"{"a":1"#), &with(r#"{"a":2"#)), ["output[0].arguments"]);
    }

    #[test]
    fn an_additional_item_is_one_difference() {
        let one = r#"{"output":[{"type":"reasoning","s":1},{"type":"message","s":1},{"type":"message","s":2}]}"#;
        let other = r#"{"output":[{"type":"message","s":1},{"type":"message","s":2}]}"#;
        assert_eq!(locations(one, other), ["output[0]"]);
        assert_eq!(locations(other, one), ["output[0]"]);
    }
}

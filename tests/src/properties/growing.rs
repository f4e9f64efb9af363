//! Incomplete JSON, compared with parsers that get the whole text.

use deltafold::json::{ChangeKind, JsonErrorKind, Object, PartialJson, PartialOptions, Unfinished, Value, ValueKind};

use crate::Split;

/// Pushes a text piece by piece. The final verdict and value equal those of the whole parser and of serde_json, every
/// intermediate value is a prefix of the last one, and a copy that follows the recorded changes equals the value.
///
/// # Panics
///
/// If one of them differs.
pub fn grows_to_the_value_of_others(text: &str, split: Split, policy: Unfinished, what: &str) {
    let options = PartialOptions::default().strings(policy).numbers(policy).literals(policy).record_changes(true);
    let whole = Value::parse(text, options.depth);
    let mut growing = PartialJson::new(options);
    let mut copy = ChangeReplay::default();
    let mut pushed = Ok(());
    let mut before: Option<Value> = None;
    for piece in pieces(text, split) {
        pushed = growing.push(piece);
        copy.carry_out(&growing);
        growing.clear_changes();
        let now = growing.value();
        if policy == Unfinished::Mark {
            let mark = growing.unfinished().map(|(pointer, _)| pointer);
            if let Ok(whole) = &whole {
                assert!(is_prefix(now, Some(whole), mark.as_deref()), "{what}: {now:?} of {text}");
            }
        } else {
            // The copy has an empty value where a mark is, so it is compared only without marks.
            assert!(same(copy.value(), now), "{what}: {:?} was carried out of {now:?}: {text}", copy.value());
            assert!(is_prefix(before.as_ref(), now, None), "{what}: {before:?} became {now:?}: {text}");
            before = now.cloned();
        }
        if pushed.is_err() {
            break;
        }
    }
    let shown = growing.value().cloned();
    let ended = growing.finish();
    assert_eq!(ended.is_ok(), whole.is_ok(), "{what}: {ended:?} and {whole:?}: {text}");
    assert!(pushed.is_ok() || pushed == ended, "{what}: the error changed: {text}");
    match (&ended, &whole) {
        (Ok(()), Ok(whole)) => {
            assert!(same(growing.value(), Some(whole)), "{what}: {:?} of {text}", growing.value());
            assert!(policy == Unfinished::Mark || is_prefix(before.as_ref(), Some(whole), None), "{what}: {text}");
            copy.carry_out(&growing);
            assert!(same(copy.value(), Some(whole)), "{what}: {:?} was carried out of {text}", copy.value());
        }
        (Err(ours), Err(theirs)) => {
            assert!(growing.value() == shown.as_ref(), "{what}: the end changed the value: {text}");
            // If the text ends inside a literal or escape, only a parser of the whole text rejects it.
            if ours.kind() != JsonErrorKind::End && theirs.kind() != JsonErrorKind::End {
                assert_eq!(ours, theirs, "{what}: {text}");
            }
        }
        _ => {}
    }
    // The other parser refuses lone surrogates, which are text here.
    if !text.contains("\\u") && whole.as_ref().err().is_none_or(|error| error.kind() != JsonErrorKind::Depth) {
        let other = serde_json::from_str::<serde_json::Value>(text);
        let deep = other.as_ref().is_err_and(|error| error.to_string().starts_with("recursion limit"));
        assert!(deep || other.is_ok() == whole.is_ok(), "{what}: {other:?} and {whole:?}: {text}");
        if let (Ok(other), Ok(whole)) = (other, whole) {
            let ours: serde_json::Value = serde_json::from_str(&whole.to_string()).expect("what we write is JSON");
            assert_eq!(ours, other, "{what}: {text}");
        }
    }
}

fn same(one: Option<&Value>, other: Option<&Value>) -> bool {
    // Numbers are compared as text.
    one.map(Value::to_string) == other.map(Value::to_string)
}

/// Splits text at character boundaries that follow the splits of its bytes.
pub fn pieces(text: &str, split: Split) -> Vec<&str> {
    let (mut pieces, mut from, mut to) = (Vec::new(), 0, 0);
    for chunk in split.chunks(text.as_bytes()) {
        to += chunk.len();
        if text.is_char_boundary(to) {
            pieces.push(&text[from..to]);
            from = to;
        }
    }
    pieces
}

/// The definition of a prefix in the module `deltafold::json`. `mark` is the pointer at which `null`
/// replaces an unfinished value.
pub fn is_prefix(short: Option<&Value>, long: Option<&Value>, mark: Option<&str>) -> bool {
    let (short, long) = match (short, long) {
        (None, _) => return true,
        (Some(_), None) => return false,
        (Some(short), Some(long)) => (short, long),
    };
    let same = |short: &Value, long: &Value| short.to_string() == long.to_string();
    // The next step of the mark, if it leads through the last child.
    let inside = || mark.and_then(|mark| mark.get(1..)).map(|mark| mark.find('/').map_or("", |at| &mark[at..]));
    match (short, long) {
        (Value::Null, _) if mark == Some("") => true,
        (Value::String(short), Value::String(long)) => long.starts_with(short.as_str()),
        (Value::Number(short), Value::Number(long)) => long.as_str().starts_with(short.as_str()),
        (Value::Array(short), Value::Array(long)) => match short.split_last() {
            None => true,
            Some((last, others)) => {
                short.len() <= long.len()
                    && others.iter().zip(long).all(|(short, long)| same(short, long))
                    && is_prefix(Some(last), long.get(others.len()), inside())
            }
        },
        (Value::Object(short), Value::Object(long)) => {
            let last = short.len().wrapping_sub(1);
            short.len() <= long.len()
                && short.iter().zip(long.iter()).enumerate().all(|(at, (short, long))| {
                    short.0 == long.0
                        && if at == last {
                            is_prefix(Some(short.1), Some(long.1), inside())
                        } else {
                            same(short.1, long.1)
                        }
                })
        }
        (short, long) => same(short, long),
    }
}

/// A value that is built from recorded changes alone.
#[derive(Debug, Default)]
pub struct ChangeReplay {
    value: Option<Value>,
    /// `true` if the value that was started last is a number.
    number: bool,
}

impl ChangeReplay {
    /// Applies the recorded changes of a parser.
    ///
    /// # Panics
    ///
    /// If they do not fit the value so far.
    pub fn carry_out(&mut self, partial: &PartialJson) {
        for change in partial.changes() {
            let pointer = change.pointer();
            match change.kind {
                ChangeKind::Started(tag) => self.start(&pointer, tag),
                ChangeKind::Appended(text) => {
                    let number = self.number;
                    let place = self.place(&pointer);
                    let grown = match &*place {
                        Value::String(known) => format!("{known}{text}"),
                        other => format!("{other}{text}"),
                    };
                    *place = if number { Value::parse(&grown, 1).unwrap() } else { Value::String(grown) };
                }
                ChangeKind::Finished => {}
            }
        }
    }

    /// Returns the value.
    pub fn value(&self) -> Option<&Value> {
        self.value.as_ref()
    }

    fn start(&mut self, pointer: &str, tag: ValueKind) {
        self.number = tag == ValueKind::Number;
        let value = match tag {
            ValueKind::Null => Value::Null,
            ValueKind::True | ValueKind::False => Value::Bool(tag == ValueKind::True),
            // A number has no digits yet; the next text makes it one.
            ValueKind::Number | ValueKind::String => Value::String(String::new()),
            ValueKind::Array => Value::Array(Vec::new()),
            ValueKind::Object => Value::Object(Object::new()),
        };
        match pointer.rsplit_once('/') {
            None => self.value = Some(value),
            Some((parent, key)) => match self.place(parent) {
                Value::Object(object) => object.push(unescape(key), value),
                Value::Array(items) => {
                    assert_eq!(key, items.len().to_string());
                    items.push(value);
                }
                other => panic!("{pointer} in {other}"),
            },
        }
    }

    fn place(&mut self, pointer: &str) -> &mut Value {
        let mut value = self.value.as_mut().unwrap();
        for step in pointer.split('/').skip(1) {
            value = match value {
                Value::Object(object) => object.get_mut(&unescape(step)).unwrap(),
                Value::Array(items) => &mut items[step.parse::<usize>().unwrap()],
                other => panic!("{pointer} in {other}"),
            };
        }
        value
    }
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

//! What is new in a growing value, for a binding that keeps the objects of its language from one look to the next.
//!
//! A value of growing JSON changes only at its end: the last leaf gets longer or is replaced, open containers get more children, and finished
//! values never change. So [`SeenValue`] does not keep the value, only the number of children of each container on the way to the last leaf,
//! and that leaf. A look costs one step per open container and what is new.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::iter::successors;

use crate::json::value::Value;

/// What a caller has seen of one growing value.
#[derive(Clone, Default)]
pub struct SeenValue {
    begun: bool,
    /// The number of children of each container on the way to the last leaf, outermost first.
    counts: Vec<usize>,
    /// The last value, unless it is an empty container.
    leaf: Option<Leaf>,
}

#[derive(Clone)]
enum Leaf {
    /// A string of so many bytes.
    String(usize),
    /// The text of a number or literal. A number is compared as it is written: `1` and `1.0` are different values in some languages.
    Other(String),
}

/// What is new in a growing value.
#[derive(Debug)]
pub enum Growth<'a> {
    /// The whole value: nothing was seen before.
    Whole(&'a Value),
    /// New parts of a value that was seen.
    Parts {
        /// The new children of the containers on the way to the last leaf that was seen, outermost first.
        children: Vec<NewChildren<'a>>,
        /// What happened to that leaf.
        leaf: LeafGrowth<'a>,
    },
}

/// The children of a container from a position on.
#[derive(Clone, Copy, Debug)]
pub struct NewChildren<'a> {
    container: &'a Value,
    from: usize,
}

/// What happened to the last leaf.
#[derive(Clone, Copy, Debug)]
pub enum LeafGrowth<'a> {
    /// It is the same.
    Same,
    /// This text was appended to a string.
    Appended(&'a str),
    /// Another value replaces it: a number with more digits, or the value whose place `null` held.
    Replaced(&'a Value),
}

/// Where the last child of a container is.
#[derive(Clone, Copy, Debug)]
pub enum LastChild<'a> {
    /// Nowhere: the container is empty.
    None,
    /// In an object, under this key.
    Key(&'a str),
    /// In an array, at this position.
    Position(usize),
}

impl SeenValue {
    /// Compares with the value so far, remembers it, and returns what is new.
    pub fn look<'a>(&mut self, value: &'a Value) -> Growth<'a> {
        if !self.begun {
            self.begun = true;
            self.remember(value);
            return Growth::Whole(value);
        }
        let mut children = Vec::with_capacity(self.counts.len());
        let mut at = value;
        for count in &mut self.counts {
            children.push(NewChildren { container: at, from: *count });
            let last = count.checked_sub(1).and_then(|last| child(at, last));
            *count = size(at);
            match last {
                Some((_, last)) => at = last,
                None => break,
            }
        }
        let leaf = match (&mut self.leaf, at) {
            (None, _) => LeafGrowth::Same,
            (Some(Leaf::String(length)), Value::String(text)) if text.is_char_boundary(*length) => {
                let end = text.get(*length..).unwrap_or_default();
                *length = text.len();
                if end.is_empty() {
                    LeafGrowth::Same
                } else {
                    LeafGrowth::Appended(end)
                }
            }
            (Some(Leaf::Other(text)), Value::Number(number)) if *text == number.as_str() => LeafGrowth::Same,
            (Some(Leaf::Other(text)), Value::Null | Value::Bool(_)) if *text == at.to_string() => LeafGrowth::Same,
            (Some(_), now) => LeafGrowth::Replaced(now),
        };
        let growth = Growth::Parts { children, leaf };
        if let Some((level, value)) = growth.turn() {
            self.counts.truncate(level);
            self.leaf = None;
            self.remember(value);
        }
        growth
    }

    /// Remembers a value and the way to its last leaf.
    fn remember(&mut self, value: &Value) {
        let mut end = value;
        for container in containers(value) {
            self.counts.push(size(container));
            match last(container) {
                Some((_, last)) => end = last,
                None => return,
            }
        }
        self.leaf = Some(match end {
            Value::String(text) => Leaf::String(text.len()),
            Value::Number(number) => Leaf::Other(number.as_str().into()),
            other => Leaf::Other(other.to_string()),
        });
    }
}

impl fmt::Debug for SeenValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A leaf can contain secrets.
        f.debug_struct("SeenValue").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl<'a> Growth<'a> {
    /// The value from which the way to the last leaf is another one than before, and the number of containers around it; `None` if the way is
    /// the same. It is the outermost container with new children, or the value that replaced the leaf.
    pub fn turn(&self) -> Option<(usize, &'a Value)> {
        match self {
            Self::Whole(value) => Some((0, value)),
            Self::Parts { children, leaf } => {
                let grown = children.iter().position(|new| !new.is_empty());
                match (grown, leaf) {
                    (Some(level), _) => children.get(level).map(|new| (level, new.container)),
                    (None, LeafGrowth::Replaced(value)) => Some((children.len(), value)),
                    (None, _) => None,
                }
            }
        }
    }
}

impl<'a> NewChildren<'a> {
    /// `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.from >= size(self.container)
    }

    /// The children in order: in an object, each with its key.
    pub fn iter(&self) -> impl Iterator<Item = (Option<&'a str>, &'a Value)> + 'a {
        let Self { container, from } = *self;
        (from..size(container)).filter_map(move |at| child(container, at))
    }
}

/// The way to the last leaf of a value: where the last child of each container is, outermost first.
pub fn way_to_last_leaf(value: &Value) -> impl Iterator<Item = LastChild<'_>> {
    containers(value).map(|container| match (last(container), size(container).checked_sub(1)) {
        (Some((Some(key), _)), _) => LastChild::Key(key),
        (Some((None, _)), Some(position)) => LastChild::Position(position),
        _ => LastChild::None,
    })
}

/// The containers on the way to the last leaf of a value, outermost first.
fn containers(value: &Value) -> impl Iterator<Item = &Value> {
    let container = |value: &&Value| matches!(value, Value::Array(_) | Value::Object(_));
    successors(Some(value).filter(container), move |at| last(at).map(|(_, value)| value).filter(container))
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

fn child(value: &Value, position: usize) -> Option<(Option<&str>, &Value)> {
    match value {
        Value::Array(items) => items.get(position).map(|item| (None, item)),
        Value::Object(members) => members.entry(position).map(|(key, value)| (Some(key), value)),
        _ => None,
    }
}

fn last(value: &Value) -> Option<(Option<&str>, &Value)> {
    child(value, size(value).checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{PartialJson, PartialOptions, Unfinished};
    use alloc::format;

    /// A copy of a growing value that is made from what is new alone, as a binding does it.
    #[derive(Default)]
    struct Copy {
        value: Option<Value>,
        /// The positions of the last children on the way to the last leaf.
        way: Vec<usize>,
    }

    impl Copy {
        fn apply(&mut self, growth: &Growth<'_>) {
            match growth {
                Growth::Whole(value) => self.value = Some((*value).clone()),
                Growth::Parts { children, leaf } => {
                    match leaf {
                        LeafGrowth::Same => {}
                        LeafGrowth::Appended(text) => match self.at(self.way.len()) {
                            Value::String(string) => string.push_str(text),
                            other => panic!("{other} is no string"),
                        },
                        LeafGrowth::Replaced(value) => *self.at(self.way.len()) = (*value).clone(),
                    }
                    for (level, new) in children.iter().enumerate() {
                        for (key, value) in new.iter() {
                            match (self.at(level), key) {
                                (Value::Array(items), None) => items.push(value.clone()),
                                (Value::Object(members), Some(key)) => members.push(key, value.clone()),
                                _ => panic!("a key in an array or none in an object"),
                            }
                        }
                    }
                }
            }
            if let Some((level, value)) = growth.turn() {
                self.way.truncate(level);
                let mut at = value;
                for step in way_to_last_leaf(value) {
                    let position = match (step, at) {
                        (LastChild::None, _) => break,
                        (LastChild::Position(position), _) => position,
                        (LastChild::Key(key), Value::Object(members)) => {
                            let position = members.len() - 1;
                            assert_eq!(members.entry(position).unwrap().0, key);
                            position
                        }
                        (LastChild::Key(_), other) => panic!("a key of {other}"),
                    };
                    self.way.push(position);
                    at = child(at, position).unwrap().1;
                }
            }
        }

        /// The container at a level, or after the last one the leaf.
        fn at(&mut self, level: usize) -> &mut Value {
            let mut value = self.value.as_mut().expect("a value");
            for position in &self.way[..level] {
                value = match value {
                    Value::Array(items) => &mut items[*position],
                    Value::Object(members) => members.entry_mut(*position).unwrap().1,
                    other => panic!("{other} is no container"),
                };
            }
            value
        }
    }

    const TEXTS: [&str; 8] = [
        r#"{"city":"Paris","days":[1,2,{"x":null,"y":[]}],"open":true}"#,
        r#"[[],{},[{}],"",[["a"],["b","c"]],-12.50,false]"#,
        r#"{"a":1,"a":{"b":"x"},"a":[1,"\ud83d\ude00é"],"b":null}"#,
        r#""only text with \"quotes\" and \ud83d\ude00""#,
        "1.0",
        "12345.678e10",
        "null",
        r#"{"":{"":{"":[[[1]],2]}},"z":{"__proto__":[true]}}"#,
    ];

    #[test]
    fn what_is_new_makes_the_same_value_at_every_two_looks() {
        for text in TEXTS {
            for policy in [Unfinished::Include, Unfinished::Omit, Unfinished::Mark] {
                let options = PartialOptions::default().strings(policy).numbers(policy).literals(policy);
                let cuts: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
                for (from, &first) in cuts.iter().enumerate() {
                    for &second in &cuts[from..] {
                        let (mut seen, mut copy) = (SeenValue::default(), Copy::default());
                        let mut partial = PartialJson::new(options);
                        for piece in [&text[..first], &text[first..second], &text[second..]] {
                            partial.push(piece).unwrap();
                            let Some(value) = partial.value() else { continue };
                            copy.apply(&seen.look(value));
                            assert_eq!(
                                copy.value.as_ref().unwrap().to_string(),
                                value.to_string(),
                                "{text} {first} {second}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn every_character_gives_the_same_value_as_the_whole_text() {
        for text in TEXTS {
            let (mut seen, mut copy) = (SeenValue::default(), Copy::default());
            let mut partial = PartialJson::new(PartialOptions::default().numbers(Unfinished::Include));
            for (at, char) in text.char_indices() {
                partial.push(&text[at..at + char.len_utf8()]).unwrap();
                let Some(value) = partial.value() else { continue };
                copy.apply(&seen.look(value));
                assert_eq!(copy.value.as_ref().unwrap().to_string(), value.to_string(), "{text} {at}");
                assert!(matches!(seen.look(value), Growth::Parts { leaf: LeafGrowth::Same, .. }), "nothing is new");
            }
        }
    }

    #[test]
    fn a_number_with_another_text_is_new_even_if_it_is_equal() {
        let mut seen = SeenValue::default();
        let [one, written] = ["[1]", "[1.0]"].map(|text| Value::parse(text, 8).unwrap());
        seen.look(&one);
        let Growth::Parts { leaf: LeafGrowth::Replaced(value), .. } = seen.look(&written) else {
            panic!("it is the same")
        };
        assert_eq!(value.to_string(), "1.0");
    }

    #[test]
    fn a_look_at_a_long_string_has_only_its_end() {
        let mut partial = PartialJson::default();
        let mut seen = SeenValue::default();
        partial.push(&format!("{{\"text\":\"{}", "x".repeat(10_000))).unwrap();
        seen.look(partial.value().unwrap());
        partial.push("yz").unwrap();
        let Growth::Parts { children, leaf: LeafGrowth::Appended("yz") } = seen.look(partial.value().unwrap()) else {
            panic!("only two characters are new")
        };
        assert!(children.iter().all(NewChildren::is_empty));
        assert!(!format!("{seen:?}").contains('y'));
    }
}

//! The change log: every change of the value so far, by position, in order.
//!
//! A change does not copy its path, because one long key may have a million children. Positions are nodes that name their
//! parent and an index; keys are looked up in the value when a caller asks for the pointer. Positions stay valid because
//! the value grows only at its end.

use alloc::string::String;
use alloc::vec::Vec;

use super::tree::{write_index, write_key};
use crate::json::tape::ValueKind;
use crate::json::value::Value;

/// One change of the value so far.
///
/// Applying the changes in order to a copy makes the copy equal to the value.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Change<'a> {
    /// The change.
    pub kind: ChangeKind<'a>,
    root: Option<&'a Value>,
    places: &'a [NodePosition],
    place: usize,
}

/// What changed in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind<'a> {
    /// A value of this type begins: an empty string, array or object, a number without digits yet, or the
    /// literal itself. With [`Unfinished::Mark`](super::Unfinished::Mark), `null` represents it until `Finished`.
    Started(ValueKind),
    /// This text was appended to the string, or to the written form of the number.
    Appended(&'a str),
    /// The value is final.
    Finished,
}

impl Change<'_> {
    /// The JSON pointer of the value that changed.
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        self.write_pointer(&mut pointer);
        pointer
    }

    /// The change as a list: the pointer, `started`, `appended` or `finished`, and the type or text of the first two.
    ///
    /// ```
    /// use deltafold::json::{PartialJson, PartialOptions};
    /// let mut partial = PartialJson::new(PartialOptions::default().record_changes(true));
    /// partial.push("[tru").unwrap();
    /// partial.push("e").unwrap();
    /// let notes: Vec<String> = partial.changes().map(|change| change.to_value().to_string()).collect();
    /// assert_eq!(notes, [r#"["","started","array"]"#, r#"["/0","started","true"]"#, r#"["/0","finished"]"#]);
    /// ```
    pub fn to_value(&self) -> Value {
        let mut list = Vec::from([Value::from(self.pointer())]);
        match self.kind {
            ChangeKind::Started(tag) => list.extend(["started", tag.exact_name()].map(Value::from)),
            ChangeKind::Appended(text) => list.extend(["appended", text].map(Value::from)),
            ChangeKind::Finished => list.push("finished".into()),
        }
        list.into()
    }

    /// Appends the JSON pointer of the value that changed.
    pub fn write_pointer(&self, pointer: &mut String) {
        let mut steps = Vec::new();
        let mut place = self.place;
        while let Some(&NodePosition { parent, at }) = self.places.get(place) {
            steps.push(at);
            place = parent;
        }
        let mut value = self.root;
        for at in steps.into_iter().rev() {
            value = match value {
                Some(Value::Object(object)) => object.entry(at).map(|(key, inner)| {
                    write_key(key, pointer);
                    inner
                }),
                Some(Value::Array(items)) => {
                    write_index(at, pointer);
                    items.get(at)
                }
                _ => None,
            };
        }
    }
}

impl core::fmt::Debug for Change<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} {:?}", self.pointer(), self.kind)
    }
}

/// The position of a value in its parent.
#[derive(Clone, Copy, Debug)]
struct NodePosition {
    parent: usize,
    at: usize,
}

#[derive(Clone, Copy, Debug)]
enum RecordedChange {
    Started(ValueKind),
    Appended { from: usize, to: usize },
    Finished,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ChangeLog {
    on: bool,
    list: Vec<(usize, RecordedChange)>,
    /// The text of all `Appended` changes.
    text: String,
    places: Vec<NodePosition>,
    /// The positions of the open containers, outermost first.
    open: Vec<usize>,
    /// The position of the value that was started last.
    current: usize,
}

/// The position of the whole value: no node.
const ROOT: usize = usize::MAX;

impl ChangeLog {
    pub(super) fn new(on: bool) -> Self {
        Self { on, ..Self::default() }
    }

    pub(super) fn reset(&mut self) {
        self.open.clear();
        self.clear(false);
    }

    /// Removes the changes. The positions of open containers are kept, and with `leaf` that of the value started last.
    pub(super) fn clear(&mut self, leaf: bool) {
        self.list.clear();
        self.text.clear();
        let mut kept = 0;
        let mut parent = ROOT;
        // A child's node is always after its parent's, so moving the open ones to the front overwrites none of them.
        for place in self.open.iter_mut().chain(leaf.then_some(&mut self.current)) {
            if let Some(&NodePosition { at, .. }) = self.places.get(*place) {
                self.places[kept] = NodePosition { parent, at };
                *place = kept;
                parent = kept;
                kept += 1;
            }
        }
        self.places.truncate(kept);
    }

    /// Records that a value begins at this index of the innermost open container, or as the whole value.
    pub(super) fn start(&mut self, at: Option<usize>, tag: ValueKind) {
        if !self.on {
            return;
        }
        self.current = match (at, self.open.last()) {
            (Some(at), Some(&parent)) => {
                self.places.push(NodePosition { parent, at });
                self.places.len() - 1
            }
            _ => ROOT,
        };
        self.list.push((self.current, RecordedChange::Started(tag)));
    }

    /// Makes the value that was started last an open container.
    pub(super) fn open(&mut self) {
        if self.on {
            self.open.push(self.current);
        }
    }

    /// Records that the value that was started last grew.
    pub(super) fn append(&mut self, text: &str) {
        if !self.on || text.is_empty() {
            return;
        }
        let from = self.text.len();
        self.text.push_str(text);
        let end = self.text.len();
        match self.list.last_mut() {
            // The same value: the start or end of another value would be recorded in between.
            Some((_, RecordedChange::Appended { to, .. })) => *to = end,
            _ => self.list.push((self.current, RecordedChange::Appended { from, to: end })),
        }
    }

    /// Records that the value that was started last is finished.
    pub(super) fn finish(&mut self) {
        if self.on {
            self.list.push((self.current, RecordedChange::Finished));
        }
    }

    /// Records that the innermost container is finished.
    pub(super) fn close(&mut self) {
        if let Some(place) = self.open.pop() {
            self.current = place;
            self.finish();
        }
    }

    pub(super) fn iter<'a>(&'a self, root: Option<&'a Value>) -> impl Iterator<Item = Change<'a>> {
        self.list.iter().map(move |&(place, what)| Change {
            kind: match what {
                RecordedChange::Started(tag) => ChangeKind::Started(tag),
                RecordedChange::Appended { from, to } => {
                    ChangeKind::Appended(self.text.get(from..to).unwrap_or_default())
                }
                RecordedChange::Finished => ChangeKind::Finished,
            },
            root,
            places: &self.places,
            place,
        })
    }
}

//! The value so far, and the path to its open end.
//!
//! An open container is always the last child of its parent, so their number identifies all of them. Between pushes
//! the tree is complete. During a push the open containers are moved to a stack, which makes each step
//! O(1) without a second reference into the tree; moving them there and back costs one move of a `Value` per open container.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use core::mem;

use crate::json::value::Value;

#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    root: Option<Value>,
    /// The open containers, outermost first, during a push. `Null` takes the place of each in its parent.
    open: Vec<Value>,
    depth: usize,
}

impl Tree {
    pub(super) fn reset(&mut self) {
        self.root = None;
        self.open.clear();
        self.depth = 0;
    }

    /// Moves the open containers to the stack.
    pub(super) fn take_out(&mut self) {
        if self.depth == 0 {
            return;
        }
        let mut value = self.root.take().unwrap_or_default();
        for _ in 1..self.depth {
            let inner = last_mut(&mut value).map(mem::take).unwrap_or_default();
            self.open.push(mem::replace(&mut value, inner));
        }
        self.open.push(value);
    }

    /// Moves the open containers back into the tree.
    pub(super) fn put_back(&mut self) {
        while let Some(value) = self.open.pop() {
            self.fill(value);
        }
    }

    /// Appends a value to the innermost container, under `key` if that is an object. Returns its
    /// index there, `None` for the root. Call it while the containers are on the stack.
    pub(super) fn place(&mut self, key: &mut String, value: Value) -> Option<usize> {
        match self.open.last_mut() {
            None => {
                self.root = Some(value);
                None
            }
            Some(Value::Object(object)) => {
                object.push(mem::take(key), value);
                Some(object.len() - 1)
            }
            Some(Value::Array(items)) => {
                items.push(value);
                Some(items.len() - 1)
            }
            // Only containers are opened.
            Some(_) => None,
        }
    }

    /// Makes the value that was added last an open container.
    pub(super) fn open(&mut self, container: Value) {
        self.open.push(container);
        self.depth += 1;
    }

    /// Closes the innermost container.
    pub(super) fn close(&mut self) {
        if let Some(value) = self.open.pop() {
            self.depth -= 1;
            self.fill(value);
        }
    }

    /// The value that was added last to the innermost container, while the containers are on the stack.
    pub(super) fn last_placed(&mut self) -> Option<&mut Value> {
        match self.open.last_mut() {
            Some(container) => last_mut(container),
            None => self.root.as_mut(),
        }
    }

    /// The same value, found from the root, while the tree is complete.
    pub(super) fn walk_to_last(&mut self) -> Option<&mut Value> {
        let mut value = self.root.as_mut()?;
        for _ in 0..self.depth {
            value = last_mut(value)?;
        }
        Some(value)
    }

    /// Whether the innermost container is an object, while the containers are on the stack; `None` at the root.
    pub(super) fn in_object(&self) -> Option<bool> {
        Some(matches!(self.open.last()?, Value::Object(_)))
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn root(&self) -> Option<&Value> {
        self.root.as_ref()
    }

    pub(super) fn into_root(self) -> Option<Value> {
        self.root
    }

    /// Writes the pointer of the innermost open container and returns that.
    pub(super) fn write_open(&self, pointer: &mut String) -> Option<&Value> {
        if self.depth == 0 {
            return None;
        }
        let mut value = self.root.as_ref()?;
        for _ in 1..self.depth {
            write_last(value, None, pointer);
            value = last(value)?;
        }
        Some(value)
    }

    fn fill(&mut self, value: Value) {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some(container) => {
                if let Some(place) = last_mut(container) {
                    *place = value;
                }
            }
        }
    }
}

/// Writes the pointer step of a container's last child, or of the next one under the key `next`.
pub(super) fn write_last(container: &Value, next: Option<&str>, pointer: &mut String) {
    match container {
        Value::Object(object) => {
            let key = next.or_else(|| object.iter().next_back().map(|(key, _)| key));
            write_key(key.unwrap_or_default(), pointer);
        }
        Value::Array(items) => write_index((items.len() + usize::from(next.is_some())).saturating_sub(1), pointer),
        _ => {}
    }
}

/// Writes one pointer step: a slash and the key, `~` and `/` escaped.
pub(super) fn write_key(key: &str, pointer: &mut String) {
    pointer.push('/');
    let mut from = 0;
    for (at, byte) in key.bytes().enumerate() {
        let escape = match byte {
            b'~' => "~0",
            b'/' => "~1",
            _ => continue,
        };
        pointer.push_str(&key[from..at]);
        pointer.push_str(escape);
        from = at + 1;
    }
    pointer.push_str(&key[from..]);
}

/// Writes one pointer step: a slash and the position.
pub(super) fn write_index(at: usize, pointer: &mut String) {
    // Writing to a String cannot fail.
    let _ = write!(pointer, "/{at}");
}

fn last(container: &Value) -> Option<&Value> {
    match container {
        Value::Array(items) => items.last(),
        Value::Object(object) => object.iter().next_back().map(|(_, value)| value),
        _ => None,
    }
}

fn last_mut(container: &mut Value) -> Option<&mut Value> {
    match container {
        Value::Array(items) => items.last_mut(),
        Value::Object(object) => object.entry_mut(object.len().wrapping_sub(1)).map(|(_, value)| value),
        _ => None,
    }
}

//! [`Path`]: the position of a value, as a linked list on the call stack; formatted only for a problem.

use alloc::string::String;
use core::fmt::Write as _;

use crate::contract::schema::declared_string;

/// The last step and the path before it.
#[derive(Clone, Copy)]
pub(crate) enum Path<'a> {
    /// The top-level value.
    Root,
    /// A member of an object. The key is payload and may contain anything.
    Key(&'a Self, &'a str),
    /// A declared field of an object, by the number of its name.
    Field(&'a Self, u16),
    /// An element of an array.
    Index(&'a Self, usize),
}

impl<'a> Path<'a> {
    pub(crate) fn key(&'a self, key: &'a str) -> Self {
        Self::Key(self, key)
    }

    pub(crate) fn field(&'a self, name: u16) -> Self {
        Self::Field(self, name)
    }

    pub(crate) fn index(&'a self, index: usize) -> Self {
        Self::Index(self, index)
    }

    /// The key of the last step, unless it is an element.
    pub(crate) fn last_key(&self) -> Option<&'a str> {
        match *self {
            Self::Root | Self::Index(..) => None,
            Self::Key(_, key) => Some(key),
            Self::Field(_, name) => Some(declared_string(name)),
        }
    }

    /// The path as a JSON pointer.
    pub(crate) fn pointer(&self) -> String {
        let mut out = String::with_capacity(64);
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Root => {}
            Self::Key(before, key) => {
                before.write(out);
                out.push('/');
                if !key.contains(['~', '/']) {
                    return out.push_str(key);
                }
                for char in key.chars() {
                    match char {
                        '~' => out.push_str("~0"),
                        '/' => out.push_str("~1"),
                        other => out.push(other),
                    }
                }
            }
            Self::Field(before, name) => {
                before.write(out);
                // Declared names need no escapes, which a test of the tables proves.
                out.push('/');
                out.push_str(declared_string(*name));
            }
            Self::Index(before, index) => {
                before.write(out);
                // Writing to a string cannot fail.
                let _ = write!(out, "/{index}");
            }
        }
    }
}

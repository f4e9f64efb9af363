//! [`Body`]: an item's object, kept as the text it came in until somebody looks.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::cell::OnceCell;

use crate::json::{Object, Value, View};

/// An object that is built only when it is looked at or changed.
///
/// A finished item repeats what its deltas said, and few readers look at every field of it: copying its text costs a
/// fraction of building its tree.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    Built(Object),
    Raw { text: String, object: OnceCell<Object> },
}

impl Default for Body {
    fn default() -> Self {
        Self::Built(Object::new())
    }
}

impl From<Object> for Body {
    fn from(object: Object) -> Self {
        Self::Built(object)
    }
}

impl From<View<'_>> for Body {
    /// Takes the text of a view, which is known to be JSON.
    fn from(view: View<'_>) -> Self {
        Self::Raw { text: view.raw().to_owned(), object: OnceCell::new() }
    }
}

impl Body {
    /// The object.
    pub(crate) fn object(&self) -> &Object {
        match self {
            Self::Built(object) => object,
            Self::Raw { text, object } => object.get_or_init(|| build(text)),
        }
    }

    /// The object, to change.
    #[inline]
    pub(crate) fn object_mut(&mut self) -> &mut Object {
        if let Self::Raw { text, object } = self {
            let object = object.take().unwrap_or_else(|| build(text));
            *self = Self::Built(object);
        }
        match self {
            Self::Built(object) => object,
            // The lines above have just replaced it.
            Self::Raw { .. } => unreachable!("a raw body was built above"),
        }
    }

    /// Says whether this is, to the letter, the text that it was made from.
    pub(crate) fn is_text(&self, other: &str) -> bool {
        matches!(self, Self::Raw { text, .. } if text == other)
    }
}

/// Builds the object of text that was checked, depth included, when its event was read.
fn build(text: &str) -> Object {
    match Value::parse(text, usize::MAX) {
        Ok(Value::Object(object)) => object,
        _ => Object::new(),
    }
}

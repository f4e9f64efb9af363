//! [`FieldMap`]: ordered fields with unique names.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;

use crate::json::{Object, Value};

/// Fields in order of their first insertion. Lookup is O(log n), so that setting many fields one by one stays cheap.
#[derive(Clone, Debug, Default)]
pub(crate) struct FieldMap {
    entries: Vec<(Cow<'static, str>, Value)>,
    /// Positions by name; empty up to [`SMALL`] entries, which are searched in order.
    index: BTreeMap<Cow<'static, str>, usize>,
}

/// Up to this number of fields, more than a response has by itself, a linear search is cheaper than building the index.
const SMALL: usize = 48;

impl FieldMap {
    /// No fields, with room for `count`.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self { entries: Vec::with_capacity(count), index: BTreeMap::new() }
    }

    /// Adds one of a few fields that are known to be different.
    pub(crate) fn add(&mut self, key: &'static str, value: impl Into<Value>) {
        debug_assert!(self.position(key).is_none() && self.entries.len() < SMALL);
        self.entries.push((Cow::Borrowed(key), value.into()));
    }

    /// Sets a field: replaces its value or adds it at the end.
    pub(crate) fn insert(&mut self, key: impl Into<Cow<'static, str>>, value: impl Into<Value>) {
        let (key, value) = (key.into(), value.into());
        match self.position(&key) {
            Some(at) => self.entries[at].1 = value,
            None => {
                if self.entries.len() == SMALL {
                    self.index = self.entries.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect();
                }
                if self.entries.len() >= SMALL {
                    self.index.insert(key.clone(), self.entries.len());
                }
                self.entries.push((key, value));
            }
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.position(key).map(|at| &self.entries[at].1)
    }

    /// All fields in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.entries.iter().map(|(key, value)| (key.as_ref(), value))
    }

    /// Removes and returns all fields in order.
    pub(crate) fn take(&mut self) -> impl Iterator<Item = (Cow<'static, str>, Value)> + use<> {
        self.index.clear();
        core::mem::take(&mut self.entries).into_iter()
    }

    fn position(&self, key: &str) -> Option<usize> {
        if self.index.is_empty() {
            self.entries.iter().position(|(known, _)| known == key)
        } else {
            self.index.get(key).copied()
        }
    }
}

impl From<&Object> for FieldMap {
    fn from(object: &Object) -> Self {
        let mut fields = Self::default();
        for (key, value) in object.iter() {
            fields.insert(key.to_string(), value.clone());
        }
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn fields_keep_their_order_and_the_last_value_counts() {
        for count in [0, 1, SMALL - 1, SMALL, SMALL + 1, 200] {
            let mut fields = FieldMap::default();
            for round in 0..2 {
                for at in 0..count {
                    fields.insert(format!("k{at}"), at as u64 + round);
                }
            }
            assert!(fields.get("k").is_none());
            for at in 0..count {
                assert_eq!(fields.get(&format!("k{at}")).and_then(Value::as_u64), Some(at as u64 + 1));
            }
            let names: Vec<_> = fields.iter().map(|(key, _)| key.to_string()).collect();
            assert_eq!(names, (0..count).map(|at| format!("k{at}")).collect::<Vec<_>>());
            assert_eq!(fields.take().count(), count);
            assert!(fields.iter().next().is_none() && fields.get("k0").is_none());
            fields.insert("again", 1);
            assert_eq!(fields.iter().count(), 1);
        }
    }
}

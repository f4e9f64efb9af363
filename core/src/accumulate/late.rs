//! [`Late`]: the elements of an item of which one came far before its place.
//!
//! An element that belongs between others moves those behind it. That is cheap where they are few, as in every stream that was
//! seen; a hostile one can have a hundred thousand parts run backwards. From [`FAR`] places on, elements stay as they arrive,
//! and whoever looks is shown a copy in their order. The next event takes the copy for the item, and from there on elements
//! are moved: a copy for each look would cost more than that.

use alloc::vec::Vec;
use core::cell::OnceCell;

use super::slot::{elements_at, Array};
use super::sorted::Sorted;
use crate::json::Object;

/// How many elements are moved for one that comes before them.
pub(crate) const FAR: usize = 512;

/// Where the elements of each array stand, by wire index, while they are in the order of arrival.
#[derive(Clone, Debug)]
pub(crate) struct Late {
    places: [Sorted<(u64, u32)>; 3],
    shown: OnceCell<Shown>,
}

/// An item in the order of its wire indexes, and these.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    pub(crate) item: Object,
    pub(crate) wires: [Vec<u64>; 3],
}

impl Late {
    /// Takes over from elements that are in order.
    pub(crate) fn of(wires: &[Vec<u64>; 3]) -> Self {
        let mut this = Self { places: Default::default(), shown: OnceCell::new() };
        for (places, wires) in this.places.iter_mut().zip(wires) {
            wires.iter().for_each(|wire| push(places, *wire));
        }
        this
    }

    /// Position of the element with this wire index, in the order of arrival.
    pub(crate) fn position(&self, array: Array, wire: u64) -> Option<usize> {
        self.places[array as usize].get(&(wire, 0)).map(|at| at as usize)
    }

    /// How many elements an array has.
    pub(crate) fn len(&self, array: Array) -> usize {
        self.places[array as usize].len()
    }

    /// Counts one more element, which stands behind the others.
    pub(crate) fn push(&mut self, array: Array, wire: u64) {
        push(&mut self.places[array as usize], wire);
    }

    /// The item in order.
    pub(crate) fn shown(&self, item: &Object) -> &Shown {
        self.shown.get_or_init(|| {
            let mut shown = Shown { item: item.clone(), wires: Default::default() };
            for array in Array::ALL {
                let places = &self.places[array as usize];
                shown.wires[array as usize] = places.iter().map(|((wire, _), _)| *wire).collect();
                if let Some(elements) = elements_at(&mut shown.item, array) {
                    let mut arrived = core::mem::take(elements);
                    let mut take = |at: u32| arrived.get_mut(at as usize).map(core::mem::take);
                    *elements = places.numbers().filter_map(&mut take).collect();
                }
            }
            shown
        })
    }

    /// The item in order, if somebody has looked at it.
    pub(crate) fn into_shown(self) -> Option<Shown> {
        self.shown.into_inner()
    }

    /// Says whether somebody has looked at the item.
    pub(crate) fn is_shown(&self) -> bool {
        self.shown.get().is_some()
    }
}

fn push(places: &mut Sorted<(u64, u32)>, wire: u64) {
    let at = places.len() as u32;
    places.insert((wire, 0), at);
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::FAR;
    use crate::{Reader, ReaderOptions};

    const PARTS: u64 = 3 * FAR as u64;

    fn delta(reader: &mut Reader, part: u64, text: &str) {
        let logprobs = format!(r#"[{{"token":"{part}","logprob":0}}]"#);
        let event = format!(
            r#"{{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":{part},"logprobs":{logprobs},"delta":"{text}"}}"#
        );
        reader.feed_json(&event).unwrap();
        reader.poll_event().unwrap();
    }

    /// Texts and the tokens of their log probabilities, as whoever looks sees them.
    fn seen(reader: &Reader) -> Vec<(String, String)> {
        let item = reader.response().item(0).unwrap();
        let token = |value: Option<&crate::json::Value>| String::from(value.unwrap().str_at("token").unwrap());
        let parts: Vec<_> =
            item.parts().map(|part| (part.text().into(), token(part.get("logprobs").unwrap().pointer("/0")))).collect();
        let value = item.to_value();
        let content = value.get("content").unwrap().as_array().unwrap();
        let whole: Vec<_> = content
            .iter()
            .map(|part| (part.str_at("text").unwrap().into(), token(part.pointer("/logprobs/0"))))
            .collect();
        assert!(parts == whole, "{parts:?} and {whole:?}");
        parts
    }

    #[test]
    fn parts_in_any_order_are_shown_in_theirs_whenever_somebody_looks() {
        let backwards = |at: u64| PARTS - 1 - at;
        // 7 has no divisor in common with a power of two times three, so every part comes once.
        let scattered = |at: u64| at * 7 % PARTS;
        for part_of in [backwards, scattered] {
            // Never before the end, once behind the first that is late, again and again.
            for look in [PARTS, PARTS - 9, 400] {
                let mut reader = Reader::new();
                for round in ["a", "b"] {
                    for at in 0..PARTS {
                        delta(&mut reader, part_of(at), &format!("{round}{}", part_of(at)));
                        if at % look == look - 1 {
                            seen(&reader);
                            if look != 400 {
                                reader = Reader::restore(&reader.save(), ReaderOptions::default()).unwrap();
                            }
                        }
                    }
                }
                let expected: Vec<_> = (0..PARTS).map(|part| (format!("a{part}b{part}"), format!("{part}"))).collect();
                assert!(seen(&reader) == expected, "looked at each {look}");
                reader.finish();
                assert_eq!(reader.response().item(0).unwrap().status(), "incomplete");
                assert!(seen(&reader) == expected);
            }
        }
    }

    #[test]
    fn a_part_that_comes_between_others_takes_no_value_from_them() {
        let mut reader = Reader::new();
        let first = |reader: &Reader| {
            let item = reader.response().item(0).unwrap();
            let part = item.parts().next().unwrap();
            part.partial_json().map(|value| format!("{value}"))
        };
        delta(&mut reader, 1, "[1,2");
        assert_eq!(first(&reader).as_deref(), Some("[1]"));
        delta(&mut reader, 0, "[true, false");
        assert_eq!(first(&reader).as_deref(), Some("[true,false]"));
    }
}

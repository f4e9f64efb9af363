//! What comes again as it was written before: [`Tape::parse_but`] compares it, and does not read it a second time.
//!
//! The last event of a stream repeats its items, and they are most of it; the event that ends an item repeats its text. What stands
//! between the brackets of the list, or the quotes of the text, is left out, the rest is read as if there were nothing, and
//! the places behind it are moved.

use super::scan;
use super::tape::{JsonError, Node, Tag, Tape};
use crate::SPEED;

/// An object as it was written and checked, and the most containers that can be open in it.
#[derive(Clone, Copy)]
pub(crate) struct Again<'k> {
    pub(crate) text: &'k str,
    pub(crate) depth: usize,
}

/// The objects that may come again, by number; `None` behind the last.
pub(crate) type Objects<'k> = &'k dyn Fn(usize) -> Option<Again<'k>>;

/// What may come again.
#[derive(Clone, Copy, Default)]
pub(crate) struct Known<'k> {
    pub(crate) objects: Option<Objects<'k>>,
    /// The inside of a string, as it was written and checked; empty if there is none.
    pub(crate) literal: &'k str,
    /// The list of tools of the response, as it was written and checked where it stands, by the same limit of depth; empty if there
    /// is none.
    pub(crate) tools: &'k str,
}

/// Shorter ones are read as fast as they are found.
const SHORT: usize = 32;

/// The list of tools that is known.
struct Tools {
    /// Where its opening bracket stands, and where its closing one does.
    start: usize,
    end: usize,
}

/// How many containers are open in a list of tools: the event, the response, and itself.
const TOOLS_AROUND: usize = 3;

impl Tools {
    /// Finds the list behind another one, or anywhere. Only the first is looked at, so that time is linear in the text.
    #[cfg_attr(deltafold_hot, optimize(speed))]
    fn find(bytes: &[u8], list: Option<&List<'_>>, tools: &str) -> Option<Self> {
        let length = tools.len().checked_sub(1)?;
        let find = |from: usize, to: usize| {
            let is_named = |start: &usize| {
                bytes.get(..*start).is_some_and(|before| before.trim_ascii_end().ends_with(b"\"tools\":"))
            };
            memchr::memchr_iter(b'[', bytes.get(from..to)?).map(|at| from + at).find(is_named)
        };
        let start = match list {
            Some(list) => find(list.end, bytes.len()).or_else(|| find(0, list.start)),
            None => find(0, bytes.len()),
        }?;
        bytes.get(start..)?.starts_with(tools.as_bytes()).then_some(Self { start, end: start + length })
    }
}

/// A list whose elements are those that are known, all of them and in their order.
struct List<'k> {
    /// Where its opening bracket stands, and where its closing one does.
    start: usize,
    end: usize,
    /// How many elements it has, and the most containers that can be open in one.
    count: usize,
    depth: usize,
    known: Objects<'k>,
}

impl Tape {
    /// As [`parse`](Self::parse). If a list in the document is, to the letter, that of all known objects, its elements get a node
    /// each, and are looked into when somebody asks.
    pub(crate) fn parse_but(&mut self, text: &str, depth: usize, known: Known<'_>) -> Result<(), JsonError> {
        if !SPEED {
            return self.parse(text, depth);
        }
        let list = known.objects.and_then(|objects| List::find(text.as_bytes(), objects));
        let tools = Tools::find(text.as_bytes(), list.as_ref(), known.tools);
        let done = match (list, tools) {
            (None, None) => self.parse_around_string(text, depth, known.literal),
            (list, tools) => self.parse_around(text, depth, list.as_ref(), tools.as_ref()),
        };
        match done {
            Some(()) => Ok(()),
            None => self.parse(text, depth),
        }
    }

    /// Parses a document without a string, and then puts that in. `None` if it is not there.
    fn parse_around_string(&mut self, text: &str, depth: usize, literal: &str) -> Option<()> {
        // Where it is a small part of the document, it would be sought for longer than it takes to read it.
        if literal.len() < SHORT || literal.len() < text.len() / 4 || u32::try_from(text.len()).is_err() {
            return None;
        }
        // Behind a colon no quote is part of a string, so that no byte is compared twice.
        let bytes = text.as_bytes();
        let is_here = |quote: &usize| {
            let behind_colon = bytes.get(..*quote).is_some_and(|before| before.trim_ascii_end().ends_with(b":"));
            let rest = || bytes.get(quote + 1..)?.strip_prefix(literal.as_bytes());
            behind_colon && rest().is_some_and(|rest| rest.starts_with(b"\""))
        };
        let start = memchr::memchr_iter(b'"', bytes).find(is_here)? + 1;
        self.parse(&[text.get(..start)?, text.get(start + literal.len()..)?].concat(), depth).ok()?;
        // What begins at a quote that ends it is an empty string.
        let at = self.nodes.binary_search_by_key(&(start as u32), |node| node.start).ok()?;
        self.shift((start as u32, literal.len() as u32), (at, 0));
        let node = self.nodes.get_mut(at)?;
        (node.end, node.escaped) =
            ((start + literal.len()) as u32, memchr::memchr(b'\\', literal.as_bytes()).is_some());
        Some(())
    }

    /// Moves what stands behind a place, and what points behind a node by so many nodes.
    fn shift(&mut self, (behind, length): (u32, u32), (at, count): (usize, u32)) {
        for node in &mut self.nodes {
            node.start += if node.start > behind { length } else { 0 };
            node.end += if node.end > behind { length } else { 0 };
            node.next += if node.next as usize > at { count } else { 0 };
        }
    }

    /// Parses a document without what stands in the lists, and then puts that in. `None` if it cannot be done.
    #[cfg_attr(deltafold_hot, optimize(speed))]
    fn parse_around(&mut self, text: &str, depth: usize, list: Option<&List<'_>>, tools: Option<&Tools>) -> Option<()> {
        u32::try_from(text.len()).ok()?;
        let (list_cut, tools_cut) =
            (list.map(|list| (list.start, list.end)), tools.map(|tools| (tools.start, tools.end)));
        // Those that are none come first, and are empty.
        let (first, second) = (list_cut.min(tools_cut).unwrap_or((0, 1)), list_cut.max(tools_cut)?);
        let pieces = [text.get(..=first.0)?, text.get(first.1..=second.0)?, text.get(second.1..)?];
        self.parse(&pieces.concat(), depth).ok()?;
        // What stands before is to be in its place first.
        if tools_cut < list_cut {
            self.fold(tools)?;
        }
        if let Some(list) = list {
            let (at, around) = self.array_at(list.start)?;
            if around + list.depth > depth {
                return None;
            }
            self.put_in(at, text, list);
        }
        if tools_cut > list_cut {
            self.fold(tools)?;
        }
        Some(())
    }

    /// The array that begins at a place, and how many containers are open in it. Only if one does: the bracket may as well be part
    /// of a string.
    fn array_at(&self, start: usize) -> Option<(usize, usize)> {
        let at = self.nodes.binary_search_by_key(&(start as u32), |node| node.start).ok()?;
        let array = self.nodes.get(at).filter(|node| node.tag == Tag::Array)?;
        Some((at, self.nodes.iter().take(at + 1).filter(|node| node.next >= array.next).count()))
    }

    /// Puts what stands in the list of tools in, as a list that is looked into when somebody asks.
    fn fold(&mut self, tools: Option<&Tools>) -> Option<()> {
        let Some(tools) = tools else { return Some(()) };
        let (at, around) = self.array_at(tools.start)?;
        // Elsewhere it may be too deep.
        if around != TOOLS_AROUND {
            return None;
        }
        self.shift((tools.start as u32, (tools.end - tools.start - 1) as u32), (at, 0));
        self.nodes.get_mut(at)?.escaped = true;
        self.folded.clear();
        self.note_folded();
        Some(())
    }

    /// Puts the elements of the array at a node in: what stands behind its bracket moves.
    fn put_in(&mut self, at: usize, text: &str, list: &List<'_>) {
        self.shift((list.start as u32, (list.end - list.start - 1) as u32), (at, list.count as u32));
        let element = |number: usize, (start, end): (usize, usize)| {
            let next = (at + 2 + number) as u32;
            Node { start: start as u32, end: end as u32, next, tag: Tag::Object, escaped: true }
        };
        let behind = self.nodes.split_off(at + 1);
        self.nodes.reserve(list.count + behind.len());
        self.nodes.extend(list.spans(text.as_bytes()).enumerate().map(|(number, span)| element(number, span)));
        self.nodes.extend(behind);
        self.folded.clear();
        self.note_folded();
    }
}

impl<'k> List<'k> {
    /// Finds the list. Only the first that begins with what is known is looked at, so that time is linear in the text.
    #[cfg_attr(deltafold_hot, optimize(speed))]
    fn find(bytes: &[u8], known: Objects<'k>) -> Option<Self> {
        let first = known(0)?.text.as_bytes();
        let begins = |start: &usize| bytes.get(scan::space(bytes, start + 1)..).is_some_and(|at| at.starts_with(first));
        let start = memchr::memchr_iter(b'[', bytes).find(begins)?;
        let mut list = Self { start, end: start, count: 0, depth: 0, known };
        let mut at = start;
        while let Some(again) = known(list.count) {
            // A comma, or the bracket that was found.
            if list.count > 0 && bytes.get(at) != Some(&b',') {
                return None;
            }
            at = scan::space(bytes, at + 1);
            if again.text.is_empty() || !bytes.get(at..)?.starts_with(again.text.as_bytes()) {
                return None;
            }
            at = scan::space(bytes, at + again.text.len());
            list.count += 1;
            list.depth = list.depth.max(again.depth);
        }
        list.end = at;
        (bytes.get(at) == Some(&b']')).then_some(list)
    }

    /// Where the elements stand.
    fn spans<'b>(&self, bytes: &'b [u8]) -> impl Iterator<Item = (usize, usize)> + use<'b, 'k, '_> {
        let mut from = self.start;
        (0..self.count).filter_map(self.known).map(move |again| {
            let start = scan::space(bytes, from + 1);
            let end = start + again.text.len();
            from = scan::space(bytes, end);
            (start, end)
        })
    }
}

#[cfg(all(test, feature = "speed"))]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use super::*;
    use crate::json::View;

    /// Parses with and without knowledge: the same must come of it. Says whether what is known was left unread.
    fn same(text: &str, known: &[(&str, usize)], depth: usize) -> bool {
        let of = |number: usize| known.get(number).map(|(text, depth)| Again { text, depth: *depth });
        let (mut tape, mut plain) = (Tape::default(), Tape::default());
        let expected = plain.parse(text, depth);
        let known = Known { objects: Some(&of), ..Known::default() };
        assert_eq!(tape.parse_but(text, depth, known), expected, "{text}");
        if expected.is_err() {
            return false;
        }
        let folded = tape.nodes.len() < plain.nodes.len();
        let spans = |tape: &Tape| {
            let mut spans = Vec::new();
            let mut open: Vec<_> = alloc::vec![tape.root(text)];
            while let Some(view) = open.pop() {
                spans.push((view.span(), view.tag(), view.raw().to_string()));
                open.extend(view.elements());
                open.extend(view.entries().flat_map(|(key, value)| [key, value]));
            }
            spans
        };
        assert_eq!(spans(&tape), spans(&plain), "{text}");
        assert_eq!(tape.root(text).to_value().to_string(), plain.root(text).to_value().to_string());
        folded
    }

    const A: (&str, usize) = (r#"{"id":"a","content":[{"text":"x"}]}"#, 3);
    const B: (&str, usize) = (r#"{"id":"b","é":[[]],"logprobs":[{"token":"t"}]}"#, 3);

    #[test]
    fn a_list_that_is_known_is_read_like_any_other() {
        let (a, b) = (A.0, B.0);
        for list in [format!("[{a},{b}]"), format!("[ {a} ,\n{b} ]")] {
            for document in [
                format!(
                    r#"{{"type":"t","response":{{"id":"r","tools":[1,[2]],"output":{list},"usage":{{"x":[3]}}}},"n":4}}"#
                ),
                format!(r#"{{"output":{list}}}"#),
                list.clone(),
                format!(r#"[{list},{{"logprobs":[5]}},"é"]"#),
                format!(r#"[7,{list},8]"#),
                format!(r#"{{"é":[],"logprobs":[{{"a":1}}],"x":{list},"logprobs":[6,7]}}"#),
            ] {
                assert!(same(&document, &[A, B], 8), "{document}");
            }
        }
    }

    #[test]
    fn what_differs_from_what_is_known_is_looked_into() {
        let (a, b) = (A.0, B.0);
        for list in [
            format!("[{a}]"),
            format!("[{b},{a}]"),
            format!("[{a},{b},{a}]"),
            format!("[{a},{b},3]"),
            format!("[{a}{b}]"),
            format!("[{a};{b}]"),
            format!("[{a},{b}"),
            format!("[{a},,{b}]"),
            format!("[{a},{b},]"),
            format!("[{a},{b}}}"),
            format!("[{a},{}]", b.replace('t', "T")),
            String::from("[]"),
        ] {
            assert!(!same(&format!(r#"{{"output":{list}}}"#), &[A, B], 8), "{list}");
            assert!(!same(&format!(r#"{{"output":{list},"x":"[{a},{b}]"}}"#), &[A, B], 8), "{list}");
        }
        assert!(!same(&format!(r#"{{"output":[{a},{b}]}}"#), &[], 8));
        assert!(!same(&format!(r#"{{"output":[{a},{b}]}}"#), &[A, ("", 0)], 8));
        assert!(!same(&format!(r#"{{"output":[{a},{b}]}}"#), &[("", 0), B], 8));
    }

    #[test]
    fn a_bracket_in_a_string_begins_no_list() {
        // Without what is known the rest would be JSON.
        let (a, b) = (A.0, B.0);
        assert!(!same(&format!(r#"{{"x":"[{a},{b}]"}}"#), &[A, B], 8));
        assert!(!same(r#"{"x":"[{},{}]"}"#, &[("{}", 1), ("{}", 1)], 8));
        assert!(!same(r#"{"x":"[{},{}]","y":[{},{}]}"#, &[("{}", 1), ("{}", 1)], 8));
    }

    /// Parses with and without a known string: the same must come of it.
    fn same_with_string(text: &str, literal: &str) {
        let (mut tape, mut plain) = (Tape::default(), Tape::default());
        let expected = plain.parse(text, 8);
        assert_eq!(tape.parse_but(text, 8, Known { literal, ..Known::default() }), expected, "{text}");
        let nodes = |tape: &Tape| -> Vec<_> {
            tape.nodes.iter().map(|node| (node.start, node.end, node.next, node.tag, node.escaped)).collect()
        };
        assert_eq!(nodes(&tape), nodes(&plain), "{text}");
        assert_eq!(tape.folded.len(), plain.folded.len(), "{text}");
    }

    #[test]
    fn a_string_that_is_known_is_read_like_any_other() {
        for literal in ["0123456789 0123456789 0123456789 é", r#"{\"a\":\"0123456789 0123456789 01234 \\\\ \u00e9\""#]
        {
            for text in [
                format!(r#"{{"item":{{"arguments":"{literal}","x":[1,{{"logprobs":[2]}}]}},"y":"z"}}"#),
                format!(r#"{{"é":[3],"text" : "{literal}" , "again":"{literal}"}}"#),
                format!(r#"{{"a":"{literal}"}}"#),
                // Another string that begins or ends with it, or contains it.
                format!(r#"{{"a":"{literal}x","b":"x{literal}","c":["{literal}"],"{literal}":4}}"#),
                format!(r#"{{"a":"{literal}x","b":"{literal}"}}"#),
                format!(r#"{{"a":":\"{literal}\"","b":5}}"#),
                format!(r#"{{"a":"x:","{literal}":6}}"#),
                // No JSON.
                format!(r#"{{"a":"{literal}""#),
                format!(r#"{{"a":"{literal}"}}}}"#),
                format!(r#"{{"a":"x:"{literal}"}}"#),
                format!(r#"{{"a":"{literal}\"}}"#),
            ] {
                same_with_string(&text, literal);
            }
        }
        // Other text of the same length, with the end of a string in it.
        let literal = "0123456789 0123456789 0123456789 0123456789";
        let other = format!(r#"0123456789","b":"{}"#, &literal[..literal.len() - 17]);
        assert_eq!(other.len(), literal.len());
        same_with_string(&format!(r#"{{"a":"{other}","c":"{literal}"}}"#), literal);
        same_with_string(&format!(r#"{{"a":"{other}"}}"#), literal);
        // Left out, and put in again, only if it is worth it.
        let mut tape = Tape::default();
        assert_eq!(tape.parse_around_string(r#"{"a":"0123456789"}"#, 8, "0123456789"), None);
        let long = "0123456789".repeat(4);
        assert_eq!(tape.parse_around_string(&format!(r#"{{"a":"{long}"}}"#), 8, &long), Some(()));
        assert_eq!(tape.parse_around_string(&format!(r#"{{"a":"{long}x"}}"#), 8, &long), None);
    }

    /// Parses with and without known tools: the same must come of it. Gives whether they were left out.
    fn same_with_tools(text: &str, tools: &str, known: &[(&str, usize)]) -> bool {
        let (mut tape, mut plain) = (Tape::default(), Tape::default());
        let of = |at: usize| known.get(at).map(|(text, depth)| Again { text, depth: *depth });
        let known = Known { objects: Some(&of), literal: "", tools };
        let expected = plain.parse(text, 8);
        assert_eq!(tape.parse_but(text, 8, known), expected, "{text}");
        if expected.is_err() {
            return false;
        }
        let (root, other) = (tape.root(text), plain.root(text));
        assert_eq!(root.to_value().to_string(), other.to_value().to_string());
        for pointer in ["/response/tools", "/response/tools/1/a", "/response/output/0/id", "/response/z", "/n"] {
            let raw =
                |view: View<'_>| view.pointer(pointer).map(|view| (view.span(), view.tag(), view.raw().to_string()));
            assert_eq!(raw(root), raw(other), "{text} {pointer}");
        }
        root.pointer("/response/tools").is_some_and(|tools| tools.is_folded())
    }

    #[test]
    fn tools_that_are_known_are_read_like_any_others_wherever_they_stand() {
        let tools = r#"[{"type":"function","é":[[1]]},{"a":"]"}]"#;
        let (a, b) = (A.0, B.0);
        for output in [String::from("[]"), format!("[{a},{b}]"), format!("[ {a}, {b} ]"), format!("[{b},{a}]")] {
            for text in [
                format!(r#"{{"response":{{"output":{output},"tools":{tools},"z":[2]}},"n":3}}"#),
                format!(r#"{{"response":{{"z":[2],"tools": {tools} , "output":{output}}},"n":3}}"#),
                format!(r#"{{"n":3,"response":{{"tools":{tools},"output":{output},"logprobs":[4]}}}}"#),
            ] {
                assert!(same_with_tools(&text, tools, &[A, B]), "{text}");
                // Cut anywhere it is no JSON.
                for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
                    assert!(!same_with_tools(&text[..end], tools, &[A, B]), "{text} to {end}");
                }
            }
        }
    }

    #[test]
    fn tools_that_differ_or_stand_elsewhere_are_looked_into() {
        let tools = r#"[{"type":"function","é":[[1]]},{"a":"]"}]"#;
        for text in [
            format!(r#"{{"response":{{"tools":{}}}}}"#, tools.replace("[[1]]", "[[2]]")),
            format!(r#"{{"response":{{"tools":{}}}}}"#, tools.replace('}', "} ")),
            format!(r#"{{"tools":{tools},"response":{{"tools":{tools}}}}}"#),
            format!(r#"{{"response":{{"z":{{"tools":{tools}}}}}}}"#),
            format!(r#"{{"response":{{"tools":[{tools}]}}}}"#),
            format!(r#"{{"response":{{"tools":"{}"}}}}"#, "[1]"),
            String::from(r#"{"response":{"tools":[]}}"#),
            String::from(r#"{"response":{"z":"\"tools\":[1]"}}"#),
        ] {
            assert!(!same_with_tools(&text, tools, &[]), "{text}");
            assert!(!same_with_tools(&text, "[1]", &[]), "{text}");
            assert!(!same_with_tools(&text, "", &[]), "{text}");
        }
        // What stands behind the list is no part of it.
        assert!(!same_with_tools(r#"{"response":{"tools":[1]2}}"#, "[1]", &[]));
    }

    #[test]
    fn what_is_known_may_not_be_deeper_than_the_limit() {
        for depth in 0..9 {
            let text = format!(r#"{{"response":{{"output":[{}]}}}}"#, A.0);
            assert_eq!(same(&text, &[A], depth), depth >= 6, "{depth}");
        }
    }
}

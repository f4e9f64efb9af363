//! [`Said`]: a text as a done event wrote it, for knowing it again.
//!
//! The event that ends a text, the one that ends its part and the one that ends its item all repeat it, escapes and all. The
//! first is compared with what was accumulated; what is written like it says the same, and costs no more than to see that.

use alloc::borrow::ToOwned;
use alloc::string::String;

use crate::json::View;
use crate::SPEED;

/// How a text that was accumulated was written.
///
/// It holds as long as the text stays as it is and where it is: whoever changes a text forgets this. The deltas behind a done
/// event take no short way, so they do, too.
#[derive(Default)]
pub(crate) struct Said {
    /// The inside of the string, as it was written; empty if nothing is known.
    literal: String,
    /// Where the text stands in memory, and how long it is.
    address: usize,
    length: usize,
}

/// Longer ones are compared each time: memory counts for more.
const LONGEST: usize = 1 << 16;

impl Said {
    /// Notes that an accumulated text was written like this.
    pub(crate) fn note(&mut self, text: &str, literal: &str) {
        self.forget();
        if SPEED && literal.len() <= LONGEST {
            self.literal = literal.to_owned();
            (self.address, self.length) = (text.as_ptr() as usize, text.len());
        }
    }

    /// Forgets it, unless it is about this text.
    pub(crate) fn keep_for(&mut self, text: Option<&str>) {
        if text.map(|text| (text.as_ptr() as usize, text.len())) != Some((self.address, self.length)) {
            self.forget();
        }
    }

    /// The inside of the string, as it was written; empty if nothing is known.
    pub(crate) fn literal(&self) -> &str {
        &self.literal
    }

    pub(crate) fn forget(&mut self) {
        self.literal.clear();
    }

    /// Says whether a value is a string with an accumulated text.
    pub(crate) fn is(&self, value: View<'_>, text: &str) -> bool {
        let known =
            SPEED && !self.literal.is_empty() && (self.address, self.length) == (text.as_ptr() as usize, text.len());
        known && value.literal() == Some(&self.literal) || value.is_str(text)
    }
}

impl Clone for Said {
    /// Nothing: the texts of a copy stand elsewhere.
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use crate::Reader;

    /// The rules that were broken, and the response.
    fn read(events: &[String]) -> (Vec<String>, String) {
        let mut reader = Reader::new();
        for event in events {
            reader.feed_json(event).unwrap();
            while reader.poll_event().unwrap().is_some() {}
        }
        let rules = reader.findings().iter().map(|finding| finding.rule.id().to_string());
        (rules.collect(), reader.response().to_json())
    }

    /// A message with a text, or a refusal: what its deltas say, and the events that end it.
    fn message(index: usize, key: &str, deltas: &[&str], ends: [&str; 3]) -> Vec<String> {
        let part_type = if key == "text" { "output_text" } else { key };
        let at = format!(r#""item_id":"m{index}","output_index":{index},"content_index":0"#);
        let part = |text: &str| format!(r#"{{"type":"{part_type}","{key}":"{text}"}}"#);
        let item = |content: &str| format!(r#"{{"type":"message","id":"m{index}","content":[{content}]}}"#);
        let [done, part_done, item_done] = ends;
        let mut events = alloc::vec![
            format!(r#"{{"type":"response.output_item.added","output_index":{index},"item":{}}}"#, item("")),
            format!(r#"{{"type":"response.content_part.added",{at},"part":{}}}"#, part("")),
        ];
        events.extend(
            deltas.iter().map(|delta| format!(r#"{{"type":"response.{part_type}.delta",{at},"delta":"{delta}"}}"#)),
        );
        events.push(format!(r#"{{"type":"response.{part_type}.done",{at},"{key}":"{done}"}}"#));
        events.push(format!(r#"{{"type":"response.content_part.done",{at},"part":{}}}"#, part(part_done)));
        let item = item(&part(item_done));
        events.push(format!(r#"{{"type":"response.output_item.done","output_index":{index},"item":{item}}}"#));
        events
    }

    fn rules(events: &[String]) -> Vec<String> {
        read(events).0.into_iter().filter(|rule| rule.starts_with("PART") || rule.starts_with("TEXT")).collect()
    }

    #[test]
    fn the_same_text_may_be_written_in_other_ways_and_another_text_may_not() {
        for key in ["text", "refusal"] {
            let deltas = ["a\\n", "\\u00e9"];
            for same in ["a\\né", "a\\n\\u00e9", "\\u0061\\n\\u00E9"] {
                for other in ["a\\n\\u00e9", "a\\né"] {
                    assert_eq!(rules(&message(0, key, &deltas, [same, other, same])), [""; 0]);
                    assert_eq!(rules(&message(0, key, &deltas, [same, same, other])), [""; 0]);
                }
                // As long as the right one, decoded and not.
                assert_eq!(rules(&message(0, key, &deltas, [same, "b\\n\\u00e9", same])), ["PART-10", "PART-10"]);
                assert_eq!(rules(&message(0, key, &deltas, [same, same, "b\\n\\u00e9"])), ["PART-10"]);
            }
        }
    }

    #[test]
    fn a_delta_behind_the_end_of_its_text_counts() {
        let mut events = message(0, "text", &["a\\n"], ["a\\n", "a\\n", "a\\n"]);
        let late = events[2].replace("a\\n", "b");
        events.insert(4, late);
        assert_eq!(rules(&events), ["PART-10"]);
    }

    #[test]
    fn items_that_take_turns_are_told_apart() {
        let mut events = Vec::new();
        let (a, b) =
            (message(0, "text", &["x\\ty"], ["x\\ty"; 3]), message(1, "text", &["y\\tx"], ["y\\tx", "x\\ty", "y\\tx"]));
        for (a, b) in a.into_iter().zip(b) {
            events.extend([a, b]);
        }
        assert_eq!(rules(&events).len(), 2);
        assert!(read(&events).1.contains(r#""id":"m1","content":[{"type":"output_text","text":"y\tx"}]"#));
    }
}

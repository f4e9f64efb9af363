//! The validator of a reader. `without_validator.rs` replaces this file in builds without the feature `validate`.

use super::ReaderOptions;
use crate::error::Error;
use crate::json::Value;
use crate::validate::{ExtensionSchemas, Layers, ValidateOptions};

pub(super) use crate::validate::Validator as ReaderValidator;

/// The validator, if the options request one.
pub(super) fn of(options: &ReaderOptions) -> Option<ReaderValidator> {
    (options.layers != Layers::NONE).then(|| {
        ReaderValidator::new(ValidateOptions {
            edition: options.edition.unwrap_or(options.profile.edition()),
            layers: options.layers,
            limits: options.limits,
            quote: options.quote,
            starting_after: options.starting_after,
            schemas: {
                let mut schemas = options.profile.schemas().clone();
                schemas.extend(&options.schemas);
                schemas
            },
        })
    })
}

pub(super) fn layers(value: Option<&Value>) -> Result<Layers, Error> {
    value.map_or(Ok(Layers::NONE), Layers::from_value)
}

pub(super) fn schemas(value: Option<&Value>) -> Result<ExtensionSchemas, Error> {
    value.map_or(Ok(ExtensionSchemas::default()), ExtensionSchemas::from_value)
}

#[cfg(test)]
mod tests {
    //! A validator that accepts continuations of valid deltas reports the same findings as one that checks every event in full.

    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use crate::validate::Layers;
    use crate::Reader;

    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 >> 11) as usize % bound
        }

        fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
            choices[self.below(choices.len())]
        }
    }

    const DELTAS: [&str; 9] =
        ["a", " word", r"\n", r#"{\"k\":"#, "é", r"\ud83d", r"\ude00", "", " a longer piece of text, of forty bytes."];

    /// A frame: its name, and its payload with `#` in place of the sequence number.
    type Frame = (String, String);

    fn frame(kind: &str, members: &str) -> Frame {
        let kind = format!("response.{kind}");
        let payload = format!(r##"{{"type":"{kind}","sequence_number":#,{members}}}"##);
        (kind, payload)
    }

    fn entry(random: &mut Random) -> String {
        let top = r#"{"bytes":[32,97],"logprob":-0.25,"token":" a"}"#;
        let tops = [top; 3][..random.below(4)].join(",");
        let token = random.pick(&["x", r"\n", "é", " token"]);
        let number = random.pick(&["-1.5", "-0.000012345678901234", "0", "-3.5e-7", "-1.5 "]);
        match random.below(12) {
            0 => format!(r#"{{"token":"{token}","logprob":{number},"bytes":null,"top_logprobs":[{tops}]}}"#),
            1 => format!(r#"{{"token":"{token}","logprob":"{number}","bytes":[1],"top_logprobs":[{tops}]}}"#),
            2 => format!(r#"{{"token":"{token}","logprob":{number},"bytes":[1, 2],"top_logprobs":[{tops}],"x":1}}"#),
            _ => format!(r#"{{"token":"{token}","bytes":[120,7],"logprob":{number},"top_logprobs":[{tops}]}}"#),
        }
    }

    /// A valid stream, or nearly: a message with log probabilities, and two interleaved calls.
    fn stream(random: &mut Random) -> Vec<Frame> {
        let response = |status: &str, output: &str| {
            format!(r#""response":{{"id":"resp","object":"response","status":"{status}","output":[{output}]}}"#)
        };
        let mut frames = Vec::from([frame("created", &response("in_progress", ""))]);
        let at = r#""item_id":"m","output_index":0,"content_index":0"#;
        let item = |status: &str, parts: &str| {
            format!(r#"{{"id":"m","type":"message","role":"assistant","status":"{status}","content":[{parts}]}}"#)
        };
        let part = |text: &str, list: &str| {
            format!(r#"{{"type":"output_text","text":"{text}","annotations":[],"logprobs":[{list}]}}"#)
        };
        frames.push(frame("output_item.added", &format!(r#""output_index":0,"item":{}"#, item("in_progress", ""))));
        frames.push(frame("content_part.added", &format!(r#"{at},"part":{}"#, part("", ""))));
        let (mut text, mut list) = (String::new(), Vec::new());
        let listed = random.below(2) > 0;
        for _ in 0..3 + random.below(9) {
            let delta = random.pick(&DELTAS);
            let entries: Vec<_> = (0..if listed { random.below(4) } else { 0 }).map(|_| entry(random)).collect();
            text.push_str(delta);
            frames.push(frame(
                "output_text.delta",
                &format!(r#"{at},"delta":"{delta}","logprobs":[{}],"obfuscation":"{text}""#, entries.join(",")),
            ));
            list.extend(entries);
        }
        let list = list.join(",");
        frames.push(frame("output_text.done", &format!(r#"{at},"text":"{text}","logprobs":[{list}]"#)));
        frames.push(frame("content_part.done", &format!(r#"{at},"part":{}"#, part(&text, &list))));
        let mut items = Vec::from([item("completed", &part(&text, &list))]);
        frames.push(frame("output_item.done", &format!(r#""output_index":0,"item":{}"#, items[0])));
        let call = |index: usize, status: &str, text: &str| {
            format!(
                r#"{{"id":"f{index}","type":"function_call","status":"{status}","call_id":"c{index}","name":"n","arguments":"{text}"}}"#
            )
        };
        for index in [1, 2] {
            frames.push(frame(
                "output_item.added",
                &format!(r#""output_index":{index},"item":{}"#, call(index, "in_progress", "")),
            ));
        }
        let mut texts = [String::from("{"), String::from(r#"[\"\u00e9\","#)];
        for (index, text) in texts.iter().enumerate() {
            let index = index + 1;
            frames.push(frame(
                "function_call_arguments.delta",
                &format!(r#""item_id":"f{index}","output_index":{index},"delta":"{text}""#),
            ));
        }
        for _ in 0..4 + random.below(12) {
            let (which, delta) = (random.below(2), random.pick(&DELTAS));
            texts[which].push_str(delta);
            let index = which + 1;
            frames.push(frame(
                "function_call_arguments.delta",
                &format!(r#""item_id":"f{index}","output_index":{index},"delta":"{delta}""#),
            ));
        }
        for (index, text) in texts.iter().enumerate() {
            let index = index + 1;
            frames.push(frame(
                "function_call_arguments.done",
                &format!(r#""item_id":"f{index}","output_index":{index},"name":"n","arguments":"{text}""#),
            ));
            let item = call(index, "completed", text);
            frames.push(frame("output_item.done", &format!(r#""output_index":{index},"item":{item}"#)));
            items.push(item);
        }
        frames.push(frame("completed", &response("completed", &items.join(","))));
        frames
    }

    /// The stream with a few changes, as bytes.
    fn changed(mut frames: Vec<Frame>, random: &mut Random) -> String {
        for _ in 0..random.below(4) {
            let (at, other) = (random.below(frames.len()), random.below(frames.len()));
            match random.below(6) {
                0 => frames.swap(at, other),
                1 => frames.insert(at, frames[other].clone()),
                2 => drop(frames.remove(at)),
                3 => {
                    frames[at].0 =
                        random.pick(&["", "response.output_text.delta", "response.refusal.delta"]).to_string()
                }
                _ => {
                    let (from, to) = [
                        (r#""output_index":1"#, r#""output_index":2"#),
                        (r#""item_id":"f1""#, r#""item_id":"f2""#),
                        (r#""item_id":"m","#, ""),
                        (r#""content_index":0"#, r#""content_index":1"#),
                        ("output_text", "refusal"),
                        ("[120,7]", "[120,8]"),
                        ("-1.5", "-1.50"),
                        ("#,", "7,"),
                        (r#""sequence_number":#,"#, ""),
                        (r#""delta":""#, r#""delta":"x"#),
                        (r"\n", r"\u000a"),
                        (r#""logprobs":["#, r#""logprobs": ["#),
                    ][random.below(12)];
                    // In one frame, or in all frames.
                    let whole = random.below(3) == 0;
                    for (number, (_, payload)) in frames.iter_mut().enumerate() {
                        if number == at || whole {
                            *payload = payload.replacen(from, to, 1);
                        }
                    }
                }
            }
        }
        let mut text = String::new();
        let mut number = 0;
        for (name, payload) in frames {
            if random.below(60) == 0 {
                text.push_str(random.pick(&[": x\n\n", "data: [DONE]\n\n", "id: 1\n", "data: 1\n\n"]));
            }
            if !name.is_empty() {
                text.push_str(&format!("event: {name}\n"));
            }
            text.push_str(&format!("data: {}\n\n", payload.replacen('#', &number.to_string(), 1)));
            number += if random.below(30) == 0 { random.below(3) } else { 1 };
        }
        text
    }

    /// The number of events, and all findings.
    fn found(stream: &str, shortcuts: bool, size: usize, layers: Layers) -> (u64, Vec<String>, String) {
        let mut reader = Reader::builder().validate(layers).build();
        if let Some(validator) = reader.validator.as_mut().filter(|_| !shortcuts) {
            validator.disable_shortcuts();
        }
        for chunk in stream.as_bytes().chunks(size) {
            reader.feed(chunk).unwrap();
            while reader.poll_event().unwrap().is_some() {}
        }
        reader.finish().unwrap();
        let findings = reader.findings().iter().map(|finding| format!("{finding:?}")).collect();
        (reader.event_count(), findings, reader.response().to_json())
    }

    #[test]
    fn repeated_events_get_the_findings_of_new_ones() {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut sound = 0;
        for round in 0..500 {
            let stream = stream(&mut random);
            let stream = changed(stream, &mut random);
            let layers = if round % 8 == 0 { Layers::STREAM } else { Layers::ALL };
            let wanted = found(&stream, false, usize::MAX, layers);
            let broken =
                |finding: &String| ["rule: Seq", "rule: Item", "rule: Part"].iter().any(|rule| finding.contains(rule));
            sound += usize::from(!wanted.1.iter().any(broken));
            for size in [usize::MAX, 1 + random.below(300)] {
                assert_eq!(found(&stream, true, size, layers), wanted, "{size}: {stream}");
            }
        }
        assert!((50..400).contains(&sound), "{sound}");
    }
}

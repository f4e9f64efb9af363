//! Messages that repeat with rising numbers: the memory that a reader or a converter holds stays within its limits.

use deltafold::__bindings::recount_bytes;
use deltafold::adapter::Converter;
use deltafold::validate::Layers;
use deltafold::{Limits, Reader, ReaderOptions};
use serde_json::Value;

use crate::memory::watch;
use crate::Random;

/// The limit that is set.
const LIMIT: usize = 50_000;

/// The bound on held bytes: above the limit, because buffers grow by doubling, and findings and templates have separate bounds.
const MOST: usize = 700_000;

/// The number of bytes of a shape that are fed, unless a limit ends reading.
const FED: usize = 1_500_000;

/// A message whose parts rise with a number: `\u{1}n` is replaced by the number, `\u{1}l` by a long text that ends in it.
#[derive(Clone, Debug)]
pub struct GrowingShape(String);

impl GrowingShape {
    /// Makes a shape from a message: some of its values rise, the others stay.
    pub fn new(mut message: Value, random: &mut Random) -> Self {
        rise(&mut message, random);
        Self(message.to_string().replace("\"\\u0001n#\"", "\u{1}n").replace("\\u0001", "\u{1}"))
    }

    /// The message with a number.
    pub fn text(&self, number: usize) -> String {
        let long = if self.0.contains("\u{1}l") { format!("{number:->600}") } else { String::new() };
        self.0.replace("\u{1}n", &number.to_string()).replace("\u{1}l", &long)
    }
}

/// Replaces some values by marks: numbers by `"\u{1}n#"`, texts by one that contains a mark, keys by one with a mark.
fn rise(value: &mut Value, random: &mut Random) {
    match value {
        Value::Object(members) => {
            for (key, value) in members.iter_mut() {
                if key != "type" && key != "object" && key != "event" || random.one_in(30) {
                    rise(value, random);
                }
            }
            if !members.is_empty() && random.one_in(20) {
                let at = random.below(members.len());
                let key = members.keys().nth(at).expect("the position is in range").clone();
                if let Some(value) = members.shift_remove(&key) {
                    members.insert(format!("{key}\u{1}{}", random.pick(&["n", "l"])), value);
                }
            }
        }
        Value::Array(elements) => {
            elements.iter_mut().for_each(|element| rise(element, random));
            if random.one_in(10) {
                let more = random.pick(&["{}", "[]", "0", "\"\""]);
                let more: Value = serde_json::from_str(more).expect("JSON");
                elements.extend(std::iter::repeat_n(more, 40));
            }
        }
        Value::Number(_) if random.one_in(2) => *value = Value::from("\u{1}n#"),
        Value::String(text) => match random.below(8) {
            0 | 1 => text.push_str("\u{1}n"),
            2 => *text = "\u{1}l".to_owned(),
            3 => text.clear(),
            _ => {}
        },
        _ => {}
    }
}

/// Reads a growing shape, and checks what is held at most. Needs the allocator of [`memory`](crate::memory).
///
/// # Panics
///
/// If more is held than the limits allow, or the running count of held bytes differs from a recount.
pub fn a_growing_shape_stays_within_the_limits(shapes: &[GrowingShape], random: &mut Random) {
    let layers = if random.one_in(2) { Layers::ALL } else { Layers::NONE };
    let (json, polled) = (random.one_in(3), random.one_in(4));
    let limits = Limits::default().response_bytes(LIMIT).items(usize::MAX).parts(usize::MAX).findings(20);
    let options = ReaderOptions::default().layers(layers).limits(limits);
    let mut fed = 0;
    let used = watch(|| {
        let mut reader = Reader::with_options(options);
        'feeding: for number in 0.. {
            for shape in shapes {
                let message = shape.text(number);
                fed += message.len();
                let taken = if json {
                    reader.feed_json(&message)
                } else {
                    reader.feed(format!("data: {message}\n\n").as_bytes())
                };
                if taken.is_err() || fed > FED {
                    break 'feeding;
                }
                drop(message);
                loop {
                    match reader.poll_event() {
                        Ok(Some(_)) => {}
                        Ok(None) => break,
                        Err(_) => break 'feeding,
                    }
                }
            }
            if polled && number == 20 {
                // Views are built on access.
                let _ = reader.response().to_json();
                for item in reader.response().items() {
                    let _ = (item.partial_arguments(), item.to_value(), item.parts().count());
                }
            }
        }
        assert_eq!(reader.held_bytes(), recount_bytes(&reader), "after {fed} bytes of {shapes:?}");
    });
    assert!(used.peak < MOST, "a reader, {layers:?}: {} bytes are held after {fed} of {shapes:?}", used.peak);
}

/// Converts a growing shape, and checks what is held at most.
///
/// # Panics
///
/// If more is held than the limits allow.
pub fn a_growing_conversion_stays_within_the_limits(shapes: &[GrowingShape], from: &str, to: &str) {
    let options = format!(
        r#"{{"from":"{from}","to":"{to}","options":{{"thread_id":"t","response_id":"r"}},"limits":{{"response_bytes":{LIMIT},"items":4000000,"parts":4000000,"findings":20}}}}"#
    );
    let mut fed = 0;
    let used = watch(|| {
        let mut converter = Converter::from_json(&options).expect("a conversion");
        let mut out = Vec::with_capacity(1 << 16);
        'feeding: for number in 0.. {
            for shape in shapes {
                let message = shape.text(number);
                fed += message.len();
                if fed > FED || converter.feed(format!("data: {message}\n\n").as_bytes()).is_err() {
                    break 'feeding;
                }
                converter.write_into(&mut out);
                out.clear();
            }
        }
    });
    assert!(used.peak < MOST + (1 << 16), "{from} to {to}: {} bytes are held after {fed} of {shapes:?}", used.peak);
}

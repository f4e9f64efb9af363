//! Streams that try to take more than linear time, for counting instructions:
//!
//! ```text
//! deltafold-hostile                     every shape at n, 2n and 4n, on a stack of 64 KiB; `linear.py` runs it under callgrind
//! deltafold-hostile SHAPE N             one shape at one size
//! deltafold-hostile again EVENTS        one reader with `reset`, and the growth of its memory
//! ```
//!
//! Only the function `counted` is counted, not making the bytes. Each run prints a line: shape, n, bytes, events.

use std::process::ExitCode;

use deltafold::adapter::Converter;
use deltafold::json::PartialJson;
use deltafold::validate::Layers;
use deltafold::write::{Writer, WriterOptions};
use deltafold::{Edition, Limits, Reader, ReaderOptions};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Runs on a stack of 64 KiB: the nesting depth of the input must not become recursion depth.
    let run = std::thread::Builder::new().stack_size(64 << 10).spawn(move || match arguments.as_slice() {
        [] => {
            for shape in SHAPES {
                (0..3).for_each(|power| shape.run(shape.count << power));
            }
            ExitCode::SUCCESS
        }
        [name, count] => {
            let (Ok(count), shape) = (count.parse(), SHAPES.iter().find(|shape| shape.name == name)) else {
                return usage();
            };
            match shape {
                Some(shape) => shape.run(count),
                None if name == "again" => return again(count),
                None => return usage(),
            }
            ExitCode::SUCCESS
        }
        _ => usage(),
    });
    run.expect("a thread").join().expect("no shape panics")
}

/// A hostile stream: its smallest size, how it is made, and how it is read.
struct Shape {
    name: &'static str,
    count: usize,
    make: fn(usize) -> Vec<u8>,
    method: ReadPath,
}

/// How a stream is read.
#[derive(Clone, Copy)]
enum ReadPath {
    /// By a reader with all layers of validation, in chunks of this many bytes.
    Reader(usize),
    /// As partial JSON, one character at a time; the value is read each time.
    Partial,
    /// By a reader with all layers of validation; then every item is looked up by its position and by its index.
    Items,
    /// As a foreign dialect.
    Adapter(&'static str),
    /// Each line is an intent of a writer. All fields of the stream are known names or extensions.
    Writer,
}

impl Shape {
    fn run(&self, count: usize) {
        let bytes = (self.make)(count);
        let events = match self.method {
            ReadPath::Reader(step) => counted(&|| read(&bytes, step)),
            ReadPath::Partial => counted(&|| grow(&bytes)),
            ReadPath::Items => counted(&|| read_items(&bytes)),
            ReadPath::Adapter(from) => counted(&|| convert(&bytes, from)),
            ReadPath::Writer => counted(&|| write(&bytes)),
        };
        println!("{} {count} {} {events}", self.name, bytes.len());
    }
}

/// The counted function. Never inlined, so that callgrind finds it by name.
#[inline(never)]
fn counted(run: &dyn Fn() -> usize) -> usize {
    std::hint::black_box(run())
}

fn read(bytes: &[u8], step: usize) -> usize {
    let limits = Limits::default().items(usize::MAX).parts(usize::MAX);
    let options = ReaderOptions::default().layers(Layers::ALL).limits(limits);
    let mut reader = Reader::with_options(options);
    let mut events = 0;
    for chunk in bytes.chunks(step) {
        reader.feed(chunk).expect("within the limits");
        while reader.poll_event().expect("within the limits").is_some() {
            events += 1;
        }
    }
    reader.finish().unwrap();
    std::hint::black_box((reader.response().to_value(), reader.response().to_json(), reader.findings().len()));
    events
}

fn read_items(bytes: &[u8]) -> usize {
    let limits = Limits::default().items(usize::MAX);
    let mut reader = Reader::with_options(ReaderOptions::default().limits(limits));
    reader.feed(bytes).expect("within the limits");
    while reader.poll_event().expect("within the limits").is_some() {}
    let response = reader.response();
    let by_position = |at: usize| response.item(at).is_some_and(|item| item.id().is_some());
    let by_index = |at: usize| response.position_of_index(at as u64).is_some();
    (0..response.len()).filter(|at| by_position(*at) && by_index(*at)).count()
}

fn write(intents: &[u8]) -> usize {
    let mut writer = Writer::new(WriterOptions::new("resp_1", "m-1", 0).edition(Edition::Split));
    let intents = std::str::from_utf8(intents).expect("intents are text");
    for intent in intents.lines() {
        writer.apply_json(intent).expect("a valid intent");
    }
    writer.complete(None).expect("a response that can complete");
    std::hint::black_box(writer.response_json().len());
    writer.take().len()
}

fn grow(bytes: &[u8]) -> usize {
    let text = std::str::from_utf8(bytes).expect("the shape is text");
    let mut growing = PartialJson::default();
    let mut seen = 0;
    for char in text.chars() {
        if growing.push(char.encode_utf8(&mut [0; 4])).is_err() {
            break;
        }
        seen += usize::from(growing.value().is_some());
        seen += growing.changes().count();
        growing.clear_changes();
    }
    seen
}

fn convert(bytes: &[u8], from: &str) -> usize {
    let options = format!(r#"{{"from":"{from}","to":"open-responses"}}"#);
    let mut converter = Converter::from_json(&options).expect("a known dialect");
    let mut out = 0;
    for chunk in bytes.chunks(16 << 10) {
        if converter.feed(chunk).is_err() {
            break;
        }
        out += converter.take().len();
    }
    let _ = converter.finish();
    out + converter.take().len()
}

/// Feeds one reader with streams of a thousand events until it has read this many, and prints the memory at the start and at the end.
fn again(events: usize) -> ExitCode {
    let stream = deltas(1_000);
    let mut reader = Reader::new();
    let mut round = || {
        reader.feed(&stream).expect("within the limits");
        while reader.poll_event().expect("within the limits").is_some() {}
        reader.finish().unwrap();
        reader.reset();
    };
    (0..100).for_each(|_| round());
    let before = resident();
    (0..events / 1_000).for_each(|_| round());
    let after = resident();
    println!("{events} events: {before} kB before, {after} kB after");
    ExitCode::from(u8::from(before.abs_diff(after) > 1 << 10))
}

/// Resident memory in kB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").expect("a system with /proc");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a size");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

fn usage() -> ExitCode {
    eprintln!("usage: deltafold-hostile [SHAPE N]");
    eprintln!("shapes: {} again", SHAPES.iter().map(|shape| shape.name).collect::<Vec<_>>().join(" "));
    ExitCode::from(2)
}

fn frame(payload: &str) -> String {
    format!("data: {payload}\n\n")
}

fn frames(count: usize, payload: impl Fn(usize) -> String) -> Vec<u8> {
    (0..count).map(|at| frame(&payload(at))).collect::<String>().into_bytes()
}

fn delta(number: usize, item: usize, part: usize, text: &str) -> String {
    format!(
        r#"{{"type":"response.output_text.delta","sequence_number":{number},"item_id":"m{item}","output_index":{item},"content_index":{part},"logprobs":[],"delta":"{text}"}}"#
    )
}

fn deltas(count: usize) -> Vec<u8> {
    frames(count, |at| delta(at, 0, 0, "x"))
}

fn argument(number: usize, item: usize, text: &str) -> String {
    format!(
        r#"{{"type":"response.function_call_arguments.delta","sequence_number":{number},"item_id":"c{item}","output_index":{item},"delta":"{text}"}}"#
    )
}

fn added(number: usize, item: usize) -> String {
    format!(
        r#"{{"type":"response.output_item.added","sequence_number":{number},"output_index":{item},"item":{{"type":"function_call","id":"c{item}","call_id":"k{item}","name":"f","arguments":"","status":"in_progress"}}}}"#
    )
}

/// A payload with these members.
fn holding(inside: &str) -> Vec<u8> {
    frame(&format!(r#"{{"type":"acme:x","sequence_number":0,"x":{inside}}}"#)).into_bytes()
}

fn completed(output: &str, more: &str) -> Vec<u8> {
    frame(&format!(
        r#"{{"type":"response.completed","sequence_number":0,"response":{{"id":"r","object":"response","status":"completed","output":[{output}]{more}}}}}"#
    ))
    .into_bytes()
}

/// Indexes that run backwards, in runs as long as a part may arrive early.
fn backwards(at: usize) -> usize {
    at / 4_096 * 4_096 + 4_095 - at % 4_096
}

/// An item with `keys` members of its own after the usual ones, and this text after each comma.
fn wide_item(kind: &str, id: usize, keys: usize, space: &str, more: &str) -> String {
    let members: String = (0..keys).map(|at| format!(r#",{space}"k{at:05}":{at}"#)).collect();
    format!(r#"{{"type":"{kind}","id":"m{id}","status":"completed"{more}{members}}}"#)
}

fn item_event(kind: &str, number: usize, index: usize, item: &str) -> String {
    format!(
        r#"{{"type":"response.output_item.{kind}","sequence_number":{number},"output_index":{index},"item":{item}}}"#
    )
}

/// A number from 0 to `bound - 1` that depends on nothing but `at`.
fn scattered(at: usize, bound: usize) -> usize {
    (at.wrapping_mul(0x9E37_79B9) >> 7) % bound.max(1)
}

fn list(count: usize, element: impl Fn(usize) -> String) -> String {
    (0..count).map(element).collect::<Vec<_>>().join(",")
}

/// Every shape, with a size that takes a few million instructions. `count` is n.
const SHAPES: &[Shape] = &[
    Shape {
        name: "comments",
        count: 4_000,
        make: |n| b": still here\n\n".repeat(n),
        method: ReadPath::Reader(16 << 10),
    },
    Shape { name: "blank-lines", count: 8_000, make: |n| b"\r\n\n".repeat(n), method: ReadPath::Reader(16 << 10) },
    Shape {
        name: "cr-lines",
        count: 4_000,
        make: |n| b"data: a\rid: 1\r\r".repeat(n),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "line-in-bytes",
        count: 16_000,
        make: |n| holding(&format!("\"{}\"", "y".repeat(n))),
        method: ReadPath::Reader(1),
    },
    Shape {
        name: "line-in-kilobytes",
        count: 1_000_000,
        make: |n| holding(&format!("\"{}\"", "y".repeat(n))),
        method: ReadPath::Reader(1 << 10),
    },
    Shape {
        name: "data-lines",
        count: 10_000,
        make: |n| [b"data: x\n".repeat(n), b"\n".to_vec()].concat(),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "not-utf8",
        count: 20_000,
        make: |n| [b"data: ".to_vec(), b"\xFF".repeat(n), b"\n\n".to_vec()].concat(),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "findings",
        count: 2_000,
        make: |n| frames(n, |_| "nonsense".into()),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "event-names",
        count: 1_000,
        make: |n| {
            (0..n)
                .flat_map(|at| {
                    format!("event: e{at}\ndata: {{\"type\":\"acme:t{at}\",\"sequence_number\":{at}}}\n\n").into_bytes()
                })
                .collect()
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "numbers-backwards",
        count: 1_000,
        make: |n| frames(n, |at| delta(n - at, 0, 0, "x")),
        method: ReadPath::Reader(16 << 10),
    },
    Shape { name: "deltas", count: 1_000, make: deltas, method: ReadPath::Reader(16 << 10) },
    Shape {
        name: "items",
        count: 400,
        make: |n| frames(n, |at| delta(at, at, 0, "x")),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "items-backwards",
        count: 2_000,
        make: |n| frames(n, |at| delta(at, n - at, 0, "x")),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "items-by-id",
        count: 400,
        make: |n| frames(n, |at| delta(at, at, 0, "x").replace(&format!("\"output_index\":{at},"), "")),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "items-of-one-id",
        count: 400,
        make: |n| frames(n, |at| delta(at, at, 0, "x").replace(&format!("m{at}"), "m")),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "items-added-twice",
        count: 400,
        make: |n| frames(2 * n, |at| added(at, at % n)),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "parts",
        count: 400,
        make: |n| frames(n, |at| delta(at, 0, at, "x")),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "parts-backwards",
        // The smallest size already has whole runs.
        count: 8_192,
        make: |n| frames(n, |at| delta(at, 0, backwards(at), "x")),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "commands-backwards",
        // The smallest size already has whole runs.
        count: 8_192,
        make: |n| {
            frames(n, |at| {
                format!(
                    r#"{{"type":"response.shell_call_command.delta","sequence_number":{at},"output_index":0,"command_index":{},"delta":"x"}}"#,
                    backwards(at)
                )
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "calls-interleaved",
        count: 200,
        make: |n| frames(4 * n, |at| if at < n { added(at, at) } else { argument(at, at % n, "x") }),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "calls-not-added",
        count: 200,
        make: |n| frames(4 * n, |at| argument(at, at % n, "x")),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "halves-of-pairs",
        count: 1_000,
        make: |n| frames(n, |at| delta(at, 0, 0, ["\\ud83d", "\\ude00"][at % 2])),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "annotations",
        count: 400,
        make: |n| {
            frames(n, |at| {
                format!(
                    r#"{{"type":"response.output_text.annotation.added","sequence_number":{at},"item_id":"m","output_index":0,"content_index":0,"annotation_index":{at},"annotation":{{"type":"url_citation","url":"u","title":"t","start_index":0,"end_index":0}}}}"#
                )
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "annotations-backwards",
        count: 400,
        make: |n| {
            frames(n, |at| {
                format!(
                    r#"{{"type":"response.output_text.annotation.added","sequence_number":{at},"item_id":"m","output_index":0,"content_index":0,"annotation_index":{},"annotation":{{"type":"url_citation","url":"u","title":"t","start_index":0,"end_index":0}}}}"#,
                    n - at
                )
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "summaries-backwards",
        // The smallest size already has whole runs.
        count: 8_192,
        make: |n| {
            frames(n, |at| {
                format!(
                    r#"{{"type":"response.reasoning_summary_text.delta","sequence_number":{at},"item_id":"s","output_index":0,"summary_index":{},"delta":"x"}}"#,
                    backwards(at)
                )
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "logprobs",
        count: 400,
        make: |n| {
            frames(n, |at| {
                delta(at, 0, at % 7, "x").replace(
                    "\"logprobs\":[]",
                    r#""logprobs":[{"token":"x","logprob":-0.5,"bytes":[120],"top_logprobs":[]}]"#,
                )
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "logprobs-of-parts",
        count: 2_000,
        make: |n| {
            frames(2 * n, |at| {
                delta(at, 0, at % n, "x").replace("\"logprobs\":[]", r#""logprobs":[{"token":"x","logprob":-0.5}]"#)
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "logprobs-of-done-parts",
        count: 2_000,
        make: |n| {
            frames(2 * n, |at| match at < n {
                true => {
                    delta(at, 0, at, "x").replace("\"logprobs\":[]", r#""logprobs":[{"token":"x","logprob":-0.5}]"#)
                }
                false => format!(
                    r#"{{"type":"response.output_text.done","sequence_number":{at},"item_id":"m0","output_index":0,"content_index":{},"text":"x","logprobs":[{{"token":"y","logprob":-0.5}}]}}"#,
                    at - n
                ),
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "preview-images",
        count: 400,
        make: |n| {
            frames(n, |at| {
                format!(
                    r#"{{"type":"response.image_generation_call.partial_image","sequence_number":{at},"item_id":"i","output_index":0,"partial_image_index":{},"partial_image_b64":"AAAA"}}"#,
                    n - at
                )
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "items-in-terminal",
        count: 400,
        make: |n| {
            completed(
                &list(n, |at| {
                    format!(r#"{{"type":"message","id":"m{at}","status":"completed","role":"assistant","content":[]}}"#)
                }),
                "",
            )
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "items-twice-and-terminal",
        count: 200,
        make: |n| {
            [frames(n, |at| added(at, at)), completed(&list(n, |at| format!(r#"{{"type":"function_call","id":"c{at}","call_id":"k{at}","name":"f","arguments":"","status":"completed"}}"#)), "")].concat()
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "terminal-backwards",
        count: 200,
        make: |n| {
            [frames(n, |at| added(at, at)), completed(&list(n, |at| format!(r#"{{"type":"function_call","id":"c{0}","call_id":"k{0}","name":"f","arguments":"","status":"completed"}}"#, n - at)), "")].concat()
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "metadata",
        count: 1_000,
        make: |n| completed("", &format!(",\"metadata\":{{{}}}", list(n, |at| format!("\"k{at}\":\"v\"")))),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "tools",
        count: 200,
        make: |n| {
            completed(
                "",
                &format!(
                    ",\"tools\":[{}]",
                    list(n, |at| format!(
                        r#"{{"type":"function","name":"f{at}","description":null,"parameters":{{"type":"object"}},"strict":null}}"#
                    ))
                ),
            )
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "keys",
        count: 2_000,
        make: |n| holding(&format!("{{{}}}", list(n, |at| format!("\"k{at}\":{at}")))),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "keys-repeated",
        count: 2_000,
        make: |n| holding(&format!("{{{}}}", list(n, |_| "\"k\":1".into()))),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "top-keys",
        count: 1_000,
        make: |n| {
            frame(&format!(
                r#"{{"type":"response.output_text.delta","sequence_number":0,{}}}"#,
                list(n, |at| format!("\"k{at}\":{at}"))
            ))
            .into_bytes()
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "item-keys",
        count: 1_000,
        make: |n| {
            completed(
                &format!(
                    r#"{{"type":"acme:item","id":"x","status":"completed",{}}}"#,
                    list(n, |at| format!("\"k{at}\":{at}"))
                ),
                "",
            )
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "item-keys-spaced",
        count: 500,
        make: |n| {
            let item = |space: &str| wide_item("acme:item", 0, n, space, "");
            let events = [frame(&item_event("added", 0, 0, &item(""))), frame(&item_event("done", 1, 0, &item("")))];
            [events.concat().into_bytes(), completed(&item(" "), "")].concat()
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "item-keys-backwards",
        count: 500,
        make: |n| {
            let item = |order: &dyn Fn(usize) -> usize| {
                let members = list(n, |at| format!(r#""k{0:05}":{0}"#, order(at)));
                format!(r#"{{"type":"acme:item","id":"x","status":"completed",{members}}}"#)
            };
            let done = frame(&item_event("done", 1, 0, &item(&|at| at)));
            [done.into_bytes(), completed(&item(&|at| n - 1 - at), "")].concat()
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "item-keys-arguments",
        count: 500,
        make: |n| {
            let arguments = list(n, |at| format!(r#""arguments":"{at}""#));
            let item = format!(r#"{{"type":"function_call","id":"c0","call_id":"k0","name":"f",{arguments}}}"#);
            let events = [item_event("added", 0, 0, &item), argument(1, 0, "x"), item_event("done", 2, 0, &item)];
            [frames(3, |at| events[at].clone()), completed(&item, "")].concat()
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "item-keys-two-parts",
        count: 500,
        make: |n| {
            let item = wide_item("message", 0, n, "", r#","content":[]"#);
            frames(n, |at| if at == 0 { item_event("added", 0, 0, &item) } else { delta(at, 0, at % 2, "x") })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "item-keys-five-parts",
        count: 500,
        make: |n| {
            let item = wide_item("message", 0, n, "", r#","content":[]"#);
            frames(n, |at| if at == 0 { item_event("added", 0, 0, &item) } else { delta(at, 0, scattered(at, 5), "x") })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "part-keys-two-parts",
        count: 500,
        make: |n| {
            let part = wide_item("output_text", 0, n, "", r#","text":"","annotations":[]"#);
            let added = |at: usize| {
                format!(
                    r#"{{"type":"response.content_part.added","sequence_number":{at},"item_id":"m0","output_index":0,"content_index":{at},"part":{part}}}"#
                )
            };
            frames(n, |at| if at < 2 { added(at) } else { delta(at, 0, at % 2, "x") })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "part-keys-added-again",
        count: 500,
        make: |n| {
            let part = wide_item("output_text", 0, n, "", r#","text":"xyz""#);
            let added = |at: usize, part: &str| {
                format!(
                    r#"{{"type":"response.content_part.added","sequence_number":{at},"item_id":"m0","output_index":0,"content_index":0,"part":{part}}}"#
                )
            };
            frames(n, |at| added(at, if at == 0 { &part } else { r#"{"type":"output_text","text":"x"}"# }))
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "part-keys-annotations",
        count: 500,
        make: |n| {
            let part = wide_item("output_text", 0, n, "", r#","text":"","annotations":[]"#);
            frames(n, |at| match at {
                0 => format!(
                    r#"{{"type":"response.content_part.added","sequence_number":0,"item_id":"m0","output_index":0,"content_index":0,"part":{part}}}"#
                ),
                _ => format!(
                    r#"{{"type":"response.output_text.annotation.added","sequence_number":{at},"item_id":"m0","output_index":0,"content_index":0,"annotation_index":{},"annotation":{{"type":"url_citation","url":"u","title":"t","start_index":0,"end_index":0}}}}"#,
                    at - 1
                ),
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "item-keys-states",
        count: 500,
        make: |n| {
            let item = wide_item("web_search_call", 0, n, "", "");
            frames(n, |at| match at {
                0 => item_event("added", 0, 0, &item),
                _ => format!(
                    r#"{{"type":"response.web_search_call.searching","sequence_number":{at},"item_id":"m0","output_index":0}}"#
                ),
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "item-keys-done-arguments",
        count: 500,
        make: |n| {
            let item = wide_item("function_call", 0, n, "", r#","arguments":"","name":"""#);
            frames(n, |at| match at {
                0 => item_event("added", 0, 0, &item),
                _ => format!(
                    r#"{{"type":"response.function_call_arguments.done","sequence_number":{at},"item_id":"m0","output_index":0,"arguments":"{at}"}}"#
                ),
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "output-keys-shell",
        count: 500,
        make: |n| {
            let entry = wide_item("x", 0, n, "", r#","stdout":"","stderr":"""#);
            frames(n, |at| match at {
                0 => format!(
                    r#"{{"type":"response.shell_call_output_content.done","sequence_number":0,"output_index":0,"command_index":0,"output":[{entry}]}}"#
                ),
                _ => format!(
                    r#"{{"type":"response.shell_call_output_content.delta","sequence_number":{at},"output_index":0,"command_index":0,"delta":{{"stdout":"a","stderr":"b"}}}}"#
                ),
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "mixed-items",
        // Items that come in a scattered order, with member counts, part counts and part orders of their own.
        count: 200,
        make: |n| {
            // One item has as many members as there are items, the others have up to 64.
            let keys = |item: usize| if item == 3 { n } else { scattered(item * 7 + 1, 64) };
            let parts = |item: usize| 1 + scattered(item * 13 + 5, 9);
            let wide = |at: usize| {
                let item = at * 127 % n;
                item_event("added", at, item, &wide_item("message", item, keys(item), "", r#","content":[]"#))
            };
            let grown = |at: usize| {
                let item = scattered(at, n);
                delta(at, item, scattered(at * 3, parts(item)), "x")
            };
            frames(8 * n, |at| if at < n { wide(at) } else { grown(at) })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "rate-limit-headers",
        count: 500,
        make: |n| {
            frames(n, |at| {
                format!(
                    r#"{{"type":"error","sequence_number":{at},"error":{{"type":"server_error","code":"c","message":"m","headers":{{"x-ratelimit-{at}":"1"}}}}}}"#
                )
            })
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "items-by-position",
        count: 400,
        make: |n| frames(n, |at| delta(at, n - 1 - at, 0, "x")),
        method: ReadPath::Items,
    },
    Shape {
        name: "items-scattered",
        count: 512,
        make: |n| frames(n, |at| delta(at, at * 129 % n, 0, "x")),
        method: ReadPath::Items,
    },
    Shape {
        name: "writer-set",
        count: 500,
        make: |n| {
            let set = (0..n).map(|at| format!("{{\"do\":\"set\",\"item\":0,\"key\":\"acme:k{at}\",\"value\":{at}}}\n"));
            [
                "{\"do\":\"message\"}\n".to_owned(),
                set.collect(),
                "{\"do\":\"text\",\"item\":0,\"text\":\"x\"}\n".to_owned(),
            ]
            .concat()
            .into_bytes()
        },
        method: ReadPath::Writer,
    },
    Shape {
        name: "writer-set-field",
        count: 500,
        make: |n| {
            let set = |at: usize| format!("{{\"do\":\"set_field\",\"key\":\"acme:k{at}\",\"value\":{at}}}\n");
            (0..n).map(set).collect::<String>().into_bytes()
        },
        method: ReadPath::Writer,
    },
    Shape {
        name: "writer-set-on-part",
        count: 500,
        make: |n| {
            let set = (0..n)
                .map(|at| format!("{{\"do\":\"set_on_part\",\"item\":0,\"key\":\"acme:k{at}\",\"value\":{at}}}\n"));
            ["{\"do\":\"message\"}\n{\"do\":\"text\",\"item\":0,\"text\":\"x\"}\n".to_owned(), set.collect()]
                .concat()
                .into_bytes()
        },
        method: ReadPath::Writer,
    },
    Shape {
        name: "writer-items",
        count: 300,
        make: |n| {
            let intents = |at: usize| {
                format!("{{\"do\":\"message\"}}\n{{\"do\":\"text\",\"item\":{at},\"text\":\"x\"}}\n{{\"do\":\"close\",\"item\":{at}}}\n")
            };
            (0..n).map(intents).collect::<String>().into_bytes()
        },
        method: ReadPath::Writer,
    },
    Shape {
        name: "response-keys",
        count: 1_000,
        // As long as `output` and `status`: keys of other lengths are rejected without a comparison.
        make: |n| completed("", &format!(",{}", list(n, |at| format!("\"k{at:05}\":{at}")))),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "response-keys-twice",
        count: 500,
        make: |n| completed("", &format!(",{}", list(n, |at| format!("\"k{at:05}\":{at}")))).repeat(2),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "nesting",
        count: 20_000,
        make: |n| holding(&("[".repeat(n) + &"]".repeat(n))),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "nesting-at-the-limit",
        count: 40,
        make: |n| holding(&format!("[{}]", list(n, |_| "[".repeat(120) + &"]".repeat(120)))),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "nesting-in-items",
        count: 40,
        make: |n| {
            let nested = "[".repeat(120) + &"]".repeat(120);
            completed(
                &list(n, |at| format!(r#"{{"type":"acme:i","id":"i{at}","status":"completed","x":{nested}}}"#)),
                "",
            )
        },
        method: ReadPath::Reader(16 << 10),
    },
    Shape { name: "digits", count: 20_000, make: |n| holding(&"9".repeat(n)), method: ReadPath::Reader(16 << 10) },
    Shape {
        name: "escapes",
        count: 5_000,
        make: |n| frame(&delta(0, 0, 0, &"\\u00e9\\n".repeat(n))).into_bytes(),
        method: ReadPath::Reader(16 << 10),
    },
    Shape {
        name: "growing-text",
        count: 4_000,
        make: |n| format!("{{\"a\":\"{}\"}}", "y".repeat(n)).into_bytes(),
        method: ReadPath::Partial,
    },
    Shape {
        name: "growing-list",
        count: 2_000,
        make: |n| format!("[{}]", list(n, |_| "1".into())).into_bytes(),
        method: ReadPath::Partial,
    },
    Shape {
        name: "growing-object",
        count: 500,
        make: |n| format!("{{{}}}", list(n, |at| format!("\"k{at}\":[{{\"a\":1}}]"))).into_bytes(),
        method: ReadPath::Partial,
    },
    Shape { name: "growing-number", count: 4_000, make: |n| "9".repeat(n).into_bytes(), method: ReadPath::Partial },
    Shape {
        name: "chat-calls-backwards",
        count: 300,
        make: |n| {
            frames(n, |at| {
                format!(
                    r#"{{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":{},"id":"k{at}","type":"function","function":{{"name":"f","arguments":"x"}}}}]}},"finish_reason":null}}]}}"#,
                    n - at
                )
            })
        },
        method: ReadPath::Adapter("chat-completions"),
    },
    Shape {
        name: "anthropic-blocks",
        count: 300,
        make: |n| {
            frames(2 * n, |at| match at % 2 {
                0 => format!(
                    r#"{{"type":"content_block_start","index":{at},"content_block":{{"type":"text","text":""}}}}"#
                ),
                _ => format!(
                    r#"{{"type":"content_block_delta","index":{},"delta":{{"type":"text_delta","text":"x"}}}}"#,
                    at - 1
                ),
            })
        },
        method: ReadPath::Adapter("anthropic"),
    },
    Shape {
        name: "gemini-parts",
        count: 300,
        make: |n| {
            frames(n, |at| {
                format!(
                    r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{{"name":"f","args":{{"a":{at}}}}}}}],"role":"model"}},"index":0}}]}}"#
                )
            })
        },
        method: ReadPath::Adapter("gemini"),
    },
];

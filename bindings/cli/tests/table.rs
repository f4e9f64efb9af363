//! `table` and `stats`: every input form, every format, and inputs that are damaged.
#![cfg(feature = "table")]

mod common;

use std::path::{Path, PathBuf};

use common::{deltafold, run, run_command, Done, Folder};
use serde_json::{json, Value};

const CHAT: &str = "data: {\"id\":\"chatcmpl-1\",\"model\":\"m-2\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi, \\\"you\\\"\\n\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn in_root(arguments: &[&str]) -> Done {
    run_command(deltafold().args(arguments).current_dir(root()), b"")
}

fn rows(done: &Done) -> Vec<Value> {
    done.output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

fn tour() -> String {
    std::fs::read_to_string(root().join("examples/streams/tour.sse")).unwrap()
}

#[test]
fn a_folder_is_a_row_per_file_in_the_order_of_their_names() {
    let done = in_root(&["table", "--columns", "dialect,outcome", "examples/streams/dialects"]);
    assert_eq!((done.code, done.errors.as_str()), (0, ""));
    let rows = rows(&done);
    let files: Vec<_> = rows.iter().map(|row| row["file"].as_str().unwrap()).collect();
    assert!(files.is_sorted() && files.len() >= 9, "{files:?}");
    assert_eq!(
        rows[0],
        json!({"file": "examples/streams/dialects/anthropic.sse", "entry": null, "outcome": "completed", "dialect": "anthropic"})
    );
    assert_eq!(rows[0].as_object().unwrap().keys().collect::<Vec<_>>(), ["file", "entry", "outcome", "dialect"]);
    assert!(rows.iter().all(|row| row["outcome"] == "completed"), "{rows:?}");

    let folder = Folder::new("table-folder");
    std::fs::create_dir_all(folder.path().join("b/c")).unwrap();
    for name in ["z.sse", "b/c/a.sse", "b/a.sse", ".hidden"] {
        folder.file(name, CHAT.as_bytes());
    }
    let found = run_command(deltafold().args(["table", "--columns", "model", "."]).current_dir(folder.path()), b"");
    let files: Vec<_> = self::rows(&found).iter().map(|row| row["file"].as_str().unwrap().replace('\\', "/")).collect();
    assert_eq!(files, ["./b/a.sse", "./b/c/a.sse", "./z.sse"]);
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let empty = run(&["table", folder.path().join("empty").to_str().unwrap()], b"");
    assert_eq!((empty.code, empty.output.as_str()), (2, ""), "{}", empty.errors);
}

#[test]
fn a_log_is_a_row_per_line() {
    let lines = [
        json!({"id": 1, "body": CHAT}),
        json!({"id": 2, "response_body": tour()}),
        json!({"id": 3, "body": [&CHAT[..40], &CHAT[40..]]}),
        json!({"id": 4, "body": {"error": {"message": "no", "type": "server_error"}}}),
        json!({"id": 5}),
    ];
    let mut log: String = lines.iter().map(|line| format!("{line}\n")).collect();
    log.push_str("\nnot JSON\r\n");
    log.push_str(&json!({"body": CHAT}).to_string());
    let done = run(&["table", "--columns", "model,outcome"], log.as_bytes());
    let rows = rows(&done);
    let found: Vec<_> = rows
        .iter()
        .map(|row| (row["entry"].as_u64().unwrap(), row["model"].as_str(), row["outcome"].as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (1, Some("m-2"), Some("completed")),
            (2, Some("example-1"), Some("completed")),
            (3, Some("m-2"), Some("completed")),
            (4, None, Some("failed")),
            (5, None, None),
            (7, None, None),
            (8, Some("m-2"), Some("completed")),
        ]
    );
    assert_eq!(done.code, 1);
    assert!(
        done.errors.contains("2 lines have no field body or response_body, the first is line 5"),
        "{}",
        done.errors
    );

    let nested = json!({"response": {"raw": CHAT}, "text": tour()}).to_string() + "\n";
    for (field, model) in [("/response/raw", "m-2"), ("text", "example-1")] {
        let done = run(&["table", "--body", field, "--columns", "model"], nested.as_bytes());
        assert_eq!((done.code, self::rows(&done)[0]["model"].as_str()), (0, Some(model)), "{field}");
    }
    // Without a body in its first line, a file is a capture: here the transcript of a WebSocket.
    let transcript: String =
        tour().lines().filter_map(|line| line.strip_prefix("data: {")).map(|line| format!("{{{line}\n")).collect();
    let done = run(&["table", "--columns", "model,outcome"], transcript.as_bytes());
    assert_eq!(
        self::rows(&done),
        [json!({"file": "stdin", "entry": null, "outcome": "completed", "model": "example-1"})]
    );
}

#[test]
fn a_har_file_is_a_row_per_stream() {
    let entry = |kind: &str, content: Value| json!({"response": {"content": {"mimeType": kind, "text": content}}});
    let mut encoded = entry("text/event-stream; charset=utf-8", json!("ZGF0YTogW0RPTkVdCgo="));
    encoded["response"]["content"]["encoding"] = json!("base64");
    let entries = json!([
        entry("text/html", json!("<html>")),
        entry("text/event-stream", json!(CHAT)),
        entry("application/json", json!("{\"choices\":[]}")),
        entry("text/plain", json!(tour())),
        encoded,
        entry("text/event-stream", json!(null)),
        {"request": {}},
    ]);
    let archive = json!({"log": {"version": "1.2", "entries": entries}}).to_string();
    let folder = Folder::new("table-har");
    let named = folder.file("session.har", format!("\u{feff}{archive}").as_bytes());
    for (file, input) in [(named.to_str().unwrap(), ""), ("-", archive.as_str())] {
        let done = run(&["table", "--columns", "model,bytes", file], input.as_bytes());
        let found: Vec<_> = rows(&done)
            .iter()
            .map(|row| {
                (row["entry"].as_u64().unwrap(), row["model"].as_str().map(str::to_owned), row["bytes"].as_u64())
            })
            .collect();
        let expected = [
            (2, Some("m-2".to_owned()), Some(CHAT.len() as u64)),
            (4, Some("example-1".to_owned()), Some(tour().len() as u64)),
            (5, None, Some(14)),
            (6, None, None),
        ];
        assert_eq!(found, expected, "{file}");
        assert_eq!(done.code, 1);
        assert!(done.errors.contains("entry 6 has no content"), "{}", done.errors);
    }
    for damaged in ["{}", "[", "{\"log\":{\"entries\":3}}"] {
        let file = folder.file("damaged.har", damaged.as_bytes());
        let done = run(&["table", file.to_str().unwrap(), named.to_str().unwrap()], b"");
        assert_eq!((done.code, rows(&done).len()), (1, 4), "the other file is read");
        assert!(done.errors.contains("not a HAR file"), "{}", done.errors);
    }
}

#[test]
fn csv_has_the_values_of_json_lines() {
    let folder = Folder::new("table-csv");
    let log = folder.file("log.jsonl", format!("{}\n{}\n", json!({"body": CHAT}), json!({"body": tour()})).as_bytes());
    let log = log.to_str().unwrap();
    let columns = ["--columns", "output_text,refusal,usage,events"];
    let csv = run(&[&["table", "--format", "csv", log], &columns[..]].concat(), b"").output;
    assert!(csv.starts_with("file,entry,output_text,refusal,usage,events\n"), "{csv}");
    let rows = rows(&run(&[&["table", log], &columns[..]].concat(), b""));
    // The text of the first row has a line feed.
    let first = csv.lines().skip(1).take(2).collect::<Vec<_>>().join("\n");
    assert_eq!(first, format!("{log},1,\"Hi, \"\"you\"\"\n\",,,{}", rows[0]["events"]));
    let second = csv.lines().last().unwrap();
    assert!(second.contains(&rows[1]["usage"].to_string().replace('"', "\"\"")), "{second}");
    assert!(second.ends_with(&format!(",{}", rows[1]["events"])), "{second}");
    assert_eq!(rows[0]["output_text"], "Hi, \"you\"\n");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_and_arrow_have_the_rows_of_json_lines() {
    use arrow_array::cast::AsArray;
    use arrow_array::{Array, RecordBatch};

    let folder = Folder::new("table-parquet");
    let streams = root().join("examples/streams");
    let streams = streams.to_str().unwrap();
    let expected = rows(&run(&["table", streams], b""));
    let read_text = |batches: &[RecordBatch], name: &str| -> Vec<Option<String>> {
        let columns = batches.iter().map(|batch| batch.column_by_name(name).unwrap().as_string::<i32>().clone());
        columns.flat_map(|column| column.iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>()).collect()
    };
    for name in ["rows.parquet", "rows.arrow"] {
        let file = folder.path().join(name);
        let done = run(&["table", streams, "-o", file.to_str().unwrap()], b"");
        assert_eq!((done.code, done.output.as_str(), done.errors.as_str()), (0, "", ""));
        let opened = std::fs::File::open(&file).unwrap();
        let batches: Vec<RecordBatch> = if name.ends_with("parquet") {
            let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(opened).unwrap();
            reader.build().unwrap().map(Result::unwrap).collect()
        } else {
            arrow_ipc::reader::FileReader::try_new(opened, None).unwrap().map(Result::unwrap).collect()
        };
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), expected.len());
        for column in ["file", "outcome", "dialect", "model", "output_text"] {
            let found = read_text(&batches, column);
            let same: Vec<_> = expected.iter().map(|row| row[column].as_str().map(str::to_owned)).collect();
            assert_eq!(found, same, "{name}: {column}");
        }
        let calls: Vec<usize> = batches
            .iter()
            .flat_map(|batch| {
                let calls = batch.column_by_name("tool_calls").unwrap().as_list::<i32>().clone();
                (0..calls.len()).map(|at| calls.value(at).len()).collect::<Vec<_>>()
            })
            .collect();
        assert_eq!(calls, expected.iter().map(|row| row["tool_calls"].as_array().unwrap().len()).collect::<Vec<_>>());
        assert!(!folder.path().join(format!("{name}.partial")).exists());
    }
}

#[test]
fn the_table_does_not_depend_on_the_number_of_threads() {
    let one = in_root(&["table", "--jobs", "1", "examples/streams"]);
    assert_eq!(one.code, 0);
    for jobs in ["2", "7"] {
        assert_eq!(in_root(&["table", "--jobs", jobs, "examples/streams"]).output, one.output);
    }
}

#[test]
fn wrong_arguments_are_exit_2_and_write_nothing() {
    let folder = Folder::new("table-wrong");
    let odd = folder.path().join("rows.txt");
    for (arguments, message) in [
        (vec!["table", "-o", odd.to_str().unwrap(), "-"], "name it with --format"),
        (vec!["table", "-o", "/no/such/folder/rows.csv", "-"], "cannot write"),
        (vec!["table", "--columns", "models", "-"], "possible values"),
        (vec!["table", "--from", "morse", "-"], "morse"),
        (vec!["stats", "--top", "0", "-"], "above 0"),
    ] {
        let done = run(&arguments, b"");
        assert_eq!((done.code, done.output.as_str()), (2, ""), "{arguments:?}");
        assert!(done.errors.contains(message), "{arguments:?}: {}", done.errors);
    }
    // A file that is missing is reported, and the others are read.
    let good = folder.file("good.sse", CHAT.as_bytes());
    let table = folder.path().join("rows.jsonl");
    let done = run(&["table", "no such file", good.to_str().unwrap(), "-o", table.to_str().unwrap()], b"");
    assert_eq!(done.code, 1);
    assert!(done.errors.contains("no such file"), "{}", done.errors);
    assert_eq!(std::fs::read_to_string(&table).unwrap().lines().count(), 1);
    let binary = run(&["table", "--format", "csv", "-"], b"\xff\xfe\0");
    assert_eq!((binary.code, binary.output.lines().count()), (0, 2));
}

#[test]
fn stats_are_the_sums_of_the_table() {
    let table = rows(&in_root(&["table", "examples/streams"]));
    let done = in_root(&["stats", "--format", "json", "examples/streams"]);
    assert_eq!(done.code, 0);
    let stats: Value = serde_json::from_str(&done.output).unwrap();
    let sum = |value: fn(&Value) -> Option<u64>| table.iter().filter_map(value).sum::<u64>();
    assert_eq!(stats["captures"], table.len());
    assert_eq!(stats["bytes"], sum(|row| row["bytes"].as_u64()));
    assert_eq!(stats["events"], sum(|row| row["events"].as_u64()));
    assert_eq!(stats["tokens"]["total_tokens"]["sum"], sum(|row| row["usage"]["total_tokens"].as_u64()));
    assert_eq!(
        stats["tokens"]["output_tokens"]["captures"],
        sum(|row| row["usage"]["output_tokens"].as_u64().map(|_| 1))
    );
    assert_eq!(stats["outcomes"]["completed"], table.iter().filter(|row| row["outcome"] == "completed").count());
    assert_eq!(
        stats["models"]["example-1"]["captures"],
        table.iter().filter(|row| row["model"] == "example-1").count()
    );
    let calls = table.iter().map(|row| row["tool_calls"].as_array().unwrap().len() as u64).sum::<u64>();
    assert_eq!(
        stats["tool_calls"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum::<u64>(),
        calls
    );
    let findings = table.iter().map(|row| row["findings"].as_array().unwrap().len() as u64).sum::<u64>();
    let counted =
        stats["findings"].as_object().unwrap().values().map(|rule| rule["findings"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(counted, findings);
    assert!(findings > 0 && calls > 0);

    let text = in_root(&["stats", "--top", "2", "examples/streams"]).output;
    for title in ["outcomes", "dialects", "models", "tokens", "tool calls", "findings"] {
        assert!(text.lines().any(|line| line == title), "{title}: {text}");
    }
    assert!(text.contains('█') && text.contains("more: --top"), "{text}");
    let none = run(&["stats"], b"{\"body\":null}\n");
    assert_eq!(none.code, 0, "a line without a body is a capture that is no stream");
    let without = run(&["stats", "--body", "body", "--format", "json"], b"{\"body\":null}\n");
    assert_eq!(
        (without.code, serde_json::from_str::<Value>(&without.output).unwrap()["without_body"].as_u64()),
        (1, Some(1))
    );
}

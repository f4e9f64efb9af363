//! The operations over columns, compared with one reader per body.

mod common;

use std::ops::ControlFlow;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, Int64Array, LargeBinaryArray, LargeStringArray,
    NullArray, StringArray, StringViewArray, StructArray,
};
use arrow_schema::DataType;
use common::{row, rows, HOSTILE};
use deltafold::adapter::{ConverterOptions, Dialect};
use deltafold_arrow::{Batch, BatchError, FoldColumn, Progress};
use deltafold_tests::recordings;
use serde_json::json;

const HELLO: &str = "data: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"resp_1\",\"object\":\"response\",\
\"created_at\":1767225600,\"status\":\"in_progress\",\"model\":\"m-1\",\"output\":[]}}\n\n\
data: {\"type\":\"response.output_text.delta\",\"sequence_number\":1,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hello\"}\n\n";

const CHAT: &str = "data: {\"id\":\"chatcmpl-1\",\"model\":\"m-2\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn all_columns() -> Batch {
    Batch::fold(FoldColumn::ALL)
}

fn recorded() -> Vec<(String, Vec<u8>)> {
    ["responses", "responses-json", "chat-completions", "anthropic", "gemini"]
        .into_iter()
        .flat_map(|folder| recordings("the batch of recordings", folder))
        .map(|recording| (recording.file.clone(), recording.bytes()))
        .collect()
}

#[test]
fn a_row_has_the_response_that_a_reader_builds() {
    let result = all_columns().run_to_array(&StringArray::from(vec![HELLO])).unwrap();
    let row = row(&result, 0);
    assert_eq!(row["outcome"], "truncated");
    assert_eq!(row["dialect"], "open-responses");
    assert_eq!(row["response_id"], "resp_1");
    assert_eq!(row["model"], "m-1");
    assert_eq!(row["created_at"], 1_767_225_600);
    assert_eq!(row["status"], "failed", "no terminal event arrived");
    assert_eq!(row["output_text"], "Hello");
    assert_eq!(row["reasoning_text"], json!(null));
    assert_eq!(row["refusal"], json!(null));
    assert_eq!(row["tool_calls"], json!([]));
    assert_eq!(row["usage"], json!(null));
    assert_eq!(row["error"], json!(null));
    assert_eq!(row["events"], 2);
    assert_eq!(row["bytes"], HELLO.len());
    let finding = row["findings"].as_array().unwrap().iter().find(|finding| finding["event_index"] == 1).unwrap();
    assert_eq!((&finding["rule"], &finding["path"]), (&json!("ITEM-03"), &json!("")), "{finding}");
    let response: serde_json::Value = serde_json::from_str(row["response"].as_str().unwrap()).unwrap();
    assert_eq!(response["output"][0]["content"][0]["text"], "Hello");
}

#[test]
fn only_the_columns_that_are_named_are_in_the_result_in_their_order() {
    let batch = Batch::fold(&[FoldColumn::Model, FoldColumn::Outcome]);
    let result = batch.run_to_array(&StringArray::from(vec![HELLO])).unwrap();
    let names: Vec<_> = result.as_struct().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["outcome", "model"]);
    assert_eq!(result.data_type(), &batch.data_type());
    assert!(!FoldColumn::defaults().contains(&FoldColumn::Response));
    for column in FoldColumn::ALL {
        assert_eq!(column.name().parse::<FoldColumn>().unwrap(), *column);
    }
    assert!("models".parse::<FoldColumn>().unwrap_err().to_string().contains("known columns: outcome, dialect"));
}

#[test]
fn a_fold_without_columns_still_has_its_rows() {
    let bodies = StringArray::from(vec![Some(HELLO), None, Some(CHAT)]);
    let result = Batch::fold(&[]).run_to_array(&bodies).unwrap();
    assert_eq!((result.len(), result.null_count()), (3, 1));
}

#[test]
fn each_column_alone_equals_the_column_among_all_others() {
    let bodies: Vec<_> = recorded().into_iter().step_by(17).map(|(_, body)| body).collect();
    let mut bodies: Vec<Option<&[u8]>> = bodies.iter().map(|body| Some(body.as_slice())).collect();
    bodies.extend(HOSTILE.iter().map(|body| Some(*body)));
    let bodies = BinaryArray::from(bodies);
    let all = all_columns().run_to_array(&bodies).unwrap();
    for column in FoldColumn::ALL {
        let alone = Batch::fold(&[*column]).run_to_array(&bodies).unwrap();
        let among = all.as_struct().column_by_name(column.name()).unwrap();
        assert_eq!(alone.as_struct().column(0), among, "{}", column.name());
    }
}

#[test]
fn every_type_of_column_gives_the_same_rows() {
    let texts = vec![Some(HELLO), None, Some(CHAT), Some(""), Some("not a stream")];
    let bytes: Vec<Option<&[u8]>> = texts.iter().map(|text| text.map(str::as_bytes)).collect();
    let expected = all_columns().run_to_array(&StringArray::from(texts.clone())).unwrap();
    assert_eq!((expected.len(), expected.null_count()), (5, 1));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(LargeStringArray::from(texts.clone())),
        Arc::new(StringViewArray::from(texts.clone())),
        Arc::new(BinaryArray::from(bytes.clone())),
        Arc::new(LargeBinaryArray::from(bytes.clone())),
        Arc::new(BinaryViewArray::from(bytes)),
        Arc::new(texts.iter().copied().collect::<DictionaryArray<Int32Type>>()),
    ];
    for column in columns {
        let data_type = column.data_type();
        assert_eq!(&all_columns().run_to_array(&column).unwrap(), &expected, "{data_type}");
        let slice = column.slice(1, 3);
        assert_eq!(&all_columns().run_to_array(&slice).unwrap(), &expected.slice(1, 3), "{data_type}, sliced");
    }
}

#[test]
fn a_column_without_rows_or_without_values_has_a_result_of_the_same_length() {
    let operations = [
        all_columns(),
        Batch::fold(&[FoldColumn::Outcome]),
        Batch::events(),
        Batch::check(),
        Batch::convert(Dialect::Anthropic, ConverterOptions::default()).unwrap(),
    ];
    for batch in operations {
        for length in [0, 1, 70_000] {
            let columns: [ArrayRef; 2] = [
                Arc::new(NullArray::new(length)),
                Arc::new((0..length).map(|_| None::<&str>).collect::<StringArray>()),
            ];
            for column in columns {
                let result = batch.run_to_array(&column).unwrap();
                assert_eq!(result.data_type(), &batch.data_type());
                assert_eq!((result.len(), result.null_count()), (length, length));
            }
        }
    }
}

#[test]
fn a_column_of_another_type_is_an_error_that_names_it() {
    let numbers = Int64Array::from(vec![1, 2]);
    let error = all_columns().run(&numbers).unwrap_err();
    assert!(matches!(error, BatchError::BodyType(DataType::Int64)));
    assert!(error.to_string().ends_with("found Int64"), "{error}");
    let table = StructArray::from(vec![(
        Arc::new(arrow_schema::Field::new("body", DataType::Utf8, true)),
        Arc::new(StringArray::from(vec![HELLO])) as ArrayRef,
    )]);
    assert!(all_columns().run(&table).unwrap_err().to_string().contains("found a table or a struct"));
    let bodies = StringArray::from(vec![HELLO, CHAT]);
    let error = all_columns().run_with(&bodies, Some(&numbers), None).unwrap_err();
    assert!(matches!(error, BatchError::DialectType(DataType::Int64)), "{error}");
    let error = all_columns().run_with(&bodies, Some(&StringArray::from(vec!["auto"])), None).unwrap_err();
    assert!(matches!(error, BatchError::Length { bodies: 2, dialects: 1 }), "{error}");
}

#[test]
fn the_dialect_comes_from_the_second_column_then_the_argument_then_the_body() {
    // Mistral looks like Chat Completions: only a caller can name it.
    let bodies = StringArray::from(vec![Some(CHAT), Some(CHAT), Some(CHAT), Some(CHAT), Some(HELLO), None]);
    let dialects =
        StringArray::from(vec![Some("mistral"), None, Some("auto"), Some("morse"), Some("anthropic"), Some("morse")]);
    let batch = Batch::fold(FoldColumn::ALL);
    let result = batch.run_with(&bodies, Some(&dialects), None).unwrap();
    let result = batch.join(&result).unwrap();
    let names = rows(&result).iter().map(|row| row["dialect"].clone()).collect::<Vec<_>>();
    assert_eq!(
        names,
        [
            json!("mistral"),
            json!("chat-completions"),
            json!("chat-completions"),
            json!(null),
            json!("anthropic"),
            json!(null)
        ]
    );
    let unknown = row(&result, 3);
    assert_eq!((&unknown["outcome"], &unknown["events"]), (&json!("truncated"), &json!(0)));
    assert_eq!(unknown["findings"][0]["rule"], "misuse.unknown_name");
    assert_eq!(unknown["findings"][0]["severity"], "error");
    assert!(result.is_null(5));
    let batch = Batch::fold(&[FoldColumn::Dialect]).dialect(Some(Dialect::Mistral));
    let result = batch.run_with(&bodies, Some(&dialects), None).unwrap();
    assert_eq!(row(&batch.join(&result).unwrap(), 1)["dialect"], "mistral");
}

#[test]
fn all_recordings_have_the_response_of_a_single_reader() {
    let recorded = recorded();
    let bodies = BinaryArray::from_iter_values(recorded.iter().map(|(_, body)| body));
    let result = all_columns().run_to_array(&bodies).unwrap();
    for (at, (file, body)) in recorded.iter().enumerate() {
        common::assert_row_equals_reader(&row(&result, at), body, file);
    }
}

#[test]
fn hostile_bodies_have_an_outcome_and_harm_no_other_row() {
    let mut bodies: Vec<&[u8]> = Vec::new();
    for body in HOSTILE {
        bodies.extend([body, HELLO.as_bytes()]);
    }
    let result = all_columns().run_to_array(&BinaryArray::from(bodies.clone())).unwrap();
    let all = rows(&result);
    for (at, row) in all.iter().enumerate() {
        assert!(row["outcome"].is_string(), "{at}: {row}");
        if at % 2 == 1 {
            assert_eq!(row, &all[1], "the row after hostile body {}", at / 2);
        } else {
            common::assert_row_equals_reader(row, bodies[at], &format!("hostile body {}", at / 2));
        }
    }
    for batch in
        [Batch::events(), Batch::check(), Batch::convert(Dialect::Anthropic, ConverterOptions::default()).unwrap()]
    {
        assert_eq!(batch.run_to_array(&BinaryArray::from(bodies.clone())).unwrap().null_count(), 0);
    }
}

#[test]
fn a_row_above_a_limit_has_a_finding_and_the_next_row_is_read() {
    let long = HELLO.replace("Hello", &"x".repeat(5_000));
    let bodies = StringArray::from(vec![long.as_str(), HELLO, CHAT]);
    let batch = all_columns().reader_json(r#"{"limits":{"line_bytes":4000}}"#).unwrap();
    let result = batch.run_to_array(&bodies).unwrap();
    let above = row(&result, 0);
    assert_eq!(above["outcome"], "truncated");
    let last = above["findings"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["rule"], &last["severity"]), (&json!("limit.line"), &json!("error")));
    assert_eq!(above["response_id"], "resp_1", "data that was read before the limit is kept");
    assert_eq!(row(&result, 1)["output_text"], "Hello");
    assert_eq!(row(&result, 2)["output_text"], "Hi");
    assert_eq!(row(&result, 2)["outcome"], "completed");
    let checked =
        Batch::check().reader_json(r#"{"limits":{"line_bytes":4000}}"#).unwrap().run_to_array(&bodies).unwrap();
    assert!(row(&checked, 0)["errors"].as_i64().unwrap() >= 1);
}

#[test]
fn options_of_the_reader_are_checked_before_the_first_row() {
    for (json, part) in [
        ("{", "not JSON"),
        ("[]", "expected the options to be an object"),
        (r#"{"limit":{}}"#, "no option is called limit"),
        (r#"{"profile":"nobody"}"#, "known profiles"),
    ] {
        let error = all_columns().reader_json(json).unwrap_err().to_string();
        assert!(error.contains(part), "{json}: {error}");
    }
    let error = Batch::convert(Dialect::AgUi, ConverterOptions::default()).unwrap_err().to_string();
    assert!(error.contains("thread_id"), "{error}");
    assert!(Batch::convert(Dialect::Gemini, ConverterOptions::default()).is_err());
}

#[test]
fn a_strict_fold_ends_a_row_at_its_first_error() {
    let broken = "data: {\"type\":\"response.completed\",\"sequence_number\":1,\"response\":{}}\n\ndata: {]\n\n";
    let bodies = StringArray::from(vec![broken, HELLO]);
    let columns = [FoldColumn::Outcome, FoldColumn::Findings];
    let batch = Batch::fold(&columns).reader_json(r#"{"strict":true,"layers":"all"}"#).unwrap();
    let result = batch.run_to_array(&bodies).unwrap();
    let last = row(&result, 0)["findings"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["rule"], "strict.violation", "{last}");
}

#[test]
fn the_result_is_the_same_for_any_number_of_threads() {
    let recorded: Vec<_> = recorded().into_iter().step_by(7).collect();
    let bodies = BinaryArray::from_iter_values(
        recorded
            .iter()
            .map(|(_, body)| body.as_slice())
            .chain(HOSTILE.iter().copied())
            .chain([HELLO.as_bytes()].repeat(50)),
    );
    let run = |threads: usize| {
        let batch = all_columns().threads(std::num::NonZeroUsize::new(threads));
        batch.join(&batch.run(&bodies).unwrap()).unwrap()
    };
    let one = run(1);
    assert_eq!(one.len(), bodies.len());
    for threads in [2, 7] {
        assert_eq!(&run(threads), &one, "{threads} threads");
    }
}

#[test]
fn a_result_has_few_chunks_and_takes_no_more_memory_than_its_values() {
    // More ranges of rows than one, each far below the size of a chunk.
    let long = CHAT.replace("Hi", &"x".repeat(10_000));
    let bodies = StringArray::from(vec![long.as_str(); 200]);
    let result = all_columns().threads(std::num::NonZeroUsize::new(2)).run(&bodies).unwrap();
    assert_eq!(result.len(), 1);
    let values = result[0].to_data().get_slice_memory_size().unwrap();
    assert!(
        result[0].get_buffer_memory_size() <= values + values / 8,
        "{} for {values}",
        result[0].get_buffer_memory_size()
    );
}

#[test]
fn the_observer_sees_the_progress_and_can_stop_the_batch() {
    let bodies = StringArray::from(vec![HELLO; 100]);
    let mut seen = Vec::new();
    let mut observe = |progress: Progress| {
        seen.push(progress);
        ControlFlow::Continue(())
    };
    let batch = Batch::fold(&[FoldColumn::Outcome]);
    let result = batch.run_with(&bodies, None, Some(&mut observe)).unwrap();
    assert_eq!(result.iter().map(|chunk| chunk.len()).sum::<usize>(), 100);
    let bytes = 100 * HELLO.len() as u64;
    assert_eq!(seen.last(), Some(&Progress { rows_done: 100, rows: 100, bytes_done: bytes }));
    assert!(seen.windows(2).all(|pair| pair[0].rows_done <= pair[1].rows_done));
    let stopped = batch.run_with(&bodies, None, Some(&mut |_| ControlFlow::Break(())));
    assert!(matches!(stopped, Err(BatchError::Stopped)));
}

#[test]
fn events_are_listed_with_their_payload() {
    let bodies = StringArray::from(vec![Some(HELLO), None, Some("")]);
    let result = Batch::events().run_to_array(&bodies).unwrap();
    let events = rows(&result);
    assert_eq!(events[0].as_array().unwrap().len(), 2);
    let event = &events[0][1];
    assert_eq!(event["index"], 1);
    assert_eq!(event["type"], "response.output_text.delta");
    assert_eq!(event["sequence_number"], 1);
    assert_eq!(event["item_id"], "msg_1");
    assert_eq!((&event["output_index"], &event["content_index"]), (&json!(0), &json!(0)));
    assert_eq!(event["delta"], "Hello");
    let data: serde_json::Value = serde_json::from_str(event["data"].as_str().unwrap()).unwrap();
    assert_eq!(data["delta"], "Hello");
    assert_eq!(events[0][0]["delta"], json!(null));
    assert_eq!(events[1], json!(null));
    assert_eq!(events[2], json!([]));
    let starts = result.as_list::<i32>().offsets().to_vec();
    assert_eq!(starts, [0, 2, 2, 2]);
}

#[test]
fn a_transcript_of_json_messages_is_read_as_its_events() {
    // As a WebSocket or a log has them: the payloads of the events, one per line.
    let lines: Vec<&str> = HELLO.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
    let bodies = StringArray::from(vec![lines.join("\n"), lines.join("\r\n\r\n") + "\n", HELLO.to_owned()]);
    let columns = [FoldColumn::Outcome, FoldColumn::Dialect, FoldColumn::OutputText, FoldColumn::Events];
    let result = Batch::fold(&columns).run_to_array(&bodies).unwrap();
    let rows = rows(&result);
    assert_eq!(rows[0]["output_text"], "Hello");
    assert_eq!((&rows[0], &rows[1]), (&rows[2], &rows[2]));
}

#[test]
fn a_table_of_one_column_is_that_column_and_its_null_rows_are_null() {
    let bodies = Arc::new(StringArray::from(vec![Some(HELLO), None, Some(CHAT)])) as ArrayRef;
    let field = Arc::new(arrow_schema::Field::new("body", DataType::Utf8, true));
    let nulls = arrow_buffer::NullBuffer::from(vec![true, true, false]);
    let table = StructArray::new(vec![field.clone()].into(), vec![bodies.clone()], Some(nulls));
    let table = Arc::new(table) as ArrayRef;
    let column = deltafold_arrow::only_column(&table).unwrap();
    assert_eq!(column.nulls().unwrap().iter().collect::<Vec<_>>(), [true, false, false]);
    assert_eq!(deltafold_arrow::only_column(&table.slice(2, 1)).unwrap().null_count(), 1);
    assert_eq!(&deltafold_arrow::only_column(&bodies).unwrap(), &bodies);
    let two = StructArray::new(vec![field.clone(), field].into(), vec![bodies.clone(), bodies], None);
    assert!(!deltafold_arrow::is_body_type(two.data_type()));
    assert!(deltafold_arrow::is_body_type(table.data_type()) && !deltafold_arrow::is_body_type(&DataType::Int8));
    assert!(matches!(deltafold_arrow::only_column(&(Arc::new(two) as ArrayRef)), Err(BatchError::BodyType(_))));
}

#[test]
fn a_check_counts_and_lists_findings() {
    let result = Batch::check().run_to_array(&StringArray::from(vec![HELLO, CHAT])).unwrap();
    let row0 = row(&result, 0);
    let of = |severity: &str| {
        row0["findings"].as_array().unwrap().iter().filter(|finding| finding["severity"] == severity).count()
    };
    for (column, severity) in [("errors", "error"), ("warnings", "warning"), ("notes", "note")] {
        assert_eq!(row0[column].as_u64().unwrap() as usize, of(severity), "{column}");
    }
    assert!(of("error") > 0);
    let relaxed = Batch::check().reader_json(r#"{"layers":["framing"]}"#).unwrap();
    let relaxed = row(&relaxed.run_to_array(&StringArray::from(vec![HELLO])).unwrap(), 0);
    assert!(relaxed["errors"].as_u64() < row0["errors"].as_u64(), "{relaxed}");
    assert_eq!(row(&result, 1)["errors"], 0, "a converted stream is valid: {}", row(&result, 1));
}

#[test]
fn a_conversion_gives_the_bytes_of_a_converter() {
    let bodies = StringArray::from(vec![Some(CHAT), None, Some("?"), Some(HELLO)]);
    let batch = Batch::convert(Dialect::Anthropic, ConverterOptions::default()).unwrap();
    let result = batch.run_to_array(&bodies).unwrap();
    let converted = result.as_struct();
    let body = converted.column_by_name("body").unwrap().as_binary::<i32>();
    let options = ConverterOptions::default();
    let mut converter =
        deltafold::adapter::Converter::with_options(Some(Dialect::ChatCompletions), Dialect::Anthropic, options)
            .unwrap();
    converter.feed(CHAT.as_bytes()).unwrap();
    converter.finish().unwrap();
    assert_eq!(body.value(0), converter.take());
    assert!(String::from_utf8_lossy(body.value(0)).contains("\"text\":\"Hi\""));
    let first = row(&result, 0);
    assert_eq!(
        (&first["from"], &first["lost"], &first["error"]),
        (&json!("chat-completions"), &json!(0), &json!(null))
    );
    assert!(result.is_null(1));
    assert_eq!(row(&result, 2)["from"], "open-responses");
    assert!(converted.column_by_name("lost").unwrap().as_primitive::<Int64Type>().value(3) >= 0);
}

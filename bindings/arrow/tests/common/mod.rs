//! Rows as JSON, and bodies that are no streams.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use deltafold::adapter::{detect, Converter, Dialect};
use deltafold::json::Value as Json;
use deltafold::Reader;
use serde_json::{json, Map, Value};

/// Bodies that are damaged, empty, foreign or malicious.
pub(crate) const HOSTILE: &[&[u8]] = &[
    b"",
    b"\n\n\n",
    b"\0",
    b"\0\0\0\0\0\0\0\0\0\0\0\0",
    b"\xff\xfe\xfd",
    b"data: \xff\xff\n\n",
    b"data: {\n\n",
    b"data: {}\n\n",
    b"data: []\n\ndata: null\n\ndata: 3\n\n",
    b"data: [DONE]\n\n",
    b"data: {\"type\":\"response.completed\"}\n\n",
    b"data: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":-5,\"output_tokens\":\"x\"},\"output\":7}}\n\n",
    b"data: {\"type\":\"response.failed\",\"response\":{\"id\":7,\"model\":[],\"created_at\":1e300,\"error\":{\"code\":null}}}\n\n",
    b"data: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"overloaded\",\"sequence_number\":0}\n\n",
    b"data: {\"type\":\"response.output_text.delta\",\"output_index\":18446744073709551615,\"delta\":\"x\"}\n\n",
    b"data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"_call\",\"arguments\":{}}}\n\n",
    b"data: {\"type\":\"message_start\"",
    b"data: {\"type\":\"message_start\",\"message\":null}\n\n",
    b"data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: {\"type\":\"content_block_delta\",\"index\":9,\"delta\":{\"type\":\"text_delta\",\"text\":\"\\ud800\"}}\n\n",
    b"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":-1}]}}]}\n\n",
    b"data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{}}]}}]}\n\n",
    b"{\"error\":{\"message\":\"no\",\"type\":\"invalid_request_error\",\"code\":null}}",
    b"<!doctype html><title>502</title>",
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00",
    b"data: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\"}}\n\ndata: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"content_index\":0,\"delta\":\"cut",
];

/// A row as JSON: a struct is an object, a list an array.
pub(crate) fn row(array: &ArrayRef, at: usize) -> Value {
    if array.is_null(at) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Utf8 => json!(array.as_string::<i32>().value(at)),
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(at)),
        DataType::Binary => json!(array.as_binary::<i32>().value(at)),
        DataType::List(_) => Value::Array(rows(&array.as_list::<i32>().value(at))),
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(array.as_struct().columns());
            Value::Object(columns.map(|(field, column)| (field.name().clone(), row(column, at))).collect::<Map<_, _>>())
        }
        other => panic!("no column of the result has the type {other}"),
    }
}

/// All rows as JSON.
pub(crate) fn rows(array: &ArrayRef) -> Vec<Value> {
    (0..array.len()).map(|at| row(array, at)).collect()
}

/// Compares a row of a fold with the result of a converter and a reader that read the same bytes.
pub(crate) fn assert_row_equals_reader(row: &Value, body: &[u8], name: &str) {
    let is_json = body.first() == Some(&b'{');
    let whole = [body, b"\n\n"].concat();
    let dialect = match detect(&whole) {
        Some(Dialect::ChatCompletions | Dialect::Gemini) if is_json => Dialect::OpenResponses,
        found => found.unwrap_or(Dialect::OpenResponses),
    };
    assert_eq!(row["dialect"], dialect.name(), "{name}");
    let mut reader = Reader::new();
    let mut read = || -> Result<(), deltafold::Error> {
        if dialect == Dialect::OpenResponses {
            return reader.feed(body);
        }
        let options = r#"{"reasoning_events":"open_responses","extension_events":"events","turns":"first","response_id":"resp_unknown"}"#;
        let options = Json::parse(options, 8).unwrap();
        let mut converter = Converter::new(Some(dialect), Dialect::OpenResponses, &options)?;
        let result = converter.feed(body).and_then(|()| converter.finish());
        reader.feed(&converter.take())?;
        result
    };
    let fed = read();
    let outcome = reader.finish();
    let error = fed.err().or(outcome.clone().err());
    let findings = row["findings"].as_array().unwrap();
    match &error {
        Some(error) => assert_eq!(findings.last().unwrap()["rule"], error.code().name(), "{name}"),
        None => assert_eq!(row["outcome"], outcome.unwrap().name(), "{name}"),
    }
    let response = reader.response();
    let text = response.output_text();
    assert_eq!(row["output_text"].as_str().unwrap_or(""), text, "{name}");
    let is_converted = dialect != Dialect::OpenResponses;
    let model = response.model().filter(|model| !is_converted || *model != "unknown");
    assert_eq!(row["model"].as_str(), model, "{name}");
    let id = response.id().filter(|id| !is_converted || *id != "resp_unknown");
    assert_eq!(row["response_id"].as_str(), id, "{name}");
    assert_eq!(row["status"].as_str(), response.status_name(), "{name}");
    assert_eq!(row["events"].as_u64(), Some(reader.event_count()), "{name}");
    assert_eq!(row["bytes"].as_u64(), Some(body.len() as u64), "{name}");
    let calls: Vec<_> = response.items().filter(|item| item.wire_type() == Some("function_call")).collect();
    let rows: Vec<_> =
        row["tool_calls"].as_array().unwrap().iter().filter(|call| call["type"] == "function_call").collect();
    assert_eq!(rows.len(), calls.len(), "{name}");
    for (row, call) in rows.iter().zip(calls) {
        assert_eq!(row["name"].as_str(), call.name(), "{name}");
        assert_eq!(row["arguments"].as_str(), call.arguments(), "{name}");
        assert_eq!(row["call_id"].as_str(), call.call_id(), "{name}");
    }
    let reported = response.usage_value();
    assert_eq!(row["usage"].is_null(), reported.is_none(), "{name}");
    for key in ["input_tokens", "output_tokens", "total_tokens"] {
        let expected = reported.and_then(|usage| usage.get(key)).and_then(Json::as_i64);
        assert_eq!(row["usage"].get(key).and_then(Value::as_i64), expected, "{name}: {key}");
    }
    if let Some(json) = row["response"].as_str() {
        assert_eq!(json, response.to_json(), "{name}");
    } else {
        assert!(response.is_empty() && response.id().is_none(), "{name}");
    }
    if !is_converted {
        let expected: Vec<_> =
            reader.findings().iter().map(|finding| (finding.rule.id(), finding.message.clone())).collect();
        let reported = findings.iter().take(expected.len());
        let found: Vec<_> = reported
            .map(|finding| (finding["rule"].as_str().unwrap(), finding["message"].as_str().unwrap().to_owned()))
            .collect();
        assert_eq!(found, expected, "{name}");
    }
}

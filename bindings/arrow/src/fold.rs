//! The operation `fold`: one row per body, with the accumulated response.

use std::str::FromStr;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, FieldRef, Fields};
use deltafold::adapter::Dialect;
use deltafold::json::Value;
use deltafold::{Error, Failure, Item, ItemKind, Outcome, Response};

use crate::builders::{field, list_of, FindingsBuilder, ListRows, NumberBuilder, TextBuilder, Validity};
use crate::capture::{Capture, CaptureReader};
use crate::error::BatchError;
use crate::row::RowBuilder;

macro_rules! columns {
    ($($(#[$doc:meta])* $variant:ident = $name:literal;)*) => {
        /// A column of the result of [`Batch::fold`](crate::Batch::fold).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum FoldColumn { $($(#[$doc])* $variant,)* }

        impl FoldColumn {
            /// Every column, in the order of the result.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name of the column.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
        }
    };
}

columns! {
    /// How the stream ended: `completed`, `incomplete`, `failed`, `cancelled` or `truncated`.
    Outcome = "outcome";
    /// The dialect that was read.
    Dialect = "dialect";
    /// The id of the response; null if the stream has none.
    ResponseId = "response_id";
    /// The name of the model; null if the stream names none.
    Model = "model";
    /// When the response was created, in seconds since 1970.
    CreatedAt = "created_at";
    /// The status of the response, as on the wire; `failed` if no terminal event arrived.
    Status = "status";
    /// The text of all messages; null if there is none.
    OutputText = "output_text";
    /// The reasoning: the text of each reasoning item, or its summary if it has no text; null if there is none.
    ReasoningText = "reasoning_text";
    /// The refusal; null if there is none.
    Refusal = "refusal";
    /// The tool calls.
    ToolCalls = "tool_calls";
    /// Token counts; null where absent.
    Usage = "usage";
    /// The error of a failed response.
    Error = "error";
    /// The number of events; for another dialect, the events of the converted stream.
    Events = "events";
    /// The number of bytes in the body.
    Bytes = "bytes";
    /// Findings: broken rules, repairs, data that a conversion lost, and the error that ended reading.
    Findings = "findings";
    /// The whole response as JSON text. Only on request.
    Response = "response";
}

impl FoldColumn {
    /// The columns of a result if none are named: all but `response`.
    pub fn defaults() -> Vec<Self> {
        Self::ALL.iter().copied().filter(|column| *column != Self::Response).collect()
    }

    /// The type of the column.
    pub fn data_type(self) -> DataType {
        match self {
            Self::CreatedAt | Self::Events | Self::Bytes => DataType::Int64,
            Self::ToolCalls => list_of(DataType::Struct(ToolCallsBuilder::fields())),
            Self::Usage => DataType::Struct(UsageBuilder::fields()),
            Self::Error => DataType::Struct(FailureBuilder::fields()),
            Self::Findings => FindingsBuilder::data_type(),
            _ => DataType::Utf8,
        }
    }

    fn field(self) -> FieldRef {
        field(self.name(), self.data_type())
    }
}

impl FromStr for FoldColumn {
    type Err = BatchError;

    fn from_str(name: &str) -> Result<Self, BatchError> {
        let found = Self::ALL.iter().copied().find(|column| column.name() == name);
        found.ok_or_else(|| BatchError::UnknownColumn(name.to_owned()))
    }
}

/// The type of the result of a fold with these columns.
pub(crate) fn data_type(columns: &[FoldColumn]) -> DataType {
    DataType::Struct(columns.iter().map(|column| column.field()).collect())
}

/// Builds the requested columns.
pub(crate) struct FoldBuilder {
    reader: CaptureReader,
    columns: Vec<ColumnBuilder>,
    fields: Fields,
    validity: Validity,
    /// Reused for the JSON text of a response.
    json: String,
}

enum ColumnBuilder {
    Text(FoldColumn, TextBuilder),
    Number(FoldColumn, NumberBuilder),
    ToolCalls(Box<ToolCallsBuilder>),
    Usage(UsageBuilder),
    Failure(FailureBuilder),
    Findings(Box<FindingsBuilder>),
}

impl FoldBuilder {
    pub(crate) fn new(reader: CaptureReader, columns: &[FoldColumn]) -> Self {
        let fields = columns.iter().map(|column| column.field()).collect();
        let columns = columns
            .iter()
            .map(|column| match column {
                FoldColumn::CreatedAt | FoldColumn::Events | FoldColumn::Bytes => {
                    ColumnBuilder::Number(*column, NumberBuilder::default())
                }
                FoldColumn::ToolCalls => ColumnBuilder::ToolCalls(Box::default()),
                FoldColumn::Usage => ColumnBuilder::Usage(UsageBuilder::default()),
                FoldColumn::Error => ColumnBuilder::Failure(FailureBuilder::default()),
                FoldColumn::Findings => ColumnBuilder::Findings(Box::default()),
                _ => ColumnBuilder::Text(*column, TextBuilder::default()),
            })
            .collect();
        Self { reader, columns, fields, validity: Validity::default(), json: String::new() }
    }
}

impl RowBuilder for FoldBuilder {
    fn append(&mut self, body: &[u8], dialect: Option<Dialect>) {
        let capture = self.reader.read(body, dialect, &mut |_| ());
        let Self { reader, columns, json, .. } = self;
        let response = reader.reader().response();
        for column in columns {
            match column {
                ColumnBuilder::Text(column, texts) => append_text(*column, texts, &capture, reader, response, json),
                ColumnBuilder::Number(FoldColumn::CreatedAt, numbers) => numbers.append(created_at(&capture, response)),
                ColumnBuilder::Number(FoldColumn::Events, numbers) => {
                    numbers.append_count(Some(capture.events));
                }
                ColumnBuilder::Number(_, numbers) => numbers.append_count(Some(body.len() as u64)),
                ColumnBuilder::ToolCalls(calls) => calls.append(response),
                ColumnBuilder::Usage(usage) => usage.append(response.usage_value()),
                ColumnBuilder::Failure(failure) => failure.append(match &capture.outcome {
                    Outcome::Failed { error } => Some(error),
                    _ => None,
                }),
                ColumnBuilder::Findings(findings) => findings.append(&capture, reader.reader().findings()),
            }
        }
        self.validity.append(true);
    }

    fn append_null(&mut self) {
        self.columns.iter_mut().for_each(ColumnBuilder::append_null);
        self.validity.append(false);
    }

    fn append_unread(&mut self, body: &[u8], error: &Error) {
        for column in &mut self.columns {
            match column {
                ColumnBuilder::Text(FoldColumn::Outcome, texts) => texts.append(Some("truncated")),
                ColumnBuilder::Number(FoldColumn::Events, numbers) => numbers.append(Some(0)),
                ColumnBuilder::Number(FoldColumn::Bytes, numbers) => numbers.append_count(Some(body.len() as u64)),
                ColumnBuilder::Findings(findings) => findings.append_error(error),
                column => column.append_null(),
            }
        }
        self.validity.append(true);
    }

    fn bytes(&self) -> usize {
        self.columns.iter().map(ColumnBuilder::bytes).max().unwrap_or(0)
    }

    fn finish(&mut self) -> ArrayRef {
        let columns = self.columns.iter_mut().map(ColumnBuilder::finish).collect();
        self.validity.finish_struct(self.fields.clone(), columns)
    }
}

impl ColumnBuilder {
    fn append_null(&mut self) {
        match self {
            Self::Text(_, texts) => texts.append(None),
            Self::Number(_, numbers) => numbers.append(None),
            Self::ToolCalls(calls) => calls.rows.end_row(false),
            Self::Usage(usage) => usage.append(None),
            Self::Failure(failure) => failure.append(None),
            Self::Findings(findings) => findings.append_null(),
        }
    }

    /// Bytes of the largest text array; each array has room for 2 GiB.
    fn bytes(&self) -> usize {
        match self {
            Self::Text(_, texts) => texts.bytes(),
            Self::ToolCalls(calls) => calls.arguments.bytes(),
            Self::Findings(findings) => findings.bytes(),
            Self::Failure(failure) => failure.texts.iter().map(TextBuilder::bytes).max().unwrap_or(0),
            Self::Number(..) | Self::Usage(_) => 0,
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(_, texts) => texts.finish(),
            Self::Number(_, numbers) => numbers.finish(),
            Self::ToolCalls(calls) => calls.finish(),
            Self::Usage(usage) => usage.finish(),
            Self::Failure(failure) => failure.finish(),
            Self::Findings(findings) => findings.finish(),
        }
    }
}

fn append_text(
    column: FoldColumn,
    texts: &mut TextBuilder,
    capture: &Capture,
    reader: &CaptureReader,
    response: Response<'_>,
    json: &mut String,
) {
    match column {
        FoldColumn::Outcome => texts.append(Some(capture.outcome.name())),
        FoldColumn::Dialect => texts.append(Some(capture.dialect.name())),
        FoldColumn::ResponseId => texts.append(reader.response_id(capture.dialect)),
        FoldColumn::Model => texts.append(reader.model(capture.dialect)),
        FoldColumn::Status => texts.append(response.status_name()),
        FoldColumn::OutputText => texts.append_joined(message_texts(response, "output_text"), ""),
        FoldColumn::ReasoningText => {
            let items = response.items().filter(|item| item.kind() == ItemKind::Reasoning);
            texts.append_joined(items.flat_map(reasoning_texts), "\n\n");
        }
        FoldColumn::Refusal => texts.append_joined(message_texts(response, "refusal"), ""),
        _ => {
            json.clear();
            if !response.is_empty() || response.id().is_some() || response.status_name().is_some() {
                response.write_json(json);
            }
            texts.append(Some(json.as_str()).filter(|json| !json.is_empty()));
        }
    }
}

fn message_texts<'a>(response: Response<'a>, part_type: &'static str) -> impl Iterator<Item = &'a str> {
    let messages = response.items().filter(|item| item.kind() == ItemKind::Message);
    let parts = messages.flat_map(|item| item.parts());
    parts.filter(move |part| part.wire_type() == Some(part_type)).filter_map(|part| part.text())
}

/// The texts of a reasoning item: its content, or its summary if that has no text.
fn reasoning_texts<'a>(item: Item<'a>) -> impl Iterator<Item = &'a str> {
    let is_text = |text: &&str| !text.is_empty();
    let has_text = item.parts().filter_map(|part| part.text()).any(|text| !text.is_empty());
    let content = item.parts().filter_map(|part| part.text()).filter(move |_| has_text);
    let summary = item.summary().filter_map(|part| part.text()).filter(move |_| !has_text);
    content.chain(summary).filter(is_text)
}

fn created_at(capture: &Capture, response: Response<'_>) -> Option<i64> {
    let value = response.get("created_at")?;
    // Some servers send the time with a fraction.
    let seconds = value.as_i64().or_else(|| value.as_f64().map(|seconds| seconds as i64))?;
    // Adapters write 0 if the stream has no time.
    (seconds != 0 || capture.dialect == Dialect::OpenResponses).then_some(seconds)
}

/// The column `tool_calls`.
#[derive(Default)]
struct ToolCallsBuilder {
    rows: ListRows,
    elements: Validity,
    index: NumberBuilder,
    kind: TextBuilder,
    call_id: TextBuilder,
    name: TextBuilder,
    arguments: TextBuilder,
    status: TextBuilder,
}

impl ToolCallsBuilder {
    fn fields() -> Fields {
        Fields::from(vec![
            field("index", DataType::Int64),
            field("type", DataType::Utf8),
            field("call_id", DataType::Utf8),
            field("name", DataType::Utf8),
            field("arguments", DataType::Utf8),
            field("status", DataType::Utf8),
        ])
    }

    fn append(&mut self, response: Response<'_>) {
        for (index, item) in response.items().enumerate() {
            // Items of extension types are not listed: whether one is a call is unknown.
            if matches!(item.kind(), ItemKind::Message | ItemKind::Reasoning | ItemKind::Extension) {
                continue;
            }
            let Some(kind) = item.wire_type().filter(|kind| kind.ends_with("_call") && !kind.contains(':')) else {
                continue;
            };
            self.index.append_count(Some(index as u64));
            self.kind.append(Some(kind));
            self.call_id.append(item.call_id());
            self.name.append(item.name());
            match item.arguments() {
                Some(arguments) => self.arguments.append(Some(arguments)),
                None => self.arguments.append(call_input(item).map(Value::to_string).as_deref()),
            }
            self.status.append(item.status_name());
            self.elements.append(true);
            self.rows.element();
        }
        self.rows.end_row(true);
    }

    fn finish(&mut self) -> ArrayRef {
        let columns = vec![
            self.index.finish(),
            self.kind.finish(),
            self.call_id.finish(),
            self.name.finish(),
            self.arguments.finish(),
            self.status.finish(),
        ];
        let elements = self.elements.finish_struct(Self::fields(), columns);
        self.rows.finish(elements)
    }
}

/// The input of a call whose arguments are not text.
fn call_input(item: Item<'_>) -> Option<&Value> {
    ["action", "operation", "queries"].into_iter().find_map(|key| item.get(key)).filter(|value| !value.is_null())
}

/// The column `usage`.
#[derive(Default)]
struct UsageBuilder {
    validity: Validity,
    counts: [NumberBuilder; COUNTS.len()],
}

/// The counts and where they are in the object of the wire.
const COUNTS: [(&str, &str); 6] = [
    ("input_tokens", "/input_tokens"),
    ("cached_tokens", "/input_tokens_details/cached_tokens"),
    ("cache_write_tokens", "/input_tokens_details/cache_write_tokens"),
    ("output_tokens", "/output_tokens"),
    ("reasoning_tokens", "/output_tokens_details/reasoning_tokens"),
    ("total_tokens", "/total_tokens"),
];

impl UsageBuilder {
    fn fields() -> Fields {
        COUNTS.iter().map(|(name, _)| field(name, DataType::Int64)).collect()
    }

    fn append(&mut self, usage: Option<&Value>) {
        for (count, (_, path)) in self.counts.iter_mut().zip(COUNTS) {
            count.append(usage.and_then(|usage| usage.pointer(path)).and_then(Value::as_i64));
        }
        self.validity.append(usage.is_some());
    }

    fn finish(&mut self) -> ArrayRef {
        let columns = self.counts.iter_mut().map(NumberBuilder::finish).collect();
        self.validity.finish_struct(Self::fields(), columns)
    }
}

/// The column `error`.
#[derive(Default)]
struct FailureBuilder {
    validity: Validity,
    texts: [TextBuilder; 4],
}

impl FailureBuilder {
    fn fields() -> Fields {
        ["type", "code", "message", "param"].into_iter().map(|name| field(name, DataType::Utf8)).collect()
    }

    fn append(&mut self, failure: Option<&Failure>) {
        let values = failure.map_or([None; 4], |failure| {
            let Failure { kind, code, message, param } = failure;
            [Some(kind.as_str()), Some(code), Some(message), param.as_deref()]
        });
        for (texts, value) in self.texts.iter_mut().zip(values) {
            texts.append(value.filter(|value| !value.is_empty()));
        }
        self.validity.append(failure.is_some());
    }

    fn finish(&mut self) -> ArrayRef {
        let columns = self.texts.iter_mut().map(TextBuilder::finish).collect();
        self.validity.finish_struct(Self::fields(), columns)
    }
}

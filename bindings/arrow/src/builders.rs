//! Builders of the result's columns.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use deltafold::adapter::{AdapterFinding, Fidelity};
use deltafold::{Error, Finding};

use crate::capture::Capture;

/// The maximum length of a text or body; a longer one becomes null. An array with 32-bit offsets has room for 2 GiB.
pub(crate) const MAX_VALUE: usize = 1 << 30;

/// An optional field with this name and type.
pub(crate) fn field(name: &str, data_type: DataType) -> FieldRef {
    Arc::new(Field::new(name, data_type, true))
}

/// A list whose elements have this type. The name of the elements is the one of the Arrow specification.
pub(crate) fn list_of(element: DataType) -> DataType {
    DataType::List(field("item", element))
}

/// A column of text.
#[derive(Default)]
pub(crate) struct TextBuilder {
    texts: StringBuilder,
    bytes: usize,
}

impl TextBuilder {
    pub(crate) fn append(&mut self, text: Option<&str>) {
        let text = text.filter(|text| text.len() <= MAX_VALUE);
        self.bytes += text.map_or(0, str::len);
        self.texts.append_option(text);
    }

    /// Appends texts as one, with a separator between them; null if there are none.
    pub(crate) fn append_joined<'a>(&mut self, texts: impl Iterator<Item = &'a str>, separator: &str) {
        let mut texts = texts.peekable();
        let Some(first) = texts.next() else { return self.append(None) };
        if texts.peek().is_none() {
            return self.append(Some(first));
        }
        let mut joined = first.to_owned();
        for text in texts {
            joined.push_str(separator);
            joined.push_str(text);
        }
        self.append(Some(&joined));
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn finish(&mut self) -> ArrayRef {
        self.bytes = 0;
        Arc::new(self.texts.finish())
    }
}

/// A column of whole numbers.
#[derive(Default)]
pub(crate) struct NumberBuilder(Int64Builder);

impl NumberBuilder {
    pub(crate) fn append(&mut self, number: Option<i64>) {
        self.0.append_option(number);
    }

    /// Appends a count or a position; one above the largest signed number becomes that.
    pub(crate) fn append_count(&mut self, count: Option<u64>) {
        self.append(count.map(|count| i64::try_from(count).unwrap_or(i64::MAX)));
    }

    pub(crate) fn finish(&mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

/// A column of bodies.
#[derive(Default)]
pub(crate) struct BodyBuilder {
    bodies: BinaryBuilder,
    bytes: usize,
}

impl BodyBuilder {
    pub(crate) fn append(&mut self, body: Option<&[u8]>) {
        let body = body.filter(|body| body.len() <= MAX_VALUE);
        self.bytes += body.map_or(0, <[u8]>::len);
        self.bodies.append_option(body);
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn finish(&mut self) -> ArrayRef {
        self.bytes = 0;
        Arc::new(self.bodies.finish())
    }
}

/// Which rows of a struct or list are null.
pub(crate) struct Validity(NullBufferBuilder);

impl Default for Validity {
    fn default() -> Self {
        Self(NullBufferBuilder::new(0))
    }
}

impl Validity {
    pub(crate) fn append(&mut self, is_valid: bool) {
        self.0.append(is_valid);
    }

    /// Makes a struct array of the columns.
    pub(crate) fn finish_struct(&mut self, fields: Fields, columns: Vec<ArrayRef>) -> ArrayRef {
        let rows = self.0.len();
        let nulls = self.0.finish();
        if columns.is_empty() {
            return Arc::new(StructArray::new_empty_fields(rows, nulls));
        }
        // The columns are filled row by row, so their lengths and types match the fields.
        Arc::new(StructArray::new(fields, columns, nulls))
    }
}

/// The rows of a list column: how many elements each has.
pub(crate) struct ListRows {
    ends: Vec<i32>,
    elements: i32,
    validity: Validity,
}

impl Default for ListRows {
    fn default() -> Self {
        Self { ends: vec![0], elements: 0, validity: Validity::default() }
    }
}

impl ListRows {
    /// Counts an element of the row that is being built.
    pub(crate) fn element(&mut self) {
        self.elements += 1;
    }

    /// Ends a row.
    pub(crate) fn end_row(&mut self, is_valid: bool) {
        self.ends.push(self.elements);
        self.validity.append(is_valid);
    }

    pub(crate) fn finish(&mut self, elements: ArrayRef) -> ArrayRef {
        let Self { ends, mut validity, .. } = std::mem::take(self);
        let element = field("item", elements.data_type().clone());
        Arc::new(ListArray::new(element, OffsetBuffer::new(ends.into()), elements, validity.0.finish()))
    }
}

/// The column `findings`.
#[derive(Default)]
pub(crate) struct FindingsBuilder {
    rows: ListRows,
    elements: Validity,
    rule: TextBuilder,
    severity: TextBuilder,
    event_index: NumberBuilder,
    offset: NumberBuilder,
    path: TextBuilder,
    message: TextBuilder,
}

impl FindingsBuilder {
    pub(crate) fn fields() -> Fields {
        Fields::from(vec![
            field("rule", DataType::Utf8),
            field("severity", DataType::Utf8),
            field("event_index", DataType::Int64),
            field("offset", DataType::Int64),
            field("path", DataType::Utf8),
            field("message", DataType::Utf8),
        ])
    }

    pub(crate) fn data_type() -> DataType {
        list_of(DataType::Struct(Self::fields()))
    }

    /// Appends the findings of a body: first those of the conversion from another dialect, then those of the reader, then the
    /// error that ended reading.
    pub(crate) fn append(&mut self, capture: &Capture, findings: &[Finding]) {
        let is_converted = capture.dialect != deltafold::adapter::Dialect::OpenResponses;
        capture.adapter_findings.iter().for_each(|finding| self.adapter_finding(finding));
        for finding in findings {
            // Positions in a converted stream are not positions in the body.
            let place = |number: u64| (!is_converted).then_some(number);
            self.element(
                finding.rule.id(),
                finding.severity.name(),
                finding.location.event_index.and_then(place),
                place(finding.location.offset),
                &finding.path,
                &finding.message,
            );
        }
        if let Some(error) = &capture.error {
            self.error(error);
        }
        self.rows.end_row(true);
    }

    /// Appends a row whose only finding is an error.
    pub(crate) fn append_error(&mut self, error: &Error) {
        self.error(error);
        self.rows.end_row(true);
    }

    pub(crate) fn append_null(&mut self) {
        self.rows.end_row(false);
    }

    fn adapter_finding(&mut self, finding: &AdapterFinding) {
        let severity = match finding.code.fidelity() {
            Fidelity::Lost | Fidelity::Repaired => "warning",
            Fidelity::Assumed => "note",
        };
        let sentence = finding.code.sentence().trim_end_matches('.');
        let message = if finding.detail.is_empty() {
            format!("{}: {sentence}", finding.code.fidelity().name())
        } else {
            format!("{}: {sentence}: {}", finding.code.fidelity().name(), finding.detail)
        };
        let place = (Some(finding.event_index), Some(finding.offset));
        self.element(finding.code.name(), severity, place.0, place.1, "", &message);
    }

    fn error(&mut self, error: &Error) {
        self.element(error.code().name(), "error", None, Some(error.offset()), "", &error.to_string());
    }

    fn element(
        &mut self,
        rule: &str,
        severity: &str,
        event_index: Option<u64>,
        offset: Option<u64>,
        path: &str,
        message: &str,
    ) {
        self.rule.append(Some(rule));
        self.severity.append(Some(severity));
        self.event_index.append_count(event_index);
        self.offset.append_count(offset);
        self.path.append(Some(path));
        self.message.append(Some(message));
        self.elements.append(true);
        self.rows.element();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.path.bytes() + self.message.bytes()
    }

    pub(crate) fn finish(&mut self) -> ArrayRef {
        let columns = vec![
            self.rule.finish(),
            self.severity.finish(),
            self.event_index.finish(),
            self.offset.finish(),
            self.path.finish(),
            self.message.finish(),
        ];
        let elements = self.elements.finish_struct(Self::fields(), columns);
        self.rows.finish(elements)
    }
}

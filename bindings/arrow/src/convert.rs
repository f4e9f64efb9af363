//! The operation `convert`: one row per body, with the body in another dialect.

use arrow_array::ArrayRef;
use arrow_schema::{DataType, Fields};
use deltafold::adapter::{AdapterFinding, Converter, ConverterOptions, Dialect};
use deltafold::Error;

use crate::builders::{field, list_of, BodyBuilder, ListRows, NumberBuilder, TextBuilder, Validity};
use crate::capture::detect_body;
use crate::row::RowBuilder;

fn finding_fields() -> Fields {
    Fields::from(vec![
        field("code", DataType::Utf8),
        field("kind", DataType::Utf8),
        field("event_index", DataType::Int64),
        field("offset", DataType::Int64),
        field("detail", DataType::Utf8),
    ])
}

fn fields() -> Fields {
    Fields::from(vec![
        field("body", DataType::Binary),
        field("from", DataType::Utf8),
        field("lost", DataType::Int64),
        field("findings", list_of(DataType::Struct(finding_fields()))),
        field("error", DataType::Utf8),
    ])
}

/// The type of the result.
pub(crate) fn data_type() -> DataType {
    DataType::Struct(fields())
}

pub(crate) struct ConvertBuilder {
    to: Dialect,
    options: ConverterOptions,
    validity: Validity,
    body: BodyBuilder,
    from: TextBuilder,
    lost: NumberBuilder,
    findings: AdapterFindingsBuilder,
    error: TextBuilder,
    /// Reused for the converted body.
    converted: Vec<u8>,
}

#[derive(Default)]
struct AdapterFindingsBuilder {
    rows: ListRows,
    elements: Validity,
    code: TextBuilder,
    kind: TextBuilder,
    event_index: NumberBuilder,
    offset: NumberBuilder,
    detail: TextBuilder,
}

impl ConvertBuilder {
    pub(crate) fn new(to: Dialect, options: ConverterOptions) -> Self {
        Self {
            to,
            options,
            validity: Validity::default(),
            body: BodyBuilder::default(),
            from: TextBuilder::default(),
            lost: NumberBuilder::default(),
            findings: AdapterFindingsBuilder::default(),
            error: TextBuilder::default(),
            converted: Vec::new(),
        }
    }
}

impl RowBuilder for ConvertBuilder {
    fn append(&mut self, body: &[u8], dialect: Option<Dialect>) {
        let from = dialect.unwrap_or_else(|| detect_body(body));
        let mut converter = match Converter::with_options(Some(from), self.to, self.options.clone()) {
            Ok(converter) => converter,
            Err(error) => return self.append_unread(body, &error),
        };
        let result = converter.feed(body).and_then(|()| converter.finish());
        // What was written before an error is valid.
        self.converted.clear();
        self.converted.shrink_to(16 << 20);
        converter.write_into(&mut self.converted);
        self.body.append(Some(&self.converted));
        self.from.append(Some(from.name()));
        self.lost.append_count(Some(converter.lost()));
        converter.findings().for_each(|finding| self.findings.element(finding));
        self.findings.rows.end_row(true);
        self.error.append(result.err().map(|error| error.to_string()).as_deref());
        self.validity.append(true);
    }

    fn append_null(&mut self) {
        self.body.append(None);
        self.from.append(None);
        self.lost.append(None);
        self.findings.rows.end_row(false);
        self.error.append(None);
        self.validity.append(false);
    }

    fn append_unread(&mut self, _body: &[u8], error: &Error) {
        self.body.append(None);
        self.from.append(None);
        self.lost.append(Some(0));
        self.findings.rows.end_row(true);
        self.error.append(Some(&error.to_string()));
        self.validity.append(true);
    }

    fn bytes(&self) -> usize {
        self.body.bytes().max(self.findings.detail.bytes())
    }

    fn finish(&mut self) -> ArrayRef {
        let columns = vec![
            self.body.finish(),
            self.from.finish(),
            self.lost.finish(),
            self.findings.finish(),
            self.error.finish(),
        ];
        self.validity.finish_struct(fields(), columns)
    }
}

impl AdapterFindingsBuilder {
    fn element(&mut self, finding: &AdapterFinding) {
        self.code.append(Some(finding.code.name()));
        self.kind.append(Some(finding.code.fidelity().name()));
        self.event_index.append_count(Some(finding.event_index));
        self.offset.append_count(Some(finding.offset));
        self.detail.append(Some(&finding.detail));
        self.elements.append(true);
        self.rows.element();
    }

    fn finish(&mut self) -> ArrayRef {
        let columns = vec![
            self.code.finish(),
            self.kind.finish(),
            self.event_index.finish(),
            self.offset.finish(),
            self.detail.finish(),
        ];
        let elements = self.elements.finish_struct(finding_fields(), columns);
        self.rows.finish(elements)
    }
}

//! Citations that a source has per block of text: written for the whole part when it closes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::builder::{OutputSlot, ResponseBuilder};
use crate::adapter::AdapterCode;
use crate::error::Error;
use crate::json::Value;

/// A citation as its source sent it.
pub(crate) struct Citation {
    pub(crate) url: Option<String>,
    pub(crate) title: String,
    pub(crate) raw: Value,
}

/// Writes the citations of a block for its part, and closes the part. A citation without a URL cannot be an annotation and
/// stays on the part.
pub(crate) fn close_text(
    slug: &str,
    citations: Vec<Citation>,
    message: Option<OutputSlot>,
    builder: &mut ResponseBuilder,
) -> Result<(), Error> {
    let Some(slot) = message else {
        for _ in &citations {
            builder.report(AdapterCode::CitationWithoutText, "the block has no text");
        }
        return Ok(());
    };
    let end = builder.part_length(slot)?;
    let mut homeless = Vec::new();
    for citation in citations {
        match citation.url.filter(|url| !url.is_empty()) {
            Some(url) => {
                let mut annotation = builder.url_citation(&url, &citation.title, 0, end);
                annotation.push(format!("{slug}:citation"), citation.raw);
                builder.add_annotation(slot, annotation)?;
            }
            None => {
                builder.report(AdapterCode::CitationWithoutUrl, citation.raw.str_at("type").unwrap_or_default());
                homeless.push(citation.raw);
            }
        }
    }
    if !homeless.is_empty() {
        builder.set_part_field(slot, &format!("{slug}:citations"), homeless.into())?;
    }
    builder.close_part(slot)
}

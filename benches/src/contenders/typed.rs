//! The leanest typed form of a payload: the routing fields, borrowed where the library can, the rest skipped.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Visitor};

use crate::shapes::Folded;

/// The routing fields of a payload, for any library that reads with serde.
#[derive(serde::Deserialize)]
pub struct Payload<'a> {
    #[serde(borrow)]
    r#type: Text<'a>,
    sequence_number: Option<u64>,
    #[serde(borrow)]
    item_id: Option<Text<'a>>,
    output_index: Option<u64>,
    content_index: Option<u64>,
    summary_index: Option<u64>,
    #[serde(borrow)]
    delta: Option<Text<'a>>,
}

impl Payload<'_> {
    /// Counts the event, and adds its delta or notes the completed response.
    pub fn fold(&self, payload: &str, folded: &mut Folded) {
        std::hint::black_box((self.sequence_number, &self.item_id));
        folded.event();
        if let Some(delta) = &self.delta {
            let part = self.content_index.or(self.summary_index).unwrap_or(0);
            folded.delta(self.output_index.unwrap_or(0), part, &delta.0);
        } else if self.r#type.0 == "response.completed" {
            folded.completed(payload);
        }
    }
}

/// Text that is borrowed unless it has escapes; serde always copies an `Option<Cow<str>>`.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

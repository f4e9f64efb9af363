//! Media, citations and tool outputs in the forms that targets need.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};

use super::ItemHead;
use crate::json::ValueRef;

/// A picture, sound or file that can be reached by a URL.
#[derive(Debug)]
pub(crate) struct Media<'a> {
    pub(crate) media_type: Cow<'a, str>,
    /// A data URL, or a URL.
    pub(crate) url: Cow<'a, str>,
}

impl Media<'_> {
    pub(crate) fn is_image(&self) -> bool {
        self.media_type.starts_with("image/")
    }
}

/// Returns `true` if an item is an extension item with media.
pub(crate) fn is_media_item(head: &ItemHead) -> bool {
    head.item_type.ends_with(":media")
}

/// Returns `true` if an item is a generated image.
pub(crate) fn is_generated_image(head: &ItemHead) -> bool {
    head.item_type == GENERATED
}

/// The item type of a generated image.
const GENERATED: &str = "image_generation_call";

/// The media of a media item; `None` if it has no URL, or if the image was not generated.
pub(crate) fn of_item(item: ValueRef<'_>) -> Option<Media<'_>> {
    if item.get("type").is_some_and(|kind| kind.is_str(GENERATED)) {
        let base64 = item.get("result")?.as_str().filter(|base64| !base64.is_empty())?;
        let format = item.get("output_format").and_then(|format| format.as_str()).unwrap_or("png".into());
        let url = format!("data:image/{format};base64,{base64}");
        return Some(Media { media_type: format!("image/{format}").into(), url: url.into() });
    }
    let url = item.get("url")?.as_str()?;
    let stated = item.get("media_type").and_then(|media_type| media_type.as_str());
    let media_type = stated.unwrap_or_else(|| media_type_of(&url, "application/octet-stream"));
    Some(Media { media_type, url })
}

/// The media of a content part of another provider; `None` if it has no URL.
pub(crate) fn of_part(part: ValueRef<'_>) -> Option<Media<'_>> {
    let text = |pointer: &str| part.pointer(pointer)?.as_str();
    let image = part.get("type").and_then(|kind| kind.as_str()).is_some_and(|kind| kind.contains("image"));
    let places = ["/image_url", "/image_url/url", "/file_url", "/file_data", "/url"];
    let url = places.into_iter().find_map(text).filter(|url| url.contains(':'))?;
    let media_type = media_type_of(&url, if image { "image/*" } else { "application/octet-stream" });
    Some(Media { media_type, url })
}

/// Returns `true` if a content part has media, by URL or by an id of its provider.
pub(crate) fn is_media_part(part: ValueRef<'_>) -> bool {
    let kind = part.get("type").and_then(|kind| kind.as_str()).unwrap_or_default();
    ["image", "file", "audio", "video"].iter().any(|word| kind.contains(word))
}

/// The media type of a data URL.
fn media_type_of(url: &str, otherwise: &'static str) -> Cow<'static, str> {
    let named = url.strip_prefix("data:").and_then(|rest| rest.split([';', ',']).next());
    match named {
        Some(named) if named.contains('/') => Cow::Owned(named.to_string()),
        _ => Cow::Borrowed(otherwise),
    }
}

/// The URL of a URL citation; `None` for any other annotation.
pub(crate) fn url_citation(annotation: ValueRef<'_>) -> Option<Cow<'_, str>> {
    let right = annotation.get("type").is_none_or(|kind| kind.is_str("url_citation"));
    annotation.get("url").filter(|_| right)?.as_str()
}

/// The output of a tool as one text: a string unchanged, a list of texts joined, any other value as JSON.
pub(crate) fn output_text(output: ValueRef<'_>) -> Cow<'_, str> {
    if let Some(text) = output.as_str() {
        return text;
    }
    let text = |part: ValueRef<'_>| {
        let plain = part.get("type").is_some_and(|kind| kind.is_str("input_text"));
        plain.then(|| Some(part.get("text")?.as_str()?.into_owned())).flatten()
    };
    let mut parts = output.elements().peekable();
    let joined: Option<String> = parts.peek().is_some().then(|| parts.map(text).collect()).flatten();
    Cow::Owned(joined.unwrap_or_else(|| output.to_value().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;
    use alloc::borrow::ToOwned;

    fn with<R>(json: &str, ask: impl FnOnce(ValueRef<'_>) -> R) -> R {
        let mut tape = Tape::default();
        tape.parse(json, 16).unwrap();
        ask(tape.root(json))
    }

    #[test]
    fn a_part_tells_its_media_type_by_its_data_url_or_its_kind() {
        let media = |json: &str| with(json, |part| of_part(part).map(|media| media.media_type.into_owned()));
        assert_eq!(
            media(r#"{"type":"input_image","image_url":"data:image/png;base64,AA"}"#).as_deref(),
            Some("image/png")
        );
        assert_eq!(
            media(r#"{"type":"output_image","image_url":{"url":"https://e.org/x"}}"#).as_deref(),
            Some("image/*")
        );
        let file = r#"{"type":"input_file","file_url":"https://e.org/x"}"#;
        assert_eq!(media(file).as_deref(), Some("application/octet-stream"));
        assert_eq!(media(r#"{"type":"input_file","file_id":"file_1"}"#), None);
        assert_eq!(media(r#"{"type":"input_file","file_data":"AAAA"}"#), None);
    }

    #[test]
    fn a_list_of_texts_is_joined_and_any_other_output_is_json() {
        let text = |json: &str| with(json, |output| output_text(output).into_owned());
        assert_eq!(text(r#""a b""#), "a b");
        assert_eq!(text(r#"[{"type":"input_text","text":"a"}, {"type":"input_text","text":"b"}]"#), "ab");
        assert_eq!(text(r#"[{"type":"input_image", "image_url":"x"}]"#), r#"[{"type":"input_image","image_url":"x"}]"#);
        assert_eq!((text("[ ]"), text("null")), ("[]".to_owned(), "null".to_owned()));
    }
}

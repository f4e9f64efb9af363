//! `Deserialize` for [`Value`], and the payload of an event or a response as a type of the caller.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::de::value::{BorrowedStrDeserializer, CowStrDeserializer};
use serde::de::{
    Deserialize, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::number::{nearest_double, ExactNumber};
use crate::accumulate::{Item, Response};
use crate::event::{Event, OwnedEvent};
use crate::json::{Object, Value, ValueKind, ValueRef};

/// Why a value could not be read into a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeserializeError {
    message: String,
}

impl fmt::Display for DeserializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for DeserializeError {}

impl serde::de::Error for DeserializeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string() }
    }
}

impl<'a> Event<'a> {
    /// Reads the payload into a type. Strings without escapes are borrowed from the payload.
    ///
    /// ```
    /// #[derive(serde::Deserialize)]
    /// struct Progress<'a> { step: u32, label: &'a str }
    ///
    /// let event = deltafold::OwnedEvent::parse(r#"{"type":"acme:progress","step":3,"label":"sorting"}"#);
    /// let progress: Progress = event.as_event().deserialize()?;
    /// assert_eq!((progress.step, progress.label), (3, "sorting"));
    /// # Ok::<(), deltafold::json::DeserializeError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`DeserializeError`] if the payload is not JSON or does not fit the type.
    pub fn deserialize<T: Deserialize<'a>>(&self) -> Result<T, DeserializeError> {
        let root = self.root().ok_or_else(|| DeserializeError::custom("the payload is not JSON"))?;
        T::deserialize(root)
    }
}

impl OwnedEvent {
    /// Reads the payload into a type; see [`Event::deserialize`].
    ///
    /// # Errors
    ///
    /// As for [`Event::deserialize`].
    pub fn deserialize<'a, T: Deserialize<'a>>(&'a self) -> Result<T, DeserializeError> {
        self.as_event().deserialize()
    }
}

impl Response<'_> {
    /// Reads the whole response into a type, such as the response type of another client library.
    ///
    /// # Errors
    ///
    /// [`DeserializeError`] if the response does not fit the type.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, DeserializeError> {
        T::deserialize(&self.to_value())
    }
}

impl Item<'_> {
    /// Reads the item into a type.
    ///
    /// # Errors
    ///
    /// [`DeserializeError`] if the item does not fit the type.
    pub fn deserialize<T: DeserializeOwned>(&self) -> Result<T, DeserializeError> {
        T::deserialize(&self.to_value())
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Object(object) => Ok(object),
            _ => Err(D::Error::custom("expected an object")),
        }
    }
}

/// The key under which `serde_json` with the feature `arbitrary_precision` passes the digits of a number.
const NUMBER_TOKEN: &str = "$serde_json::private::Number";

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i128<E: serde::de::Error>(self, value: i128) -> Result<Value, E> {
        number(&value.to_string())
    }

    fn visit_u128<E: serde::de::Error>(self, value: u128) -> Result<Value, E> {
        number(&value.to_string())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        if value.is_finite() {
            number(&alloc::format!("{value:?}"))
        } else {
            Err(E::invalid_value(Unexpected::Float(value), &"a finite number"))
        }
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Object::new();
        while let Some(key) = map.next_key::<String>()? {
            if object.is_empty() && key == NUMBER_TOKEN {
                return number(&map.next_value::<String>()?);
            }
            object.push(key, map.next_value::<Value>()?);
        }
        Ok(Value::Object(object))
    }
}

/// Creates a number from its digits.
fn number<E: serde::de::Error>(text: &str) -> Result<Value, E> {
    match Value::parse(text, 1) {
        Ok(value @ Value::Number(_)) => Ok(value),
        _ => Err(E::custom("expected a JSON number")),
    }
}

/// The deserializer's view of a JSON value, borrowed for `'de`.
trait Node<'de>: Copy {
    fn kind(self) -> ValueKind;
    fn string(self) -> Cow<'de, str>;
    fn number(self) -> &'de str;
    fn elements(self) -> impl Iterator<Item = Self>;
    fn entries(self) -> impl Iterator<Item = (Cow<'de, str>, Self)>;
}

impl<'de> Node<'de> for ValueRef<'de> {
    fn kind(self) -> ValueKind {
        ValueRef::kind(&self)
    }

    fn string(self) -> Cow<'de, str> {
        self.as_str().unwrap_or_default()
    }

    fn number(self) -> &'de str {
        self.raw()
    }

    fn elements(self) -> impl Iterator<Item = Self> {
        ValueRef::elements(&self)
    }

    fn entries(self) -> impl Iterator<Item = (Cow<'de, str>, Self)> {
        ValueRef::entries(&self).map(|(key, value)| (key.as_str().unwrap_or_default(), value))
    }
}

impl<'de> Node<'de> for &'de Value {
    fn kind(self) -> ValueKind {
        match self {
            Value::Null => ValueKind::Null,
            Value::Bool(true) => ValueKind::True,
            Value::Bool(false) => ValueKind::False,
            Value::Number(_) => ValueKind::Number,
            Value::String(_) => ValueKind::String,
            Value::Array(_) => ValueKind::Array,
            Value::Object(_) => ValueKind::Object,
        }
    }

    fn string(self) -> Cow<'de, str> {
        Cow::Borrowed(self.as_str().unwrap_or_default())
    }

    fn number(self) -> &'de str {
        match self {
            Value::Number(number) => number.as_str(),
            _ => "0",
        }
    }

    fn elements(self) -> impl Iterator<Item = Self> {
        self.as_array().unwrap_or_default().iter()
    }

    fn entries(self) -> impl Iterator<Item = (Cow<'de, str>, Self)> {
        self.as_object().into_iter().flat_map(Object::iter).map(|(key, value)| (Cow::Borrowed(key), value))
    }
}

fn visit_any<'de, N: Node<'de> + Deserializer<'de, Error = DeserializeError>, V: Visitor<'de>>(
    node: N,
    visitor: V,
) -> Result<V::Value, DeserializeError> {
    match node.kind() {
        ValueKind::Null => visitor.visit_unit(),
        ValueKind::True => visitor.visit_bool(true),
        ValueKind::False => visitor.visit_bool(false),
        ValueKind::Number => match ExactNumber::of(node.number()) {
            ExactNumber::Unsigned(number) => visitor.visit_u64(number),
            ExactNumber::Signed(number) => visitor.visit_i64(number),
            ExactNumber::Float(number) => visitor.visit_f64(number),
            #[cfg(feature = "serde_json")]
            ExactNumber::Inexact => {
                super::serde_json::number(node.number()).deserialize_any(visitor).map_err(DeserializeError::custom)
            }
            #[cfg(not(feature = "serde_json"))]
            ExactNumber::Inexact => visitor.visit_f64(nearest_double(node.number())),
        },
        ValueKind::String => match node.string() {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        },
        ValueKind::Array => visitor.visit_seq(Elements(node.elements())),
        ValueKind::Object => visitor.visit_map(Entries { entries: node.entries(), value: None }),
    }
}

struct Elements<I>(I);

impl<'de, N, I> SeqAccess<'de> for Elements<I>
where
    N: Deserializer<'de, Error = DeserializeError>,
    I: Iterator<Item = N>,
{
    type Error = DeserializeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, DeserializeError> {
        self.0.next().map(|element| seed.deserialize(element)).transpose()
    }
}

struct Entries<I, N> {
    entries: I,
    value: Option<N>,
}

impl<'de, N, I> MapAccess<'de> for Entries<I, N>
where
    N: Deserializer<'de, Error = DeserializeError>,
    I: Iterator<Item = (Cow<'de, str>, N)>,
{
    type Error = DeserializeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, DeserializeError> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        match key {
            Cow::Borrowed(key) => seed.deserialize(BorrowedStrDeserializer::new(key)).map(Some),
            Cow::Owned(key) => seed.deserialize(key.into_deserializer()).map(Some),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, DeserializeError> {
        let value =
            self.value.take().ok_or_else(|| DeserializeError::custom("a value was requested before its key"))?;
        seed.deserialize(value)
    }
}

/// An enum's variant: a string, or an object with the variant's name as its only key.
struct Variant<'de, N> {
    name: Cow<'de, str>,
    content: Option<N>,
}

impl<'de, N: Deserializer<'de, Error = DeserializeError>> EnumAccess<'de> for Variant<'de, N> {
    type Error = DeserializeError;
    type Variant = Content<N>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Content<N>), DeserializeError> {
        let name: CowStrDeserializer<'_, DeserializeError> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, Content(self.content)))
    }
}

struct Content<N>(Option<N>);

impl<'de, N: Deserializer<'de, Error = DeserializeError>> VariantAccess<'de> for Content<N> {
    type Error = DeserializeError;

    fn unit_variant(self) -> Result<(), DeserializeError> {
        match self.0 {
            None => Ok(()),
            Some(content) => <()>::deserialize(content),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, DeserializeError> {
        match self.0 {
            Some(content) => seed.deserialize(content),
            None => Err(DeserializeError::invalid_type(Unexpected::UnitVariant, &"a variant with a value")),
        }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.0 {
            Some(content) => content.deserialize_seq(visitor),
            None => Err(DeserializeError::invalid_type(Unexpected::UnitVariant, &"a variant with values")),
        }
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        match self.0 {
            Some(content) => content.deserialize_map(visitor),
            None => Err(DeserializeError::invalid_type(Unexpected::UnitVariant, &"a variant with fields")),
        }
    }
}

macro_rules! deserializer {
    ($(#[$doc:meta])* $name:ty) => {
        $(#[$doc])*
        impl<'de> Deserializer<'de> for $name {
            type Error = DeserializeError;

            fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
                visit_any(self, visitor)
            }

            fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
                match Node::kind(self) {
                    ValueKind::Null => visitor.visit_none(),
                    _ => visitor.visit_some(self),
                }
            }

            fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
                match Node::kind(self) {
                    // Every JSON number has a nearest double, however many digits it has.
                    ValueKind::Number => visitor.visit_f64(nearest_double(Node::number(self))),
                    _ => visit_any(self, visitor),
                }
            }

            fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
                self.deserialize_f64(visitor)
            }

            fn deserialize_newtype_struct<V: Visitor<'de>>(
                self,
                _: &'static str,
                visitor: V,
            ) -> Result<V::Value, DeserializeError> {
                visitor.visit_newtype_struct(self)
            }

            fn deserialize_enum<V: Visitor<'de>>(
                self,
                _: &'static str,
                _: &'static [&'static str],
                visitor: V,
            ) -> Result<V::Value, DeserializeError> {
                let variant = match Node::kind(self) {
                    ValueKind::String => Variant { name: Node::string(self), content: None },
                    ValueKind::Object => {
                        let mut entries = Node::entries(self);
                        match (entries.next(), entries.next()) {
                            (Some((name, content)), None) => Variant { name, content: Some(content) },
                            _ => return Err(DeserializeError::custom("expected an object with one key")),
                        }
                    }
                    _ => return Err(DeserializeError::custom("expected a string or an object with one key")),
                };
                visitor.visit_enum(variant)
            }

            forward_to_deserialize_any! {
                bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 char str string bytes byte_buf unit unit_struct seq tuple
                tuple_struct map struct identifier ignored_any
            }
        }

        impl<'de> IntoDeserializer<'de, DeserializeError> for $name {
            type Deserializer = Self;

            fn into_deserializer(self) -> Self {
                self
            }
        }
    };
}

deserializer! {
    /// Reads any type from a parsed JSON text; strings without escapes are borrowed.
    ValueRef<'de>
}

deserializer! {
    /// Reads any type from a value; strings are borrowed.
    &'de Value
}

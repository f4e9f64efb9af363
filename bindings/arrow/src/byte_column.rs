//! [`ByteColumn`]: the bytes of each row of a column, whatever its Arrow type.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, Int16Type, Int32Type, Int64Type, Int8Type, UInt16Type, UInt32Type, UInt64Type, UInt8Type,
};
use arrow_array::{
    Array, BinaryArray, BinaryViewArray, LargeBinaryArray, LargeStringArray, StringArray, StringViewArray,
};
use arrow_buffer::{ArrowNativeType, NullBuffer};
use arrow_schema::DataType;

/// A column of bytes or text.
pub(crate) enum ByteColumn<'a> {
    Binary(&'a BinaryArray),
    LargeBinary(&'a LargeBinaryArray),
    BinaryView(&'a BinaryViewArray),
    Text(&'a StringArray),
    LargeText(&'a LargeStringArray),
    TextView(&'a StringViewArray),
    /// A row has the position of its value.
    Dictionary {
        positions: Vec<Option<usize>>,
        values: Box<Self>,
    },
    /// A column of the type null.
    Nulls,
}

impl<'a> ByteColumn<'a> {
    /// Returns a view of the column; `None` for a type without bytes.
    pub(crate) fn new(column: &'a dyn Array) -> Option<Self> {
        Some(match column.data_type() {
            DataType::Binary => Self::Binary(column.as_binary()),
            DataType::LargeBinary => Self::LargeBinary(column.as_binary()),
            DataType::BinaryView => Self::BinaryView(column.as_binary_view()),
            DataType::Utf8 => Self::Text(column.as_string()),
            DataType::LargeUtf8 => Self::LargeText(column.as_string()),
            DataType::Utf8View => Self::TextView(column.as_string_view()),
            DataType::Null => Self::Nulls,
            DataType::Dictionary(key, _) => match **key {
                DataType::Int8 => Self::dictionary::<Int8Type>(column)?,
                DataType::Int16 => Self::dictionary::<Int16Type>(column)?,
                DataType::Int32 => Self::dictionary::<Int32Type>(column)?,
                DataType::Int64 => Self::dictionary::<Int64Type>(column)?,
                DataType::UInt8 => Self::dictionary::<UInt8Type>(column)?,
                DataType::UInt16 => Self::dictionary::<UInt16Type>(column)?,
                DataType::UInt32 => Self::dictionary::<UInt32Type>(column)?,
                DataType::UInt64 => Self::dictionary::<UInt64Type>(column)?,
                _ => return None,
            },
            _ => return None,
        })
    }

    fn dictionary<K: ArrowDictionaryKeyType>(column: &'a dyn Array) -> Option<Self> {
        let dictionary = column.as_dictionary::<K>();
        let positions = dictionary.keys().iter().map(|key| key.map(ArrowNativeType::as_usize)).collect();
        Some(Self::Dictionary { positions, values: Box::new(Self::new(dictionary.values().as_ref())?) })
    }

    /// The bytes of a row; `None` for null.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&'a [u8]> {
        fn valid(nulls: Option<&NullBuffer>, row: usize) -> bool {
            nulls.is_none_or(|nulls| nulls.is_valid(row))
        }
        match self {
            Self::Binary(array) => valid(array.nulls(), row).then(|| array.value(row)),
            Self::LargeBinary(array) => valid(array.nulls(), row).then(|| array.value(row)),
            Self::BinaryView(array) => valid(array.nulls(), row).then(|| array.value(row)),
            Self::Text(array) => valid(array.nulls(), row).then(|| array.value(row).as_bytes()),
            Self::LargeText(array) => valid(array.nulls(), row).then(|| array.value(row).as_bytes()),
            Self::TextView(array) => valid(array.nulls(), row).then(|| array.value(row).as_bytes()),
            Self::Dictionary { positions, values } => {
                positions.get(row).copied().flatten().and_then(|position| values.get(position))
            }
            Self::Nulls => None,
        }
    }

    /// The number of bytes in a row, 0 for null.
    pub(crate) fn length(&self, row: usize) -> usize {
        self.get(row).map_or(0, <[u8]>::len)
    }
}

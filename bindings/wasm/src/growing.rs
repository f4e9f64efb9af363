//! Growing JSON values: a query returns only what is new to JavaScript, as JSON text that `npm/src/grown.ts` applies.

use alloc::string::String;
use alloc::vec::Vec;

use deltafold::__bindings::{way_to_last_leaf, Growth, LastChild, LeafGrowth, SeenValue};
use deltafold::json::{write_string, Value};

/// Values of this many growing texts are remembered per reader; with one more, all are forgotten. JavaScript does the same (`MAX_GROWN` in
/// `npm/src/grown.ts`).
const MAX_GROWN: usize = 64;

/// What JavaScript has of the growing texts of a reader, by the mark of their parsers.
#[derive(Debug, Default)]
pub(crate) struct GrowingTexts {
    known: Vec<(u64, SeenValue)>,
    newest_mark: u64,
}

impl GrowingTexts {
    /// Returns the mark and what is new, as `[mark, …]` with the members that [`write_growth`] writes; empty without a value.
    pub(crate) fn update(&mut self, value: Option<&Value>, mark: &mut u64) -> String {
        let Some(value) = value else { return String::new() };
        let at = self.known.iter().position(|(other, _)| other == mark).unwrap_or_else(|| {
            if self.known.len() == MAX_GROWN {
                self.known.clear();
            }
            self.newest_mark += 1;
            *mark = self.newest_mark;
            self.known.push((*mark, SeenValue::default()));
            self.known.len() - 1
        });
        let mut out = String::from("[");
        Value::from(*mark).write_into(&mut out);
        out.push(',');
        if let Some((_, known)) = self.known.get_mut(at) {
            write_growth(&known.look(value), &mut out);
        }
        out.push(']');
        out
    }
}

/// Appends what is new, without brackets. The whole value if nothing was known: `0,value,way`. Otherwise `1`, the new children of each known
/// container, the change of the last leaf, and the way: `1,[[child,…],[[key,child],…],…],2,"appended text",way`, or `3,value` for another leaf,
/// or `0,null` for the same one. The way is that to the last leaf, from the outermost container that is new or has a new last child: the
/// key or position of the last child of each container, null in an empty one. JavaScript cannot find it, because its objects have their own
/// order of keys.
pub(crate) fn write_growth(growth: &Growth<'_>, out: &mut String) {
    match growth {
        Growth::Whole(value) => {
            out.push_str("0,");
            value.write_into(out);
        }
        Growth::Parts { children, leaf } => {
            out.push_str("1,");
            write_list(children.iter(), out, |new, out| write_list(new.iter(), out, write_child));
            match leaf {
                LeafGrowth::Same => out.push_str(",0,null"),
                LeafGrowth::Appended(end) => {
                    out.push_str(",2,");
                    write_string(end, out);
                }
                LeafGrowth::Replaced(value) => {
                    out.push_str(",3,");
                    value.write_into(out);
                }
            }
        }
    }
    out.push(',');
    let way = growth.turn().into_iter().flat_map(|(_, value)| way_to_last_leaf(value));
    write_list(way, out, |last, out| match last {
        LastChild::None => out.push_str("null"),
        LastChild::Key(key) => write_string(key, out),
        LastChild::Position(position) => Value::from(position).write_into(out),
    });
}

fn write_child((key, value): (Option<&str>, &Value), out: &mut String) {
    let Some(key) = key else { return value.write_into(out) };
    out.push('[');
    write_string(key, out);
    out.push(',');
    value.write_into(out);
    out.push(']');
}

fn write_list<T>(list: impl Iterator<Item = T>, out: &mut String, mut write: impl FnMut(T, &mut String)) {
    out.push('[');
    for (at, element) in list.enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(element, out);
    }
    out.push(']');
}

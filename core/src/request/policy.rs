//! [`Policy`]: how answers are sent back, as data.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::contract::Edition;
use crate::error::{Code, Error};
use crate::json::Value;
use crate::options::{invalid_option, parse, OptionReader};

/// Which parts of an answer go into the next request, and in which form.
///
/// [`builtin`](Self::builtin) has one for each known provider and way of continuing; [`from_json`](Self::from_json) reads the
/// caller's own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// The name.
    pub name: String,
    /// Whether the server stores the conversation.
    pub chain: Chain,
    /// The edition against which items are checked. Items that are not valid as input there are not sent.
    pub edition: Edition,
    /// Whether items keep their `id`.
    pub ids: Inclusion,
    /// The handling of reasoning.
    pub reasoning: ReasoningPolicy,
    /// The handling of items of types named `slug:name`, and of types that the edition does not list as input.
    pub extensions: Inclusion,
    /// Item types that are not sent.
    pub drop_items: Vec<String>,
    /// Item types that are sent as a reference to what the server has stored.
    pub reference_items: Vec<String>,
    /// Fields that are not sent: an item type, or `*` for all, and a field.
    pub drop_fields: Vec<(String, String)>,
    /// Pairs of item types that belong together: the lead and its follower. If the lead is not sent, the follower loses the
    /// id by which the server would look for the lead; if the follower is not sent, the lead is not sent either.
    pub pairs: Vec<(String, String)>,
}

/// The party that stores the conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Chain {
    /// The caller: every request has all items, and the server stores nothing.
    #[default]
    Stateless,
    /// The server: a request names the response before it and has only new items.
    Stateful,
}

crate::named::option_names!(Chain, "chain": Stateless "stateless", Stateful "stateful");

/// Whether something is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Inclusion {
    /// It is sent.
    #[default]
    Keep,
    /// It is not sent.
    Drop,
}

crate::named::option_names!(Inclusion, "inclusion": Keep "keep", Drop "drop");

/// The handling of reasoning items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReasoningPolicy {
    /// All are sent.
    #[default]
    Keep,
    /// Only those with `encrypted_content` are sent: a server that stored nothing cannot use the others.
    Encrypted,
    /// None is sent.
    Drop,
}

crate::named::option_names!(ReasoningPolicy, "reasoning policy": Keep "keep", Encrypted "encrypted", Drop "drop");

/// A built-in policy, and the reason for it.
struct BuiltinPolicy {
    name: &'static str,
    /// The known requirements of these servers.
    why: &'static str,
    json: &'static str,
}

/// Calls that a model makes directly after reasoning about them.
const PAIRS: &str = r#"[["reasoning","function_call"],["reasoning","custom_tool_call"],["reasoning","message"],
    ["reasoning","web_search_call"],["reasoning","file_search_call"],["reasoning","code_interpreter_call"],
    ["reasoning","image_generation_call"],["reasoning","computer_call"],["reasoning","shell_call"],
    ["reasoning","local_shell_call"],["reasoning","apply_patch_call"],["reasoning","mcp_call"]]"#;

const BUILTIN: &[BuiltinPolicy] = &[
    BuiltinPolicy {
        name: "stateless",
        why: "Open Responses: items are sent back unchanged, except raw reasoning, which a request cannot contain (RSN-08)",
        json: r#"{"chain":"stateless","drop_fields":{"reasoning":["content"]}}"#,
    },
    BuiltinPolicy {
        name: "stateful",
        why: "Open Responses: the server loads input and output of the previous response (PREV-01)",
        json: r#"{"chain":"stateful","drop_fields":{"reasoning":["content"]}}"#,
    },
    BuiltinPolicy {
        name: "openai",
        why:
            "without storage a reasoning item is read only from its encrypted content, an id is_lead to a look-up of its \
              partner, and fields that the SDKs add are refused",
        json: r#"{"chain":"stateless","edition":"openai","reasoning":"encrypted","pairs":true,
            "drop_fields":{"*":["parsed_arguments","parsed"],"reasoning":["content","status"]}}"#,
    },
    BuiltinPolicy {
        name: "openai-stateful",
        why: "stored responses are continued by their id",
        json: r#"{"chain":"stateful","edition":"openai","pairs":true,
            "drop_fields":{"*":["parsed_arguments","parsed"],"reasoning":["content","status"]}}"#,
    },
    BuiltinPolicy {
        name: "azure",
        why: "the OpenAI service at another address",
        json: r#"{"chain":"stateless","edition":"openai","reasoning":"encrypted","pairs":true,
            "drop_fields":{"*":["parsed_arguments","parsed"],"reasoning":["content","status"]}}"#,
    },
    BuiltinPolicy {
        name: "codex",
        why: "the ChatGPT backend stores nothing: it can read only encrypted reasoning",
        json: r#"{"chain":"stateless","edition":"openai","reasoning":"encrypted","pairs":true,"ids":"drop",
            "drop_fields":{"reasoning":["content","status"]}}"#,
    },
    BuiltinPolicy {
        name: "copilot",
        why: "ids change with every event, so no server can resolve them",
        json: r#"{"chain":"stateless","edition":"openai","reasoning":"encrypted","ids":"drop","pairs":true,
            "drop_fields":{"reasoning":["content","status"]}}"#,
    },
    BuiltinPolicy {
        name: "openrouter",
        why: "stateless by design; reasoning is sent back as encrypted content",
        json: r#"{"chain":"stateless","edition":"split","drop_fields":{"reasoning":["content"]}}"#,
    },
    BuiltinPolicy {
        name: "xai",
        why: "stateless use needs encrypted reasoning",
        json: r#"{"chain":"stateless","edition":"split","reasoning":"encrypted","drop_fields":{"reasoning":["content"]}}"#,
    },
    BuiltinPolicy {
        name: "vllm",
        why: "stores nothing by default, and creates new ids when it parses the output again",
        json: r#"{"chain":"stateless","edition":"split","ids":"drop","drop_fields":{"reasoning":["content"]}}"#,
    },
    BuiltinPolicy {
        name: "ollama",
        why: "stores nothing and knows messages, calls and their outputs",
        json: r#"{"chain":"stateless","edition":"2026-04-24","ids":"drop","extensions":"drop",
            "drop_fields":{"reasoning":["content"]}}"#,
    },
    BuiltinPolicy {
        name: "lmstudio",
        why: "stored responses are continued by their id",
        json: r#"{"chain":"stateful","edition":"split","drop_fields":{"reasoning":["content"]}}"#,
    },
    BuiltinPolicy {
        name: "llamacpp",
        why: "stores nothing and knows messages, calls and their outputs",
        json: r#"{"chain":"stateless","edition":"2026-04-24","ids":"drop","extensions":"drop",
            "drop_fields":{"reasoning":["content"]}}"#,
    },
];

impl Policy {
    /// The names of the built-in policies.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILTIN.iter().map(|policy| policy.name)
    }

    /// A built-in policy.
    ///
    /// # Errors
    ///
    /// [`Code::UnknownName`] if there is no policy of this name.
    pub fn builtin(name: &str) -> Result<Self, Error> {
        let found = BUILTIN.iter().find(|policy| policy.name == name).ok_or_else(|| {
            Error::new(Code::UnknownName, 0, format!("policies are {}", Self::names().collect::<Vec<_>>().join(", ")))
        })?;
        Ok(Self { name: name.to_string(), ..Self::from_json(found.json)? })
    }

    /// The reason for a built-in policy; empty for an unknown name.
    pub fn reason(name: &str) -> &'static str {
        BUILTIN.iter().find(|policy| policy.name == name).map_or("", |policy| policy.why)
    }

    /// Reads a policy from JSON text.
    ///
    /// | name | value |
    /// | --- | --- |
    /// | `name` | a text |
    /// | `extends` | the name of a built-in policy, whose values are the defaults |
    /// | `chain` | `"stateless"` or `"stateful"` |
    /// | `edition` | a name |
    /// | `ids`, `extensions` | `"keep"` or `"drop"` |
    /// | `reasoning` | `"keep"`, `"encrypted"` or `"drop"` |
    /// | `drop_items`, `reference_items` | lists of item types |
    /// | `drop_fields` | lists of fields by item type, or by `*` |
    /// | `pairs` | a list of pairs of item types; `true` for reasoning and every item that a model may create directly after it |
    ///
    /// ```
    /// use deltafold::request::{Chain, Policy};
    /// let policy = Policy::from_json(r#"{"extends":"openai","chain":"stateful"}"#)?;
    /// assert_eq!(policy.chain, Chain::Stateful);
    /// # Ok::<(), deltafold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Code::NotJson`], [`Code::UnknownName`] for a name that does not exist, [`Code::BadArgument`] for an invalid
    /// value.
    pub fn from_json(json: &str) -> Result<Self, Error> {
        Self::from_value(&parse(json)?)
    }

    /// Reads a policy from a value: a name, or an object; see [`from_json`](Self::from_json).
    ///
    /// # Errors
    ///
    /// As for [`from_json`](Self::from_json).
    pub fn from_value(value: &Value) -> Result<Self, Error> {
        if let Value::String(name) = value {
            return Self::builtin(name);
        }
        let reader = OptionReader::new(value)?;
        reader.check_names(&[
            "name",
            "extends",
            "chain",
            "edition",
            "ids",
            "extensions",
            "reasoning",
            "drop_items",
            "reference_items",
            "drop_fields",
            "pairs",
        ])?;
        let mut policy = match reader.text("extends")? {
            Some(name) => Self::builtin(name)?,
            None => Self::default(),
        };
        policy.name = reader.text("name")?.unwrap_or("custom").to_string();
        if reader.value("chain").is_some() {
            policy.chain = Chain::ALL[reader.choice("chain", Chain::NAMES)?];
        }
        if let Some(edition) = reader.text("edition")? {
            policy.edition = edition.parse()?;
        }
        for (name, keep) in [("ids", &mut policy.ids), ("extensions", &mut policy.extensions)] {
            if reader.value(name).is_some() {
                *keep = Inclusion::ALL[reader.choice(name, Inclusion::NAMES)?];
            }
        }
        if reader.value("reasoning").is_some() {
            policy.reasoning = ReasoningPolicy::ALL[reader.choice("reasoning", ReasoningPolicy::NAMES)?];
        }
        let lists = [("drop_items", &mut policy.drop_items), ("reference_items", &mut policy.reference_items)];
        for (name, list) in lists {
            if let Some(value) = reader.value(name) {
                *list = texts(value).ok_or_else(|| invalid_option(name, "a list of item types"))?;
            }
        }
        if let Some(by_type) = reader.object("drop_fields")? {
            policy.drop_fields.clear();
            for (kind, fields) in by_type.iter() {
                let fields =
                    texts(fields).ok_or_else(|| invalid_option("drop_fields", "lists of fields by item type"))?;
                policy.drop_fields.extend(fields.into_iter().map(|field| (kind.to_string(), field)));
            }
        }
        match reader.value("pairs") {
            None => {}
            Some(Value::Bool(false)) => policy.pairs.clear(),
            Some(Value::Bool(true)) => policy.pairs = pairs(&parse(PAIRS)?)?,
            Some(list) => policy.pairs = pairs(list)?,
        }
        Ok(policy)
    }

    /// Returns `true` if a field of an item is not sent.
    pub(super) fn drops_field(&self, kind: &str, field: &str) -> bool {
        self.drop_fields.iter().any(|(of, name)| name == field && (of == "*" || of == kind))
    }

    /// Returns `true` if the two types are a pair.
    pub(super) fn is_pair(&self, lead: &str, follower: &str) -> bool {
        self.pairs.iter().any(|(one, other)| one == lead && other == follower)
    }

    /// Returns `true` if items of a type only make sense before another item.
    pub(super) fn is_lead(&self, kind: &str) -> bool {
        self.pairs.iter().any(|(lead, _)| lead == kind)
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            name: "custom".to_string(),
            chain: Chain::default(),
            edition: Edition::default(),
            ids: Inclusion::default(),
            reasoning: ReasoningPolicy::default(),
            extensions: Inclusion::default(),
            drop_items: Vec::new(),
            reference_items: Vec::new(),
            drop_fields: Vec::new(),
            pairs: Vec::new(),
        }
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(ToString::to_string)).collect()
}

fn pairs(value: &Value) -> Result<Vec<(String, String)>, Error> {
    let pair = |value: &Value| match texts(value)?.as_slice() {
        [lead, follower] => Some((lead.clone(), follower.clone())),
        _ => None,
    };
    let list = value.as_array().map(|list| list.iter().map(pair).collect::<Option<Vec<_>>>());
    list.flatten().ok_or_else(|| invalid_option("pairs", "true, false or a list of pairs of item types"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_policy_is_read_and_has_a_reason() {
        for name in Policy::names() {
            assert_eq!(Policy::builtin(name).unwrap().name, name);
            assert!(!Policy::reason(name).is_empty());
        }
        assert_eq!(Policy::builtin("nobody").unwrap_err().code(), Code::UnknownName);
    }

    #[test]
    fn a_policy_that_cannot_be_used_is_refused() {
        for (json, code) in [
            ("{", Code::NotJson),
            ("7", Code::BadArgument),
            (r#"{"chains":"stateful"}"#, Code::UnknownName),
            (r#"{"extends":"nobody"}"#, Code::UnknownName),
            (r#"{"chain":"both"}"#, Code::BadArgument),
            (r#"{"ids":true}"#, Code::BadArgument),
            (r#"{"drop_items":"reasoning"}"#, Code::BadArgument),
            (r#"{"drop_fields":{"reasoning":"content"}}"#, Code::BadArgument),
            (r#"{"pairs":[["a"]]}"#, Code::BadArgument),
            (r#"{"edition":"1999"}"#, Code::UnknownName),
        ] {
            assert_eq!(Policy::from_json(json).unwrap_err().code(), code, "{json}");
        }
    }
}

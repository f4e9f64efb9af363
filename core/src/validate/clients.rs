//! Published clients that fail on streams that break a rule.
//!
//! The table is measured: `tests/clients` feeds each client with every validation vector, and with the valid stream that it is an edit
//! of. `tests/clients/broken-rules.json` is the result; a test compares it with this table.

use core::fmt;
use core::str::FromStr;

use super::rule::Rule;
use crate::error::{Code, Error};

/// A published client library that was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Client {
    /// `openai` for Python, `client.responses.stream`.
    OpenAiPython,
    /// `openai` for Node.js, `client.responses.stream`.
    OpenAiNode,
    /// `ai` with the provider `@ai-sdk/open-responses`, `streamText`.
    AiSdk,
}

use Client::{AiSdk, OpenAiNode, OpenAiPython};

impl Client {
    /// Every client.
    pub const ALL: [Self; 3] = [OpenAiPython, OpenAiNode, AiSdk];

    /// The name in findings and options: `openai-python`, `openai-node` or `ai`.
    pub fn name(self) -> &'static str {
        match self {
            OpenAiPython => "openai-python",
            OpenAiNode => "openai-node",
            AiSdk => "ai",
        }
    }

    /// The client with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|client| client.name() == name)
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Client {
    type Err = Error;

    /// Parses `openai-python`, `openai-node` or `ai`.
    fn from_str(name: &str) -> Result<Self, Error> {
        let unknown = || Error::new(Code::UnknownName, 0, "known clients: openai-python, openai-node, ai");
        Self::from_name(name).ok_or_else(unknown)
    }
}

impl Rule {
    /// The published clients that fail on a stream that breaks this rule, as measured. Not every violation of the rule breaks
    /// every listed client.
    ///
    /// ```
    /// use deltafold::validate::{Client, Rule};
    /// assert_eq!(Rule::Life02.broken_clients(), [Client::OpenAiPython, Client::OpenAiNode]);
    /// ```
    pub const fn broken_clients(self) -> &'static [Client] {
        let mut at = 0;
        while at < BROKEN.len() {
            if BROKEN[at].0 as u16 == self as u16 {
                return BROKEN[at].1;
            }
            at += 1;
        }
        &[]
    }
}

const BROKEN: &[(Rule, &[Client])] = &[
    (Rule::Ann01, &[OpenAiNode]),
    (Rule::Ann02, &[OpenAiNode]),
    (Rule::Err06, &[OpenAiPython, OpenAiNode, AiSdk]),
    (Rule::Ext02, &[OpenAiNode]),
    (Rule::Ext12, &[OpenAiPython]),
    (Rule::Item01, &[OpenAiPython, OpenAiNode, AiSdk]),
    (Rule::Item02, &[OpenAiNode]),
    (Rule::Item03, &[OpenAiPython, OpenAiNode, AiSdk]),
    (Rule::Item07, &[AiSdk]),
    (Rule::Item08, &[AiSdk]),
    (Rule::Item10, &[OpenAiPython, OpenAiNode]),
    (Rule::Item11, &[OpenAiNode, AiSdk]),
    (Rule::Item12, &[OpenAiPython, OpenAiNode, AiSdk]),
    (Rule::Item15, &[AiSdk]),
    (Rule::Life02, &[OpenAiPython, OpenAiNode]),
    (Rule::Life04, &[OpenAiPython, OpenAiNode]),
    (Rule::Life06, &[OpenAiPython]),
    (Rule::Life07, &[AiSdk]),
    (Rule::Life08, &[OpenAiPython, OpenAiNode]),
    (Rule::Life13, &[OpenAiPython, OpenAiNode]),
    (Rule::Part01, &[OpenAiPython, OpenAiNode, AiSdk]),
    (Rule::Part02, &[OpenAiPython, OpenAiNode]),
    (Rule::Part07, &[OpenAiPython, OpenAiNode]),
    (Rule::Part08, &[OpenAiPython, OpenAiNode]),
    (Rule::Part13, &[OpenAiNode]),
    (Rule::Read01, &[OpenAiPython, OpenAiNode]),
    (Rule::Read04, &[OpenAiPython, OpenAiNode]),
    (Rule::Read07, &[OpenAiPython, OpenAiNode]),
    (Rule::Rsn02, &[AiSdk]),
    (Rule::Schema01, &[OpenAiPython, OpenAiNode]),
    (Rule::Seq07, &[AiSdk]),
    (Rule::Sse01, &[OpenAiPython, OpenAiNode, AiSdk]),
    (Rule::Sse03, &[OpenAiPython, OpenAiNode, AiSdk]),
    (Rule::Sse05, &[OpenAiPython]),
    (Rule::Sse09, &[OpenAiPython, OpenAiNode]),
    (Rule::Sse10, &[OpenAiPython]),
];

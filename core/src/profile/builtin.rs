//! The built-in profiles: one entry for each known deviation of a provider, with the place where it was observed.
//!
//! "Recordings" are streams that real servers sent; a thread is named by its repository and number. An exemption
//! applies only at its own location.

use crate::contract::Edition;
use crate::finding::Severity;
use crate::validate::Rule;

/// Rule, pattern of locations (empty: everywhere), severity (`None`: not reported), the evidence.
pub(crate) type BuiltinLine = (Rule, &'static str, Option<Severity>, &'static str);

/// Descriptive texts: a build that neither validates nor explains is a few kilobytes smaller without them.
const fn words(text: &'static str) -> &'static str {
    if cfg!(any(feature = "validate", feature = "explain")) {
        text
    } else {
        ""
    }
}

const fn line(rule: Rule, path: &'static str, weight: Option<Severity>, evidence: &'static str) -> BuiltinLine {
    (rule, if is_validator_rule(rule) { words(path) } else { path }, weight, words(evidence))
}

/// Rules that only a validator reports: without a validator their exemptions are never read.
const fn is_validator_rule(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::Schema01
            | Rule::Schema02
            | Rule::Schema03
            | Rule::Schema05
            | Rule::Obj01
            | Rule::Obj02
            | Rule::Obj06
            | Rule::Life04
            | Rule::Life10
            | Rule::Text03
            | Rule::Item04
            | Rule::Item18
            | Rule::Tool11
            | Rule::Err03
    )
}

/// One profile.
pub(super) struct BuiltinProfile {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) edition: Edition,
    /// Profiles whose exemptions also apply here.
    pub(super) like: &'static [&'static str],
    pub(super) lines: &'static [BuiltinLine],
}

const SILENT: Option<Severity> = None;
const NOTE: Option<Severity> = Some(Severity::Note);
const WARNING: Option<Severity> = Some(Severity::Warning);

pub(super) const ALL: &[BuiltinProfile] = &[
    BuiltinProfile {
        name: "open-responses",
        about: words("Open Responses as published, without exemptions"),
        edition: Edition::V2026_04_24,
        like: &[],
        lines: &[],
    },
    BuiltinProfile {
        name: "openai",
        about: words("the OpenAI service"),
        edition: Edition::OpenAi,
        like: &[],
        lines: OPENAI,
    },
    BuiltinProfile {
        name: "azure",
        about: words("OpenAI models on Azure"),
        edition: Edition::OpenAi,
        like: &["openai"],
        lines: &[],
    },
    BuiltinProfile {
        name: "codex",
        about: words("the ChatGPT backend of Codex"),
        edition: Edition::OpenAi,
        like: &["openai"],
        lines: CODEX,
    },
    BuiltinProfile {
        name: "copilot",
        about: words("GitHub Copilot"),
        edition: Edition::OpenAi,
        like: &["openai"],
        lines: COPILOT,
    },
    BuiltinProfile { name: "xai", about: words("xAI"), edition: Edition::OpenAi, like: &["openai"], lines: XAI },
    BuiltinProfile {
        name: "deepseek",
        about: words("DeepSeek"),
        edition: Edition::OpenAi,
        like: &["openai"],
        lines: DEEPSEEK,
    },
    BuiltinProfile {
        name: "lmstudio",
        about: words("LM Studio"),
        edition: Edition::OpenAi,
        like: &["openai"],
        lines: LMSTUDIO,
    },
    BuiltinProfile {
        name: "openrouter",
        about: words("OpenRouter"),
        edition: Edition::OpenAi,
        like: &["openai"],
        lines: OPENROUTER,
    },
    BuiltinProfile {
        name: "zen",
        about: words("OpenCode Zen"),
        edition: Edition::OpenAi,
        like: &["openai"],
        lines: ZEN,
    },
    BuiltinProfile { name: "ollama", about: words("Ollama"), edition: Edition::Split, like: &[], lines: OLLAMA },
    BuiltinProfile {
        name: "llamacpp",
        about: words("the llama.cpp server"),
        edition: Edition::Split,
        like: &[],
        lines: LLAMACPP,
    },
    BuiltinProfile { name: "vllm", about: words("vLLM"), edition: Edition::OpenAi, like: &["openai"], lines: VLLM },
    BuiltinProfile {
        name: "litellm",
        about: words("LiteLLM as a gateway"),
        edition: Edition::OpenAi,
        like: &["openai"],
        lines: LITELLM,
    },
    BuiltinProfile {
        name: "llama-stack",
        about: words("Llama Stack"),
        edition: Edition::OpenAi,
        like: &["openai"],
        lines: LLAMA_STACK,
    },
    BuiltinProfile {
        name: "any",
        about: words("any of the providers above"),
        edition: Edition::Split,
        like: &[],
        lines: ANY,
    },
];

const NO_SENTINEL: &str = "no recording has the sentinel; djinnos/djinn 1697, ai-dynamo/frontend-crates 206";
const NEWER_TYPES: &str = "a field of the newest SDK types that no recording has";
const NULL_FOR_ABSENT: &str = "recordings have null where the SDK types leave the field out";

const OPENAI: &[BuiltinLine] = &[
    line(Rule::Sse02, "", SILENT, NO_SENTINEL),
    line(Rule::Ext02, "/type", NOTE, "keepalive events: openai/openai-node 1964, openai/openai-java 767"),
    line(Rule::Rsn04, "", SILENT, "raw reasoning is response.reasoning_text in the documentation"),
    line(Rule::Life04, "/response/access_programs", SILENT, NEWER_TYPES),
    line(Rule::Obj01, "/access_programs", SILENT, NEWER_TYPES),
    line(Rule::Obj02, "/response/user", SILENT, NULL_FOR_ABSENT),
    line(Rule::Obj02, "/user", SILENT, NULL_FOR_ABSENT),
    line(Rule::Obj06, "/response/usage", SILENT, NULL_FOR_ABSENT),
    line(Rule::Obj06, "/usage", SILENT, NULL_FOR_ABSENT),
    line(Rule::Obj06, "/response/usage/input_tokens_details/cache_write_tokens", SILENT, NEWER_TYPES),
    line(Rule::Obj06, "/usage/input_tokens_details/cache_write_tokens", SILENT, NEWER_TYPES),
    line(Rule::Text03, "/logprobs", NOTE, "recordings of 2025 leave logprobs out of text events"),
    line(Rule::Schema02, "/response/text/format/description", NOTE, NULL_FOR_ABSENT),
    line(Rule::Schema02, "/text/format/description", NOTE, NULL_FOR_ABSENT),
    line(Rule::Schema02, "/response/tools/**", NOTE, NULL_FOR_ABSENT),
    line(Rule::Schema02, "/tools/**", NOTE, NULL_FOR_ABSENT),
    line(Rule::Item04, "/item/action", NOTE, "recordings of web searches have the action only when it is done"),
    line(Rule::Schema01, "/item/action", NOTE, "recordings of web searches without any action"),
    line(Rule::Schema01, "/response/output/*/action", NOTE, "recordings of web searches without any action"),
    line(Rule::Schema01, "/item/environment", NOTE, "recordings of shell calls without an environment"),
    line(Rule::Schema01, "/response/output/*/environment", NOTE, "recordings of shell calls without an environment"),
    line(Rule::Schema01, "/output/*/environment", NOTE, "recordings of shell calls without an environment"),
    line(Rule::Schema01, "/item/result", NOTE, "recordings of images have the result only in the terminal snapshot"),
    line(Rule::Schema03, "/output/*/role", NOTE, "recordings of compactions contain the user's messages"),
    line(Rule::Schema05, "/output/*/content/*/type", NOTE, "recordings of compactions contain the user's messages"),
    line(
        Rule::Life09,
        "/response/output/*/action",
        NOTE,
        "the terminal snapshot of a web search may know more sources",
    ),
    line(Rule::Part10, "/item/content/*", NOTE, "recordings with log probabilities have them only in the item"),
    line(Rule::Err03, "/error/type", NOTE, "error types such as insufficient_quota name the cause"),
    line(Rule::Schema03, "/response/error/code", NOTE, "error codes that are in no list, such as insufficient_quota"),
    line(Rule::Err06, "", WARNING, "rate-limit errors end the stream: zendev-sh/goai 88, vercel/ai 20179"),
];

const CODEX: &[BuiltinLine] = &[
    line(
        Rule::Life09,
        "/response/output",
        NOTE,
        "output is empty at the end: NousResearch/hermes-agent 5689, denoland/clawpatrol 729",
    ),
    line(Rule::Life09, "", NOTE, "output is empty at the end: NousResearch/hermes-agent 5689, denoland/clawpatrol 729"),
];

const COPILOT: &[BuiltinLine] = &[
    line(Rule::Item11, "", NOTE, "ids change with every event: vercel/ai 18548"),
    line(Rule::Item02, "", NOTE, "ids change with every event: vercel/ai 18548"),
    line(Rule::Life09, "/response/output/*/id", NOTE, "ids change with every event: vercel/ai 18548"),
    line(Rule::Part02, "", NOTE, "the recording has text deltas without an added part"),
    line(Rule::Part10, "/item/content", NOTE, "the recording has text deltas without an added part"),
    line(Rule::Part04, "", NOTE, "the recording has text deltas without done events"),
    line(Rule::Part05, "", NOTE, "the recording has text deltas without done events"),
    line(Rule::Rsn02, "", NOTE, "the recording has null in encrypted_content"),
    line(Rule::Schema02, "/item/encrypted_content", NOTE, "the recording has null in encrypted_content"),
];

const XAI: &[BuiltinLine] = &[
    line(Rule::Life04, "/response/*", NOTE, "recordings leave out error, instructions and others"),
    line(Rule::Obj01, "", NOTE, "recordings leave out error, instructions and others"),
    line(Rule::Schema01, "/annotation/*", NOTE, "recordings have url citations without title and position"),
    line(Rule::Schema01, "/part/annotations/*/*", NOTE, "recordings have url citations without title and position"),
    line(
        Rule::Schema01,
        "/item/content/*/annotations/*/*",
        NOTE,
        "recordings have url citations without title and position",
    ),
    line(
        Rule::Schema01,
        "/response/output/*/content/*/annotations/*/*",
        NOTE,
        "recordings have url citations without title and position",
    ),
    line(
        Rule::Schema01,
        "/output/*/content/*/annotations/*/*",
        NOTE,
        "recordings have url citations without title and position",
    ),
    line(Rule::Schema01, "/output/*/*", NOTE, "recordings of hosted tools leave out action, code and others"),
    line(Rule::Schema01, "/tools/*/container", NOTE, "recordings of hosted tools leave out the container"),
    line(Rule::Item18, "/output/*/type", NOTE, "items of its own without a prefix, such as custom calls of x_search"),
    line(Rule::Tool11, "/response/tools/*/type", NOTE, "tools of its own without a prefix, such as x_search"),
    line(Rule::Tool11, "/tools/*/type", NOTE, "tools of its own without a prefix, such as x_search"),
];

const DEEPSEEK: &[BuiltinLine] = &[];

const LMSTUDIO: &[BuiltinLine] = &[];

const OPENROUTER: &[BuiltinLine] =
    &[line(Rule::Ext02, "/type", NOTE, "response.keep_alive was seen and later removed")];

const ZEN: &[BuiltinLine] = &[
    line(Rule::Seq01, "/sequence_number", NOTE, "the recording has a ping without a number"),
    line(Rule::Life07, "", NOTE, "the recording has a ping after the terminal event"),
];

const OLLAMA: &[BuiltinLine] = &[
    line(Rule::Sse02, "", SILENT, "openai/responses.go writes no sentinel"),
    line(Rule::Rsn06, "", NOTE, "openai/responses.go streams summaries without part events"),
    line(Rule::Life10, "/response/completed_at", NOTE, "openai/responses.go sends null for completed_at at the end"),
    line(Rule::Obj12, "", SILENT, "openai/responses.go has no user"),
];

const LLAMACPP: &[BuiltinLine] = &[
    line(Rule::Sse02, "", SILENT, "tools/server/server-task.cpp writes no sentinel"),
    line(Rule::Seq01, "", NOTE, "events have no numbers: ggml-org/llama.cpp 24957"),
    line(
        Rule::Schema01,
        "/output_index",
        NOTE,
        "events have no indexes: lemonade-sdk/lemonade 3607, ggml-org/llama.cpp 24957",
    ),
    line(
        Rule::Schema01,
        "/content_index",
        NOTE,
        "events have no indexes: lemonade-sdk/lemonade 3607, ggml-org/llama.cpp 24957",
    ),
    line(Rule::Life04, "/response/*", NOTE, "snapshots are id, object and status: tools/server/server-task.cpp"),
    line(Rule::Text09, "", NOTE, "text parts have no annotations: tools/server/server-task.cpp"),
    line(Rule::Rsn04, "", SILENT, "reasoning is response.reasoning_text: tools/server/server-task.cpp"),
    line(Rule::Part02, "", NOTE, "reasoning parts are never added: tools/server/server-task.cpp"),
    line(Rule::Item04, "/item/id", NOTE, "function calls are added without an id: tools/server/server-task.cpp"),
    line(Rule::Obj12, "", SILENT, "tools/server/server-task.cpp has no user"),
];

const VLLM: &[BuiltinLine] = &[
    line(Rule::Ext02, "/type", NOTE, "response.reasoning_part: vllm-project/vllm 24938, 35184"),
    line(Rule::Item02, "", NOTE, "output is parsed twice, with new ids: vllm-project/vllm 38227"),
    line(Rule::Life09, "/response/output/*/id", NOTE, "output is parsed twice, with new ids: vllm-project/vllm 38227"),
    line(
        Rule::Life09,
        "/response/output/*/call_id",
        NOTE,
        "output is parsed twice, with new ids: vllm-project/vllm 38227",
    ),
    line(Rule::Part04, "", NOTE, "the last message has no done events: vllm-project/vllm 37071"),
    line(Rule::Part05, "", NOTE, "the last message has no done events: vllm-project/vllm 37071"),
    line(Rule::Item06, "", NOTE, "the last message has no done events: vllm-project/vllm 37071"),
];

const LITELLM: &[BuiltinLine] = &[
    line(Rule::Part02, "", NOTE, "parts are not added: BerriAI/litellm 24445"),
    line(Rule::Seq01, "", NOTE, "numbers are missing: BerriAI/litellm 28899"),
    line(Rule::Seq02, "", NOTE, "numbers are fixed for some events: BerriAI/litellm 28899"),
    line(Rule::Obj06, "", NOTE, "usage details are missing: BerriAI/litellm 28899"),
];

const LLAMA_STACK: &[BuiltinLine] = &[line(Rule::Part04, "", NOTE, "texts have no done event: ogx-ai/ogx 5309")];

/// Deviations of gateways that could not be attributed to one provider.
const ANY: &[BuiltinLine] = &[
    line(Rule::Sse04, "", NOTE, "gateways that forward only data lines"),
    line(Rule::Item18, "", NOTE, "items that OpenAI added since"),
    line(Rule::Tool11, "", NOTE, "tools that OpenAI added since"),
    line(Rule::Schema05, "", NOTE, "types that OpenAI added since"),
    line(Rule::Life04, "", NOTE, "snapshots with some of the fields: diegosouzapw/OmniRoute 13964"),
    line(Rule::Item01, "", NOTE, "items without status or id: diegosouzapw/OmniRoute 13964, Oaklight/llm-rosetta 406"),
    line(Rule::Seq02, "", NOTE, "numbers are constant on synthetic events: diegosouzapw/OmniRoute 14330"),
    line(Rule::Part08, "", NOTE, "running counters instead of indexes: vllm-project/vllm 35184"),
];

/// The exemptions of all profiles for `any`: for each location the lowest severity, sorted by falling severity. Computed at compile
/// time, because a reader needs them before its first byte.
pub(crate) const EVERY: &[BuiltinLine] = MERGED.0.split_at(MERGED.1).0;

const MERGED: ([BuiltinLine; LINES], usize) = ordered(merged());

/// The number of exemptions.
const LINES: usize = {
    let (mut count, mut at) = (0, 0);
    while at < ALL.len() {
        count += ALL[at].lines.len();
        at += 1;
    }
    count
};

/// The exemptions of all profiles, each location once.
const fn merged() -> ([BuiltinLine; LINES], usize) {
    let (mut lines, mut count) = ([ANY[0]; LINES], 0);
    let mut profile = 0;
    while profile < ALL.len() {
        let mut at = 0;
        while at < ALL[profile].lines.len() {
            let line = ALL[profile].lines[at];
            let mut known = 0;
            while known < count && !is_same_place(&lines[known], &line) {
                known += 1;
            }
            if known == count {
                lines[count] = line;
                count += 1;
            } else if weight(&line) < weight(&lines[known]) {
                lines[known].2 = line.2;
            }
            at += 1;
        }
        profile += 1;
    }
    (lines, count)
}

/// The first exemptions sorted by falling severity, otherwise in their order.
const fn ordered((lines, count): ([BuiltinLine; LINES], usize)) -> ([BuiltinLine; LINES], usize) {
    let (mut sorted, mut to) = (lines, 0);
    let mut left = HEAVIEST + 1;
    while left > 0 {
        left -= 1;
        let mut at = 0;
        while at < count {
            if weight(&lines[at]) == left {
                sorted[to] = lines[at];
                to += 1;
            }
            at += 1;
        }
    }
    (sorted, count)
}

const fn is_same_place(one: &BuiltinLine, other: &BuiltinLine) -> bool {
    let (path, found) = (one.1.as_bytes(), other.1.as_bytes());
    let mut same = one.0 as u16 == other.0 as u16 && path.len() == found.len();
    let mut at = 0;
    while same && at < path.len() {
        same = path[at] == found[at];
        at += 1;
    }
    same
}

const HEAVIEST: usize = 3;

const fn weight(line: &BuiltinLine) -> usize {
    match line.2 {
        None => 0,
        Some(Severity::Note) => 1,
        Some(Severity::Warning) => 2,
        Some(Severity::Error) => HEAVIEST,
    }
}

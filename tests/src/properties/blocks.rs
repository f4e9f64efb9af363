//! Streams of near-identical blocks: the input that the block templates of the parser work on, with differences of a few bytes.

use crate::Random;

const KINDS: [(&str, &str); 7] = [
    ("response.output_text.delta", "\"content_index\":0,"),
    ("response.refusal.delta", "\"content_index\":1,"),
    ("response.reasoning.delta", "\"content_index\":0,"),
    ("response.reasoning_summary_text.delta", "\"summary_index\":0,"),
    ("response.function_call_arguments.delta", ""),
    ("response.custom_tool_call_input.delta", ""),
    ("response.shell_call_command.delta", "\"command_index\":0,"),
];

const DELTAS: [&str; 18] = [
    "a",
    "",
    " word",
    "\\n",
    "\\ud83d",
    "\\ude00",
    "\\u00e9",
    "é",
    "😀",
    "\\\"",
    "\\\\",
    "{\\\"k\\\":",
    "1}",
    "sixteen bytes ok",
    "a text that is longer than the short ones, with \\\"escapes\\\" in it",
    "\\q",
    "\",\"x\":\"",
    "\u{2028}",
];

const HEADS: [&str; 16] = [
    "event: {kind}\ndata: ",
    "event: {kind}\ndata: ",
    "event: {kind}\ndata: ",
    "event:{kind}\ndata:",
    "data: ",
    "data:",
    "data:  ",
    "data:\t",
    "event: {kind}\ndata:  ",
    "event:  {kind}\ndata: ",
    ": c\nevent: {kind}\ndata: ",
    "id: 7\nevent: {kind}\ndata: ",
    "event: {kind} \ndata: ",
    "event: response.output_text.delta\ndata: ",
    "event\ndata: ",
    "\u{feff}data: ",
];

/// The choices that a run of blocks shares.
#[derive(Clone)]
struct Form {
    kind: (&'static str, &'static str),
    head: &'static str,
    order: usize,
    space: &'static str,
    end: &'static str,
    index: usize,
    item: &'static str,
    more: &'static str,
    /// How a number grows from block to block.
    step: u64,
}

impl Form {
    fn new(random: &mut Random) -> Self {
        let heads = if random.one_in(2) { 4 } else { HEADS.len() };
        Self {
            kind: KINDS[random.below(KINDS.len())],
            head: HEADS[random.below(heads)],
            order: random.below(4),
            space: if random.one_in(4) { " " } else { "" },
            end: if random.one_in(10) { random.pick(&["\r\n", "\r"]) } else { "\n" },
            index: random.below(3),
            item: random.pick(&["msg_1", "m", "a longer id than sixteen bytes", "é", ""]),
            more: random.pick(&[
                "",
                "\"logprobs\":[],",
                "\"obfuscation\":\"abc\",",
                "\"logprobs\":[{\"token\":\"a\",\"logprob\":-0.5,\"bytes\":[97],\"top_logprobs\":[]}],",
                "\"x\":{\"y\":[1,2]},",
                "\"output_index\":1,",
            ]),
            step: random.below(3) as u64,
        }
    }

    fn block(&self, number: u64, delta: &str) -> String {
        let Self { kind: (kind, part), head, space, end, index, item, more, .. } = self;
        let head = head.replace("{kind}", kind);
        let number = format!("\"sequence_number\":{space}{number},");
        let delta = format!("\"delta\":{space}\"{delta}\"");
        let id = format!("\"item_id\":{space}\"{item}\",");
        let place = format!("\"output_index\":{space}{index},{part}");
        let members = match self.order {
            0 => format!("\"type\":{space}\"{kind}\",{number}{id}{place}{more}{delta}"),
            1 => format!("{number}{more}{place}\"type\":{space}\"{kind}\",{id}{delta}"),
            2 => format!("{place}{id}\"type\":{space}\"{kind}\",{more}{number}{delta}"),
            // Without the number, or with the id left out.
            _ => format!("\"type\":{space}\"{kind}\",{place}{more}{delta}"),
        };
        format!("{head}{{{members}}}{end}{end}")
    }
}

/// Builds a stream: runs of blocks that differ in number and delta only, runs whose form differs in one choice, and
/// blocks with a changed byte.
pub fn near_identical_blocks(random: &mut Random) -> Vec<u8> {
    let mut forms = vec![Form::new(random)];
    let mut number = [0, 7, 95, 998, 99_999_995, u64::MAX - 20][random.below(6)];
    let mut out = Vec::new();
    for _ in 0..1 + random.below(6) {
        if random.one_in(2) {
            let mut other = forms[random.below(forms.len())].clone();
            let fresh = Form::new(random);
            match random.below(9) {
                0 => other.head = fresh.head,
                1 => other.order = fresh.order,
                2 => other.space = fresh.space,
                3 => other.end = fresh.end,
                4 => other.index = fresh.index,
                5 => other.item = fresh.item,
                6 => other.more = fresh.more,
                7 => other.kind = fresh.kind,
                _ => other = fresh,
            }
            forms.push(other);
        }
        let take_turns = random.one_in(3);
        let mut form = forms[random.below(forms.len())].clone();
        for _ in 0..1 + random.below(12) {
            if take_turns {
                form = forms[random.below(forms.len())].clone();
            }
            let deltas = if random.one_in(2) { 4 } else { DELTAS.len() };
            let delta = DELTAS[random.below(deltas)];
            let mut block = form.block(number, delta).into_bytes();
            number = number.saturating_add(if random.one_in(20) { random.below(5) as u64 } else { form.step });
            if random.one_in(25) {
                let at = random.below(block.len());
                match random.below(4) {
                    0 => {
                        block[at] =
                            *b"\n\r\"\\0:} x\xC3\x80\0,{".get(random.below(14)).expect("the position is in range")
                    }
                    1 => drop(block.remove(at)),
                    2 => block.insert(at, b" \n9x"[random.below(4)]),
                    _ => block.truncate(at),
                }
            }
            out.extend_from_slice(&block);
        }
        if random.one_in(6) {
            out.extend_from_slice(
                random
                    .pick(&[
                        ": ping\n\n",
                        "\n",
                        "data: [DONE]\n\n",
                        "data: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"msg_1\",\"content\":[]}}\n\n",
                        "data: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"message\",\"id\":\"m\",\"content\":[]}}\n\n",
                        "data: {\"type\":\"response.output_text.done\",\"output_index\":0,\"content_index\":0,\"text\":\"a\",\"code\":\"en\"}\n\n",
                        "data: {\"type\":\"response.content_part.added\",\"output_index\":0,\"content_index\":0,\"part\":{\"type\":\"output_text\",\"text\":\"b\"}}\n\n",
                        "data: {\"type\":\"response.content_part.added\",\"output_index\":0,\"content_index\":5,\"part\":{\"type\":\"output_text\",\"text\":\"b\"}}\n\n",
                    ])
                    .as_bytes(),
            );
        }
    }
    out
}

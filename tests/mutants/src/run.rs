//! Asks the tests about each mutant, those first that are cheap and caught others of the same file.

use crate::suite::{self, End, Test};
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Which mutants to try.
pub struct Choice {
    pub layer: Option<String>,
    /// Only files with this in their path.
    pub file: String,
    /// Each Nth, from which.
    pub shard: (usize, usize),
    /// Only those that survived before.
    pub again: bool,
    /// Seconds of tests after which a mutant is put off.
    pub budget: f64,
    /// Only the tests within the core and these suites; all of them if there is none.
    pub suites: Vec<String>,
    /// Only tests with this in their name.
    pub only: String,
}

impl Default for Choice {
    fn default() -> Self {
        let (file, only) = (String::new(), String::new());
        Self { layer: None, file, shard: (0, 1), again: false, budget: f64::INFINITY, suites: Vec::new(), only }
    }
}

/// Starting a program costs that much beside the test itself.
const START: f64 = 0.004;

/// Tries what has no result yet and appends the results, a line of JSON each, to `results.jsonl` in `out`.
pub fn run(tree: &Path, out: &Path, choice: &Choice) {
    let text = fs::read_to_string(out.join("mutants.json")).expect("the mutants");
    let mutants: Vec<Value> = serde_json::from_str(&text).expect("the mutants");
    let mut tests = suite::tests(tree, out, &choice.suites);
    tests.retain(|test| test.name.contains(&choice.only));
    let path = out.join("results.jsonl");
    let known = results(out);
    let mut odds = Odds::default();
    let mut file = OpenOptions::new().create(true).append(true).open(&path).expect("the results can be written");

    let in_layer = mutants.iter().filter(|mutant| {
        mutant["out"].is_null()
            && choice.layer.as_ref().is_none_or(|layer| mutant["layer"] == layer.as_str())
            && file_of(mutant).contains(&choice.file)
    });
    let of_shard =
        in_layer.enumerate().filter(|(index, _)| index % choice.shard.1 == choice.shard.0).map(|(_, mutant)| mutant);
    let wanted: Vec<&Value> = of_shard
        .filter(|mutant| match known.get(&number(&mutant["id"])) {
            Some(result) => choice.again && matches!(result["result"].as_str(), Some("survived" | "unreached")),
            None => true,
        })
        .collect();
    let (started, mut survived) = (Instant::now(), 0);
    for (index, mutant) in wanted.iter().enumerate() {
        let result = try_one(mutant, &tests, &mut odds, choice.budget);
        survived += usize::from(result["result"] == "survived" || result["result"] == "unreached");
        writeln!(file, "{result}").and_then(|()| file.flush()).expect("a result can be written");
        if (index + 1) % 50 == 0 || index + 1 == wanted.len() {
            println!("{} of {}, {survived} survived, {} s", index + 1, wanted.len(), started.elapsed().as_secs());
        }
    }
}

/// The best answer about each mutant: a test that caught it once counts, and one that reached it counts for more than none.
pub fn results(out: &Path) -> BTreeMap<u32, Value> {
    let text = fs::read_to_string(out.join("results.jsonl")).unwrap_or_default();
    let rank = |value: &Value| match value["result"].as_str() {
        Some("unreached") => 0,
        Some("survived") => 1,
        _ => 2,
    };
    let mut best: BTreeMap<u32, Value> = BTreeMap::new();
    for value in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let id = number(&value["id"]);
        if best.get(&id).is_none_or(|known| rank(known) <= rank(&value)) {
            best.insert(id, value);
        }
    }
    best
}

pub fn number(value: &Value) -> u32 {
    value.as_u64().unwrap_or_default() as u32
}

/// The file of a mutant, from the root of the repository.
fn file_of(mutant: &Value) -> &str {
    mutant["name"].as_str().and_then(|name| name.split(':').next()).unwrap_or_default()
}

fn try_one(mutant: &Value, tests: &[Test], odds: &mut Odds, budget: f64) -> Value {
    let id = number(&mutant["id"]);
    let name = mutant["name"].as_str().unwrap_or_default();
    let file = file_of(mutant).to_owned();
    let mut order: Vec<(f64, usize)> = Vec::new();
    for (index, test) in tests.iter().enumerate().filter(|(_, test)| test.reaches.contains(&id)) {
        order.push((odds.of(&file, index) / (test.seconds + START), index));
    }
    order.sort_by(|left, right| right.0.total_cmp(&left.0));
    let started = Instant::now();
    let (mut verdict, mut by, mut asked) = (if order.is_empty() { "unreached" } else { "survived" }, None, 0);
    let (reached, mut spent) = (order.len(), 0.0);
    for (_, index) in order {
        // What costs more than is left may still be followed by what does not.
        if spent + tests[index].seconds > budget {
            continue;
        }
        spent += tests[index].seconds;
        asked += 1;
        let end = tests[index].ask(id);
        odds.note(&file, index, end != End::Passed);
        if end != End::Passed {
            verdict = if end == End::TimedOut { "timeout" } else { "caught" };
            by = Some(&tests[index].name);
            break;
        }
    }
    let seconds = (started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    json!({ "id": id, "result": verdict, "name": name, "by": by, "asked": asked, "of": reached, "seconds": seconds })
}

/// How often a test caught a mutant, in each file and in all.
#[derive(Default)]
struct Odds {
    tries: BTreeMap<(String, usize), (f64, f64)>,
}

impl Odds {
    fn of(&self, file: &str, test: usize) -> f64 {
        let count = |file: &str| self.tries.get(&(file.to_owned(), test)).copied().unwrap_or_default();
        let ((caught, tried), (all_caught, all_tried)) = (count(file), count(""));
        let prior = (all_caught + 0.2) / (all_tried + 1.0);
        (caught + prior) / (tried + 1.0)
    }

    fn note(&mut self, file: &str, test: usize, caught: bool) {
        for file in [file, ""] {
            let entry = self.tries.entry((file.to_owned(), test)).or_default();
            entry.0 += f64::from(u8::from(caught));
            entry.1 += 1.0;
        }
    }
}

/// Counts per layer, and the survivors that have no reason. True if there are none.
pub fn report(out: &Path, reasons: &Path) -> bool {
    let mutants: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(out.join("mutants.json")).expect("the mutants")).expect("the mutants");
    let reasons: Value =
        serde_json::from_str(&fs::read_to_string(reasons).expect("the survivors")).expect("the survivors");
    let results = results(out);
    let mut used = BTreeSet::new();
    let mut without = Vec::new();
    let mut layers: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    for mutant in &mutants {
        let key = mutant["key"].as_str().unwrap_or_default();
        let result = results.get(&number(&mutant["id"])).and_then(|result| result["result"].as_str());
        let column = match (mutant["out"].as_str(), result) {
            (Some(out), _) => {
                if out == "unviable" {
                    "unviable"
                } else {
                    "fixed"
                }
            }
            (None, None) => "untried",
            (None, Some("caught")) => "caught",
            (None, Some("timeout")) => "timeout",
            (None, Some(result)) => match reason(&reasons, key) {
                Some(pattern) => {
                    used.insert(pattern);
                    "reason"
                }
                None => {
                    without.push(format!("{result}: {} | {key}", mutant["name"].as_str().unwrap_or_default()));
                    "survived"
                }
            },
        };
        for layer in [mutant["layer"].as_str().unwrap_or_default(), "all"] {
            *layers.entry(layer.to_owned()).or_default().entry(column).or_default() += 1;
        }
    }
    println!("| layer | mutants | do not compile | not switched | not tried | caught | timed out | survived, with a reason | survived | score |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (layer, counts) in &layers {
        let of = |name: &str| counts.get(name).copied().unwrap_or_default();
        let caught = of("caught") + of("timeout");
        let judged = caught + of("survived") + of("reason");
        let score = 100.0 * caught as f64 / judged.max(1) as f64;
        println!(
            "| `{layer}` | {} | {} | {} | {} | {} | {} | {} | {} | {score:.1} % |",
            counts.values().sum::<usize>(),
            of("unviable"),
            of("fixed"),
            of("untried"),
            of("caught"),
            of("timeout"),
            of("reason"),
            of("survived")
        );
    }
    for line in &without {
        println!("{line}");
    }
    // Where some were not tried, nobody knows yet.
    let tried = |pattern: &str| {
        let layer = pattern.trim_start_matches("core/src/").split('/').next().unwrap_or_default();
        layers.get(layer).is_none_or(|counts| !counts.contains_key("untried"))
    };
    for (pattern, _) in reasons.as_object().into_iter().flatten() {
        if tried(pattern) && !used.contains(pattern) {
            println!("a reason for nothing: {pattern}");
        }
    }
    without.is_empty()
}

/// The entry that speaks of a mutant: its key, or `file function` for all of a function.
fn reason(reasons: &Value, key: &str) -> Option<String> {
    let function = key.split(": ").next().unwrap_or_default();
    let file = function.split(' ').next().unwrap_or_default();
    [key, function, file].into_iter().find(|name| reasons[*name].is_string()).map(str::to_owned)
}

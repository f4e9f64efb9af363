//! Completions and the manual page: made by the program from its own table, and read by real shells where there are any.

mod common;

use std::process::Command;

use common::{run, Folder};

/// Every command and its options, by the help pages.
fn table() -> Vec<(String, Vec<String>)> {
    let page = run(&["--help"], b"").output;
    let names = page.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    names
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .map(|name| {
            let page = run(&[&name, "--help"], b"").output;
            let options = page.lines().filter_map(|line| line.strip_prefix("  --")).map(|line| {
                let name = line.split_whitespace().next().unwrap();
                format!("--{name}")
            });
            (name.clone(), options.collect())
        })
        .collect()
}

#[test]
fn every_command_and_option_is_in_every_script_and_in_the_manual() {
    let table = table();
    assert!(table.len() >= 8, "{table:?}");
    let manual = run(&["man"], b"").output;
    for (name, options) in &table {
        assert!(manual.contains(&format!(".SS deltafold {name}\n")), "{name}");
        for option in options {
            let escaped = option.replace('-', "\\-");
            assert!(manual.contains(&format!("\\fB{escaped}\\fR")), "{name} {option}");
        }
        for shell in ["bash", "zsh", "fish"] {
            let done = run(&["completions", shell], b"");
            assert_eq!((done.code, &*done.errors), (0, ""), "{shell}");
            assert!(done.output.contains(name.as_str()), "{shell} {name}");
            for option in options {
                let spelled = if shell == "fish" { option.replacen("--", "-l ", 1) } else { option.clone() };
                assert!(done.output.contains(&spelled), "{shell} {name} {option}");
            }
        }
    }
}

/// What bash offers for a line; the cursor is at its end.
fn offered(words: &[&str]) -> Vec<String> {
    let folder = Folder::new(&format!("bash-{}", words.join("-").replace('/', "_")));
    let script = folder.file("deltafold.bash", run(&["completions", "bash"], b"").output.as_bytes());
    let list = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let ask = format!(
        "source '{}'; COMP_WORDS=(deltafold {list}); COMP_CWORD={}; _deltafold; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display(),
        words.len()
    );
    let done = Command::new("bash").args(["-c", &ask]).output().expect("bash is what runs the tests");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut words: Vec<String> = String::from_utf8(done.stdout).unwrap().lines().map(str::to_owned).collect();
    words.sort();
    words
}

#[test]
fn bash_completes_commands_options_and_values() {
    assert_eq!(offered(&["fo"]), ["fold"]);
    assert_eq!(offered(&["help", "fr"]), ["frames"]);
    assert_eq!(offered(&["convert", "--to", "a"]), ["ag-ui", "anthropic"]);
    assert_eq!(offered(&["check", "--format", ""]), ["json", "junit", "sarif", "text"]);
    assert_eq!(offered(&["check", "--explain", "SSE-0"]).first().unwrap(), "SSE-01");
    assert_eq!(offered(&["fold", "--pr"]), ["--pretty", "--progress"]);
    assert_eq!(offered(&["completions", ""]), ["bash", "fish", "zsh"]);
    assert_eq!(offered(&["fold", "src/li"]), ["src/lib.rs", "src/lines.rs"]);
}

#[test]
fn the_other_shells_take_their_scripts() {
    for shell in ["zsh", "fish"] {
        let folder = Folder::new(&format!("script-{shell}"));
        let script = folder.file("script", run(&["completions", shell], b"").output.as_bytes());
        match Command::new(shell).arg("-n").arg(&script).output() {
            Ok(done) => assert!(done.status.success(), "{shell}: {}", String::from_utf8_lossy(&done.stderr)),
            Err(_) => println!("NOTE: {shell} is not on this machine; its script was not parsed by it"),
        }
        // What no shell is needed for: every quote is closed on its own line.
        for line in std::fs::read_to_string(&script).unwrap().lines() {
            assert_eq!(line.matches('\'').count() % 2, 0, "{shell}: {line}");
        }
    }
}

#[test]
fn the_manual_is_roff_that_a_formatter_accepts() {
    let manual = run(&["man"], b"").output;
    assert!(manual.starts_with(".TH DELTAFOLD 1 "), "{manual}");
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "ENVIRONMENT", "EXAMPLES"] {
        assert!(manual.contains(&format!(".SH {section}\n")), "{section}");
    }
    // A line that begins with a dot is a request, and there are only these.
    for line in manual.lines().filter(|line| line.starts_with('.')) {
        let request = line.split_whitespace().next().unwrap();
        assert!(
            [".TH", ".SH", ".SS", ".B", ".I", ".br", ".PP", ".TP", ".IP", ".nf", ".fi"].contains(&request),
            "{line}"
        );
    }
    let folder = Folder::new("man");
    let page = folder.file("deltafold.1", manual.as_bytes());
    match Command::new("groff").args(["-man", "-Tutf8", "-ww", "-z"]).arg(&page).output() {
        Ok(done) => {
            assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr))
        }
        Err(_) => println!("NOTE: groff is not on this machine; the page was not set by it"),
    }
}

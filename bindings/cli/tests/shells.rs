//! Completions and the manual page: generated from the program's own definitions, and read by real shells if they are installed.

mod common;

use std::process::Command;

use common::{run, Folder};

/// Returns every command and its options, from the help pages.
fn table() -> Vec<(String, Vec<String>)> {
    let commands = common::commands(&run(&["--help"], b"").output);
    let options = |command: &String| {
        let page = run(&[command, "--help"], b"").output;
        let lines = page.lines().filter_map(|line| line.trim_start().strip_prefix("--"));
        lines.map(|line| format!("--{}", line.split_whitespace().next().unwrap())).collect()
    };
    commands.iter().map(|command| (command.clone(), options(command))).collect()
}

#[test]
fn every_command_and_option_is_in_every_script_and_in_the_manual() {
    let table = table();
    assert!(table.len() >= 8, "{table:?}");
    let manual = run(&["man"], b"").output;
    for (name, options) in &table {
        assert!(manual.contains(&format!(".SH \"DELTAFOLD {}\"\n", name.to_uppercase())), "{name}");
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

/// Returns the completions that bash offers for a line; the cursor is at its end.
fn offered(words: &[&str]) -> Vec<String> {
    let folder = Folder::new(&format!("bash-{}", words.join("-").replace('/', "_")));
    let script = folder.file("deltafold.bash", run(&["completions", "bash"], b"").output.as_bytes());
    let list = words.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    let ask = format!(
        "source '{}'; COMP_WORDS=(deltafold {list}); COMP_CWORD={}; _deltafold deltafold '{}' '{}'; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display(),
        words.len(),
        words.last().unwrap(),
        words.iter().rev().nth(1).unwrap_or(&"deltafold")
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
    assert_eq!(offered(&["completions", ""]), ["--help", "-h", "bash", "elvish", "fish", "powershell", "zsh"]);
    assert_eq!(offered(&["check", "--schema", "src/i"]), ["src/input.rs", "src/io.rs"]);
    // Positional files: bash completes them itself if the function returns nothing.
    assert_eq!(offered(&["fold", "src/li"]), [""]);
    let script = run(&["completions", "bash"], b"").output;
    assert!(script.contains("complete -F _deltafold -o nosort -o bashdefault -o default deltafold"), "{script}");
}

#[test]
fn the_other_shells_take_their_scripts() {
    for shell in ["zsh", "fish"] {
        let folder = Folder::new(&format!("script-{shell}"));
        let script = folder.file("script", run(&["completions", shell], b"").output.as_bytes());
        match Command::new(shell).arg("-n").arg(&script).output() {
            Ok(done) => assert!(done.status.success(), "{shell}: {}", String::from_utf8_lossy(&done.stderr)),
            Err(_) => println!("NOTE: {shell} is not installed, so its script was not parsed"),
        }
    }
}

#[test]
fn the_manual_is_roff_that_a_formatter_accepts() {
    let manual = run(&["man"], b"").output;
    assert!(manual.contains("\n.TH DELTAFOLD 1 "), "{manual}");
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "ENVIRONMENT", "EXTRA"] {
        assert!(manual.contains(&format!(".SH {section}\n")), "{section}");
    }
    // A line that begins with a dot is a request; only these are used.
    for line in manual.lines().filter(|line| line.starts_with('.')) {
        let request = line.split_whitespace().next().unwrap();
        assert!(
            [".TH", ".SH", ".SS", ".PP", ".TP", ".IP", ".RS", ".RE", ".br", ".ie", ".el"].contains(&request),
            "{line}"
        );
    }
    let folder = Folder::new("man");
    let page = folder.file("deltafold.1", manual.as_bytes());
    match Command::new("groff").args(["-man", "-Tutf8", "-ww", "-z"]).arg(&page).output() {
        Ok(done) => {
            assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr))
        }
        Err(_) => println!("NOTE: groff is not installed, so the page was not formatted"),
    }
}

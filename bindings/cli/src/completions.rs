//! `deltafold completions`: scripts for shells, made from the table.

use crate::args::Args;
use crate::table::{Command, Files, Opt, Words, PLAIN_EXITS};
use crate::{print, Failure, Io, COMMANDS};

pub(crate) const COMMAND: Command = Command {
    name: "completions",
    summary: "print a completion script for a shell",
    usage: &["bash|zsh|fish"],
    about: "Bash: source the script, or put it into a folder of bash-completion. Zsh: save it as _deltafold in a folder of \
            $fpath. Fish: save it as deltafold.fish in ~/.config/fish/completions.",
    options: &[],
    files: Files::Word(SHELLS),
    exits: PLAIN_EXITS,
    examples: &["source <(deltafold completions bash)"],
    run,
};

const SHELLS: Words = Words::List(&["bash", "zsh", "fish"]);

fn run(args: &Args, io: &mut Io<'_>) -> Result<u8, Failure> {
    let script = match args.word()? {
        Some("bash") => bash(),
        Some("zsh") => zsh(),
        Some("fish") => fish(),
        Some(other) => return Err(Failure::Usage(format!("no script for `{other}`; shells are bash, zsh and fish"))),
        None => return Err(Failure::Usage("name a shell: bash, zsh or fish".into())),
    };
    print(io, &script).map(|()| 0)
}

/// Every word that a script needs is plain: letters, digits, dots and dashes. Help texts are quoted where they stand.
fn bash() -> String {
    let mut text = String::from(
        "# bash completion for deltafold; made by `deltafold completions bash`\n\
         _deltafold() {\n\
         \x20   local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n\
         \x20   COMPREPLY=()\n\
         \x20   if [ \"$COMP_CWORD\" -eq 1 ]; then\n",
    );
    let names = COMMANDS.iter().map(|command| command.name).collect::<Vec<_>>().join(" ");
    text.push_str(&format!(
        "        COMPREPLY=($(compgen -W \"{names} help --help --version\" -- \"$word\"))\n        return\n    fi\n"
    ));
    text.push_str("    case $command:$before in\n");
    for command in COMMANDS {
        for option in command.options.iter().filter(|option| !option.is_flag() && option.words != Words::File) {
            let words = option.words.all().join(" ");
            text.push_str(&format!(
                "        {}:{}) COMPREPLY=($(compgen -W \"{words}\" -- \"$word\")); return ;;\n",
                command.name, option.name
            ));
        }
    }
    text.push_str("    esac\n    case $command:$word in\n");
    for command in COMMANDS {
        let names: Vec<&str> = command.options.iter().map(|option| option.name).chain(["--help"]).collect();
        text.push_str(&format!(
            "        {}:-*) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
            command.name,
            names.join(" ")
        ));
        if let Files::Word(words) = command.files {
            text.push_str(&format!(
                "        {}:*) COMPREPLY=($(compgen -W \"{}\" -- \"$word\")); return ;;\n",
                command.name,
                words.all().join(" ")
            ));
        }
    }
    text.push_str(&format!("        help:*) COMPREPLY=($(compgen -W \"{names}\" -- \"$word\")); return ;;\n"));
    text.push_str(
        "    esac\n    COMPREPLY=($(compgen -f -- \"$word\"))\n}\ncomplete -o filenames -F _deltafold deltafold\n",
    );
    text
}

fn zsh() -> String {
    let mut text = String::from(
        "#compdef deltafold\n# zsh completion for deltafold; made by `deltafold completions zsh`\n\
         _deltafold() {\n    local -a commands\n    commands=(\n",
    );
    for command in COMMANDS {
        text.push_str(&format!("        '{}:{}'\n", command.name, quoted(command.summary)));
    }
    text.push_str(
        "    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n    \
         local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n",
    );
    for command in COMMANDS {
        text.push_str(&format!("        {})\n            _arguments", command.name));
        for option in command.options {
            text.push_str(&format!(" \\\n                '{}'", zsh_option(option)));
        }
        text.push_str(&format!(" \\\n                '--help[{}]'", "show the help page"));
        let files = match command.files {
            Files::Word(words) => format!("1:word:({})", words.all().join(" ")),
            Files::One => "1:file:_files".to_owned(),
            _ => "*:file:_files".to_owned(),
        };
        text.push_str(&format!(" \\\n                '{files}'\n            ;;\n"));
    }
    text.push_str("        help) _describe command commands ;;\n    esac\n}\n");
    // Loaded from $fpath the file is the function itself; sourced, it has to be made known.
    text.push_str(
        "if [ \"$funcstack[1]\" = \"_deltafold\" ]; then _deltafold \"$@\"; else compdef _deltafold deltafold; fi\n",
    );
    text
}

fn zsh_option(option: &Opt) -> String {
    let help = quoted(option.help).replace(['[', ']'], "").replace(':', "\\:");
    if option.is_flag() {
        return format!("{}[{help}]", option.name);
    }
    let values = match option.words {
        Words::File => "_files".to_owned(),
        words => format!("({})", words.all().join(" ")),
    };
    format!("{}=[{help}]:{}:{values}", option.name, option.value)
}

fn fish() -> String {
    let mut text = String::from(
        "# fish completion for deltafold; made by `deltafold completions fish`\n\
         complete -c deltafold -n __fish_use_subcommand -f -a help -d 'show the help page of a command'\n",
    );
    for command in COMMANDS {
        text.push_str(&format!(
            "complete -c deltafold -n __fish_use_subcommand -f -a {} -d '{}'\n",
            command.name,
            quoted(command.summary)
        ));
    }
    for command in COMMANDS {
        let when = format!("complete -c deltafold -n '__fish_seen_subcommand_from {}'", command.name);
        for option in command.options {
            let name = option.name.trim_start_matches('-');
            let help = quoted(option.help);
            let value = match option.words {
                _ if option.is_flag() => String::new(),
                Words::File => " -r -F".to_owned(),
                Words::Free => " -x".to_owned(),
                words => format!(" -x -a '{}'", words.all().join(" ")),
            };
            text.push_str(&format!("{when} -l {name}{value} -d '{help}'\n"));
        }
        if let Files::Word(words) = command.files {
            text.push_str(&format!("{when} -f -a '{}'\n", words.all().join(" ")));
        }
    }
    text
}

/// Text for single quotes of any of the three shells: there is no apostrophe in it.
fn quoted(text: &str) -> String {
    text.replace('\'', "’")
}

"""Lists the programs that every step calls, and compares them with tests/ci/programs.txt and with the `# needs:` head of the step.

    python3 tests/ci/programs.py [ROOT]

Reads the shell scripts with a real parser (tree-sitter) and follows them: sourced files, functions, scripts that are run by `bash FILE`,
variables that hold a command, `bash -c` texts, the commands of the runners. Python, JavaScript and Rust files that a step names are searched
for the programs that they start. An error is

  - a program that the table does not list: `setup` would not know how to get it;
  - a program that a step calls but does not name in its head: `setup` would not install it for this step;
  - a name in a head that the step does not use, or that the table does not list.
"""

import fnmatch
import itertools
import json
import pathlib
import re
import subprocess
import sys

import tree_sitter_bash
from tree_sitter import Language, Parser

PARSER = Parser(Language(tree_sitter_bash.language()))
UNKNOWN = "\u00a7"
BUILTINS = set(subprocess.run(["bash", "-c", "compgen -bk"], capture_output=True, text=True, check=True).stdout.split())
# Commands that run their arguments as a command. `run` is the function of tests/ci/lib.sh.
WRAPPERS = {"run", "env", "exec", "command", "sudo", "nice", "nohup", "time", "timeout", "xargs", "chroot", "unshare"}
# How a script uses an entry of the table that is not a called program.
SIGNS = {
    "rustfmt": r"\bcargo fmt\b",
    "cargo-clippy": r"\bcargo clippy\b",
    "nightly": r"\+\$NIGHTLY",
    "oldest-rust": r"\+\$OLDEST_RUST",
    "wasm32": r"wasm32-unknown-unknown",
    "wasip1": r"wasm32-wasip1",
    "aarch64": r"aarch64-unknown-linux-musl",
    "libcurl": r"\blibcurl\b",
    "ruby-ffi": r"\bruby -I\b",
    "ruby-minitest": r"_test\.rb\b",
    "jna": r"\bjna\b",
    "python3-venv": r"\buse_venv\b|-m venv\b",
    # rustc links with it, and cmake builds with it.
    "cc": r"\bcargo\b|\bbuild_programs\b",
    "make": r"\bcmake --build\b",
    # libFuzzer is C++.
    "c++": r"\bbuild_fuzz\b",
}
# Functions of tests/ci/lib.sh that use several entries of the table, and what a step uses by calling each.
SHARED = {"use_venv": ["python3"], "use_npm": ["node", "npm"]}
# Programs that the steps build themselves and put on PATH.
OWN = {"deltafold"}
NEVER_INSTALLED = ("base", "optional")
# Programs in the source of other languages: the first string in a call that starts a process.
CALLS = {
    ".py": r"""\b(?:subprocess\.)?(?:run|Popen|check_output|check_call|call)\(\s*\[\s*"([\w.+-]+)\"""",
    ".mjs": r"""\b(?:execFileSync|execFile|spawnSync|spawn|run)\(\s*"([\w.+-]+)\"""",
    ".rs": r"""\bCommand::new\(\s*"([\w.+-]+)\"""",
}
# Rust tests that run below `cargo test --workspace` or `cargo nextest run --workspace`.
RUST_TESTS = ["tests/rust/*.rs", "tests/src/*.rs", "bindings/*/tests/*.rs", "core/tests/*.rs", "examples/*/tests/*.rs"]


def text(node):
    return node.text.decode("utf-8")


class Script:
    """A parsed shell script: its functions, the values that its variables may have, and the files that it sources."""

    def __init__(self, source):
        self.root = PARSER.parse(source.encode("utf-8")).root_node
        self.functions = {}
        self.variables = {}
        self._collect(self.root)

    def _collect(self, node):
        if node.type == "function_definition":
            self.functions[text(node.child_by_field_name("name"))] = node.child_by_field_name("body")
        elif node.type == "variable_assignment":
            name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if value is not None:
                self.variables.setdefault(text(name).split("[")[0], []).append(value)
        elif node.type == "for_statement":
            name = text(node.child_by_field_name("variable"))
            # An unquoted variable expands to its words.
            self.variables.setdefault(name, []).extend(("words", value) for value in node.children_by_field_name("value"))
        for child in node.children:
            self._collect(child)


class Step:
    """The scripts and files that one step uses."""

    def __init__(self, root, tracked):
        self.root, self.tracked = root, tracked
        self.programs = {}
        self.texts = []
        self.functions = {}
        self.variables = {}
        self.seen = set()
        self.unreadable = []

    def read(self, path):
        """Reads a script and everything that it runs."""
        if path in self.seen:
            return
        self.seen.add(path)
        source = (self.root / path).read_text(encoding="utf-8")
        self.walk_source(source, path)

    def walk_source(self, source, path):
        script = Script(source)
        if script.root.has_error:
            self.unreadable.append(path)
        self.texts.append(re.sub(r"(?m)^\s*#.*$", "", source) if path != "tests/ci/lib.sh" else "")
        for name, body in script.functions.items():
            self.functions.setdefault(name, (body, path))
        for name, values in script.variables.items():
            self.variables.setdefault(name, []).extend(values)
        self.walk(script.root, path)

    def walk(self, node, path):
        """Visits all commands, except those in functions that are never called."""
        if node.type == "function_definition":
            return
        if node.type == "command":
            argv = [self.values(child) for child in node.children_by_field_name("argument")]
            for first in self.values(node.child_by_field_name("name").children[0]):
                self.command([[word] for word in first.split()] + argv, path)
        for child in node.children:
            self.walk(child, path)

    def values(self, node, depth=0):
        """All texts that a node may have; UNKNOWN replaces parts that cannot be determined."""
        if isinstance(node, tuple):
            return [word for value in self.values(node[1], depth) for word in value.split()]
        kind = node.type
        if depth > 8:
            return [UNKNOWN]
        if kind in ("word", "number", "string_content", "command_name", "extglob_pattern"):
            return [text(node).replace("\\\n", "")]
        if kind == "raw_string":
            return [text(node)[1:-1]]
        if kind in ("simple_expansion", "expansion"):
            name = re.match(r"\$\{?[!#]?(\w+)", text(node))
            if name and name[1] == "ROOT":
                return ["."]
            known = self.variables.get(name[1], []) if name else []
            found = [value for each in known for value in self.values(each, depth + 1)]
            return list(dict.fromkeys(found))[:40] or [UNKNOWN]
        if kind in ("string", "concatenation", "array"):
            parts, last = [], node.start_byte + (kind != "concatenation")
            source = node.text
            for child in node.named_children:
                # The text between two nodes: blanks, and text without a node.
                parts.append([source[last - node.start_byte : child.start_byte - node.start_byte].decode("utf-8")])
                parts.append(self.values(child, depth + 1))
                last = child.end_byte
            return ["".join(each) for each in itertools.islice(itertools.product(*parts), 60)] or [""]
        return [UNKNOWN]

    def command(self, argv, path):
        """Records the call of one command: argv is a list of words, each with its possible texts."""
        if not argv:
            return
        for word in dict.fromkeys(argv[0]):
            rest = argv[1:]
            if word in OWN:
                continue
            if word in SHARED:
                for program in SHARED[word]:
                    self.note(program, path)
            elif word in self.functions and word != "run":
                self.function(word)
                self.argument_programs(rest)
            elif word in (".", "source"):
                self.files(rest[:1], path, (".sh", ""))
            elif word in WRAPPERS:
                if word not in ("run", "exec", "command", "time"):
                    self.note(word, path)
                self.command(self.without_options(rest), path)
            elif word in BUILTINS:
                continue
            elif UNKNOWN in word or "/" in word:
                # A program that the step has built or installed itself.
                if word.endswith("/comparer"):
                    self.runners(rest, path)
                self.files(rest, path, (".py", ".mjs", ".rb", "folder"))
            elif re.fullmatch(r"[\w.+-]+", word):
                self.note(word, path)
                if word in ("bash", "sh") and rest and "-c" in rest[0]:
                    for source in rest[1] if len(rest) > 1 else []:
                        self.walk_source(source, path)
                elif word in ("bash", "sh"):
                    self.files(rest[:1], path, (".sh", ""))
                else:
                    self.files(rest, path, (".py", ".mjs", ".rb", "folder"))
                if word == "npm":
                    self.npm_script([values[0] for values in rest])
                if word == "cargo" and {"--workspace"} <= {each for values in rest for each in values} and "test" in "".join(v[0] for v in rest):
                    self.search([file for file in self.tracked if any(fnmatch.fnmatch(file, pattern) for pattern in RUST_TESTS)])

    def npm_script(self, arguments):
        """Follows `npm run NAME` and `npm test` into the scripts of the package."""
        name = arguments[1] if arguments[:1] == ["run"] and len(arguments) > 1 else "".join(arguments[:1])
        for file in self.tracked:
            if file.endswith("package.json"):
                script = json.loads((self.root / file).read_text(encoding="utf-8")).get("scripts", {}).get(name)
                if script and ("npm", file, name) not in self.seen:
                    self.seen.add(("npm", file, name))
                    self.walk_source(script, file)

    @staticmethod
    def without_options(argv):
        """Drops options, assignments and numbers before the command of a wrapper."""
        argv = list(argv)
        while argv and re.match(r"-|\w+=|\d+$", argv[0][0]):
            takes_value = argv[0][0] in ("-C", "-n", "-I", "-u")
            argv = argv[2 if takes_value else 1 :]
        return argv

    def argument_programs(self, argv):
        """A function of the script may run its arguments, so a known program among them counts as called."""
        for values in argv:
            for value in values:
                first = (value.split() or [""])[0]
                if first in self.known:
                    self.note(first, "an argument")

    def function(self, name):
        if ("function", name) not in self.seen:
            self.seen.add(("function", name))
            body, path = self.functions[name]
            self.walk(body, path)

    def runners(self, argv, path):
        """The arguments NAME=COMMAND of the comparer."""
        for value in itertools.chain.from_iterable(argv):
            name, _, command = value.partition("=")
            if command and re.fullmatch(r"\w+", name):
                self.walk_source(command, path)

    def files(self, argv, path, endings):
        """Follows the files that a command names."""
        for value in itertools.chain.from_iterable(argv):
            for word in value.split() or [""]:
                found = self.resolve(word, path)
                for file in found:
                    end = pathlib.PurePath(file).suffix
                    if end in CALLS or end == ".rb":
                        if not file.startswith("tests/ci/programs"):
                            self.texts.append((self.root / file).read_text(encoding="utf-8"))
                        self.search([file])
                    elif end in endings and (self.root / file).is_file():
                        self.read(file)
                if not found and "folder" in endings:
                    folder = self.relative(word)
                    if folder and "/" in folder:
                        self.search([file for file in self.tracked if file.startswith(folder + "/")])

    @staticmethod
    def relative(word):
        return word.rpartition(UNKNOWN)[2].removeprefix("./").strip("/")

    def resolve(self, word, path):
        """The files of the repository that a word may name: a path from the root, from the script, or the end of one."""
        relative = self.relative(word)
        while relative.startswith("../"):
            relative = relative[3:]
        if not relative or relative.startswith("-") or re.match(r"[^/]*[*]", relative) or not re.search(r"\w", relative):
            return []
        for pattern in (relative, f"{pathlib.PurePath(path).parent}/{relative}", f"*/{relative}"):
            found = [file for file in self.tracked if fnmatch.fnmatchcase(file, pattern)]
            if found and (pattern != f"*/{relative}" or "." in relative):
                return found
        return []

    def search(self, files):
        """Records the programs that source files of other languages start."""
        for file in files:
            # The tests of this file name programs that they do not start.
            if file in self.seen or file == "tests/ci/programs_test.py" or (end := pathlib.PurePath(file).suffix) not in CALLS:
                continue
            self.seen.add(file)
            source = (self.root / file).read_text(encoding="utf-8")
            for program in re.findall(CALLS[end], source):
                self.note(program, file)
            # A command that is built first and started later, or a list of programs.
            if file == "tests/ci/programs.py":
                continue
            for strings in re.findall(r"\[((?:\s*[\"'][\w+-]+[\"'],?)+)", source):
                for program in re.findall(r"[\w+-]+", strings):
                    if program in self.known:
                        self.note(program, file)

    def note(self, program, path):
        if program not in OWN:
            self.programs.setdefault(program, path)


def read_table(file):
    """Names of the table with their source."""
    table = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            names, source, *_ = [cell.strip() for cell in line.split("|", 3)]
            table.update(dict.fromkeys(names.split(), source))
    return table


def head(source, member):
    return " ".join(re.findall(rf"(?m)^# {member}: *(.*)$", source)).split()


def check(root, tracked, report=print):
    """Compares all steps with the table; returns the errors."""
    table = read_table(root / "tests/ci/programs.txt")
    errors = []
    setup = "tests/ci/00-setup.sh"
    for file in sorted(file for file in tracked if re.fullmatch(r"tests/ci/\d\d-[\w-]+\.sh", file)):
        source = (root / file).read_text(encoding="utf-8")
        needs = set(head(source, "needs"))
        step = Step(root, tracked)
        step.known = {name for name in table if table[name] not in NEVER_INSTALLED}
        step.read(file)
        report(f"{file}: {' '.join(sorted(step.programs))}")
        errors += [f"{each}: the parser for shell scripts cannot read it" for each in step.unreadable]
        everything = "\n".join(step.texts)
        used = set(step.programs) | {name for name, sign in SIGNS.items() if re.search(sign, everything)}
        used |= {f"pip:{name}" for name in re.findall(r"\buse_venv (\w+)", everything)}
        used |= {f"npm:{name}" for name in re.findall(r"\buse_npm (\w+)", everything)}
        for name in sorted(used):
            if name not in table:
                errors.append(f"{file} calls '{name}' (from {step.programs.get(name, file)}), which tests/ci/programs.txt does not list")
            elif table[name] not in NEVER_INSTALLED and name not in needs and file != setup:
                errors.append(f"{file} calls '{name}' (from {step.programs.get(name, file)}), which its header does not list in '# needs:'")
        for name in sorted(needs):
            if name not in table:
                errors.append(f"{file} needs '{name}', which tests/ci/programs.txt does not list")
            elif name not in used and not re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", everything):
                errors.append(f"{file} lists '{name}' in '# needs:' but does not use it")
    return errors


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")
    errors = check(root, [file for file in listed if (root / file).is_file()])
    for error in errors:
        print(f"error: {error}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())

"""Runs every code block of the given pages, and compares its output with the page.

    python3 tests/ci/readme.py PYTHON NODE_FOLDER C_PREFIX PAGE…

A block is checked by its language, or by a comment on the line above it:

    rust              a comment must say `check: same as FILE`
    sh                a comment must say `check: run`, or `check: not run, REASON`
    text              a comment may say `check: printed`: it is what the last block that ran has printed
    python, js, c     run; a last comment of the block is what it prints
    ts, tsx           compiled with `strict`; ts with such a comment is run, too
    anything else     refused, unless a comment has `check: not run, REASON`

In running text, `code` that begins with `deltafold` must be a command with options that its help page has. The program is the
one on PATH. tests/ci/links.py checks links and paths.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?:^<!-- check: (?P<check>.*?) -->\n)?^```(?P<language>\S*)\n(?P<text>.*?)^```$", re.M | re.S)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


class Wrong(Exception):
    pass


def main() -> int:
    python, node, prefix, *pages = sys.argv[1:]
    wrong = 0
    for page in pages:
        text = (ROOT / page).read_text(encoding="utf-8")
        printed = None
        # A generated page shows payloads, not commands.
        for block in [] if text.startswith("<!-- Generated") else BLOCK.finditer(text):
            place = f"{page}:{text.count(chr(10), 0, block.start('text'))}"
            try:
                printed = check(block, printed, python, pathlib.Path(node), pathlib.Path(prefix))
                print(f"{place}: {block['language']} {block['check'] or 'run'}")
            except Wrong as error:
                print(f"{place}: {error}")
                wrong += 1
        prose = BLOCK.sub("", text)
        for span in SPAN.findall(prose):
            for fault in command_errors(span):
                print(f"{page}: {fault}")
                wrong += 1
    return 1 if wrong else 0


def command_errors(span):
    """The errors of a `deltafold` command in running text."""
    words = span.split()
    if words[0] == "deltafold" and len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]):
        help_page = subprocess.run(["deltafold", "help", words[1]], capture_output=True, encoding="utf-8")
        if help_page.returncode != 0:
            yield f"no such command: {span}"
        for option in re.findall(r"(?<!\S)--[a-z-]+", span):
            if not re.search(rf"^ +{option}\b", help_page.stdout, re.M):
                yield f"no such option: {option} in {span}"


def check(block, printed, python, node, prefix):
    """Checks one block and returns its output; the output of the previous block if this one does not run."""
    language, text, how = block["language"].split(",")[0], block["text"], block["check"] or ""
    if how.startswith("not run, "):
        return printed
    if how.startswith("same as "):
        if (ROOT / how[len("same as ") :]).read_text(encoding="utf-8") != text:
            raise Wrong(f"the block is not {how}")
        return printed
    if language == "text":
        if how == "printed" and printed != text:
            raise Wrong(f"the command printed:\n{printed}")
        return printed
    if language == "sh" and how == "run":
        return run(["bash", "-euo", "pipefail", "-c", text], ROOT)
    if language == "python":
        return compare(run([python, "-c", text], ROOT), comment(text, r"(?:^# .*\n)+\Z", "# "))
    if language == "js":
        file = node / "readme.mjs"
        file.write_text(text, encoding="utf-8")
        return compare(run(["node", file.name], node), comment(text, r"(?:^// .*\n)+\Z", "// "))
    if language in ("ts", "tsx"):
        # A module of its own, whatever its package says.
        file = node / f"readme.{language.replace('ts', 'mts') if language == 'ts' else language}"
        file.write_text(text, encoding="utf-8")
        tools = ROOT / "npm/node_modules/.bin"
        options = ["--strict", "--noEmit", "--skipLibCheck", "--module", "preserve", "--target", "es2022", "--jsx", "react-jsx", "--lib", "es2022,dom,dom.iterable,dom.asynciterable", "--types", ""]
        run([str(tools / "tsc"), *options, "--ignoreConfig", file.name], node)
        expected = re.search(r"(?:^// .*\n)+\Z", text, re.M)
        if not expected:
            return printed
        run([str(tools / "esbuild"), file.name, "--bundle", "--format=esm", "--platform=node", "--outfile=readme.ts.mjs", "--log-level=warning"], node)
        return compare(run(["node", "readme.ts.mjs"], node), comment(text, r"(?:^// .*\n)+\Z", "// "))
    if language == "c":
        return compare(compiled(text, prefix), comment(text, r"^/\* .* \*/\n\Z", "/* ", " */"))
    raise Wrong(f"no way to check a block of '{block['language']}'")


def compiled(text, prefix):
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "program")
        program.with_suffix(".c").write_text(text, encoding="utf-8")
        warn = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        link = [f"-I{prefix}/include", f"-L{prefix}/lib", "-ldeltafold", f"-Wl,-rpath,{prefix}/lib"]
        run(["gcc", *warn, f"{program}.c", *link, "-o", str(program)], ROOT)
        return run([str(program)], ROOT)


def comment(text, pattern, lead, end=""):
    found = re.search(pattern, text, re.M)
    if not found:
        raise Wrong("the block does not end in a comment with its output")
    return "".join(line[len(lead) : len(line) - len(end)] + "\n" for line in found[0].splitlines())


def compare(printed, expected):
    if printed != expected:
        raise Wrong(f"expected:\n{expected}printed:\n{printed}")
    return printed


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        raise Wrong(f"exit {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())

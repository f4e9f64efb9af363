"""Checks that nothing in the repository refers to something that is not in it.

    python3 tests/ci/links.py [ROOT]

In every Markdown file: links to files and their anchors, paths in `code` and in shell blocks, and names of types and functions in `code`.
In every other text file: paths below the top-level folders, file names in comments, names of Markdown files, and documents that are cited
by a name in capitals. In the vectors: the rules in `spec`, and citations in `row`.

A path starts at the root or at the folder of the file. `*`, NN, NAME and <…> match any name, {a,b} for several. Files that git
ignores count as known, since a build makes them. In `code` and in comments, the end of a path is enough, such as `sse/line.rs`.
"""

import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import unicodedata

from markdown_it import MarkdownIt

FOLDERS = ("benches", "bindings", "core", "docs", "examples", "include", "npm", "python", "tests")
# A path in running text: below a top-level folder.
PATH = re.compile(rf"(?<![\w./<>$}}@:-])(?:\./)?(?:{'|'.join(FOLDERS)})/[\w.,/*<>{{}}…-]*[\w*/>}}]")
# A path in source code must look like a file, because code contains divisions and other paths.
FILE_PATH = re.compile(rf"(?<![\w./<>$}}@:\\-])(?:{'|'.join(FOLDERS)})/[\w./*-]*\.(?:md|rs|py|pyi|sh|json|txt|toml|mjs|ts|c|cpp|h|hpp|sse|kt|rb|swift)\b(?!\()")
# The end of a path, such as `sse/line.rs`: in code spans of Markdown, and in comments. Other endings are too often files of users.
PATH_END = re.compile(r"(?<![\w.*<>$}{/\"'-])(?:[\w-][\w.-]*/)*[\w-]+\.(?:rs|py|pyi|sh|mjs|ts|c|cpp|h|hpp|kt|rb|swift|toml)\b(?![\w(/])")
COMMENT = re.compile(r"(?:^|\s)(?://[/!]?|#|\*)\s(.*)")
# Names of the source: `Type::member`, a name of several words.
SOURCE_NAME = re.compile(r"(?<![\w.:-])(?:[A-Z]\w*::[a-z]\w*|[A-Z][a-z]+(?:[A-Z][a-z]+)+|[a-z]+(?:_[a-z]+)+)\b(?![\w.-])")
# Pages that name things of other libraries and protocols, which are not in the source.
FOREIGN_NAMES = ("docs/cookbook.md", "docs/coverage.md", "docs/dialects.md")
# The endings of source files, which are searched for names of types and functions.
SOURCES = (".rs", ".py", ".sh", ".mjs", ".ts", ".c", ".cpp", ".h", ".hpp", ".kt", ".rb", ".swift", ".toml", ".json", ".txt")
DOCUMENT = re.compile(r"(?<![\w/.<>*-])[\w-]+\.md\b")
# A document and a place in it, such as "MAPPINGS I9" or "DESIGN §3".
CITATION = re.compile(r"\b(?:MAPPINGS|DESIGN|STYLE|PERFORMANCE|ENGINEERING|ACCUMULATION|RULES|WIRE)(?:\.md)? (?:§ ?)?(?:[A-Z]?\d|section)|\bREAL-\d\d\b")
# A section of a document without its name, in the member `row` of a vector.
SECTION = re.compile(r"^(?:like )?\d+\.\d+\b|\brule \d|^(?:MAPPINGS|ACCUMULATION|WIRE)\b|\b[A-Z]\d+\b")
RULE = re.compile(r"\b[A-Z]{2,5}-\d\d\b")
# Files of users that pages and comments name.
FILES_OF_USERS = ("server.py", "run.sh")
# Files whose text is data, or contains errors on purpose.
SKIPPED = ("tests/ci/links.py", "tests/ci/links_test.py", "tests/ci/programs_test.py", "tests/fuzz/corpus/", "tests/vectors/", "core/contract/",
           "examples/streams/items/", "examples/streams/make.py")


def slug(heading, seen):
    """The anchor that code hosts generate for a heading."""
    kept = "".join(char for char in heading.lower() if char in " -_" or unicodedata.category(char)[0] in "LN")
    base = kept.replace(" ", "-")
    count = seen.get(base, 0)
    seen[base] = count + 1
    return f"{base}-{count}" if count else base


class Page:
    """A Markdown file: its links, anchors, code spans and shell blocks."""

    def __init__(self, text):
        self.links, self.anchors, self.code = [], set(), []
        seen = {}
        tokens = MarkdownIt("commonmark").enable("table").parse(text)
        for at, token in enumerate(tokens):
            if token.type == "heading_open":
                inner = tokens[at + 1].children or []
                self.anchors.add(slug("".join(child.content for child in inner), seen))
            elif token.type == "fence" and token.info.split(",")[0].strip() in ("sh", "bash", "console"):
                self.code += token.content.splitlines()
            elif token.type == "html_block":
                self._html(token.content)
            for child in token.children or []:
                if child.type == "link_open":
                    self.links.append(child.attrGet("href"))
                elif child.type == "image":
                    self.links.append(child.attrGet("src"))
                elif child.type == "code_inline":
                    self.code.append(child.content)
                elif child.type == "html_inline":
                    self._html(child.content)

    def _html(self, html):
        self.anchors.update(re.findall(r"\b(?:id|name)=\"([^\"]+)\"", html))
        self.links += re.findall(r"\b(?:href|src)=\"([^\"]+)\"", html)


class Repository:
    def __init__(self, root, tracked):
        self.root = root
        self.names = set(tracked)
        for file in tracked:
            self.names.update(str(parent) for parent in pathlib.PurePosixPath(file).parents)
        self.pages = {}
        self.ignored = {}
        self.ends = set()
        for file in tracked:
            parts = file.split("/")
            self.ends.update("/".join(parts[at:]) for at in range(len(parts)))
        self.words = None

    def has_end(self, path):
        """True if a tracked file has this name, or this end of its path."""
        return path in self.ends or path in FILES_OF_USERS or path.startswith(tuple(f"{folder}/" for folder in FOLDERS))

    def has_name(self, name):
        """True if every part of `Type::member` is a word of a source file."""
        if self.words is None:
            self.words = set()
            for file in self.names:
                if file.endswith(SOURCES) and not file.startswith(SKIPPED) and (self.root / file).is_file():
                    self.words.update(re.findall(r"\w+", (self.root / file).read_text(encoding="utf-8", errors="replace")))
        return all(part in self.words for part in name.split("::"))

    def page(self, file):
        if file not in self.pages:
            self.pages[file] = Page((self.root / file).read_text(encoding="utf-8"))
        return self.pages[file]

    def has(self, path):
        """True if a path, or one that its wildcards match, is tracked or created by a build."""
        path = re.sub(r"<[^>]*>|…|\bNN\b|\bNAME\b", "*", path).rstrip("/")
        if path in self.names or any(self.has(each) for each in alternatives(path)):
            return True
        if "*" in path:
            return any(fnmatch.fnmatchcase(name, path) for name in self.names)
        if path not in self.ignored:
            done = subprocess.run(["git", "check-ignore", "-q", path], cwd=self.root, capture_output=True)
            self.ignored[path] = done.returncode == 0
        return self.ignored[path]


def alternatives(path):
    """The paths that `a/{b,c}` expands to."""
    found = re.search(r"\{([^{}]*)\}", path)
    return [path[: found.start()] + each + path[found.end() :] for each in found[1].split(",")] if found else []


def normal(folder, path):
    """A path from the root, or None if it leaves the repository."""
    parts = []
    for part in (folder / path).parts:
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts) or "."


def page_errors(repository, file):
    folder = pathlib.PurePosixPath(file).parent
    page = repository.page(file)
    for link in page.links:
        if re.match(r"[a-z][a-z0-9+.-]*:", link):
            continue
        # A page that rustdoc includes may link to items; the step `lint` denies broken ones.
        if file.startswith("core/src/") and re.fullmatch(r"(mod@)?\w+(::\w+)*(\(\))?", link):
            continue
        path, _, anchor = link.partition("#")
        target = normal(folder, path) if path else file
        if target is None or not repository.has(target):
            yield f"{file}: the target of a link does not exist: {link}"
        elif anchor and target.endswith(".md") and anchor not in repository.page(target).anchors:
            yield f"{file}: no such heading: {link}"
    for span in page.code:
        for path in PATH.findall(span):
            if not repository.has(path.removeprefix("./")) and not repository.has(normal(folder, path) or ""):
                yield f"{file}: no such path: {path}"
        for path in PATH_END.findall(span):
            if not repository.has_end(path):
                yield f"{file}: no file with this end of its path: {path}"
        for name in SOURCE_NAME.findall(span) if file not in FOREIGN_NAMES else []:
            if not repository.has_name(name):
                yield f"{file}: no such name in the source: {name}"


def text_errors(repository, file, text):
    # A path in a test or script may start at the root of its own package.
    folders = pathlib.PurePosixPath(file).parents
    for number, line in enumerate(text.splitlines(), 1):
        for path in FILE_PATH.findall(line):
            if not any(repository.has(normal(folder, path) or "") for folder in folders):
                yield f"{file}:{number}: no such path: {path}"
        comment = COMMENT.search(line) if not file.endswith(".md") else None
        for path in PATH_END.findall(comment[1]) if comment else []:
            if not repository.has_end(path):
                yield f"{file}:{number}: no file with this end of its path: {path}"
        for name in DOCUMENT.findall(line):
            if not any(known.rpartition("/")[2] == name for known in repository.names):
                yield f"{file}:{number}: no such document: {name}"
        for cited in CITATION.findall(line):
            yield f"{file}:{number}: cites a document that is not in the repository: {cited}"


def vector_errors(file, text, rules):
    try:
        cases = json.loads(text)
    except ValueError:
        return
    cases = cases if isinstance(cases, list) else cases.get("cases", [cases])
    for case in cases:
        if not isinstance(case, dict):
            continue
        row = case.get("row")
        if isinstance(row, str) and (SECTION.search(row) or CITATION.search(row)):
            yield f"{file}: {case.get('name')}: cites a section of a document that is not in the repository: {row}"
        spec = case.get("spec")
        if isinstance(spec, str):
            for rule in RULE.findall(spec):
                if rule not in rules:
                    yield f"{file}: {case.get('name')}: no such rule: {rule}"
            for cited in CITATION.findall(spec):
                yield f"{file}: {case.get('name')}: cites a document that is not in the repository: {cited}"


def check(root, tracked):
    """All errors of a repository."""
    repository = Repository(root, tracked)
    rules = set()
    if "docs/rules.md" in repository.names:
        rules = set(re.findall(r"(?m)^### (\S+)$", (root / "docs/rules.md").read_text(encoding="utf-8")))
    errors = []
    for file in tracked:
        if file.endswith(".md"):
            errors += page_errors(repository, file)
        try:
            text = (root / file).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if file.startswith("tests/vectors/") and file.endswith(".json"):
            errors += vector_errors(file, text, rules)
        if not file.startswith(SKIPPED) and not file.endswith(("lock", "-lock.json")):
            errors += text_errors(repository, file, text)
    return errors


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    listed = subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.split("\n")
    tracked = [file for file in listed if (root / file).is_file() and not (root / file).is_symlink()]
    errors = check(root, tracked)
    for error in errors:
        print(f"error: {error}")
    print(f"{sum(file.endswith('.md') for file in tracked)} pages and {len(tracked)} files read, {len(errors)} errors")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())

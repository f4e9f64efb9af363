"""Checks that links.py finds each kind of broken reference and accepts valid ones, in a generated repository."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import links

RIGHT = {
    "README.md": "# Title\n\n[guide](docs/guide.md), [part](docs/guide.md#the-first-part), [here](#title), [out](https://example.com/x.md)\n"
    "\n`docs/guide.md`, `tests/ci/NN-NAME.sh`, `docs/*.md`, `tests/{ci,rust}/x.sh`, `npm/dist/index.js`\n\n`ci/x.sh`, `x.sh`, `x.json`, `Reader::poll_event`, `poll_event()`, `PollEvent`"
    "\n\n```sh\nbash tests/ci/10-lint.sh\n```\n",
    "docs/guide.md": "# Guide\n\n## The first `part`\n\n[up](../README.md) ![picture](picture.txt) `tests/ci`\n\n## Twice\n\n## Twice\n\n[second](#twice-1)\n",
    "docs/picture.txt": "see docs/guide.md and tests/ci/10-lint.sh\n",
    "docs/rules.md": "# Rules\n\n### ITEM-01\n",
    "tests/ci/10-lint.sh": "# see README.md\n",
    "tests/ci/x.sh": "",
    "core/reader.rs": "// see ci/x.sh, 10-lint.sh\nstruct PollEvent; impl Reader { fn poll_event() {} }\n",
    "tests/vectors/sse/a.json": json.dumps([{"name": "one", "spec": "ITEM-01, anything", "row": "usage of GPT"}]),
    ".gitignore": "/npm/dist\n",
}


def errors(changes=None):
    """The errors of a repository that is valid except for these files."""
    files = {**RIGHT, **(changes or {})}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content, encoding="utf-8")
        return links.check(root, sorted(files))


class Links(unittest.TestCase):
    def test_a_valid_repository_has_no_error(self):
        self.assertEqual(errors(), [])

    def test_every_broken_reference_is_found(self):
        cases = [
            ("README.md", "# Title\n[guide](docs/gone.md)\n", "the target of a link does not exist: docs/gone.md"),
            ("README.md", "# Title\n![guide](docs/gone.png)\n", "the target of a link does not exist: docs/gone.png"),
            ("README.md", '# Title\n<img src="docs/gone.png">\n', "the target of a link does not exist: docs/gone.png"),
            ("README.md", "# Title\n[guide][1]\n\n[1]: docs/gone.md\n", "the target of a link does not exist: docs/gone.md"),
            ("README.md", "# Title\n[out](../elsewhere.md)\n", "the target of a link does not exist: ../elsewhere.md"),
            ("README.md", "# Title\n[part](docs/guide.md#no-part)\n", "no such heading: docs/guide.md#no-part"),
            ("README.md", "# Title\n[part](#no-part)\n", "no such heading: #no-part"),
            ("README.md", "# Title\n`docs/gone.txt`\n", "no such path: docs/gone.txt"),
            ("README.md", "# Title\n`bash tests/ci/gone.sh x`\n", "no such path: tests/ci/gone.sh"),
            ("README.md", "# Title\n`tests/*/gone.sh`\n", "no such path: tests/*/gone.sh"),
            ("README.md", "# Title\n```sh\nbash tests/ci/gone.sh\n```\n", "no such path: tests/ci/gone.sh"),
            ("README.md", "# Title\n| table | `docs/gone.txt` |\n| --- | --- |\n| x | `tests/gone.rs` |\n", "no such path: tests/gone.rs"),
            ("README.md", "# Title\n```text\n  LineDecoder      tests/gone.rs\n```\n", "no such path: tests/gone.rs"),
            ("README.md", "# Title\n`ci/gone.sh`\n", "no file with this end of its path: ci/gone.sh"),
            ("README.md", "# Title\n`gone.rs`\n", "no file with this end of its path: gone.rs"),
            ("README.md", "# Title\n`Reader::gone`\n", "no such name in the source: Reader::gone"),
            ("README.md", "# Title\n`reader_gone()`\n", "no such name in the source: reader_gone"),
            ("README.md", "# Title\n`ReaderGone`\n", "no such name in the source: ReaderGone"),
            ("core/x.rs", "//! see tests/rust/gone.rs\n", "no such path: tests/rust/gone.rs"),
            ("core/x.rs", "/// as in `event/gone.rs`\n", "no file with this end of its path: event/gone.rs"),
            ("tests/ci/x.sh", "true # see gone.py\n", "no file with this end of its path: gone.py"),
            ("core/x.rs", "//! see GONE.md\n", "no such document: GONE.md"),
            ("core/x.rs", "//! as MAPPINGS I9 says\n", "cites a document that is not in the repository: MAPPINGS I9"),
            ("tests/vectors/sse/a.json", json.dumps([{"name": "one", "spec": "ITEM-99"}]), "no such rule: ITEM-99"),
            ("tests/vectors/sse/a.json", json.dumps([{"name": "one", "row": "1.14 text"}]), "cites a section of a document"),
            ("tests/vectors/sse/a.json", json.dumps([{"name": "one", "row": "1.1 I9"}]), "cites a section of a document"),
            ("tests/vectors/sse/a.json", json.dumps([{"name": "one", "row": "tool_calls rule 1"}]), "cites a section of a document"),
            ("tests/vectors/sse/a.json", json.dumps([{"name": "one", "spec": "WIRE 1.8"}]), "cites a document that is not in the repository"),
        ]
        for file, text, error in cases:
            with self.subTest(text):
                found = errors({file: text})
                self.assertTrue(found, text)
                self.assertTrue(any(error in each for each in found), (text, found))


if __name__ == "__main__":
    unittest.main()

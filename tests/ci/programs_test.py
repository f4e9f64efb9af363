"""Checks that programs.py finds a program wherever a step can call one, and accepts a valid step, in a generated repository."""

import pathlib
import tempfile
import unittest

import programs

TABLE = """# a comment
sed diff bash sh env | base | coreutils |
real | debian | real |
cargo | manual | by rustup |
cc | debian | gcc |
python3 node npm | debian | python3 |
python3-venv | debian | python3-venv | true
pip:some | pip | requirements.txt |
"""
HEAD = "# what: a made-up step\n# needs: {}\nset -euo pipefail\n. \"$ROOT/tests/ci/lib.sh\"\n"
LIB = 'run() { echo "+ $*"; "$@"; }\nunused() { not-called; }\nhelper() { "$@"; }\nuse_venv() { python3 "$1"; }\n'


def errors(body, needs="real", more=None):
    """The errors of a repository whose one step has this body."""
    files = {"tests/ci/programs.txt": TABLE, "tests/ci/lib.sh": LIB, "tests/ci/10-some.sh": HEAD.format(needs) + body, **(more or {})}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, content in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(content, encoding="utf-8")
        return programs.check(root, list(files), report=lambda line: None)


class Programs(unittest.TestCase):
    def assert_finds(self, body, more=None):
        found = errors("real\n" + body, more=more)
        self.assertEqual(len(found), 1, (body, found))
        self.assertIn("'made-up'", found[0])
        self.assertIn("does not list", found[0])

    def test_a_step_that_is_right_has_no_error(self):
        self.assertEqual(errors("real --option | sed s/a/b/\n"), [])
        self.assertEqual(errors("run bash tests/x.sh\n", more={"tests/x.sh": "exec real\n"}), [])
        self.assertEqual(errors("use_venv some\n", needs="python3 python3-venv pip:some"), [])

    def test_a_program_that_the_table_does_not_list_is_found(self):
        for body in [
            "made-up --version",
            "run made-up x",
            "sed p <x | made-up",
            "! made-up || true",
            'x=$(made-up)',
            'echo "text $(made-up)"',
            "diff <(made-up) x",
            "if made-up; then :; fi",
            "for x in 1 2; do made-up $x; done",
            "case x in a) made-up ;; esac",
            "VAR=1 made-up",
            "run env -C folder VAR=1 made-up",
            "exec made-up",
            "(cd x && made-up)",
            "f() { made-up; }\nf",
            'tool="made-up -q"\n$tool x',
            'tool=made-up\nrun "$tool" x',
            "tool=(sed made-up)\n\"${tool[@]}\" x\nmade-up",
            "for tool in real made-up; do run $tool x; done",
            'tools="real made-up"\nfor tool in $tools; do $tool x; done',
            "bash -c 'real && made-up'",
            'run "$TARGET/debug/comparer" --light "name=made-up \'$x\'"',
            'run "$TARGET/debug/comparer" "name=env -C \'$x\' made-up"',
        ]:
            with self.subTest(body):
                self.assert_finds(body + "\n")

    def test_other_scripts_are_followed(self):
        self.assert_finds("run bash tests/x.sh\n", {"tests/x.sh": "made-up\n"})
        self.assert_finds('here=$ROOT/a/b\nrun bash "$here/x.sh" y\n', {"a/b/x.sh": "made-up\n", "a/c/x.sh": "real\n"})
        self.assert_finds('. "$ROOT/tests/flags.sh"\nflagged\n', {"tests/flags.sh": "flagged() { made-up; }\n"})

    def test_the_scripts_of_npm_packages_are_followed(self):
        package = {"web/package.json": '{"scripts": {"build": "node build.mjs"}}', "web/build.mjs": 'run("made-up", []);\n'}
        found = errors("(cd web && npm run build)\n", needs="npm node", more=package)
        self.assertEqual(len(found), 1, found)
        self.assertIn("'made-up'", found[0])

    def test_programs_that_other_languages_start_are_found(self):
        cases = [
            ("python3 tests/x.py", "tests/x.py", 'subprocess.run(["made-up", "-q"])\n'),
            ("node tests/x.mjs", "tests/x.mjs", 'execFileSync("made-up", [])\n'),
            ("cargo test --workspace", "tests/rust/sse/main.rs", 'Command::new("made-up")\n'),
        ]
        for body, file, source in cases:
            found = errors(body + "\n", needs="python3 node cargo cc", more={file: source})
            self.assertTrue(any("'made-up'" in error for error in found), (body, found))

    def test_a_program_that_the_head_does_not_name_is_found(self):
        found = errors("real\nnode x.mjs\n")
        self.assertEqual(len(found), 1, found)
        self.assertIn("calls 'node'", found[0])
        self.assertIn("'# needs:'", found[0])
        self.assertEqual(len(errors("real\ncargo build\n", needs="real cargo")), 1, "cargo needs a linker")

    def test_a_need_that_is_not_used_or_not_listed_is_found(self):
        self.assertIn("does not use it", errors("real\n", needs="real node")[0])
        self.assertIn("does not list", errors("real\n", needs="real nothing")[0])

    def test_a_function_without_a_call_is_ignored(self):
        self.assertEqual(errors("real\nf() { made-up; }\n"), [])


if __name__ == "__main__":
    unittest.main()

"""Checks the step `setup` on made-up machines: PATH is a folder without some programs, where apt-get, rustup, sudo and id are replaced."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The program of the replaced apt-get and rustup: they record their arguments, and install by making a program that succeeds.
RECORD = '#!/bin/sh\necho "{name} $*" >>"$MACHINE/calls"\n{more}\n'
INSTALL = 'case " $* " in *" install "*) for each in {made}; do printf "#!/bin/sh\\n" >"$MACHINE/bin/$each"; chmod +x "$MACHINE/bin/$each"; done ;; esac'
# The programs that a machine may lack or replace; OTHERS has a link to every other one.
TAKEN = {"apt-get", "cargo", "git", "id", "node", "rustup", "sudo"}
OTHERS = tempfile.TemporaryDirectory()


def setUpModule():
    for path in reversed(os.environ["PATH"].split(os.pathsep)):
        for file in pathlib.Path(path).glob("*"):
            link = pathlib.Path(OTHERS.name) / file.name
            if file.name not in TAKEN and not link.is_symlink():
                link.symlink_to(file)


def tearDownModule():
    OTHERS.cleanup()


class Machine:
    """A machine that lacks some programs. `apt` and `rustup`: what they install."""

    def __init__(self, folder, without, user="0", may_sudo=True, apt=None, rustup=None, fails=False):
        self.folder = pathlib.Path(folder)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for name in TAKEN - without:
            if found := shutil.which(name):
                (self.bin / name).symlink_to(found)
        replaced = {"id": f"#!/bin/sh\necho {user}\n", "cargo": "#!/bin/sh\ntest -e \"$MACHINE/bin/oldest\"\n"}
        more = INSTALL.format(made=apt) if apt else "exit 1" if fails else ""
        replaced["apt-get"] = RECORD.format(name="apt-get", more=more)
        replaced["rustup"] = RECORD.format(name="rustup", more=INSTALL.format(made=rustup) if rustup else "")
        replaced["sudo"] = RECORD.format(name="sudo", more='shift; exec "$@"' if may_sudo else "exit 1")
        for name, text in replaced.items():
            if name not in without:
                (self.bin / name).unlink(missing_ok=True)
                (self.bin / name).write_text(text, encoding="utf-8")
                (self.bin / name).chmod(0o755)

    def run(self, *arguments):
        """Runs tests/run; returns its status and output, and the recorded calls."""
        path = f"{self.bin}{os.pathsep}{OTHERS.name}"
        environment = {**os.environ, "PATH": path, "MACHINE": str(self.folder), "DELTAFOLD_CACHE": str(self.folder / "cache")}
        environment.pop("DELTAFOLD_NO_INSTALL", None)
        bash = shutil.which("bash")
        done = subprocess.run([bash, str(ROOT / "tests/run"), *arguments], env=environment, capture_output=True, text=True, check=False)
        calls = self.folder / "calls"
        self.logs = sorted(file.name for file in (self.folder / "cache/logs").iterdir())
        return done.returncode, done.stdout, calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []


class Setup(unittest.TestCase):
    """The step `msrv` needs git and the oldest compiler, `programs` packages of Python."""

    def machine(self, **options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Machine(folder.name, **options)

    def assert_stopped(self, machine, status, output):
        """`setup` failed, and nothing else ran."""
        self.assertEqual(status, 1, output)
        self.assertIn("0 passed, 1 failed", output)
        self.assertEqual(machine.logs, ["setup.log"])

    def test_what_is_missing_is_installed_as_root(self):
        machine = self.machine(without={"git"}, apt="git", rustup="oldest")
        status, output, calls = machine.run("--setup-only", "msrv")
        self.assertEqual(status, 0, output)
        self.assertIn("note: installed: oldest-rust git", output)
        self.assertEqual(len(calls), 3, calls)
        self.assertTrue(calls[0].endswith(" update"))
        self.assertTrue(calls[1].endswith(" install --no-install-recommends -y git"))
        self.assertRegex(calls[2], r"^rustup toolchain install \d+\.\d+\.0 --profile minimal$")
        # Again: nothing is missing.
        self.assertEqual(machine.run("--setup-only", "msrv")[::2], (0, calls))

    def test_what_is_missing_is_installed_by_sudo(self):
        status, output, calls = self.machine(without={"git"}, user="1000", apt="git", rustup="oldest").run("--setup-only", "msrv")
        self.assertEqual(status, 0, output)
        self.assertTrue(any(call.startswith("sudo -n env") and call.endswith("-y git") for call in calls), calls)

    def test_without_permission_it_prints_a_command_and_stops(self):
        machine = self.machine(without={"git"}, user="1000", may_sudo=False)
        status, output, calls = machine.run("msrv")
        self.assert_stopped(machine, status, output)
        self.assertIn("repeat: sudo apt-get install --no-install-recommends -y git && rustup toolchain install", output)
        self.assertEqual(calls, ["sudo -n true"])

    def test_without_apt_it_prints_a_command_and_stops(self):
        machine = self.machine(without={"git", "apt-get"}, rustup="oldest")
        status, output, calls = machine.run("msrv")
        self.assert_stopped(machine, status, output)
        self.assertIn("repeat: apt-get install --no-install-recommends -y git", output)
        self.assertEqual(calls, [])

    def test_no_install_installs_nothing(self):
        machine = self.machine(without={"git"}, apt="git", rustup="oldest")
        status, output, calls = machine.run("--no-install", "programs", "msrv")
        self.assert_stopped(machine, status, output)
        self.assertRegex(output, r"repeat: apt-get install --no-install-recommends -y git && rustup .* && bash tests/run --setup-only programs msrv\n")
        self.assertEqual(calls, [])

    def test_a_program_that_only_the_user_can_install_is_named_with_its_source(self):
        for without, words in [({"cargo"}, "first install Rust with rustup"), ({"rustup"}, "first install Rust with rustup")]:
            machine = self.machine(without=without)
            status, output, calls = machine.run("msrv")
            self.assert_stopped(machine, status, output)
            self.assertEqual(output.count(words), 1, output)
            self.assertEqual(calls, [])
        machine = self.machine(without={"node"})
        status, output, calls = machine.run("npm")
        self.assert_stopped(machine, status, output)
        self.assertIn("first install Node.js 20 or newer", output)
        self.assertNotIn("not found", output)

    def test_an_installation_that_fails_stops_the_run(self):
        machine = self.machine(without={"git"}, fails=True)
        status, output, calls = machine.run("msrv")
        self.assert_stopped(machine, status, output)
        self.assertEqual(len(calls), 1, "apt-get update fails, so nothing else is tried")

    def test_an_installation_that_installs_nothing_is_found(self):
        machine = self.machine(without={"git"}, apt="other", rustup="oldest")
        status, output, _ = machine.run("msrv")
        self.assert_stopped(machine, status, output)
        self.assertIn("still missing after the installation: git", output)


if __name__ == "__main__":
    unittest.main()

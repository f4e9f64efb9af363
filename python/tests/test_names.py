"""The names in `deltafold.names`, which type checkers use, are those that options take at run time."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any, get_args, get_type_hints

import pytest

import deltafold
from deltafold import names, options
from deltafold.request import history


def refused(call: Any) -> str:
    with pytest.raises(deltafold.Misuse) as raised:
        call()
    return str(raised.value)


def test_profiles_and_dialects() -> None:
    assert list(get_args(names.ProfileName)) == deltafold.profiles()
    sources, targets = deltafold.dialects()
    assert sorted(get_args(names.SourceDialect)) == sorted(sources) and sorted(get_args(names.TargetDialect)) == sorted(targets)


def test_every_name_is_taken_and_no_other() -> None:
    for edition in get_args(names.Edition):
        deltafold.Reader(edition=edition)
    for layer in get_args(names.Layer):
        deltafold.Reader(layers=[layer])
    for policy in get_args(names.PolicyName):
        history({"model": "m"}, [], policy=policy)
    known = refused(lambda: history({"model": "m"}, [], policy="nobody"))  # type: ignore[arg-type]
    assert sorted(re.findall(r"[a-z-]+", known.partition("are ")[2])) == sorted(get_args(names.PolicyName)), known
    known = refused(lambda: deltafold.Reader(edition="1999"))  # type: ignore[arg-type]
    assert all(edition in known for edition in get_args(names.Edition)), known


def test_keyword_arguments_are_those_of_the_reader() -> None:
    keywords = set(get_type_hints(names.ReaderOptions))
    deltafold.Reader(**dict.fromkeys(keywords))
    signature = str(getattr(deltafold.Reader, "__text_signature__", ""))
    if sys.version_info >= (3, 10):
        # Python 3.9 does not keep the signature of a class.
        assert set(re.findall(r"(\w+)=", signature)) == keywords
    assert set(get_type_hints(names.CheckOptions)) == keywords - {"strict"}
    deltafold.check(b"", **dict.fromkeys(keywords - {"strict"}))


def test_options_are_public_and_resolve_at_run_time() -> None:
    for name in options.__all__:
        assert getattr(options, name).__doc__


def test_the_console_script_is_the_command_line() -> None:
    import importlib.metadata

    scripts = importlib.metadata.distribution("deltafold").entry_points
    (script,) = [script for script in scripts if script.group == "console_scripts"]
    assert (script.name, script.value) == ("deltafold", "deltafold.__main__:main")
    code = f"import sys; sys.argv = ['deltafold', '--version']; from {script.value.replace(':', ' import ')}; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.split()) == (0, ["deltafold", deltafold.__version__])

"""Checks the content of a wheel that is ready to publish:  python3 tests/tools/wheel.py WHEEL FORBIDDEN…

FORBIDDEN are texts that no file of it may hold, such as folders of the machine that built it. The list of its files must be true, its
bill of materials must name what is in it and nothing else, and a panic must be able to become an exception.
"""

import base64
import csv
import hashlib
import io
import json
import sys
from zipfile import ZipFile


def main(wheel, *forbidden) -> int:
    with ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    wrong = [f"{name} holds {text}" for name, content in files.items() for text in forbidden if text.encode() in content]
    wrong += [*record(files), *bill(files), *native(files)]
    for line in wrong:
        print(f"error: {line}")
    print(f"{len(files)} files, {sum(map(len, files.values()))} bytes")
    return 1 if wrong else 0


def record(files):
    (own,) = [name for name in files if name.endswith(".dist-info/RECORD")]
    listed = {row[0]: row[1:] for row in csv.reader(io.StringIO(files[own].decode()))}
    if set(listed) != set(files):
        yield f"{own} lists other files: {sorted(set(listed) ^ set(files))}"
    for name in (listed.keys() & files.keys()) - {own}:
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        if listed[name] != [f"sha256={digest}", str(len(files[name]))]:
            yield f"{own} is wrong about {name}"


def bill(files):
    (name,) = [name for name in files if "/sboms/" in name]
    found = {component["name"] for component in json.loads(files[name])["components"]}
    # Dependencies of optional features and of other systems are not in a wheel.
    for crate in sorted({"jsonschema", "serde_json", "regex", "windows-sys", "wasm-bindgen"} & found):
        yield f"{name} names {crate}, which is not built in"
    own = {"deltafold-arrow", "arrow-array"} if "deltafold_arrow" in name else {"deltafold-cli"}
    for crate in sorted({"deltafold", "memchr", "simdutf8", "pyo3", *own} - found):
        yield f"{name} does not name {crate}"


def native(files):
    (name,) = [name for name in files if "/_native." in name and not name.endswith(".pyi")]
    if b"_Unwind_RaiseException" not in files[name]:
        yield f"{name} cannot unwind: a panic would end the process"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

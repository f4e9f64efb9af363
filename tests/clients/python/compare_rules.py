"""Compares the measured table of rules and broken clients with tests/clients/broken-rules.json.

    python compare_rules.py FOLDER [--write]

FOLDER holds the results of broken_rules.py and node/broken-rules.mjs. A rule breaks a client if the client fails on a stream that
breaks only this rule, and reads the valid stream that it is an edit of. `--write` updates the table.
"""

import json
import pathlib
import sys

TABLE = pathlib.Path("tests/clients/broken-rules.json")
CLIENTS = ("openai-python", "openai-node", "ai")


def main():
    folder = pathlib.Path(sys.argv[1])
    index = json.loads((folder / "index.json").read_text())
    errors = {client: json.loads((folder / f"{client}.json").read_text()) for client in CLIENTS}
    table = {}
    for entry in index:
        if len(entry["broken"]) != 1 or entry["valid"] is None:
            continue
        for client in CLIENTS:
            if errors[client][entry["file"]] and not errors[client][entry["valid"]]:
                table.setdefault(entry["broken"][0], set()).add(client)
    measured = {rule: [client for client in CLIENTS if client in table[rule]] for rule in sorted(table)}
    text = "{\n" + ",\n".join(f" {json.dumps(rule)}: {json.dumps(clients)}" for rule, clients in measured.items()) + "\n}\n"
    if "--write" in sys.argv:
        TABLE.write_text(text)
    print(f"{len(index)} streams, {len(measured)} rules break a client")
    if TABLE.read_text() != text:
        print(f"error: {TABLE} differs from the measured table; compare_rules.py FOLDER --write updates it\n{text}")
        return 1
    return 0


sys.exit(main())

"""Compares the measured tables of clients that fail with tests/clients/broken-rules.json.

    python compare_rules.py FOLDER [--write]

FOLDER holds the results of broken_rules.py and node/broken-rules.mjs. `streams` names the clients that fail on each stream. A rule breaks
a client if the client fails on a stream that breaks only this rule, and reads the valid stream that it is an edit of. A stream that
breaks several rules counts if none of them is known to break the client: for those that the client has not read alone, or for all of
them. `--write` updates the tables.
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
    measured = rules(index, errors)
    streams = {entry["vector"]: failing for entry in index if (failing := [name for name in CLIENTS if errors[name][entry["file"]]])}
    tables = [f' "{name}": {{\n' + lines(table) + "\n }" for name, table in (("rules", measured), ("streams", streams))]
    text = "{\n" + ",\n".join(tables) + "\n}\n"
    if "--write" in sys.argv:
        TABLE.write_text(text)
    print(f"{len(index)} streams, {len(measured)} rules break a client")
    if TABLE.read_text() != text:
        print(f"error: {TABLE} differs from the measured table; compare_rules.py FOLDER --write updates it\n{text}")
        return 1
    return 0


def lines(table):
    return ",\n".join(f"  {json.dumps(name, ensure_ascii=False)}: {json.dumps(clients)}" for name, clients in table.items())


def rules(index, errors):
    table = {}

    def edits(client):
        """The streams whose valid form the client reads, each with its broken rules and whether the client fails."""
        for entry in index:
            if entry["broken"] and (entry["valid"] is None or not errors[client][entry["valid"]]):
                yield entry["broken"], bool(errors[client][entry["file"]])

    for client in CLIENTS:
        broken = table[client] = set()
        alone = [(rules[0], fails) for rules, fails in edits(client) if len(rules) == 1]
        broken |= {rule for rule, fails in alone if fails}
        harmless = {rule for rule, fails in alone if not fails}
        for rules, fails in edits(client):
            if fails and not broken.intersection(rules):
                # The sentinel is missing in every stream that breaks off, and every client reads a stream that lacks only it.
                broken |= set(rules) - harmless or set(rules) - {"SSE-02"}
    names = sorted(set().union(*table.values()))
    return {rule: [client for client in CLIENTS if rule in table[client]] for rule in names}


sys.exit(main())

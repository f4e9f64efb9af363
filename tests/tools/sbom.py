"""Writes a bill of materials, CycloneDX 1.5 JSON, of what a user of one package gets; the only source is `cargo metadata`.

    python3 tests/tools/sbom.py [PACKAGE]    PACKAGE is deltafold (default), deltafold-cli, deltafold-c, deltafold-python, …

Only normal dependencies with the package's default features count: what is built into it, not what tests it. The output has no
time and no random number in it, so that the same lock file gives the same bytes.
"""

import json
import subprocess
import sys
import uuid


def main() -> int:
    package = sys.argv[1] if len(sys.argv) > 1 else "deltafold"
    metadata = json.loads(cargo("metadata", "--locked", "--format-version", "1"))
    packages = {one["id"]: one for one in metadata["packages"]}
    # Cargo's own resolution for this package alone; the metadata of a workspace has the features of all of them.
    tree = cargo("tree", "--locked", "-p", package, "-e", "normal", "--prefix", "none", "--format", "{p}")
    wanted = {tuple(line.split(" ")[:2]) for line in tree.splitlines() if line}
    chosen = [one for one in packages.values() if (one["name"], f"v{one['version']}") in wanted]
    root = next((one for one in chosen if one["name"] == package), None)
    if root is None or len(chosen) != len(wanted):
        sys.exit(f"error: {package}: {len(chosen)} of {len(wanted)} packages were found")
    known = {one["id"] for one in chosen}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": "urn:uuid:" + str(uuid.uuid5(uuid.NAMESPACE_URL, "\n".join(sorted(map(purl, chosen))))),
        "version": 1,
        "metadata": {"component": component(root)},
        "components": [component(one) for one in sorted(chosen, key=purl) if one is not root],
        "dependencies": [
            {"ref": purl(one), "dependsOn": sorted(purl(packages[to]) for to in normal(nodes[one["id"]]) if to in known)}
            for one in sorted(chosen, key=purl)
        ],
    }
    print(json.dumps(document, indent=2))
    return 0


def cargo(*arguments) -> str:
    return subprocess.run(["cargo", *arguments], capture_output=True, text=True, check=True).stdout


def normal(node):
    return [one["pkg"] for one in node["deps"] if any(kind["kind"] is None for kind in one["dep_kinds"])]


def purl(package) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package):
    found = {"type": "library", "bom-ref": purl(package), "name": package["name"], "version": package["version"], "purl": purl(package)}
    if package["license"]:
        found["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if package["description"]:
        found["description"] = " ".join(package["description"].split())
    return found


if __name__ == "__main__":
    sys.exit(main())

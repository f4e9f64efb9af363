"""Checks a Maven repository that build.sh wrote: the files, their checksums, the native library, and the names in the POM.

    python3 bindings/uniffi/kotlin/layout.py FOLDER
"""

import hashlib
import pathlib
import sys
import xml.etree.ElementTree as xml
import zipfile

SPACE = "{http://maven.apache.org/POM/4.0.0}"


def main() -> int:
    [pom] = pathlib.Path(sys.argv[1]).rglob("*.pom")
    project = xml.parse(pom).getroot()
    group, name, version = (project.findtext(SPACE + tag) for tag in ("groupId", "artifactId", "version"))
    assert pom.parent == pathlib.Path(sys.argv[1], *group.split("."), name, version), pom
    stem = f"{name}-{version}"
    files = {file.name for file in pom.parent.iterdir() if file.suffix != ".sha256"}
    assert files == {f"{stem}.jar", f"{stem}-sources.jar", f"{stem}.pom"}, files
    for file in files:
        wanted = (pom.parent / f"{file}.sha256").read_text().strip()
        assert hashlib.sha256((pom.parent / file).read_bytes()).hexdigest() == wanted, file
    inside = zipfile.ZipFile(pom.parent / f"{stem}.jar").namelist()
    for wanted in ("META-INF/MANIFEST.MF", "META-INF/LICENSE-MIT", "deltafold/Reader.class", "deltafold/Flows.class"):
        assert inside.count(wanted) == 1, wanted
    assert sum("libdeltafold_uniffi." in file for file in inside) == 1, "the native library"
    sources = zipfile.ZipFile(pom.parent / f"{stem}-sources.jar").namelist()
    assert "deltafold/Flows.kt" in sources and "deltafold/deltafold.kt" in sources, sources
    for tag in ("name", "description", "url", "licenses", "developers", "scm"):
        assert project.find(SPACE + tag) is not None, f"Maven Central requires {tag}"
    print(f"{group}:{name}:{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

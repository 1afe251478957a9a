#!/usr/bin/env python3
"""Writes an SPDX document (2.3, JSON) of what is inside kiln's binaries: packaging/components.toml, with the versions that this machine has.

usage: sbom.py [FILE]      (standard output without one)

Its time is SOURCE_DATE_EPOCH, else that of the commit.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
RELATIONS = {"linked": "STATIC_LINK", "headers": "STATIC_LINK", "numbers": "CONTAINS", "copied": "CONTAINS"}


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def version_of(component):
    source = component.get("version")
    if source == "llvm":
        return output("llvm-config-19", "--version")
    if source:
        # Without Debian's epoch and revision.
        return re.sub(r"^\d+:|[-+].*$", "", output("dpkg-query", "-W", "-f", "${Version}", source))
    return ""


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")


def document():
    version = re.search(r"(?m)^project\(kiln VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    components = tomllib.loads((ROOT / "packaging/components.toml").read_text())["component"]
    binaries = sorted({name for component in components for name in component["in"]} | {"libkiln-emulator.so"})
    packages, relations, texts = [], [], {}

    def add(name, number, license, copyright):
        found = {"name": name, "SPDXID": identifier(name), "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": license,
                 "licenseDeclared": license, "copyrightText": copyright}
        packages.append(found | ({"versionInfo": number} if number else {}))

    def relate(first, relation, second):
        relations.append({"spdxElementId": first, "relationshipType": relation, "relatedSpdxElement": second})

    own = "2026 The kiln authors"
    add("kiln source", version, "MIT AND SunPro AND LicenseRef-Cephes", own)
    relate("SPDXRef-DOCUMENT", "DESCRIBES", identifier("kiln source"))
    for name in binaries:
        add(name, version, "MIT", own)
        relate(identifier(name), "GENERATED_FROM", identifier("kiln source"))
    notices = (ROOT / "THIRD-PARTY-NOTICES.txt").read_text(encoding="utf-8")
    for component in components:
        add(component["name"], version_of(component), component["license"], component["copyright"])
        for name in component["in"]:
            relate(identifier(name), RELATIONS[component["how"]], identifier(component["name"]))
        for reference in re.findall(r"LicenseRef-[\w-]+", component["license"]):
            rule = "-" * 78
            texts[reference] = notices.split(f"{rule}\n{reference}\n{rule}\n", 1)[1].split(rule, 1)[0].strip()
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct") or 0)
    made = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    digest = hashlib.sha256(json.dumps([packages, relations]).encode()).hexdigest()[:16]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"kiln-{version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/kiln-{version}-{digest}",
            "creationInfo": {"created": made, "creators": ["Tool: kiln-sbom"]}, "packages": packages, "relationships": relations,
            "hasExtractedLicensingInfos": [{"licenseId": name, "extractedText": text, "name": name.removeprefix("LicenseRef-")} for name, text in sorted(texts.items())]}


def main():
    text = json.dumps(document(), indent=2) + "\n"
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__, file=sys.stderr)
        return 2
    if len(sys.argv) == 2:
        pathlib.Path(sys.argv[1]).write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())

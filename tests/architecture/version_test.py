#!/usr/bin/env python3
"""Holds scripts/version.py to its word: each place that says another version is found, and a version that it writes stands in all of them.

usage: version_test.py
"""
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from version import PLACES, differing, write  # noqa: E402

with tempfile.TemporaryDirectory() as scratch:
    root = pathlib.Path(scratch)
    for name in ["CMakeLists.txt", *PLACES]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    assert not differing(root), differing(root)
    for name, (pattern, _) in PLACES.items():
        text = (root / name).read_text(encoding="utf-8")
        match = re.search(pattern, text, re.M)
        (root / name).write_text(text[:match.start(1)] + "9.9.9" + text[match.end(1):], encoding="utf-8")
        found = differing(root)
        assert len(found) == 1 and found[0].startswith(f"{name} says 9.9.9"), found
        (root / name).write_text(text, encoding="utf-8")
    (root / "kiln.pc").write_text("Version: 9.9.9\n")
    (root / "kilnConfigVersion.cmake").write_text("")
    assert len(differing(root, root)) == 2, differing(root, root)
    for _ in range(2):
        write(root, "12.34.5")
        assert not differing(root), differing(root)
    for name in ("CHANGELOG.md", "debian/changelog"):
        before, after = (ROOT / name).read_text(encoding="utf-8"), (root / name).read_text(encoding="utf-8")
        assert after.count("12.34.5") - before.count("12.34.5") == (1 if name == "CHANGELOG.md" else 2) and len(after) > len(before), name
print(f"{len(PLACES) + 2} planted differences found, and a version written")

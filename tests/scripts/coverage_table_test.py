#!/usr/bin/env python3
"""scripts/coverage_table.py: which programs are those of tests, and sums by folder."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "scripts"))
import coverage_table  # noqa: E402


def file(name, lines, functions, branches):
    summary = {kind: {"covered": covered, "count": count} for kind, (covered, count) in
               {"lines": lines, "functions": functions, "branches": branches}.items()}
    return {"filename": f"/tree/lib/{name}", "summary": summary}


class Programs(unittest.TestCase):
    def test_of_names(self):
        with tempfile.TemporaryDirectory() as scratch:
            build = pathlib.Path(scratch).resolve()
            (build / "tests").mkdir()
            (build / "tests/CTestTestfile.cmake").write_text(
                f'add_test([=[unit]=] "{build}/bin/a" "--x")\nadd_test([=[unit.b]=] "{build}/bin/b")\nadd_test(plain "{build}/bin/c")\n'
                'add_test([=[unit.python]=] "/usr/bin/python3" "x.py")\n')
            self.assertEqual(coverage_table.programs(build, "^unit"), ["bin/a", "bin/b"])
            self.assertEqual(coverage_table.programs(build, r"^(unit)$"), ["bin/a"])
            self.assertEqual(coverage_table.programs(build, "^plain$"), ["bin/c"])
            self.assertEqual(coverage_table.programs(build, "^none"), [])


class Table(unittest.TestCase):
    def test_sums_by_folder(self):
        files = [file("kiln/layout/axes.cpp", (30, 40), (3, 3), (1, 2)), file("kiln/layout/overlap.cpp", (10, 10), (1, 1), (1, 2)),
                 file("kiln/device/cpu/module.cpp", (0, 50), (0, 5), (0, 0)), file("emulator/ptx/parser.cpp", (1, 4), (1, 1), (0, 1)),
                 {"filename": "/usr/include/c++/12/vector", "summary": {}}]
        rows = [line.split() for line in coverage_table.table({"data": [{"files": files}]}, pathlib.Path("/tree")).split("\n")]
        self.assertEqual(rows[1:], [["lib/emulator", "25.0%", "100.0%", "0.0%", "4"], ["lib/kiln/device", "0.0%", "0.0%", "100.0%", "50"],
                                    ["lib/kiln/layout", "80.0%", "100.0%", "50.0%", "50"], ["all", "39.4%", "50.0%", "40.0%", "104"]])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Holds bench/sass/ to its word: what it reads out of a listing, what its model makes of that, and that its kernels fit together."""
import pathlib
import re
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "bench" / "sass"
sys.path.insert(0, str(FOLDER))
sys.dont_write_bytecode = True
import compare  # noqa: E402
import kernels  # noqa: E402
import listing  # noqa: E402
import model  # noqa: E402

# A loop of two loads of 16 bytes and a store, with a division's slow path that is longer and moves nothing, an inner loop of one load of 4 bytes behind it,
# and a way out before both.
LISTING = """
//--------------------- .text.kiln_kernel          --------------------------
	.section	.text.kiln_kernel,"ax",@progbits
.text.kiln_kernel:
        /*0000*/                   LDC R1, c[0x0][0x37c] ;
        /*0010*/              @P0  EXIT ;
        /*0020*/                   IMAD.WIDE R2, R0, 0x4, R8 ;
.L_x_0:
        /*0030*/                   LDG.E.128.CONSTANT R4, desc[UR4][R2.64] ;
        /*0040*/                   LDG.E.128.CONSTANT R12, desc[UR4][R2.64+0x10] ;
        /*0050*/               @P1 BRA `(.L_x_1) ;
        /*0060*/                   MUFU.RCP R20, R4 ;
        /*0070*/                   NOP ;
        /*0080*/                   NOP ;
.L_x_1:
        /*0090*/                   FADD R4, R4, R12 ;
        /*00a0*/                   STG.E.128 desc[UR4][R2.64], R4 ;
        /*00b0*/               @P2 BRA `(.L_x_0) ;
.L_x_2:
        /*00c0*/                   LDG.E R6, desc[UR4][R2.64] ;
        /*00d0*/                   STS [R7], R6 ;
        /*00e0*/               @P3 BRA `(.L_x_2) ;
        /*00f0*/                   EXIT ;
.L_x_3:
        /*0100*/                   BRA `(.L_x_3);
        /*0110*/                   NOP;
"""
MOST = kernels.Phase("store", having=("L128c",))


def kernel():
    return listing.functions(LISTING)["kiln_kernel"]


def row(**changed):
    return kernels.Row(**{"name": "k", "read": 8, "write": 4, "kernel": {}, **changed})


class Listing(unittest.TestCase):
    def test_loops_and_the_paths_through_them(self):
        found = kernel()
        self.assertEqual(len(found.code), 16)
        self.assertEqual([(one.head, one.inner, one.path) for one in sorted(found.loops, key=lambda one: one.head)],
                         [(3, True, [3, 4, 5, 9, 10, 11]), (12, True, [12, 13, 14])])
        self.assertEqual(found.loops[0].counts, {"L128c": 2, "load": 32, "S128": 1, "store": 16})
        self.assertEqual(found.around(found.hot()), (3, 4))

    def test_bytes_in_flight(self):
        found = kernel()
        self.assertEqual(found.flight(found.hot().path), 32)
        # Each load waits for the one before it.
        alone = listing.functions(LISTING.replace("R12, desc", "R12, desc[UR4][R4.64] ; //"))["kiln_kernel"]
        self.assertEqual(alone.flight(alone.hot().path), 16)

    def test_a_guarded_exit_goes_on_and_another_does_not(self):
        found = kernel()
        self.assertEqual((found.next[1], found.next[15]), ([2], []))

    def test_nested_loops(self):
        nested = LISTING.replace("@P3 BRA `(.L_x_2) ;\n        /*00f0*/                   EXIT", "@P3 BRA `(.L_x_2) ;\n        /*00f0*/               @P4 BRA `(.L_x_0)")
        inner = {one.head: one.inner for one in listing.functions(nested)["kiln_kernel"].loops}
        self.assertEqual(inner[12], True)
        self.assertIn(False, inner.values())


class Rules(unittest.TestCase):
    def code(self):
        return compare.Code(kernel(), 32, 256, 0, 0)

    def test_without_phases_the_hottest_loop_counts(self):
        work = self.code().work(row(), kernels.Rule(), "sm_90")
        self.assertEqual((work.instructions, work.flight, work.resident), ((3 + 6 + 4) / 4, 32, 2048))

    def test_phases_add_up(self):
        rule = kernels.Rule((MOST, kernels.Phase(having=("STS",))), elements=8, more=2)
        work = self.code().work(row(), rule, "sm_90")
        self.assertAlmostEqual(work.instructions, 6 / 4 + 3 / 1 + (3 + 4) / 8 + 2)
        self.assertAlmostEqual(work.flight, (8 + 4) / (8 / 32 + 4 / 4))  # by what each phase loads for an element

    def test_what_is_cached_does_not_wait_for_memory(self):
        rule = kernels.Rule((MOST, kernels.Phase(having=("STS",), cached=True)))
        self.assertEqual(self.code().work(row(), rule, "sm_90").flight, 32)

    def test_a_rule_of_older_templates_is_refused(self):
        with self.assertRaisesRegex(LookupError, "no loop of the kernel is Phase.*MUFU"):
            self.code().work(row(), kernels.Rule((kernels.Phase(having=("MUFU",)),)), "sm_90")
        with self.assertRaises(LookupError):
            kernels.Phase(nth=1).find(kernel())


class Model(unittest.TestCase):
    def work(self, **changed):
        return model.Work(**{"read": 8, "write": 4, "extra": 0, "instructions": 1, "flight": 64, "resident": 2048, **changed})

    def test_limits(self):
        device = model.DEVICES["H200"]
        found, limit = model.share(self.work(), device)
        self.assertEqual((round(found), limit), (100, "memory"))
        self.assertAlmostEqual(model.share(self.work(extra=12, instructions=0, flight=1e9), device)[0], 50, 3)
        # Four a cycle at 85 %: a hundred times what memory allows is a hundredth of it.
        slots = 12 / (model.RATE * device.tb) * 32 * device.multiprocessors * 4 * device.ghz * model.ISSUE / 1e3
        found, limit = model.share(self.work(instructions=100 * slots, flight=1e9), device)
        self.assertEqual((round(found, 3), limit), (1, "issue"))
        self.assertEqual(model.share(self.work(flight=1), device)[1], "loads")
        self.assertEqual(model.share(self.work(cache=128), device)[1], "cache")

    def test_occupancy(self):
        self.assertEqual(model.occupancy(32, 256, 0, "sm_90"), 2048)
        self.assertEqual(model.occupancy(40, 256, 0, "sm_90"), 1536)
        self.assertEqual(model.occupancy(64, 256, 0, "sm_90"), 1024)
        self.assertEqual(model.occupancy(32, 128, 33 * 1024, "sm_90"), 6 * 128)
        self.assertEqual(model.occupancy(16, 32, 0, "sm_90"), 1024)  # 32 blocks
        self.assertEqual(model.occupancy(16, 256, 0, "sm_89"), 1536)


class Table(unittest.TestCase):
    def line(self, kiln, expert):
        return {"registers": 32, "stack": 0, "instructions": 1.25, "in_flight": 64, "kiln": dict(kiln), "limit": dict.fromkeys(kiln, "memory"), "expert": dict(expert), "why": "it waits"}

    def test_architectures_side_by_side(self):
        parts = [{"k": self.line({"H100": 99}, {"H100": 100})}, {"k": self.line({"B200": 80}, {"B200": 100})}]
        text = compare.table(compare.joined(parts))
        self.assertIn("| k | 32 | 0 | 1.2 | 64 | 99 | 80 | memory | 100, 100 |", text)
        self.assertIn("- k, 99, 80 %: it waits.", text)

    def test_only_what_is_below_the_expert_is_listed(self):
        text = compare.table({"near": self.line({"H100": 60}, {"H100": 63}), "alone": self.line({"H100": 1}, {})})
        self.assertIn("| alone | 32 | 0 | 1.2 | 64 | 1 | memory | – |", text)
        self.assertNotIn("- near", text)
        self.assertNotIn("- alone", text)


class Kernels(unittest.TestCase):
    def test_names(self):
        names = [each.name for each in kernels.ROWS]
        self.assertEqual(len(names), len(set(names)))
        self.assertEqual(names, [each.kernel["name"] for each in kernels.ROWS])

    def test_experts_are_there(self):
        there = set(re.findall(r"^KERNEL\(\d+\) (\w+)\(", "".join(path.read_text() for path in FOLDER.glob("expert_*.cu")), re.M))
        self.assertEqual({each.expert for each in kernels.ROWS if each.expert} - there, set())
        self.assertEqual(set(kernels.EXPERTS) - there, set())


if __name__ == "__main__":
    unittest.main()

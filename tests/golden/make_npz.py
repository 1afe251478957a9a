#!/usr/bin/env python3
"""Writes npz/: archives that NumPy wrote, stored and deflated, and one with 64-bit sizes in its table. Needs numpy.

Every archive has x = arange(12, dtype=float32).reshape(3, 4) / 4, y = the same in Fortran order as float64, flags = [True, False, True],
none = zeros((0, 3), int16), one = int64(7); many.npz has 300 of 100 elements each instead, a000 to a299, of value its number.
"""
import io
import pathlib
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).parent / "npz"


def arrays():
    x = np.arange(12, dtype=np.float32).reshape(3, 4) / 4
    return {"x": x, "y": np.asfortranarray(x.astype(np.float64)), "flags": np.array([True, False, True]),
            "none": np.zeros((0, 3), np.int16), "one": np.int64(7)}


def large_table():
    """As archives of more than 4 GiB are, but small: sizes and offsets stand in the 64-bit fields."""
    data = io.BytesIO()
    old = zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = 10, 1
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("note.txt", "no array")
        for name, array in arrays().items():
            member = io.BytesIO()
            np.save(member, array)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue(), zipfile.ZIP_DEFLATED)
        archive.comment = b"a comment"
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = old
    return data.getvalue()


HERE.mkdir(exist_ok=True)
np.savez(HERE / "stored.npz", **arrays())
np.savez_compressed(HERE / "deflated.npz", **arrays())
np.savez_compressed(HERE / "many.npz", **{f"a{i:03}": np.full(100, i, np.int32) for i in range(300)})
(HERE / "large_table.npz").write_bytes(large_table())

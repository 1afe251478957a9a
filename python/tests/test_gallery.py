"""The scripts of examples/gallery compute what NumPy computes, and draw it. The page of the gallery has the figures of the benchmark."""
import os
import struct
import sys

import numpy as np
import pytest

import kiln

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench", "gallery"))
import numpy_versions  # noqa: E402
import run  # noqa: E402
from scripts import CHECKS, FOLDER, NAMES, difference, load  # noqa: E402

SMALL = {"nbody": {"count": 20000, "steps": 20}, "option": {"paths": 128}}


def needs(name):
    if name == "bokeh":
        try:
            kiln.fft.fft(np.ones(4))
        except kiln.DeviceError:
            pytest.skip("FFTW is not there")


def test_all_scripts_are_here():
    assert len(NAMES) == 12 and set(NAMES) == set(CHECKS)
    for name in NAMES:
        text = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 60, name
        assert text.startswith('"""') and text.endswith(f'if __name__ == "__main__":\n    draw("{name}.png")\n'), name


@pytest.mark.parametrize("name", NAMES)
def test_a_script_computes_what_numpy_does(name):
    needs(name)
    arguments = {**CHECKS[name][0], **SMALL.get(name, {})}
    result = load(name).compute(96, 64, **arguments)
    assert np.isfinite(result).all() and result.min() < result.max()
    difference(name, result, getattr(numpy_versions, name)(96, 64, **arguments))


@pytest.mark.parametrize("name", NAMES)
def test_a_script_draws(name, tmp_path):
    needs(name)
    load(name).draw(tmp_path / "picture.png", 96, 64)
    data = (tmp_path / "picture.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", data[16:24]) == (96, 64)


def test_a_difference_is_seen():
    a = np.linspace(0, 1, 10000)
    assert difference("terrain", a + (np.arange(10000) < 10), a) < 1e-5
    with pytest.raises(AssertionError, match="terrain: results differ by 1"):
        difference("terrain", a + (np.arange(10000) < 20), a)
    with pytest.raises(AssertionError, match="life: the shapes are"):
        difference("life", a, a[1:])


def test_figures_of_the_page():
    assert run.faults() == []


def test_a_wrong_figure_is_seen(tmp_path, monkeypatch):
    text = run.PAGE.read_text(encoding="utf-8")
    first = run.FIGURES.search(text)
    page = tmp_path / "gallery.md"
    monkeypatch.setattr(run, "PAGE", page)
    page.write_text(text.replace(first[2], "kiln 1.23 ms, NumPy 9 ms, Numba 9 ms"), encoding="utf-8")
    assert [fault for fault in run.faults() if f"says of {first[1]}: kiln 1.23 ms" in fault]
    page.write_text(text.replace(first[0], "", 1), encoding="utf-8")
    assert [fault for fault in run.faults() if f"says of {first[1]}: None" in fault]
    page.write_text(text.replace(run.machine_of_table(run.TABLE.read_text(encoding="utf-8")), "a machine"), encoding="utf-8")
    assert len(run.faults()) == 1 and "does not name the machine" in run.faults()[0]

#!/usr/bin/env python3
"""Draws the pictures of docs/gallery.md: each script of examples/gallery at full size, reduced to 480 pixels of width and to as many colours as
leave a file of 100 KB. Needs Pillow.

    PYTHONPATH=build/python/package python3 scripts/gallery_pictures.py [NAME…]
"""
import io
import pathlib
import sys
import tempfile

from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench" / "gallery"))
from scripts import NAMES, load  # noqa: E402

LARGEST = 100_000


def reduced(image):
    image = image.convert("RGB").resize((480, 320), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    if file.tell() <= LARGEST:
        return file.getvalue(), "all"
    for colours in (256, 192, 128, 96, 64, 48, 32):
        file = io.BytesIO()
        image.quantize(colours, dither=Image.Dither.FLOYDSTEINBERG if colours > 64 else Image.Dither.NONE).save(file, "PNG", optimize=True)
        if file.tell() <= LARGEST:
            return file.getvalue(), colours
    raise ValueError(f"32 colours take {file.tell()} bytes, {LARGEST} are allowed")


def main():
    folder = ROOT / "docs" / "pictures" / "gallery"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name in sys.argv[1:] or NAMES:
            path = pathlib.Path(scratch) / "picture.png"
            load(name).draw(path)
            data, colours = reduced(Image.open(path))
            (folder / f"{name}.png").write_bytes(data)
            print(f"{name}: {colours} colours, {len(data)} bytes")


if __name__ == "__main__":
    main()

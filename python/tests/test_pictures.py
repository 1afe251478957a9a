"""Pictures of arrays, as another library reads them."""
import struct
import zlib

import numpy as np
import pytest

import kiln


def decode(path):
    """Pixels by the PNG specification, of a file of 8 bits a channel whose rows have the filters 0 to 2."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height, bits, colours = struct.unpack(">IIBB", body[:10])
            assert bits == 8
        if kind == b"IDAT":
            packed += body
        at += 12 + length
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[colours]
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    pixels = np.zeros((height, width, channels), np.uint8)
    for y, row in enumerate(rows):
        line = row[1:].reshape(width, channels)
        if row[0] == 1:
            line = np.cumsum(line, axis=0, dtype=np.uint8)
        elif row[0] == 2:
            line = line + pixels[y - 1]
        else:
            assert row[0] == 0
        pixels[y] = line
    return pixels


def test_pictures_of_anybodys_arrays(tmp_path):
    path = tmp_path / "a picture.png"
    bytes_ = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    kiln.save_png(path, bytes_)
    assert (decode(path) == bytes_).all()
    kiln.save_png(str(path), kiln.asarray(bytes_[:, :, 0]))
    assert (decode(path)[:, :, 0] == bytes_[:, :, 0]).all()
    kiln.save_png(path, bytes_[::2, ::-1])
    assert (decode(path) == bytes_[::2, ::-1]).all()
    kiln.save_png(path, np.array([[0.0, 1.0, np.nan]]), "viridis", high=2)
    assert decode(path)[0, :, 3].tolist() == [255, 255, 0]
    assert abs(decode(path)[0, 0, :3].astype(int) - [68, 1, 84]).max() <= 3
    assert abs(decode(path)[0, 1, :3].astype(int) - [33, 145, 140]).max() <= 3


def test_what_is_no_picture(tmp_path):
    path = tmp_path / "a.png"
    with pytest.raises(kiln.ShapeError, match="a picture has the shape"):
        kiln.save_png(path, np.zeros(3))
    with pytest.raises(kiln.TypeError, match='did you mean "viridis"'):
        kiln.save_png(path, np.zeros((2, 2)), "virids")
    with pytest.raises(TypeError):
        kiln.save_png(path, np.zeros((2, 2)), low="0")
    with pytest.raises(kiln.IOError, match="nowhere"):
        kiln.save_png(tmp_path / "nowhere" / "a.png", np.zeros((2, 2)))
    assert not path.exists()

"""Arrays whose memory the host does not read: an emulated GPU stands for a real one."""
import numpy as np
import pytest

import kiln
from conftest import same

GPU = "emulated:sm_90"


@pytest.fixture(scope="module", autouse=True)
def device():
    try:
        kiln.device_array(1, device=GPU)
    except kiln.DeviceError as error:
        pytest.skip(str(error))


def test_calls_on_arrays_of_a_device():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = kiln.to_device(a, device=GPU)
    assert x.device == GPU
    got = x * 2 + 1
    assert type(got) is kiln.Array and got.device == GPU
    same(got.copy_to_host(), a * 2 + 1)
    assert type(kiln.math.add.reduce(x)) is kiln.Array
    same(kiln.math.add.reduce(x).copy_to_host(), np.add.reduce(a))
    same(np.asarray(x[:, ::-2]), a[:, ::-2])
    out = np.zeros((2, 3), np.float32)
    assert kiln.math.add(x, 1, out=out) is out
    same(out, a + 1)
    assert "device='emulated:sm_90'" in repr(x)


def test_host_arrays_give_host_arrays():
    a = np.arange(6, dtype=np.float32)
    for _ in range(2):
        same(kiln.math.add(a, 1, device=GPU), a + 1)


def test_kernels_write_to_arrays_of_a_device():
    fill = kiln.kernel("void(float32[:] y, int64 n)", "int64 i = int64(blockIdx.x) * blockDim.x + threadIdx.x; if (i < n) y[i] = i;")
    y = kiln.device_array(5, "float32", device=GPU)
    fill[2, 3](y, 5)
    assert y.tolist() == [0, 1, 2, 3, 4]
    host = np.zeros(5, np.float32)
    fill(host, 5, grid=2, block=3, device=GPU)
    assert host.tolist() == [0, 1, 2, 3, 4]


def test_streams_and_events():
    stream, event = kiln.Stream(GPU), kiln.Event(GPU)
    x = kiln.to_device(np.ones(1000, np.float32), device=GPU)
    got = kiln.math.add(x, x, stream=stream)
    event.record(stream)
    event.synchronize()
    assert event.done and (got.copy_to_host() == 2).all()
    host = kiln.math.add(np.ones(1000, np.float32), 1, stream=stream)
    stream.synchronize()
    assert (np.asarray(host) == 2).all()


def test_what_needs_the_host_says_so():
    x = kiln.to_device(np.ones(3), device=GPU)
    with pytest.raises(ValueError, match="copied"):
        x.__array__(copy=False)
    with pytest.raises(AttributeError):
        x.__cuda_array_interface__
    same(np.array(x), np.ones(3))
    assert x.__dlpack_device__()[0] == 1200


def test_kernels_are_inspected_for_a_device():
    x = kiln.to_device(np.ones(3, np.float32), device=GPU)
    assert "kernel" in kiln.inspect(kiln.math.add, x, x).ptx

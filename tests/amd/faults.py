"""What is found while a kernel runs."""


class Fault(Exception):
    """Ends the launch. The machine adds kernel, workgroup and wave."""

    def __init__(self, status, text, lane=None):
        super().__init__(text)
        self.status, self.text, self.lane = status, text, lane


ILLEGAL_ADDRESS, TIME_OUT, LAUNCH_FAILURE, MISALIGNED, INVALID_IMAGE, INVALID_CONFIGURATION = 700, 702, 719, 716, 200, 9


def out_of_bounds(what, address, size, lane=None):
    return Fault(ILLEGAL_ADDRESS, f"{what} of {size} bytes at {address:#x}, which is in no allocation", lane)


def misaligned(what, address, size, lane=None):
    return Fault(MISALIGNED, f"{what} of {size} bytes at {address:#x}, which is not aligned", lane)


def unknown(what):
    return Fault(LAUNCH_FAILURE, f"the executor does not know {what}")

"""The three calls of a single shot, made by the engine's own C++ on a driver that only writes down what it is told."""

import ctypes

import pytest

from helpers import ROOT
from scopemark.build import compile_library

RECORD = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3)
FUNCTION, PARAMETERS, STREAM, BEGIN, END = (ctypes.c_void_p(address) for address in (0x10, 0x20, 0x30, 0x40, 0x50))


@pytest.fixture(scope="module")
def shot(tmp_path_factory):
    directory = tmp_path_factory.mktemp("support")
    compile_library([ROOT / "kernels/support.cpp"], directory / "support.so", directory / "log")
    return ctypes.CDLL(str(directory / "support.so")).scopemark_shot


def fire(shot, codes):
    """The calls that a shot makes where they return those error codes, and what it returns."""
    calls, codes = [], iter(codes)

    def record(event, stream):
        calls.append(("record", event, stream))
        return next(codes)

    def launch(*arguments):
        calls.append(("launch", *arguments))
        return next(codes)

    shape = (ctypes.c_uint * 3)(1000, 256, 64)
    code = shot(RECORD(record), LAUNCH(launch), FUNCTION, shape, PARAMETERS, STREAM, BEGIN, END)
    return calls, code


def test_it_records_launches_and_records(shot):
    calls, code = fire(shot, [0, 0, 0])
    assert calls == [
        ("record", 0x40, 0x30),
        ("launch", 0x10, 1000, 1, 1, 256, 1, 1, 64, 0x30, 0x20, None),
        ("record", 0x50, 0x30),
    ]
    assert code == 0


@pytest.mark.parametrize(("codes", "expected"), [([7, 0, 0], 7), ([0, 8, 0], 8), ([0, 0, 9], 9), ([7, 8, 9], 7)])
def test_the_first_error_is_told(shot, codes, expected):
    assert fire(shot, codes)[1] == expected

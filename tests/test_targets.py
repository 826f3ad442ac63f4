"""Targets: which GPUs there are to CUDA.

The rules of CUDA_VISIBLE_DEVICES are those of the CUDA C++ Programming Guide, and so are its examples.
"""

import os
import sys
import types

import pytest

from scopemark.errors import UserError
from scopemark.targets import CPU, find_gpus, resolve_targets, visible

GPUS = [(f"card {i}", f"GPU-{i}932f937-d72c-4106-c12f-20bd9faed9f6", "90") for i in range(4)]


@pytest.mark.parametrize(
    ("setting", "left"),
    [
        (None, [0, 1, 2, 3]),
        ("", []),
        ("2,1", [2, 1]),  # the guide: device 0 is invisible, and device 2 is enumerated before device 1
        ("0,2,-1,1", [0, 2]),  # the guide: devices 0 and 2 are visible, device 1 is invisible
        ("-1", []),
        ("0,7,1", [0]),
        (" 1 , 3 ", [1, 3]),
        ("NoDevFiles", []),
        ("GPU-2932f937-d72c-4106-c12f-20bd9faed9f6", [2]),
        ("GPU-2932f937", [2]),  # the guide: enough digits from the beginning to identify the GPU
        ("GPU-3,GPU-0", [3, 0]),
        ("GPU-", []),  # not unique
        ("1,GPU-9", [1]),
    ],
)
def test_visible_devices(setting, left):
    assert visible(GPUS, setting) == [GPUS[i] for i in left]


class FakeNvml(types.ModuleType):
    """NVML with some cards; those before version 12 of the bindings give bytes."""

    def __init__(self, cards, as_bytes=False):
        super().__init__("pynvml")
        self._cards = cards
        self._as_bytes = as_bytes
        self.shut = 0

    def nvmlInit(self):
        if self._cards is None:
            raise RuntimeError("NVML Shared Library Not Found")

    def nvmlShutdown(self):
        self.shut += 1

    def nvmlDeviceGetCount(self):
        return len(self._cards)

    def nvmlDeviceGetHandleByIndex(self, index):
        return index

    def nvmlDeviceGetCudaComputeCapability(self, handle):
        return self._cards[handle][2]

    def nvmlDeviceGetName(self, handle):
        return self._text(self._cards[handle][0])

    def nvmlDeviceGetUUID(self, handle):
        return self._text(self._cards[handle][1])

    def _text(self, text):
        return text.encode() if self._as_bytes else text


CARDS = [
    ("NVIDIA H200", "GPU-a", (9, 0)),
    ("NVIDIA GeForce RTX 3060", "GPU-b", (8, 6)),
    ("NVIDIA H200", "GPU-c", (9, 0)),
    ("NVIDIA RTX PRO 6000", "GPU-d", (12, 0)),
]


@pytest.fixture
def nvml(monkeypatch):
    def install(cards, **options):
        fake = FakeNvml(cards, **options)
        monkeypatch.setitem(sys.modules, "pynvml", fake)
        return fake

    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return install


@pytest.mark.parametrize("as_bytes", [False, True])
def test_gpus_have_names_and_architectures(nvml, as_bytes):
    fake = nvml(CARDS, as_bytes=as_bytes)
    found = find_gpus()
    assert [gpu.name for gpu in found] == [
        "nvidia-h200",
        "nvidia-geforce-rtx-3060",
        "nvidia-h200-2",
        "nvidia-rtx-pro-6000",
    ]
    assert [gpu.architecture for gpu in found] == ["90", "86", "90", "120"]
    assert [gpu.device for gpu in found] == [0, 1, 2, 3]
    assert [gpu.uuid for gpu in found] == ["GPU-a", "GPU-b", "GPU-c", "GPU-d"]
    assert fake.shut == 1


def test_ordinals_count_the_visible_gpus(nvml, monkeypatch):
    nvml(CARDS)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,1")
    assert [(gpu.device, gpu.uuid) for gpu in find_gpus()] == [(0, "GPU-d"), (1, "GPU-b")]


def test_cuda_counts_gpus_in_nvmls_order(nvml, monkeypatch):
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST")
    nvml(CARDS)
    find_gpus()
    assert os.environ["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"


def test_without_a_driver_there_is_no_gpu(nvml):
    nvml(None)
    assert find_gpus() == []
    assert resolve_targets("auto", "t") == [CPU]


def test_targets_by_name_and_kind(nvml):
    nvml(CARDS)
    assert [target.name for target in resolve_targets(["nvidia-h200-2", "cpu"], "t")] == ["nvidia-h200-2", "cpu"]
    assert len(resolve_targets(["gpu"], "t")) == 4
    assert len(resolve_targets(["gpu", "nvidia-h200"], "t")) == 4
    assert resolve_targets("auto", "t")[-1] == CPU
    with pytest.raises(UserError, match=r"t: 'h200' is not a target here; accepted: auto, gpu, nvidia-h200,"):
        resolve_targets(["h200"], "t")

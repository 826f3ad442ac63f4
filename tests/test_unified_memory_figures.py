"""The figures of unified memory from hand-made rows: which cases they show, and values known by arithmetic."""

from __future__ import annotations

import pytest

from memory_figures import DIRECTORY, points, values
from memory_rows import KIB, MIB, access, back, counter, row
from scopemark.figures.data import load_figure
from scopemark.figures.memory import short, sized, team


def test_passes_stand_beside_the_link_and_the_memory():
    frame = points(
        "gpu_01_passes",
        access("managed", "gpu", 1, 0.016),
        access("managed", "gpu", 2, 64e-6),
        access("managed", "gpu", 1, 64e-6, origin="gpu"),  # was there already
        access("managed", "gpu", 1, 1e-6, size_bytes=MIB),  # smaller
        access("malloc", "gpu", 1, 1, status="unsupported"),
        access("device", "gpu", 1, 32e-6, origin="gpu"),
        access("pinned", "cpu", 1, 0.008),
        row("transfer", 0.001, way="pinned_copy", direction="to_gpu", size_bytes=MIB),
        row("transfer", 0.002, way="pinned_copy", direction="to_gpu", size_bytes=128 * MIB),
        row("transfer", 0.004, way="pinned_copy", direction="to_host", size_bytes=128 * MIB),
        row("transfer", 0.001, way="prefetch", direction="to_gpu", size_bytes=128 * MIB),
    )
    size = 64 * MIB
    assert values(frame, "bytes_per_second", "panel", "x", "series") == pytest.approx(
        {
            ("GPU reads", "cudaMallocManaged", "pass 1"): size / 0.016,
            ("GPU reads", "cudaMallocManaged", "pass 2"): size / 64e-6,
            ("GPU reads", "cudaMalloc", "pass 1"): size / 32e-6,
            ("CPU reads", "cudaHostAlloc", "pass 1"): size / 0.008,
        }
    )
    link = {"GPU reads": 128 * MIB / 0.002, "CPU reads": 128 * MIB / 0.004}
    assert values(frame, "link", "panel") == pytest.approx(link)
    assert set(frame.loc[frame["panel"] == "GPU reads", "memory"]) == {size / 32e-6}
    assert frame.loc[frame["panel"] == "CPU reads", "memory"].isna().all()


def test_a_case_without_a_number_stays_and_what_cannot_be_run_does_not():
    frame = points(
        "gpu_02_transfers",
        row("transfer", 0.001, way="prefetch", direction="to_gpu", size_bytes=MIB, status="failed"),
        row("transfer", 0.001, way="faults", direction="to_gpu", size_bytes=MIB, status="unsupported"),
        row("transfer", 0.001, way="managed_copy", direction="to_gpu", size_bytes=MIB, status="unstable"),
    )
    assert values(frame, "moved_per_second", "series") == pytest.approx(
        {"prefetch": float("nan"), "copy, managed": MIB / 0.001}, nan_ok=True
    )
    assert frame["ceiling"].isna().all()


def test_transfers_are_in_bytes_of_memory_and_carry_the_ceiling_of_their_direction():
    frame = points(
        "gpu_02_transfers",
        row("transfer", 0.002, operations=7, way="pinned_copy", direction="to_gpu", size_bytes=4 * MIB),
        row("transfer", 0.004, way="pinned_copy", direction="to_host", size_bytes=4 * MIB),
        row("transfer", 0.001, way="faults", direction="to_host", size_bytes=4 * KIB),
    )
    found = values(frame, "moved_per_second", "panel", "series")
    assert found["to the GPU", "copy, pinned"] == pytest.approx(4 * MIB / 0.002)
    assert found["to the host", "page faults"] == pytest.approx(4 * KIB / 0.001)
    assert values(frame, "ceiling", "panel") == pytest.approx(
        {"to the GPU": 4 * MIB / 0.002, "to the host": 4 * MIB / 0.004}
    )


def test_the_crossover_is_where_the_copy_begins_to_win_for_good():
    times = {4: (20, 10), 1024: (20, 30), 4096: (50, 40), MIB: (60, 90), 4 * MIB: (200, 500)}
    rows = [
        one
        for size, (copy, write) in times.items()
        for one in (back("explicit_copy", size, copy), back("device_write", size, write))
    ]
    never = [back("explicit_copy", 4, 20, "queued"), back("host_read", 4, 10, "queued")]
    frame = points("gpu_05_ways_back", *rows, *never)
    # With 1024 bytes the copy wins too, but not with 4096.
    assert set(frame.loc[frame["panel"] == "alone", "crossover"]) == {MIB}
    assert frame.loc[frame["panel"] != "alone", "crossover"].isna().all()


def test_there_is_no_crossover_where_the_intervals_meet():
    def wide(way, size, middle, low, high):
        return row("result", (middle, low, high), way=way, size_bytes=size, independent="none")

    rows = [wide("explicit_copy", MIB, 10, 9, 12), wide("device_write", MIB, 11, 10, 13)]
    assert points("gpu_05_ways_back", *rows)["crossover"].isna().all()
    rows[0] = wide("explicit_copy", MIB, 8, 7, 9)
    assert set(points("gpu_05_ways_back", *rows)["crossover"]) == {MIB}


def test_strides_are_the_pass_that_moves_and_are_quoted_per_word():
    size = 64 * MIB
    frame = points(
        "gpu_08_strides",
        access("managed", "gpu", 1, 0.016, stride_bytes=4096, operations=size // 4096),
        access("managed", "gpu", 1, 0.008, stride_bytes=65536, operations=size // 65536),
        access("managed", "gpu", 2, 0.001, stride_bytes=4096, operations=size // 4096),
        access("managed", "gpu", 1, 0.001, origin="gpu", stride_bytes=4096, operations=size // 4096),
        access("managed", "cpu", 1, 0.001, origin="gpu"),  # of one distance alone
    )
    assert values(frame, "seconds", "x") == pytest.approx({4096: 0.016, 65536: 0.008})
    assert set(frame["panel"]) == {"GPU, data with the CPU"}
    quoted = load_figure(DIRECTORY / "gpu_08_strides.py").numbers(frame)
    assert list(quoted["value"]) == pytest.approx([0.016 / 16384, 0.008 / 1024])
    assert quoted["quantity"].iloc[0] == "GPU data with the CPU reads a word in 4 KiB"


def test_allocation_is_shown_of_the_kind_of_target():
    rows = [row("allocation", 1e-6, allocator="malloc", call="free", size_bytes=4096)]
    rows += [row("allocation", 2e-6, kind="cpu", allocator="malloc", call="allocate", size_bytes=4096)]
    assert values(points("gpu_09_allocation", *rows), "seconds", "panel") == pytest.approx({"free": 1e-6})
    assert values(points("cpu_3_allocation", *rows), "seconds", "panel") == pytest.approx({"allocate": 2e-6})


def test_counters_keep_what_was_not_lost():
    rows = [counter("both", "device", 1e-3, (10, 250, 1000)), counter("gpu", "system", 1e-4)]
    rates = values(points("gpu_10_counter", *rows), "operations_per_second", "series")
    assert rates == pytest.approx({"both at once": 1e6, "the GPU alone": 1e7})
    frame = points("gpu_11_lost", *rows)
    assert list(frame["panel"]) == ["device scope on the GPU", "system scope on the GPU"]
    kept = frame[["share_kept", "share_kept_low", "share_kept_high"]].astype(float)
    assert kept.to_numpy().tolist() == [[0.75, 0.0, 0.99], [1, 1, 1]]


def test_a_signal_is_timed_per_round():
    rows = [row("signal", 3e-3, operations=1000, rounds=1000, asker="gpu", allocator="pinned")]
    assert values(points("gpu_12_signal", *rows), "seconds", "x", "series") == pytest.approx(
        {("cudaHostAlloc", "the GPU asks"): 3e-6}
    )


def test_small_writes_are_timed_per_round():
    rows = [row("small_writes", 6.4e-4, operations=64, rounds=64, residence="gpu")]
    assert values(points("gpu_16_small_writes", *rows), "seconds", "x") == pytest.approx(
        {"managed, kept with the GPU": 1e-5}
    )


def test_copies_are_told_apart_by_kind_and_by_method():
    def copied(seconds, **other):
        return row("copy", seconds, size_bytes=MIB, memory="managed", path="host_to_gpu", **other)

    frame = points(
        "gpu_13_copies",
        copied(0.001, copy_kind="accurate"),
        copied(0.002, copy_kind="inaccurate", destination="unpopulated"),
        copied(0.004, method="kernel"),
        row("copy", 0.008, size_bytes=MIB, memory="malloc", path="host_to_host", method="cpu"),
        row("copy", 0.016, size_bytes=MIB, memory="device_pinned", path="host_to_host", method="cpu"),
    )
    other = frame[frame["panel"] != "managed memory"]
    assert other["panel"].nunique() == 1
    assert values(other, "moved_per_second", "x") == pytest.approx(
        {"host to host": MIB / 0.016, "host to host, malloc": MIB / 0.008}
    )
    frame = frame[frame["panel"] == "managed memory"]
    assert values(frame, "moved_per_second", "x", "series") == pytest.approx(
        {
            ("host to GPU", "cudaMemcpy, accurate kind"): MIB / 0.001,
            ("host to GPU, no pages yet", "cudaMemcpy, inaccurate kind"): MIB / 0.002,
            ("host to GPU", "a kernel"): MIB / 0.004,
        }
    )


def test_fills_read_mostly_and_overlap():
    rows = [
        row("fill", 0.001, memory="managed", destination="unpopulated", size_bytes=MIB),
        row("read_mostly", 0.002, hint="read_mostly", step="cpu_write", size_bytes=MIB),
        row("overlap", 0.003, pair="kernel_copy", arrangement="second_alone", size_bytes=MIB),
    ]
    fill, step, overlap = (points(name, *rows) for name in ("gpu_18_fills", "gpu_15_read_mostly", "gpu_17_overlap"))
    assert values(fill, "moved_per_second", "x") == pytest.approx({"cudaMallocManaged, no pages yet": MIB / 0.001})
    assert values(step, "moved_per_second", "x") == pytest.approx({"4. then the CPU writes": MIB / 0.002})
    assert values(overlap, "seconds", "series") == pytest.approx({"the data alone": 0.003})


@pytest.mark.parametrize("kind", ["gpu", "cpu"])
def test_random_reads_stand_beside_reads_in_order_of_no_less(kind):
    def read(seconds, operations, **other):
        return row("access", seconds, kind=kind, processor="cpu", allocator="mmap_huge", operations=operations, **other)

    frame = points(
        {"gpu": "gpu_14_pages", "cpu": "cpu_2_pages"}[kind],
        read(0.01, 2**20, pattern="random", stride_bytes=4096, size_bytes=MIB, **{"pass": 1}),
        read(0.001, 2**20, pattern="random", stride_bytes=4096, size_bytes=MIB, **{"pass": 2}),
        read(1e-6, 1024, size_bytes=4 * KIB),  # smaller than what the random places are in
        *([read(0.002, 2**21, size_bytes=8 * MIB) | {"processor": "gpu"}] if kind == "gpu" else []),  # none at random
        read(0.002, 2**21, size_bytes=8 * MIB, **{"pass": 2}),
    )
    assert values(frame, "operations_per_second", "series") == pytest.approx(
        {"in order": 2**21 / 0.002, "at random, places 4 KiB apart": 2**20 / 0.001}
    )


def test_cpu_passes_are_shown_for_one_thread_and_for_all():
    def written(seconds, threads, passed):
        other = {"operation": "write", "origin": "nobody", "allocator": "malloc", "threads": threads, "pass": passed}
        return row("access", seconds, kind="cpu", processor="cpu", bytes=MIB, size_bytes=MIB, **other)

    rows = [written(0.004, 1, 1), written(0.002, 1, 2), written(0.001, "1/cpu", 1), written(0.003, 2, 1)]
    frame = points("cpu_1_passes", *rows)
    assert set(frame["panel"]) == {"writes, 1 MiB"}
    assert values(frame, "bytes_per_second", "series") == pytest.approx(
        {
            "pass 1, 1 thread": MIB / 0.004,
            "pass 2, 1 thread": MIB / 0.002,
            "pass 1, 1 thread per CPU": MIB / 0.001,
        }
    )


def test_words():
    assert [sized(4), sized(64 * MIB), short(4), short(4 * KIB)] == ["4 bytes", "64 MiB", "4", "4K"]
    assert [team(1), team("8"), team("1/cpu")] == ["1 thread", "8 threads", "1 thread per CPU"]

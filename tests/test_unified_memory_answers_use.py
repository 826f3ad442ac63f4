"""The answers on use, from hand-made rows: numbers known by arithmetic, and what is missing."""

from __future__ import annotations

from memory_answers import TABLES, read, said
from memory_rows import KIB, MIB, row


def test_the_paradigm_is_named_with_its_attributes():
    rows = [row("canary", 1e-6, allocator="managed"), row("canary", 1e-6, "failed", allocator="device")]
    text = said(4, *rows, driver="580.10", kernel_module="open")
    assert text.startswith(
        "Managed only: pageable_memory_access is 0. A kernel that is given memory of malloc can be expected to fault "
        "here, because the GPU cannot page it in: Linux is too old"
    )
    assert text.endswith(
        "Of 2 canaries 1 held and 0 were not sent, for nothing is promised; 1 disagreed with the attributes."
    )


def test_hints_are_named_with_the_best_and_the_worst():
    def hint(name, seconds, workload="gpu_reads", **other):
        return row("hint", seconds, hint=name, workload=workload, **other)

    rows = [hint("none", 0.010), hint("prefetch", 0.002), hint("preferred_gpu", 0.011), hint("prefetch_away", 0.040)]
    rows += [hint("none", 0.010, "gpu_updates"), hint("prefetch", 0.002, "gpu_updates")]
    rows += [hint("prefetch_away", 0.080, "gpu_updates")]
    rows += [hint("read_mostly", (2.17, None, None), "gpu_updates", status="skipped", samples=2)]
    rows += [hint("read_mostly_prefetch", (1.8, None, None), "gpu_updates", status="skipped", samples=3)]
    rows += [hint("none", 0.010, "exchange", passes=2), hint("prefetch", 0.005, "exchange", passes=2)]
    rows += [hint("none", 1, passes=16), hint("prefetch", 0.01, passes=16)]  # fewer to compare
    rows += [row("hint_call", us * 1e-6, call=call) for us, call in ((2, "set_read_mostly"), (90, "prefetch_to_gpu"))]
    assert said(5, *rows) == (
        "The best, in times as fast as without a hint, is “prefetch” where the GPU reads (5.00×), where the GPU "
        "updates (5.00×) and where the GPU writes, the CPU reads (2.00×). What hurts most is “prefetch to the wrong "
        "side” where the GPU updates (0.125×). “ReadMostly” where the GPU updates was cut short by its budget after 2 "
        "samples: it takes some 200 times as long as without. The call itself takes from 2.00 µs (“set ReadMostly”, "
        "data with the CPU) to 90.0 µs (“prefetch to the GPU”, data with the CPU) for 64 MiB."
    )
    assert said(5, hint("none", 0.01), hint("prefetch", 0.005)).endswith("None of them hurts.")
    noisy = [hint("none", (9, 8, 10)), hint("prefetch", (3, 2, 4)), hint("preferred_gpu", (4, 3, 5))]
    noisy += [hint("accessed_by_gpu", (8, 1, 9)), hint("preferred_gpu_prefetch", (6, 5.9, 6.1))]
    assert "is “prefetch” or “PreferredLocation GPU” where the GPU reads (3.00×)." in said(5, *noisy)


def test_random_places_set_allocators_side_by_side_and_not_distances():
    def scattered(allocator, seconds, stride_bytes):
        other = {"pattern": "random", "stride_bytes": stride_bytes, "operations": 2**20, "origin": "gpu"}
        return row("access", seconds, allocator=allocator, **other)

    times = {"managed": 1e-5, "device": 2e-5, "pinned": 1e-3}
    rows = [scattered(allocator, seconds, 64) for allocator, seconds in times.items()]
    rows += [scattered("managed", 4e-6, 4096), scattered("device", 2e-6, 4096)]
    far = (
        "At random places all over 64 MiB, one in every 64 bytes, the GPU reads managed memory that is there 2.00× "
        "[2.00, 2.00] as fast as cudaMalloc's, and 100× [100, 100] as fast as pinned memory. With one in every 4 KiB"
    )
    near = ", which stays in the L2 and so tests the translation of addresses alone,"
    end = " it is 0.500× [0.500, 0.500] as fast as cudaMalloc's."
    no_question = " Small or huge pages of the system's memory are no question here: no kernel may touch it."
    # 64 MiB have 16,384 pages, and as many lines of 128 bytes are 2 MiB.
    assert said(6, *rows, l2_bytes=2 * MIB) == far + near + end + no_question
    assert said(6, *rows, l2_bytes=MIB) == far + end + no_question
    assert said(6, *rows, l2_bytes=MIB, pageable_memory_access=1, **TABLES) == far + end


def test_huge_pages_are_told_on_the_cpu():
    def touched(allocator, seconds, **other):
        return row("access", seconds, kind="cpu", processor="cpu", allocator=allocator, **other)

    rows = []
    for allocator, seconds in (("mmap_huge", 0.001), ("mmap_small", 0.003)):
        rows += [touched(allocator, seconds, pattern="random", stride_bytes=4096, **{"pass": 2})]
        rows += [touched(allocator, 0.001), touched(allocator, seconds, operation="write", origin="nobody")]
    assert said(6, *rows) == (
        "Reads at random places of 64 MiB are 3.00× [3.00, 3.00] as fast from huge pages as from pages of 4 KiB. "
        "Reads in order of 64 MiB are 1.00× [1.00, 1.00] as fast from huge pages as from pages of 4 KiB. First writes "
        "by one thread of 64 MiB are 3.00× [3.00, 3.00] as fast from huge pages as from pages of 4 KiB."
    )


def test_both_processors_on_the_same_words():
    def counter(parties, allocator, scope, seconds, lost):
        return row(
            "counter",
            seconds,
            operations=1000,
            parties=parties,
            allocator=allocator,
            scope=scope,
            lost_updates_most=lost,
        )

    rows = [
        row("ping_pong", 1e-4, iteration=1, size_bytes=64 * KIB),
        row("ping_pong", 8e-4, iteration=4, size_bytes=64 * KIB, major_faults_median=16),
        row("ping_pong", 5e-5, iteration=32, size_bytes=64 * KIB, major_faults_median=1),
        row("ping_pong", 2e-5, iteration=32, size_bytes=64 * KIB, hint="preferred_host"),
        row("ping_pong", 1, iteration=32, size_bytes=MIB),
        row("signal", 3e-4, operations=100, asker="cpu", allocator="pinned"),
        row("signal", 5e-3, operations=100, asker="cpu", allocator="managed"),
        counter("both", "managed", "system", 1e-3, 0),
        counter("both", "managed", "device", 1e-3, 250),
        counter("both", "pinned", "system", 1e-3, 5),
        counter("both", "pinned", "device", 1e-3, 10),
        counter("gpu", "managed", "system", 1e-5, 0),
    ]
    assert said(7, *rows) == (
        "An update of 64 KiB by each in turns takes 100 µs at first and 50.0 µs in iteration 32, but 800 µs in "
        "iteration 4, where the driver may take it for thrashing (16 page faults of the CPU); with “PreferredLocation"
        " host” the last one takes 20.0 µs. A flag from the CPU to the GPU and back takes 3.00 µs in pinned and "
        "50.0 µs in managed memory. Both adding to one word of managed memory make 1.00 million adds a second, "
        "the GPU alone 100 million adds a second. Adds are lost in managed memory at device scope alone (up to "
        "25%), in pinned memory at either scope (up to 1%)."
    )


def test_turns_that_are_all_alike_have_no_worst_one():
    rows = [row("ping_pong", 1e-4, iteration=n, size_bytes=64 * KIB) for n in (1, 4, 32)]
    assert said(7, *rows) == "An update of 64 KiB by each in turns takes 100 µs at first and 100 µs in iteration 32."


def test_a_handle_to_managed_memory_is_refused():
    handle = row("sharing", 1e-3, memory="managed_ipc", processor="gpu", note="cudaErrorInvalidValue")
    assert said(9, handle) == "A handle to managed memory is refused, as the guide says (cudaErrorInvalidValue)."
    device = row("sharing", 1e-3, memory="device_ipc", processor="gpu")
    assert said(9, handle, device).endswith("(cudaErrorInvalidValue); one to cudaMalloc's works.")
    noisy = [case | {"status": "unstable", "reason": "half-width above 5%"} for case in (handle, device)]
    assert said(9, *noisy) == said(9, handle, device)  # how long it took is noisy, not whether it worked
    given = handle | {"status": "incorrect", "note": "a handle was given"}
    assert said(9, given).startswith("A handle to managed memory, which the guide says is not given: incorrect (a hand")
    device |= {"status": "failed", "reason": "no peer"}
    assert said(9, handle, device).endswith("; one to cudaMalloc's does not (failed: no peer).")


def test_who_can_share_a_file():
    def shared(memory, processor, status="ok"):
        return row("sharing", 1e-3, status, memory=memory, processor=processor)

    by_cpu = [shared("memfd", "cpu"), shared("file", "cpu")]
    refused = [shared("memfd", "gpu", "unsupported"), shared("file", "gpu", "unsupported")]
    start = "The CPU can share a memfd or a mapped file with another process"
    assert said(9, *by_cpu) == f"{start}."
    assert said(9, *by_cpu, *refused) == f"{start}, a kernel cannot."
    assert said(9, shared("memfd", "cpu", "unstable"), shared("file", "cpu", "unstable")) == f"{start}."
    assert said(9, *by_cpu, shared("memfd", "gpu"), refused[1]) == (
        f"{start}, a kernel can share a memfd, a kernel cannot share a mapped file."
    )


def test_a_mapped_file_is_set_against_malloc():
    def touched(allocator, seconds, **other):
        return row("access", seconds, kind="cpu", processor="cpu", allocator=allocator, size_bytes=MIB, **other)

    rows = [touched("file", 0.002), touched("malloc", 0.001)]
    rows += [
        touched("file", 0.004, operation="write", origin="nobody"),
        touched("malloc", 0.001, operation="write", origin="nobody"),
    ]
    assert said(9, *rows) == (
        "Reading 1 MiB of a mapped file on the CPU takes 2.00× [2.00, 2.00] the time of malloc's. Writing 1 MiB of a "
        "mapped file first takes 4.00× [4.00, 4.00] the time of malloc's."
    )
    assert said(9, *rows[2:]).startswith("Writing 1 MiB")


def test_oversubscription_that_was_not_asked_for_says_so():
    rows = [row("oversubscription", 1, "skipped"), read(1, 1, size_bytes=MIB)]
    start = "Not tried: no memory of this run is larger than 1 MiB"
    assert said(10, *rows) == f"{start}. More than the card has was skipped: made skipped."
    assert said(10, *rows[1:], memory_bytes=80 * 2**30) == (
        f"{start}, and the card has 80 GiB. More than the card has is measured only where the configuration asks for "
        "it, because it has hung machines."
    )
    rows = [row("oversubscription", seconds, factor=factor) for factor, seconds in ((0.5, 0.1), (1.25, 8))]
    assert said(10, *rows) == (
        "A pass goes over 0.5 of the card's memory in 100 ms and over 1.25 of the card's memory in 8.00 s."
    )

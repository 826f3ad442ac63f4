"""The guide's table of allocators as it was measured, and what each costs."""

from collections.abc import Callable, Sequence
from typing import Any

from scopemark.allocator_table import COLUMNS, NOT_TRIED, Cell, Measured
from scopemark.figures.data import Results, label
from scopemark.paradigm import paradigm
from scopemark.report.format import DASH, digits, fact
from scopemark.report.text import lined_up
from scopemark.stage.allocators import ALLOCATORS

TITLE = "Allocators as measured"
OPERATIONS = ("read", "write", "update")
STRIDES = (64, 4096)
OTHER = {"gpu": "cpu", "cpu": "gpu"}
BEHAVIOUR = """\
lies        with whom the memory is after its first touch, by the speed of a kernel's first pass over it
CPU, GPU    whether that processor reaches it, a kernel by its canary; peer: another GPU, where there is one
not tried   since nothing promises that it can be reached from there: so that it cannot was not seen
migrates    to whoever touches it: a kernel's second pass is local where its first was not, and the CPU's first pass
            takes page faults where its second takes none
pages       as the CPU sees them, by the largest piece that was looked at. The guide has 2 MiB for all that a GPU maps,
            which no program can look up
a fault     of the CPU's, on average: what the driver brings over at once
(guide: …)  what the guide's table has where that is not what was found"""
CALLS = """\
Nobody touches the memory in between. A variable is there already, and is only looked up; one on a stack gets a thread
with room for it, and what comes from a host pool a pool of its own."""
RATES = """\
GB/s of the first and the second pass over memory that the other processor touched last; ° that the same one did, where
the other cannot. The CPU's passes are of one thread. What fits a cache is that cache's speed."""
CPU_RATES = """\
GB/s of the first and the second pass of one thread: first writes are of memory that nobody touched before, the others
of memory that was written before. What fits a cache is that cache's speed."""
RANDOM = """\
Places are drawn from one in every so many bytes of memory that was gone over before. One in every 4 KiB may be so few
that they stay in a cache: compare rows, not columns."""

Column = tuple[str, list[str]]
"""A heading, and a cell for every allocator."""


def text(results: Results) -> str:
    frame, found = results.summary, []
    for (run, target), machine in results.machines.items():
        own = frame[(frame["run"] == run) & (frame["target"] == target)]
        measured = Measured(own.to_dict("records"), machine)
        if measured.size_bytes is not None:
            tables = _gpu(measured) if machine["kind"] == "gpu" else _cpu(measured)
            heading = label(machine, run, target)
            if machine["kind"] == "gpu" and (named := paradigm(machine["gpu"])):
                heading += f": {named.name}"
            found.append((machine["kind"] != "gpu", "\n\n".join([heading, *filter(None, tables)])))
    return "\n\n\n".join(table for _, table in sorted(found, key=lambda one: one[0]))


def _gpu(measured: Measured) -> list[str]:
    over = f"passes over {fact('bytes', measured.size_bytes)}"
    return [
        _table(measured, f"Where it lies and who reaches it, by {over}", _behaviour(measured), "l", BEHAVIOUR),
        _table(measured, "Allocating and freeing it, in µs", _calls(measured), "r", CALLS),
        _table(measured, f"Bandwidth of {over}", _passes(measured, ("gpu", "cpu")), "r", RATES),
        _table(measured, _random_title(measured), _random(measured, ("gpu", "cpu")), "r", RANDOM),
    ]


def _cpu(measured: Measured) -> list[str]:
    pages = ("pages", [measured.pages(name) or DASH for name in measured.allocators])
    rates = [*_first_writes(measured), *_passes(measured, ("cpu",))]
    return [
        _table(measured, "Pages as the CPU sees them, after they were touched", [pages], "l", ""),
        _table(measured, "Allocating and freeing it, in µs", _calls(measured), "r", ""),
        _table(measured, f"Bandwidth of passes over {fact('bytes', measured.size_bytes)}", rates, "r", CPU_RATES),
        _table(measured, _random_title(measured), _random(measured, ("cpu",)), "r", RANDOM),
    ]


def _table(measured: Measured, title: str, columns: Sequence[Column], side: str, notes: str) -> str:
    """A title, a line for each allocator of which something is known, and what the cells mean; empty if nothing is."""
    columns = [column for column in columns if set(column[1]) != {DASH}]
    names = [f"  {ALLOCATORS[name].call}" for name in measured.allocators]
    lines = [list(line) for line in zip(names, *(cells for _, cells in columns), strict=True)]
    lines = [line for line in lines if set(line[1:]) - {DASH}]
    if not lines:
        return ""
    table = lined_up([["", *(heading for heading, _ in columns)], *lines], "l" + side * len(columns))
    return "\n".join([title, *table, *([notes] if notes else [])])


def _behaviour(measured: Measured) -> list[Column]:
    names = measured.allocators
    cells = [[_cell(measured.cells(name)[column]) for name in names] for column in COLUMNS]
    cannot = {who: [measured.reachable(name, who) == NOT_TRIED for name in names] for who in OTHER}
    by_cpu, by_gpu, cpu, gpu, migrates = cells
    peer = [measured.peer(name) or DASH for name in names]
    return [
        ("lies, touched by CPU", _unless(cannot["cpu"], by_cpu)),
        ("by GPU", _unless(cannot["gpu"], by_gpu)),
        ("CPU", cpu),
        ("GPU", gpu),
        # With one GPU there is no question.
        *([("peer", peer)] if set(peer) - {DASH, "one GPU"} else []),
        ("migrates", migrates),
        ("pages", [measured.pages(name) or DASH for name in names]),
        ("a fault", [_shown(measured.fault_bytes(name), lambda one: f"{one / 1024:,.0f} KiB") for name in names]),
    ]


def _unless(cannot: Sequence[bool], cells: Sequence[str]) -> list[str]:
    return [NOT_TRIED if no else cell for no, cell in zip(cannot, cells, strict=True)]


def _cell(cell: Cell) -> str:
    if cell.found is None:
        return DASH
    return f"{cell.found} (guide: {cell.guide})" if cell.agrees is False else cell.found


def _calls(measured: Measured) -> list[Column]:
    return [
        (
            f"{call} {fact('bytes', size)}",
            [_shown(measured.call_seconds(name, size, call), _microseconds) for name in measured.allocators],
        )
        for call in ("allocate", "free")
        for size in measured.sizes_of_calls
    ]


def _microseconds(seconds: float) -> str:
    return digits(seconds * 1e6)


def _first_writes(measured: Measured) -> list[Column]:
    """The passes over memory that nobody had touched, of the largest size."""
    found = [measured.first_writes(name) for name in measured.allocators]
    size = max((one[0] for one in found if one), default=None)
    if size is None:
        return []
    cells = [_arrow(one[1]) if one and one[0] == size else DASH for one in found]
    return [(f"first write, {fact('bytes', size)}", cells)]


def _passes(measured: Measured, processors: tuple[str, ...]) -> list[Column]:
    """The first and the second pass of each processor's operations."""
    return [
        (f"{who.upper()} {what}", [_pair(measured, name, who, what) for name in measured.allocators])
        for who in processors
        for what in OPERATIONS
    ]


def _pair(measured: Measured, name: str, processor: str, operation: str) -> str:
    for origin, mark in ((OTHER[processor], ""), (processor, "°")):
        rates = [measured.rate(name, processor, origin, operation, number) for number in (1, 2)]
        if rates[0] is not None:
            alone = "" if measured.machine["kind"] == "cpu" else mark
            return _arrow([rate for rate in rates if rate is not None]) + alone
    return DASH


def _arrow(rates: Sequence[float]) -> str:
    return " → ".join(digits(rate / 1e9) for rate in rates)


def _random_title(measured: Measured) -> str:
    size = measured.random_bytes
    return f"Reads at random places of {fact('bytes', size)}, in million words a second" if size else ""


def _random(measured: Measured, processors: tuple[str, ...]) -> list[Column]:
    return [
        (
            f"{who.upper()}, one in {fact('bytes', stride)}",
            [_shown(measured.random(name, who, stride), lambda one: digits(one / 1e6)) for name in measured.allocators],
        )
        for who in processors
        for stride in STRIDES
    ]


def _shown(value: Any, form: Callable[[Any], str]) -> str:
    return DASH if value is None else form(value)

"""The guide's table of allocators as it was measured, and what each costs."""

from collections.abc import Callable
from typing import Any

from scopemark.allocator_table import COLUMNS, Cell, Measured
from scopemark.figures import Results, label
from scopemark.paradigm import paradigm
from scopemark.report_format import DASH, digits, fact
from scopemark.report_text import lined_up
from scopemark.stage.allocators import ALLOCATORS

TITLE = "Allocators as measured"
OPERATIONS = ("read", "write", "update")
STRIDES = (64, 4096)
OTHER = {"gpu": "cpu", "cpu": "gpu"}
NOTES = """\
lies        with whom the memory is after its first touch, by the speed of a kernel's first pass over it
CPU … peer  whether that processor reaches it; a kernel by its canary
migrates    to whoever touches it: a kernel's second pass is local where its first was not, and the CPU's first pass
            takes page faults where its second takes none
pages       as the CPU sees them, and what each of its page faults moved
(guide: …)  what the guide's table has where that is not what was found
"""
RATES = """\
GB/s        of the first and the second pass over memory that the other processor touched last; ° that the same one did,
            where the other cannot
random      million words a second from all over {random}, one of every 64 bytes or of every page, gone over before
"""
CPU_NOTES = """\
pages       as the CPU sees them after they were touched
GB/s        of the first and the second pass of one thread over memory that it has written
random      million words a second from all over {random}, one of every 64 bytes or of every page, by one thread
"""


def text(results: Results) -> str:
    frame, found = results.summary, []
    for (run, target), machine in results.machines.items():
        own = frame[(frame["run"] == run) & (frame["target"] == target)]
        measured = Measured(own.to_dict("records"), machine)
        if measured.size_bytes is not None:
            table = _gpu if machine["kind"] == "gpu" else _cpu
            found.append((machine["kind"] != "gpu", f"{label(machine, run, target)}{table(measured)}"))
    return "\n\n".join(table for _, table in sorted(found, key=lambda one: one[0]))


def _gpu(measured: Measured) -> str:
    named = paradigm(measured.machine["gpu"])
    behaviour = [
        ["", "lies, touched by CPU", "by GPU", "CPU", "GPU", "peer", "migrates", "pages", *_call_heads(measured)]
    ]
    rates = [["", *(f"{who} {what}" for who in ("GPU", "CPU") for what in OPERATIONS), *_random_heads(("GPU", "CPU"))]]
    for name in measured.allocators:
        cells = {column: _cell(cell) for column, cell in measured.cells(name).items()}
        by_cpu, by_gpu, cpu, gpu, migrates = (cells[column] for column in COLUMNS)
        pages = ", ".join(measured.pages(name)) or DASH
        behaviour.append(
            [f"  {ALLOCATORS[name].call}", by_cpu, by_gpu, cpu, gpu, measured.peer(name) or DASH, migrates, pages]
        )
        behaviour[-1] += _calls(measured, name)
        rates.append([f"  {ALLOCATORS[name].call}", *_passes(measured, name, ("gpu", "cpu"))])
        rates[-1] += _random(measured, name, ("gpu", "cpu"))
    heading = f": {named.name if named else 'paradigm not told'}; passes over {fact('bytes', measured.size_bytes)}"
    return "\n".join([heading, *_lines(behaviour, 8), "", *_lines(rates, 1), "", NOTES + _noted(RATES, measured)])


def _cpu(measured: Measured) -> str:
    rows = [["", "pages", *_call_heads(measured), *(f"CPU {what}" for what in OPERATIONS), *_random_heads(("CPU",))]]
    for name in measured.allocators:
        pages = ", ".join(measured.pages(name)) or DASH
        rows.append([f"  {ALLOCATORS[name].call}", pages, *_calls(measured, name), *_passes(measured, name, ("cpu",))])
        rows[-1] += _random(measured, name, ("cpu",))
    return "\n".join(
        [f": passes over {fact('bytes', measured.size_bytes)}", *_lines(rows, 2), "", _noted(CPU_NOTES, measured)]
    )


def _noted(notes: str, measured: Measured) -> str:
    size = measured.random_bytes
    return notes.format(random=fact("bytes", size) if size else "the memory").rstrip()


def _lines(rows: list[list[str]], left: int) -> list[str]:
    """The rows as lines, the first `left` columns ranged left, without those of which nothing is known."""
    known = [place for place, cells in enumerate(zip(*rows[1:], strict=True)) if place == 0 or set(cells) != {DASH}]
    return lined_up([[row[place] for place in known] for row in rows], "".join("l" if p < left else "r" for p in known))


def _cell(cell: Cell) -> str:
    if cell.found is None:
        return DASH
    return f"{cell.found} (guide: {cell.guide})" if cell.agrees is False else cell.found


def _call_heads(measured: Measured) -> list[str]:
    sizes = [fact("bytes", size) for size in measured.sizes_of_calls]
    return [f"{call} {size}" for call in ("allocate", "free") for size in sizes]


def _calls(measured: Measured, name: str) -> list[str]:
    sizes = measured.sizes_of_calls
    seconds = [measured.call_seconds(name, size, call) for call in ("allocate", "free") for size in sizes]
    return [_shown(value, lambda one: f"{digits(one * 1e6)} µs") for value in seconds]


def _passes(measured: Measured, name: str, processors: tuple[str, ...]) -> list[str]:
    """The first and the second pass of each processor's operations."""
    return [_pair(measured, name, processor, operation) for processor in processors for operation in OPERATIONS]


def _pair(measured: Measured, name: str, processor: str, operation: str) -> str:
    for origin, mark in ((OTHER[processor], ""), (processor, "°")):
        rates = [measured.rate(name, processor, origin, operation, number) for number in (1, 2)]
        if rates[0] is not None:
            alone = "" if measured.machine["kind"] == "cpu" else mark
            return " → ".join(digits(rate / 1e9) for rate in rates if rate is not None) + alone
    return DASH


def _random_heads(processors: tuple[str, ...]) -> list[str]:
    return [f"{who} random {stride} B" for who in processors for stride in STRIDES]


def _random(measured: Measured, name: str, processors: tuple[str, ...]) -> list[str]:
    found = [measured.random(name, processor, stride) for processor in processors for stride in STRIDES]
    return [_shown(value, lambda one: digits(one / 1e6)) for value in found]


def _shown(value: Any, form: Callable[[Any], str]) -> str:
    return DASH if value is None else form(value)

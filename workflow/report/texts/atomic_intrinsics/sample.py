"""The sample's twelve kernels in the arrangement of its own output: an operation at a time, four ways each."""

import pandas as pd

from scopemark.axes import cold_shots
from scopemark.experiments.atomic_intrinsics.sample import expected_slots
from scopemark.figures.data import Results, counted, pick, sampled, widest
from scopemark.report.format import DASH, digits, missing
from scopemark.report.text import lined_up

TITLE = "The sample's twelve kernels, as it lists them"
POINT = {"benchmark": "sample", "updates": 1_000_000, "slots": 10, "cache": "warm"}
OPERATIONS = {"add": "add", "max": "max", "cas": "CAS"}
NO_ORDER = {"order": "relaxed", "scope": "device"}
DEFAULT_ORDER = {"order": "seq_cst", "scope": "system"}
GPU_WAYS = {
    "plain": NO_ORDER,
    "intrinsic": NO_ORDER,
    "std_atomic_ref": DEFAULT_ORDER,
    "atomic_ref": DEFAULT_ORDER,
}
CPU_WAYS = {
    "plain": NO_ORDER,
    "builtin": DEFAULT_ORDER,
    "std_atomic_ref": DEFAULT_ORDER,
    "atomic_ref": DEFAULT_ORDER,
}
ATOMICS = {
    "intrinsic": {"add": "atomicAdd()", "max": "atomicMax()", "cas": "atomicCAS()"},
    "builtin": {"add": "__atomic_fetch_add()", "max": "__atomic_compare_exchange()"},
}
NOTES = """\
left       the sum over the elements after a launch, as the median of the repeats
lost       what that lacks of the expected sum: for add and CAS the updates lost; the elements of max are too small by
           so much together. Then its share of the expected sum, and the least and the most of one launch
one shot   as the sample times it: the only launch of the kernel in a program that launches these, in this order, and
           nothing before; the loading of the kernel is in it, and in the first one that of the module:
           median (least … most) of {runs} runs of the program
warm       a launch without its start-up, repeated: median [95 % interval]; – where this point was not measured so
published  one shot, by the sample's README, which names no GPU
"""
CPU_NOTES = """\
left       the sum over the elements after a run of the team, as the median of the repeats
lost       what that lacks of the expected sum, as on a GPU. Only updates that collide are lost: how many do depends on
           when the team's threads run
warm       a run of the team, caches warm: median [95 % interval]
"""


def text(results: Results) -> str:
    cases = pick(results.summary, **POINT)
    cases = cases.sort_values(["device", "machine"], kind="stable")
    gpu, cpu = pick(cases, target_kind="gpu"), pick(cases, target_kind="cpu", sampling="adaptive")
    tables = [_gpu(_ways(gpu, GPU_WAYS), results.published), _cpu(widest(_ways(cpu, CPU_WAYS), ("launch_threads",)))]
    return "\n\n".join(filter(None, tables))


def _ways(cases: pd.DataFrame, ways: dict) -> pd.DataFrame:
    """The cases of the ways at the orders and scopes that the sample has them with."""
    return pd.concat([pick(cases, api=api, **order) for api, order in ways.items()])


def _gpu(cases: pd.DataFrame, published: pd.DataFrame) -> str:
    if cases.empty:
        return ""
    numbers = sampled(cases, cold_shots)["samples"].dropna().astype(int)
    runs = " or ".join(str(number) for number in sorted(set(numbers), reverse=True)) or "no"
    threads = cases["launch_threads"].iloc[0]
    heading = f"{_count(POINT['updates'])} threads, {threads} in a block, update {POINT['slots']} ints; times in ms"
    columns = ["", "left", "lost", "share", "least … most", "repeats", "one shot", "warm", "published", ""]
    published = {row.quantity: row.value for row in published[published["unit"] == "ms"].itertuples()}

    def times(one: pd.DataFrame, operation: str, api: str) -> list[str]:
        value = published.get(f"sample_{operation}_{api}")
        return [
            _shot(sampled(one, cold_shots)),
            _warm(pick(one, sampling="adaptive")),
            DASH if value is None else f"{value:,g}",
        ]

    return "\n".join([heading, *_blocks(cases, GPU_WAYS, columns, times), "", NOTES.format(runs=runs)])


def _cpu(cases: pd.DataFrame) -> str:
    if cases.empty:
        return ""
    threads = counted(int(cases["launch_threads"].iloc[0]), "CPU thread")
    heading = f"{threads}, {_count(POINT['updates'])} updates of {POINT['slots']} ints; times in ms"
    columns = ["", "left", "lost", "share", "least … most", "repeats", "warm", ""]
    blocks = _blocks(cases, CPU_WAYS, columns, lambda one, operation, api: [_warm(one)])
    return "\n".join([heading, *blocks, "", CPU_NOTES])


def _blocks(cases: pd.DataFrame, ways: dict, columns: list[str], times) -> list[str]:
    """Per operation what it must leave, then per machine its four ways; all lines of a table in common columns."""
    rows, places = [columns], {}
    for operation in OPERATIONS:
        for machine in dict.fromkeys(cases["machine"]):
            places[len(rows)] = (operation, machine)
            for api in ways:
                one = pick(cases, operation=operation, machine=machine, api=api)
                cells = [*_left(one, operation), *times(one, operation, api), _bad(one)]
                rows.append([f"  {_name(api, operation)}", *cells])
    lines = lined_up(rows, "l" + "r" * (len(columns) - 2) + "l")
    result, last = [], None
    for place, line in enumerate(lines):
        if place in places:
            operation, machine = places[place]
            if operation != last:
                result += ["", f"[{OPERATIONS[operation]}] expected: {_expected(operation)}", lines[0]]
                last = operation
            result.append(machine)
        if place:
            result.append(line)
    return result


def _name(api: str, operation: str) -> str:
    if api == "plain":
        return "non-atomic"
    if api in ATOMICS:
        return ATOMICS[api].get(operation, ATOMICS[api]["max"])
    call = "fetch_add" if operation == "add" else "compare_exchange_weak"
    return f"cuda::{'std::' if api == 'std_atomic_ref' else ''}atomic_ref::{call}()"


def _expected(operation: str) -> str:
    slots = expected_slots(operation, POINT["updates"], POINT["slots"])
    each = f"element i = {_count(slots[0])} + i" if operation == "max" else f"every element = {_count(slots[0])}"
    return f"{each}; in sum {_count(slots.sum())}"


def _left(cases: pd.DataFrame, operation: str) -> list[str]:
    """What the case with the most repeats left: sum, lost with its share, the spread and the repeats."""
    known = cases[cases["lost_updates_median"].notna()]
    if known.empty:
        return [DASH] * 5
    row = known.loc[known["samples"].astype(int).idxmax()]
    total = int(expected_slots(operation, POINT["updates"], POINT["slots"]).sum())
    median, least, most = (row[f"lost_updates_{name}"] for name in ("median", "least", "most"))
    spread = f"{_count(least)} … {_count(most)}" if most != least else _count(most)
    return [_count(total - median), _count(median), f"{median / total:.3%}", spread, str(int(row["samples"]))]


def _shot(cases: pd.DataFrame) -> str:
    """The median of cold shots with their range."""
    known = cases[cases["median_seconds"].notna()]
    if known.empty:
        return DASH
    row = known.iloc[0]
    least, median, most = (_ms(row[f"{name}_seconds"]) for name in ("minimum", "median", "maximum"))
    return f"{median} ({least} … {most})"


def _warm(cases: pd.DataFrame) -> str:
    known = cases[cases["median_seconds"].notna()]
    if known.empty:
        return DASH
    row = known.iloc[0]
    bounds = "" if missing(row["low_seconds"]) else f" [{_ms(row['low_seconds'])}, {_ms(row['high_seconds'])}]"
    return f"{_ms(row['median_seconds'])}{bounds}"


def _bad(cases: pd.DataFrame) -> str:
    """What is wrong with the cases, if anything: unstable, timeout …"""
    return ", ".join(dict.fromkeys(cases.loc[cases["status"] != "ok", "status"]))


def _ms(seconds: float) -> str:
    return digits(seconds * 1e3)


def _count(number: float) -> str:
    return f"{number:,.0f}"

"""From measured grids to one row per case."""

import json

import pytest

from scopemark import tables
from scopemark.collect import HERE, merge_runs, read_machine, run_names, summarise, summarise_runs, summarised
from scopemark.errors import UserError


def case(name, **changes):
    row = {"case": name, "target": "gpu", "target_kind": "gpu", "experiment": "e", "benchmark": "b"}
    return (
        row
        | {"toolchain": "t", "kernel": "k", "status": "ok", "operations": 1000, "bytes": 4000, "scope": "block"}
        | changes
    )


def samples(name, seconds, *, toolchain="t", discarded=(), session=1):
    return [
        {
            "case": name,
            "target": "gpu",
            "toolchain": toolchain,
            "index": i,
            "session": session,
            "seconds": value,
            "sm_clock_hz": 1e9 + i,
            "discarded": "slow" if i in discarded else None,
        }
        for i, value in enumerate(seconds)
    ]


def frames(cases, rows):
    return tables.make("cases", cases, ["scope"]), tables.make("samples", rows)


def test_the_median_and_the_work_per_second():
    seconds = [3.0, 1.0, 2.0, 5.0, 4.0, 7.0, 6.0]
    row = summarise(*frames([case("a")], samples("a", seconds)), HERE).iloc[0]
    assert (row["samples"], row["discarded"]) == (7, 0)
    assert row[["minimum_seconds", "median_seconds", "maximum_seconds"]].tolist() == [1.0, 4.0, 7.0]
    # Of 7 samples the extremes alone enclose the median with 95 %: 1 - 2 / 2^7 = 98.4 %, 1 - 16 / 2^7 = 87.5 %.
    assert (row["low_seconds"], row["high_seconds"]) == (1.0, 7.0)
    assert row["operations_per_second"] == 250.0
    assert row["operations_per_second_best"] == row["operations_per_second_high"] == 1000.0
    assert row["operations_per_second_low"] == 1000 / 7
    assert row["bytes_per_second"] == 1000.0
    assert row["relative_spread"] == 3.0 / 4.0
    assert row["sm_clock_hz"] == 1e9 + 3
    assert row["scope"] == "block"
    assert row["run"] == HERE


def test_each_process_counts_once_where_there_are_enough():
    """a: six processes with medians from 2 to 7, one with many samples. b: five, whose samples count alike."""
    rows = samples("a", [1.0, 2.0, 90.0], session=1) + samples("a", [3.0] * 20, session=2)
    for session in (3, 4, 5, 6):
        rows += samples("a", [session + 1.0], session=session)
    for session in range(1, 6):
        rows += samples("b", [float(session)] * 2, session=session)
    frame = summarise(*frames([case("a"), case("b")], rows), HERE).set_index("case")
    assert frame["processes"].tolist() == [6, 5]
    names = ["samples", "median_seconds", "low_seconds", "high_seconds", "minimum_seconds", "maximum_seconds"]
    assert frame.loc["a", names].tolist() == [27, 4.5, 2.0, 7.0, 1.0, 90.0]
    # Of ten samples the second and the ninth: 1 - 2 * 11 / 2^10 = 97.9 %.
    assert frame.loc["b", names].tolist() == [10, 3.0, 1.0, 5.0, 1.0, 5.0]


def test_page_faults_and_the_note():
    rows = samples("a", [1.0] * 7, discarded=(6,)) + samples("b", [1.0] * 6)
    for row, faults in zip(rows, [16, 0, 32, 16, 8, 24, 1000], strict=False):
        row["major_faults"] = faults
    frame = summarise(*frames([case("a", note="moved"), case("b")], rows), HERE).set_index("case")
    faults = frame[[f"major_faults_{name}" for name in ("least", "median", "most")]]
    assert faults.loc["a"].tolist() == [0, 16, 32]
    assert faults.loc["b"].isna().all()
    assert frame["note"].fillna("").tolist() == ["moved", ""]


def test_discarded_samples_are_counted_and_nothing_else():
    rows = samples("a", [1.0] * 6 + [100.0, 200.0], discarded=(6, 7))
    row = summarise(*frames([case("a")], rows), HERE).iloc[0]
    assert (row["samples"], row["discarded"], row["median_seconds"]) == (6, 2, 1.0)


def test_a_case_without_samples_has_no_estimate():
    row = summarise(*frames([case("a", status="failed", reason="why")], []), HERE).iloc[0]
    assert row["samples"] == 0
    assert row[["median_seconds", "operations_per_second"]].isna().all()
    assert row["reason"] == "why"


def test_five_samples_have_no_interval():
    row = summarise(*frames([case("a")], samples("a", [1.0, 2.0, 3.0, 4.0, 5.0])), HERE).iloc[0]
    assert row["median_seconds"] == 3.0
    assert row[["low_seconds", "high_seconds", "operations_per_second_low"]].isna().all()


def test_two_toolchains_keep_their_own_samples(tmp_path):
    for toolchain, value in (("old", 1.0), ("new", 2.0)):
        one, two = frames([case("a", toolchain=toolchain)], samples("a", [value] * 7, toolchain=toolchain))
        tables.write("cases", one, tmp_path / f"{toolchain}.cases.csv")
        tables.write("samples", two, tmp_path / f"{toolchain}.samples.csv")
    merged = merge_runs(
        [tmp_path / "old.cases.csv", tmp_path / "new.cases.csv"],
        [tmp_path / "old.samples.csv", tmp_path / "new.samples.csv"],
    )
    summary = summarise(*merged, HERE).set_index("toolchain")
    assert summary["median_seconds"].to_dict() == {"old": 1.0, "new": 2.0}
    assert summary["samples"].to_dict() == {"old": 7, "new": 7}


def test_a_case_of_two_grids_stays_once(tmp_path):
    for grid, names in (("one", ["a", "b"]), ("two", ["b", "c"])):
        rows = [row for name in names for row in samples(name, [1.0] * 6)]
        first, second = frames([case(name) for name in names], rows)
        tables.write("cases", first, tmp_path / f"{grid}.cases.csv")
        tables.write("samples", second, tmp_path / f"{grid}.samples.csv")
    cases, found = merge_runs(
        [tmp_path / "one.cases.csv", tmp_path / "two.cases.csv"],
        [tmp_path / "one.samples.csv", tmp_path / "two.samples.csv"],
    )
    assert cases["case"].tolist() == ["a", "b", "c"]
    assert found.groupby("case").size().to_dict() == {"a": 6, "b": 6, "c": 6}


def write_run(directory, cases, rows):
    one, two = frames(cases, rows)
    tables.write("cases", one, directory / "e.cases.csv")
    tables.write("samples", two, directory / "e.samples.csv")
    return directory / "e.cases.csv", directory / "e.samples.csv"


SECONDS = {"a": [0.1, 0.2, 0.3], "b": [0.4, 0.5, 0.6]}


@pytest.mark.parametrize(
    ("names", "changed", "runs"),
    [
        (["a", "b"], {}, {HERE: 2}),
        (["a"], {}, {HERE: 2}),  # what was recorded before a case was added
        (["a", "b"], {"b": [0.4, 0.5, 0.6000000000000001]}, {HERE: 2, "recorded": 2}),
        (["a", "b"], {"b": [0.4, 0.5, 0.6, 0.7]}, {HERE: 2, "recorded": 2}),
        (["a", "c"], {"c": [0.1, 0.2, 0.3]}, {HERE: 2, "recorded": 2}),
    ],
)
def test_a_recorded_run_that_is_a_copy_of_what_is_here_is_left_out(tmp_path, names, changed, runs):
    here = write_run(
        tmp_path / "here", map(case, SECONDS), [row for name in SECONDS for row in samples(name, SECONDS[name])]
    )
    kept = SECONDS | changed
    copy = write_run(tmp_path / "kept", map(case, names), [row for name in names for row in samples(name, kept[name])])
    summary = summarise_runs([here, copy], {str(tmp_path / "kept"): "recorded"})
    assert summary.groupby("run").size().to_dict() == runs
    assert summarised((HERE, "gpu"), [summary])
    assert summarised((HERE, "not measured"), [summary])
    assert summarised(("recorded", "gpu"), [summary]) == ("recorded" in runs)


def test_nothing_measured_still_has_the_parameters_columns(tmp_path):
    tables.write("summary", summarise_runs([], {}, ["scope"]), tmp_path / "s.csv")
    assert tables.read("summary", tmp_path / "s.csv")["scope"].tolist() == []


def test_recorded_runs_without_a_sample_are_no_copies(tmp_path):
    failed = [case("a", status="failed", reason="why")]
    runs = [write_run(tmp_path / name, failed, []) for name in ("here", "kept")]
    assert len(summarise_runs(runs, {str(tmp_path / "kept"): "recorded"})) == 2


MACHINE = {
    "target": "cpu",
    "kind": "cpu",
    "described_at": "2026-01-31",
    "host": {"machine": "x86_64", "kernel": "6", "usable_cpus": 2, "python": "3.12"},
}


def test_a_machine_names_its_run(tmp_path):
    (tmp_path / "h200").mkdir()
    (tmp_path / "h200" / "machine.json").write_text(json.dumps(MACHINE))
    (tmp_path / "cpu.json").write_text(json.dumps(MACHINE))
    names = run_names([str(tmp_path / "h200" / "machine.json"), str(tmp_path / "cpu.json")])
    assert list(names) == [str(tmp_path / "h200")]
    assert "2026-01-31" in names[str(tmp_path / "h200")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not readable as a machine description"),
        (json.dumps(MACHINE | {"kind": "gpu"}), "'gpu' is a required property"),
        (json.dumps(MACHINE | {"described_at": "today"}), "described_at: not a valid machine description"),
        (json.dumps(MACHINE | {"color": "red"}), "color"),
    ],
)
def test_a_bad_machine_description_is_told(tmp_path, text, said):
    (tmp_path / "machine.json").write_text(text)
    with pytest.raises(UserError, match=r"machine\.json: ") as raised:
        read_machine(tmp_path / "machine.json")
    assert said in str(raised.value)

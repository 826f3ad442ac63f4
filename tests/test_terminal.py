"""What a run says on the terminal, and what it says when it is stopped or the configuration cannot be read."""

import io
import os
import signal
import subprocess
import sys
import time

import pytest
import yaml

from helpers import ROOT, add_faults, copy_repository, environment, snakemake
from scopemark.closing import case_counts
from scopemark.errors import UserError
from scopemark.jobs import STOPPED
from scopemark.measure import progress
from scopemark.yaml_file import check_yaml

LONG = {
    "preset": "long",
    "targets": ["cpu"],
    "architectures": [90],
    "presets": {"long": {"relative_half_width": 1e-6, "minimum_samples": 6, "maximum_samples": 10**6}},
    "experiments": {
        "faults": {
            "presets": {"long": ["exact"]},
            "grids": {"exact": {"benchmark": "fault", "kind": "cpu", "step": "exact", "budget_seconds": 600}},
        }
    },
}


def heed_interrupts():
    """What a shell starts in the background ignores SIGINT, and so would what these tests start."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_says_how_to_go_on_and_loses_nothing(tmp_path):
    tree = copy_repository(tmp_path / "tree")
    add_faults(tree)
    (tree / "long.yaml").write_text(yaml.safe_dump(LONG))
    command = [sys.executable, "-m", "snakemake", "results/collected/cpu/faults.cases.csv"]
    run = subprocess.Popen(
        [*command, "--cores", "1", "--configfile", "long.yaml"],
        cwd=tree,
        env=environment(tree),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        preexec_fn=heed_interrupts,
    )
    deadline = time.monotonic() + 120
    while not (journals := list(tree.glob("results/journal/cpu/*/faults.jsonl"))) and time.monotonic() < deadline:
        time.sleep(0.1)
    os.killpg(run.pid, signal.SIGINT)  # a terminal sends it to all of them
    said = run.communicate(timeout=60)[0]
    assert run.returncode != 0
    assert said.count("Nothing measured is lost: the same command goes on from there") == 1
    assert "Traceback" not in said
    assert journals[0].read_text()


def test_a_job_that_is_stopped_is_silent(tmp_path):
    code = (
        "import os, signal, time\nfrom scopemark.jobs import job\n"
        "with job('log.txt'):\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(60)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=environment(ROOT),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=heed_interrupts,
    )
    assert (done.returncode, done.stdout, done.stderr) == (STOPPED, "", "")
    assert (tmp_path / "log.txt").read_text() == "stopped\n"


def test_a_configuration_that_is_not_yaml_is_told_with_its_line(tmp_path):
    tree = copy_repository(tmp_path / "tree")
    lines = (tree / "config.yaml").read_text().splitlines()
    wrong = lines.index("preset: default")
    lines[wrong] = "preset: {default"
    (tree / "config.yaml").write_text("\n".join(lines))
    done = snakemake(tree, "-n", check=False)
    assert done.returncode != 0
    assert f"config.yaml: not YAML: line {wrong + 1}: while parsing a flow mapping" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\nb: [1, 2\nc: 3\n", "line 2: while parsing a flow sequence; line 3: "),
        ("a: 1\n\tb: 2\n", "line 2: "),
        ("a: 1\nb: *nowhere\nc: \x07", "not YAML: "),
    ],
)
def test_what_is_not_yaml_has_its_lines_named(tmp_path, text, said):
    (tmp_path / "c.yaml").write_text(text)
    with pytest.raises(UserError) as raised:
        check_yaml(tmp_path / "c.yaml")
    assert str(raised.value).startswith(f"{tmp_path / 'c.yaml'}: not YAML: ")
    assert said in str(raised.value)
    check_yaml(ROOT / "config.yaml")


def test_the_cases_of_this_machine_are_counted_by_status(tmp_path):
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("run,case,status\nhere,a,ok\nhere,b,ok\nhere,c,skipped\nrecorded 2026,a,failed\n")
    two.write_text('case,reason,run,status\na,"two\nlines",here,ok\n')
    assert case_counts([one, two]) == "4 cases here: 3 ok, 1 skipped"
    two.write_text("run,status\nrecorded 2026,ok\n")
    assert case_counts([two]) == "no case was measured here"


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands where the test puts it."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_what_is_left_is_reckoned_from_the_pace_so_far(clock):
    log = io.StringIO()
    shown = progress.Progress("cpu x/y", 10, 0, 0.0, log)
    clock[0] += 60
    shown.update(2, 0.25)  # a quarter in a minute: three more
    assert log.getvalue() == "scopemark: cpu x/y: 25% done: 2 of 10 cases, 8 left, 1:00 gone, about 3:00 to go\n"


def test_what_was_measured_before_is_no_part_of_the_pace(clock):
    log = io.StringIO()
    shown = progress.Progress("cpu x/y", 8, 4, 0.5, log)
    clock[0] += 30
    shown.update(4, 0.5)  # nothing seen yet
    shown.update(6, 0.75)  # a quarter in half a minute, and a quarter is left
    lines = log.getvalue().splitlines()
    assert lines[0].endswith("4 of 8 cases were measured before")
    assert lines[1].endswith("4 of 8 cases, 4 left, 0:30 gone")
    assert lines[2].endswith("2 left, 0:30 gone, about 0:30 to go")

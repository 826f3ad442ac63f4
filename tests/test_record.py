"""Recording never overwrites the run of another machine."""

import json

import pytest

from scopemark.errors import UserError
from scopemark.stored_run import check_replaceable


def describe(path, cpu, kernel="6.1"):
    host = {"machine": "x86_64", "kernel": kernel, "usable_cpus": 2, "cpus": 2, "python": "3.12.1", "cpu": cpu}
    path.write_text(json.dumps({"target": "cpu", "kind": "cpu", "described_at": "2026-01-01", "host": host}))
    return path


def test_another_machines_run_is_not_overwritten(tmp_path):
    recorded = describe(tmp_path / "machine.json", "Model A")
    with pytest.raises(UserError, match=r"machine\.json: host\.cpu: 'Model A' is recorded there and 'Model B'"):
        check_replaceable(describe(tmp_path / "here.json", "Model B"), recorded)


def test_the_same_machine_may_record_again_and_a_first_run_may_be_recorded(tmp_path):
    here = describe(tmp_path / "here.json", "Model A", kernel="6.8")
    check_replaceable(here, describe(tmp_path / "machine.json", "Model A"))
    check_replaceable(here, tmp_path / "nothing.json")

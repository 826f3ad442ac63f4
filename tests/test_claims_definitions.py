"""Claims and their definitions: the whole list is there, and what is wrong in a file is named."""

from __future__ import annotations

import copy

import pytest
import yaml

from claim_rows import CPU, EXPERIMENT, GPU
from scopemark.claims.definitions import check_condition, load_claims
from scopemark.claims.judge import Place
from scopemark.errors import UserError

COUNTER = EXPERIMENT.benchmark("counter")
HERE_GPU, HERE_CPU = Place("here", "gpu0", GPU), Place("here", "cpu", CPU)
CLAIMS = load_claims("scoped_atomics")


def test_every_claim_of_the_list_is_there():
    assert {f"SA{number}" for number in range(1, 11)} <= set(CLAIMS)


def broken(path, value):
    """The definition of SA1 alone, with one key set to a value, or removed by None."""
    claims = {"claims": {"SA1": copy.deepcopy(CLAIMS["SA1"])}}
    inner = claims["claims"]["SA1"]
    *parents, last = path.split(".")
    for key in parents:
        inner = inner[key]
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return claims


@pytest.mark.parametrize(
    ("path", "value", "parts"),
    [
        ("relation", "faster", ["claims.SA1.relation", "'faster'", "greater, equal, no_slower"]),
        ("relation", "exact", ["claims.SA1.relation", "'exact'", "greater, equal, no_slower"]),
        ("verdict", "holds", ["claims.SA1", "'verdict'", "statement"]),
        ("statement", None, ["claims.SA1", "'statement'"]),
        ("needs.kind", "tpu", ["claims.SA1.needs.kind", "'tpu'", "gpu, cpu, build"]),
        ("needs.kind", "build", ["claims.SA1.needs.kind", "machine code"]),
        ("quantity.benchmark", "counters", ["quantity.benchmark", "'counters'", "counter, match_count"]),
        ("quantity.where.scoop", "block", ["quantity.where.scoop", "scope, order"]),
        ("quantity.a.scope", "warp", ["quantity.a.scope", "'warp'", "device, block, system"]),
        ("quantity.where.blocks", [1, "many"], ["quantity.where.blocks", "'many'", "N/sm"]),
        ("quantity.where.iterations", {"over": 3}, ["quantity.where.iterations", "at_least"]),
        ("quantity.where.iterations", {"begins": 3}, ["quantity.where.iterations", "{begins: TEXT}"]),
        ("quantity.where.scope", "system", ["quantity.a.scope", "'block'", "where.scope is 'system'"]),
        ("quantity.by", ["colour"], ["quantity.colour"]),
        ("quantity.control", {"scoop": "block"}, ["quantity.control.scoop", "scope, order"]),
        ("context", [{"label": "x", "where": {"sampling": "best"}}], ["context.0.where.sampling", "'best'"]),
    ],
)
def test_a_wrong_definition_is_named(tmp_path, path, value, parts):
    file = tmp_path / "scoped_atomics.yaml"
    file.write_text(yaml.safe_dump(broken(path, value)))
    with pytest.raises(UserError) as raised:
        load_claims("scoped_atomics", file)
    for part in [str(file), *parts]:
        assert part in str(raised.value)


@pytest.mark.parametrize("text", ["", "claims: [", "claims: {}", "claims: {first: {}}", "- 1"])
def test_what_is_no_definition_file_is_named(tmp_path, text):
    file = tmp_path / "scoped_atomics.yaml"
    file.write_text(text)
    with pytest.raises(UserError, match=r"scoped_atomics\.yaml"):
        load_claims("scoped_atomics", file)


def test_an_experiment_without_a_file_claims_nothing(tmp_path):
    assert load_claims("scoped_atomics", tmp_path / "none.yaml") == {}


def test_a_condition_may_name_an_axis_of_any_of_the_benchmarks():
    check_condition({"form": "two_level", "scope": "block"}, EXPERIMENT.benchmarks, "w")
    with pytest.raises(UserError, match=r"w\.form"):
        check_condition({"form": "two_level"}, [COUNTER], "w")

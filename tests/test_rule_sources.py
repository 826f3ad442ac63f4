"""What a rule runs is among its inputs, so that a change in the package redoes its tables."""

import ast
import re

import pytest
import yaml

from helpers import ROOT, copy_repository, snakemake
from scopemark.layout import script_sources

CONFIGURATION = {
    "preset": "tiny",
    "targets": ["cpu"],
    "architectures": [90],
    "presets": {"tiny": {}},
    "experiments": {
        "scoped_atomics": {
            "presets": {"tiny": ["counters"]},
            "grids": {"counters": {"benchmark": "counter", "kind": "cpu", "api": "builtin", "scope": "system"}},
        }
    },
}
CONFIGURATION["experiments"]["scoped_atomics"]["grids"]["counters"] |= {
    "cache": "warm",
    "address": "opaque",
    "blocks": 1,
}


def imported(file):
    """The modules of the package that a file imports."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "scopemark":
            for name in [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]:
                module = (ROOT / "workflow").joinpath(*name.split(".")).with_suffix(".py")
                if module.exists():
                    yield module


def needed(file):
    """The modules that a file imports, near or far."""
    found, waiting = set(), [file]
    while waiting:
        new = set(imported(waiting.pop())) - found
        found |= new
        waiting += new
    return {str(module.relative_to(ROOT)) for module in found}


@pytest.mark.parametrize("script", sorted(file.stem for file in (ROOT / "workflow/scripts").glob("*.py")))
def test_the_text_tells_what_the_syntax_does(script, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert set(script_sources(script)) == needed(ROOT / f"workflow/scripts/{script}.py")


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Rule to its inputs, of a plan that makes everything again."""
    tree = copy_repository(tmp_path_factory.mktemp("sources") / "tree")
    (tree / "tiny.yaml").write_text(yaml.safe_dump(CONFIGURATION))
    goals = ["results/tables/advice.csv", "results/tables/claims.csv", "reports/tables/numbers.tex"]
    done = snakemake(tree, *goals, "-n", "--forceall", "--cores", "1", "--configfile", "tiny.yaml")
    found = re.findall(r"^rule (\w+):\n    input: (.*)$", done.stdout + done.stderr, re.M)
    return {rule: set(files.split(", ")) for rule, files in found}


@pytest.mark.parametrize("rule", ["collect", "summarise", "judge", "advise"])
def test_the_inputs_hold_what_the_script_imports(inputs, rule):
    modules = needed(ROOT / f"workflow/scripts/{rule}.py")
    assert "workflow/scopemark/tables.py" in modules
    assert modules - inputs[rule] == set()
    assert [file for file in inputs[rule] if file.startswith("workflow/schemas/tables/")]


@pytest.mark.parametrize("rule", ["figures_scoped_atomics", "paper"])
def test_the_inputs_hold_the_figures_and_what_they_import(inputs, rule):
    figures = sorted((ROOT / "workflow/report/figures/scoped_atomics").glob("*.py"))
    modules = set().union(*map(needed, figures))
    assert "workflow/scopemark/figures/plots.py" in modules
    assert (modules | {str(file.relative_to(ROOT)) for file in figures}) - inputs[rule] == set()


def test_measuring_depends_on_none_of_them(inputs):
    assert not [file for file in inputs["measure"] if file.startswith("workflow/")]

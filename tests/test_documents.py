"""What the documents promise, held against what is there."""

import re
import subprocess
import sys
import tomllib

import yaml

from helpers import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PYTHONS = ("3.11", "3.12", "3.13")


def test_the_first_screen_has_two_commands_that_set_up_the_same_way():
    text = (ROOT / "README.md").read_text()
    commands = re.findall(r"^```\n(.*)\n```$", text.split("\n## ")[0], re.M)
    assert len(commands) == 2
    prefix = "python3 -m venv .venv && .venv/bin/pip install -r requirements.lock && .venv/bin/"
    assert [command.removeprefix(prefix) for command in commands] == ["snakemake --cores 1", "python -m pytest"]


def test_ci_runs_the_command_of_the_readme():
    script = (ROOT / ".ci/run").read_text()
    pattern = re.search(r"grep -m 1 -- '(.*)' README\.md", script)[1]
    (line, *_) = [line for line in (ROOT / "README.md").read_text().splitlines() if re.search(pattern, line)]
    assert line.endswith(".venv/bin/python -m pytest")
    for tool in ("ruff check", "ruff format --check", "snakefmt --check", "snakemake --lint"):
        assert f".venv/bin/{tool}" in script


def test_links_lead_somewhere():
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if "://" not in link:
                assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_the_lock_pins_everything_with_hashes_and_names_no_index():
    text = (ROOT / "requirements.lock").read_text()
    assert "://" not in text
    assert not re.search(r"^\s*-", re.sub(r"^    --hash=sha256:[0-9a-f]{64}( \\)?$", "", text, flags=re.M), re.M)
    entries = re.split(r"\n(?=\S)", text.strip())
    for entry in entries:
        assert re.match(r"[a-z0-9._-]+==\S+", entry), entry
        assert "--hash=sha256:" in entry, entry


def _names(lines):
    return {re.match(r"[a-z0-9-]+", line)[0] for line in lines if line and not line.startswith(("#", " "))}


def test_the_lock_holds_what_is_required():
    wanted = _names((ROOT / "requirements.in").read_text().splitlines())
    locked = _names((ROOT / "requirements.lock").read_text().splitlines())
    assert wanted <= locked
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert _names(project["dependencies"] + project["optional-dependencies"]["cuda13"]) <= wanted


def test_the_running_python_is_one_that_the_project_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["requires-python"] == ">=3.11,<3.14"
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in PYTHONS


def test_the_citation_is_valid_yaml_with_what_the_format_requires():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= set(citation)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    code = "import scopemark; print(scopemark.__version__)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT / "workflow", capture_output=True, text=True, check=True
    )
    assert citation["version"] == version == done.stdout.strip()


def test_every_status_is_explained():
    from scopemark.tables import STATUSES

    explained = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/measuring.md").read_text(), re.M)
    assert sorted(explained) == sorted(STATUSES)

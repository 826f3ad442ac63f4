"""The workflow as it is shipped, parsed and planned, without a run."""

import re
import subprocess
import sys

from helpers import ROOT, copy_repository, environment, snakemake


def test_the_shipped_configuration_plans_every_preset(tmp_path):
    tree = copy_repository(tmp_path / "tree")
    for preset in ("quick", "default", "full"):
        done = snakemake(tree, "-n", "--config", f"preset={preset}")
        assert re.search(r"^measure +\d+$", done.stdout + done.stderr, re.M)


def test_the_linter_is_content(tmp_path):
    done = snakemake(copy_repository(tmp_path / "tree"), "--lint", check=False)
    assert "Congratulations, your workflow is in a good condition!" in done.stderr


def test_parsing_loads_nothing_heavy(tmp_path):
    """Each of Snakemake's jobs parses the Snakefile again."""
    code = "import sys; from scopemark.config import load_settings; import yaml\n" + (
        "settings = load_settings(yaml.safe_load(open('config.yaml')))\n"
        "settings.targets, settings.toolchains, settings.architectures\n"
        "from scopemark import layout\n"
        "print(sorted({'pandas', 'cupy', 'matplotlib', 'seaborn', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment(ROOT), capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
    command = [sys.executable, "-X", "importtime", "-m", "snakemake", "-n"]
    tree = copy_repository(tmp_path / "tree")
    done = subprocess.run(command, cwd=tree, env=environment(tree), capture_output=True, text=True, check=True)
    loaded = set(re.findall(r"\|\s+(\S+)$", done.stderr, re.M))
    assert "scopemark.config" in loaded
    assert not {"pandas", "cupy", "matplotlib", "seaborn"} & loaded

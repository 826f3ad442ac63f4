"""Reading YAML: by libyaml where PyYAML was built with it, which takes a tenth of the time in every job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from scopemark.errors import UserError

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path) -> Any:
    """What a YAML file holds, as `yaml.safe_load` has it. OSError or yaml.YAMLError if it cannot be read."""
    return yaml.load(path.read_text(), Loader=_LOADER)


def check_yaml(path: Path) -> None:
    """UserError, naming file and line, if a file is not YAML."""
    try:
        for _ in yaml.parse(path.read_text(), Loader=_LOADER):
            pass
    except yaml.MarkedYAMLError as error:
        parts = ((error.context_mark, error.context), (error.problem_mark, error.problem))
        said = [f"line {mark.line + 1}: {words}" for mark, words in parts if mark and words]
        raise UserError(f"{path}: not YAML: {'; '.join(said)}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not YAML: {error}") from None

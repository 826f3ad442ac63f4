"""The question which memory a kernel may be given: it is answered by the attributes of the GPU alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scopemark.advice.finding import NOT_MEASURED, Answer
from scopemark.paradigm import DECIDING, MANAGED_ONLY, deciding, paradigm, what_is_lacking


def by_paradigm(question: Mapping[str, Any], machine: Mapping[str, Any]) -> list[Answer]:
    """The sentence of a machine's paradigm."""
    gpu = machine["gpu"]
    found = paradigm(gpu)
    if found is None:
        untold = next(name for name in DECIDING if gpu.get(name) is None)
        return [Answer(f"{NOT_MEASURED}: the machine description does not tell {untold}.")]
    decides = deciding(gpu)[-1]
    reasons = what_is_lacking(machine) if found is MANAGED_ONLY else []
    lacking = f", since {' and '.join(reasons)}" if reasons else ""
    fields = {"attribute": f"{decides} is {gpu[decides]}", "lacking": lacking}
    return [Answer(question["answers"][found.key].format_map(fields))]

"""Judging claims about machine code, once per toolchain: in the run "here", on a target named "build <toolchain>"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from scopemark.claims.finding import Finding, not_testable
from scopemark.claims.text import assignments, breakdown, counts, sentence
from scopemark.claims.verdict import CONTRADICTED, HOLDS, family_verdict
from scopemark.experiment import Experiment
from scopemark.quantities import plain, select
from scopemark.quantities_code import both_builds, code_pairs, with_words

Row = Mapping[str, Any]


def build_target(toolchain: str) -> str:
    """The name under which a toolchain is judged."""
    return f"build {toolchain}"


def judge_build(
    claim: Mapping[str, Any], experiment: Experiment, kernels: Sequence[Row], host_kernels: Sequence[Row]
) -> Finding:
    """The finding on a claim about machine code, from the build tables of one toolchain."""
    if claim["quantity"]["kind"] == "builds":
        return _judge_builds(claim, experiment, kernels, host_kernels)
    if claim["quantity"]["kind"] == "mnemonics":
        return _judge_mnemonics(claim, experiment, kernels)
    return _judge_instructions(claim, experiment, kernels)


def _judge_mnemonics(claim: Mapping[str, Any], experiment: Experiment, kernels: Sequence[Row]) -> Finding:
    """Whether the atomics of every kernel of a family are of the kind that is claimed."""
    quantity = claim["quantity"]
    benchmark = experiment.benchmark(quantity["benchmark"])
    family = select(with_words(kernels, benchmark), quantity.get("where", {}))
    if not family:
        return not_testable("the preset compiled no such kernel")
    instructions = [(plain(kernel["instruction"]) or "").split() for kernel in family]
    matched = [bool(found) and all(re.search(quantity["pattern"], one) for one in found) for found in instructions]
    verdicts = [HOLDS if one else CONTRADICTED for one in matched]
    verdict = family_verdict(verdicts)
    shown = family[verdicts.index(verdict)]
    parts = [counts(verdicts).replace("comparisons", "kernels")]
    label = ", ".join([shown["architecture"], *(shown[axis] for axis in benchmark.compile_axes)])
    parts.append(f"for one: {plain(shown['instruction']) or 'none'} ({label})")
    if by := quantity.get("by", []):
        keys = [" ".join(kernel[axis] for axis in by) for kernel in family]
        parts.append(f"by {' and '.join(by)}: {breakdown(keys, verdicts)}")
    comparisons = [
        {
            "toolchain": kernel["toolchain"],
            "verdict": one,
            "value": float(one == HOLDS),
            "a": assignments({axis: kernel[axis] for axis in benchmark.compile_axes}),
            "conditions": assignments({"architecture": kernel["architecture"]}),
            "instruction_a": plain(kernel["instruction"]),
        }
        for kernel, one in zip(family, verdicts, strict=True)
    ]
    return Finding(verdict, sentence(parts), None, comparisons)


def _judge_instructions(claim: Mapping[str, Any], experiment: Experiment, kernels: Sequence[Row]) -> Finding:
    quantity = claim["quantity"]
    a, b = quantity["a"], quantity["b"]
    benchmark = experiment.benchmark(quantity["benchmark"])
    pairs = code_pairs(select(with_words(kernels, benchmark), quantity.get("where", {})), benchmark, a, b)
    if not pairs:
        return not_testable("the preset compiled no two kernels that differ in nothing else")
    verdicts = [HOLDS if pair.agree else CONTRADICTED for pair in pairs]
    verdict = family_verdict(verdicts)
    shown = pairs[verdicts.index(verdict)]
    axes = list({**a, **b})
    by = quantity.get("by", [])
    label = ", ".join([shown.same["architecture"], *(shown.a[axis] for axis in by)])
    parts = [
        f"{quantity['names']['a']} against {quantity['names']['b']}: {counts(verdicts)}",
        f"for one: {shown.a['instruction']} against {shown.b['instruction']} ({label})",
    ]
    if by:
        keys = [" ".join(pair.a[axis] for axis in by) for pair in pairs]
        parts.append(f"by {' and '.join(by)}: {breakdown(keys, verdicts)}")
    comparisons = [
        {
            "toolchain": pair.a["toolchain"],
            "verdict": one,
            "value": float(pair.agree),
            "a": assignments({axis: pair.a[axis] for axis in axes}),
            "b": assignments({axis: pair.b[axis] for axis in axes}),
            "conditions": assignments(pair.same),
            "instruction_a": plain(pair.a["instruction"]),
            "instruction_b": plain(pair.b["instruction"]),
        }
        for pair, one in zip(pairs, verdicts, strict=True)
    ]
    return Finding(verdict, sentence(parts), None, comparisons)


def _judge_builds(
    claim: Mapping[str, Any], experiment: Experiment, kernels: Sequence[Row], host_kernels: Sequence[Row]
) -> Finding:
    shared = both_builds(kernels, host_kernels, experiment, claim["quantity"].get("where", {}))
    if not shared:
        return not_testable("no kernel was built with this toolchain for both the host and a device")
    toolchain = kernels[0]["toolchain"]
    apis = sorted({entry["api"] for entry in shared})
    architectures = sorted({row["architecture"] for row in kernels}, key=lambda name: int(name.removeprefix("sm_")))
    device, host = (sum(entry[side] for entry in shared) for side in ("device", "host"))
    detail = f"one source with {', '.join(apis)} compiled for {', '.join(architectures)} ({device} kernels) "
    detail += f"and for the host ({host} kernels)"
    comparisons = [
        {
            "toolchain": toolchain,
            "verdict": HOLDS,
            "value": 1,
            "a": f"device: {entry['device']} kernels",
            "b": f"host: {entry['host']} kernels",
            "conditions": assignments({"benchmark": entry["benchmark"], "api": entry["api"]}),
        }
        for entry in shared
    ]
    return Finding(HOLDS, sentence([detail]), None, comparisons)

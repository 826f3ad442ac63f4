"""What claims and advice are made of: YAML under `workflow/report/`, one file per experiment, checked on reading.

`workflow/report/claims/<experiment>.yaml` maps ids to claims; their shape is in `workflow/schemas/claims.schema.yaml`.
Every axis and value is checked against the experiment, so that a slip of the pen cannot make a family empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import referencing
import yaml

from scopemark.benchmark import Benchmark
from scopemark.errors import UserError
from scopemark.experiment import Experiment, load_experiment
from scopemark.layout import REPORT
from scopemark.quantities import meets
from scopemark.yaml_file import read_yaml

SCHEMAS = Path(__file__).parents[2] / "schemas"
RELATIONS_OF = {
    "ratio": ("greater", "equal", "no_slower", "no_faster", "different"),
    "overlap": ("greater", "equal", "no_slower", "no_faster", "different"),
    "exact": ("exact",),
    "lost": ("most_lost", "some_lost", "varies"),
    "faults": ("some_faults", "can_fault", "no_faults"),
    "notes": ("all_match",),
    "seconds": ("at_least",),
    "allocators": ("as_in_guide",),
    "canary": ("as_promised", "held", "fails"),
    "instructions": ("same_instructions",),
    "mnemonics": ("all_match",),
    "builds": ("both_builds",),
}
"""Kind of quantity to the relations that make sense of it."""


def claims_file(experiment: str) -> Path:
    return REPORT / "claims" / f"{experiment}.yaml"


def load_claims(experiment: str, file: Path | None = None) -> dict[str, dict[str, Any]]:
    """Id to claim, in the file's order; none if the experiment has no file. UserError for the first mistake."""
    file = file or claims_file(experiment)
    if not file.exists():
        return {}
    claims = read_definitions(file, "claims")["claims"]
    for name, claim in claims.items():
        _check_claim(claim, load_experiment(experiment), f"{file}: claims.{name}")
    return claims


def read_definitions(file: Path, schema: str) -> dict[str, Any]:
    """The contents of a definition file that has the shape of the schema of that name."""
    try:
        found = read_yaml(file)
    except OSError as error:
        raise UserError(f"{file}: not readable: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise UserError(f"{file}: not YAML: {' '.join(str(error).split())}") from None
    validator = jsonschema.Draft202012Validator(_schema(schema), registry=_registry())
    errors = sorted(validator.iter_errors(found), key=lambda error: list(map(str, error.absolute_path)))
    if errors:
        raise UserError(_message(file, errors[0]))
    return found


def _schema(name: str) -> dict[str, Any]:
    return read_yaml(SCHEMAS / f"{name}.schema.yaml")


def _registry() -> referencing.Registry:
    """The schemas that others refer to, by file name."""
    resource = referencing.Resource.from_contents(_schema("claims"))
    return referencing.Registry().with_resource("claims.schema.yaml", resource)


def _message(file: Path, error: jsonschema.ValidationError) -> str:
    key = ".".join(map(str, error.absolute_path)) or "the file"
    message = error.message
    if error.validator in ("anyOf", "type"):
        message = f"{error.instance!r} is not accepted"
    elif error.validator == "enum":
        message = f"{error.instance!r} is not accepted; accepted: {', '.join(error.validator_value)}"
    elif error.validator in ("minProperties", "minItems", "minLength"):
        message = "is empty"
    elif error.validator == "additionalProperties":
        message = f"{error.message}; accepted: {', '.join(error.schema.get('properties', {}))}"
    hint = error.schema.get("description")
    return f"{file}: {key}: {message}" + (f"; it must be {hint}" if hint else "")


def _check_claim(claim: Mapping[str, Any], experiment: Experiment, where: str) -> None:
    quantity = claim["quantity"]
    accepted = RELATIONS_OF[quantity["kind"]]
    if claim["relation"] not in accepted:
        raise UserError(
            f"{where}.relation: {claim['relation']!r} does not go with a quantity of the kind "
            f"{quantity['kind']}; accepted: {', '.join(accepted)}"
        )
    if (quantity["kind"] in ("instructions", "mnemonics", "builds")) != (claim["needs"].get("kind") == "build"):
        raise UserError(f"{where}.needs.kind: a quantity of machine code, and no other, is judged on the kind build")
    benchmarks = [benchmark_of(experiment, quantity, f"{where}.quantity")] if "benchmark" in quantity else None
    check_family(quantity, benchmarks or experiment.benchmarks, f"{where}.quantity")
    for axis in [*quantity.get("by", []), *filter(None, [quantity.get("crossover")])]:
        check_condition({axis: {}}, benchmarks or experiment.benchmarks, f"{where}.quantity")
    for index, context in enumerate(claim.get("context", [])):
        check_condition(context["where"], benchmarks or experiment.benchmarks, f"{where}.context.{index}.where")


def benchmark_of(experiment: Experiment, definition: Mapping[str, Any], where: str) -> Benchmark:
    """The benchmark that a definition names; UserError if the experiment lacks it."""
    try:
        return experiment.benchmark(definition["benchmark"])
    except UserError as error:
        raise UserError(f"{where}.benchmark: {error}") from None


def check_family(definition: Mapping[str, Any], benchmarks: Sequence[Benchmark], where: str) -> None:
    """UserError unless the conditions `where`, `a` and `b` are accepted, and what a side asks for is in the family."""
    family = definition.get("where", {})
    for key in ("where", "a", "b", "control"):
        check_condition(definition.get(key, {}), benchmarks, f"{where}.{key}")
    for side in "ab":
        for axis, wanted in definition.get(side, {}).items():
            for value in wanted if isinstance(wanted, list) else [wanted]:
                if axis in family and not isinstance(value, Mapping) and not meets(value, family[axis]):
                    raise UserError(
                        f"{where}.{side}.{axis}: {value!r} is not in the family; where.{axis} is {family[axis]!r}"
                    )


def check_condition(condition: Mapping[str, Any], benchmarks: Sequence[Benchmark], where: str) -> None:
    """UserError, naming the key by `where`, unless the benchmarks have every axis and accept every value."""
    axes = {axis.name: axis for benchmark in benchmarks for axis in benchmark.all_axes}
    for name, wanted in condition.items():
        if name not in axes:
            raise UserError(f"{where}.{name}: there is no such axis; there are: {', '.join(axes)}")
        if isinstance(wanted, Mapping):
            continue
        for value in wanted if isinstance(wanted, list) else [wanted]:
            if not any(axis.accepts(value) for b in benchmarks for axis in b.all_axes if axis.name == name):
                raise UserError(f"{where}.{name}: {value!r} is not accepted; accepted: {axes[name].accepted}")


def lacking(needs: Mapping[str, Any], machine: Mapping[str, Any]) -> str | None:
    """What a machine lacks of what is needed, in words; None if it lacks nothing."""
    kind = needs.get("kind")
    if kind and machine["kind"] != kind:
        return f"it is about a {kind.upper()}, and this target is a {machine['kind'].upper()}"
    gpu = machine.get("gpu", {})
    if minimum := needs.get("architecture_at_least"):
        found = gpu.get("architecture", "")
        if not found.startswith("sm_") or int(found.removeprefix("sm_")) < minimum:
            return f"it needs sm_{minimum} or later, and this target is {found or 'of no known architecture'}"
    for name, wanted in needs.get("attributes", {}).items():
        if name not in gpu:
            return f"the machine description does not tell {name}, which must be {wanted}"
        if gpu[name] != wanted:
            return f"the attribute {name} must be {wanted}, and is {gpu[name]} here"
    return None

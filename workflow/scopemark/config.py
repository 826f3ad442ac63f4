"""The configuration: checked as a whole before anything is compiled or measured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from scopemark.errors import UserError
from scopemark.experiment import experiment_names, load_experiment
from scopemark.grid import check_grid, grid_targets
from scopemark.targets import Target, find_gpus, resolve_targets
from scopemark.toolchain import Toolchain, check_architectures, find_toolchains

_RESOLVER = yaml.resolver.Resolver()
SCHEMA = Path(__file__).parents[1] / "schemas" / "config.schema.yaml"


@dataclass(frozen=True)
class Settings:
    """A checked configuration with its preset applied.

    file: where it came from, for messages: files, and the command line. grids: experiment name to grid name to grid,
    those of the preset.
    """

    file: str
    preset: str
    measure: Mapping[str, float]
    grids: Mapping[str, Mapping[str, Mapping[str, Any]]]
    raw: Mapping[str, Any]

    @cached_property
    def targets(self) -> list[Target]:
        return resolve_targets(self.raw["targets"], f"{self.file}: targets")

    @cached_property
    def toolchains(self) -> list[Toolchain]:
        return find_toolchains(self.raw["toolchains"], f"{self.file}: toolchains")

    @cached_property
    def architectures(self) -> list[str]:
        """Those to compile for, as "90": the GPUs found where auto stands, and the listed ones."""
        listed = self.raw["architectures"]
        found = [gpu.architecture for gpu in find_gpus()] if "auto" in listed else []
        measured = [target.architecture for target in self.targets if target.architecture]
        wanted = sorted({*found, *measured, *(str(value) for value in listed if value != "auto")}, key=int)
        for chain in self.toolchains:
            check_architectures(chain, wanted, f"{self.file}: architectures")
        return wanted

    def limits(self, experiment: str) -> dict[str, float]:
        """When a case of an experiment has enough samples: the preset's limits, with what the experiment changes."""
        return {**self.measure, **self.raw["experiments"][experiment].get("measure", {})}

    def compiled_grids(self, experiment: str, kind: str) -> dict[str, Mapping[str, Any]]:
        """The grids whose kernels are built: those of the preset, and the one that the trust report needs."""
        trust = self.raw.get("trust", {})
        grids = dict(self.grids[experiment])
        if trust.get("experiment") == experiment:
            grids[trust["grid"]] = self.raw["experiments"][experiment]["grids"][trust["grid"]]
        return {name: grid for name, grid in grids.items() if kind in grid_targets(grid)}

    def grids_on(self, experiment: str, kind: str) -> dict[str, Mapping[str, Any]]:
        """The grids of an experiment that are for targets of a kind, by name."""
        return {name: grid for name, grid in self.grids[experiment].items() if kind in grid_targets(grid)}


def origin(files: Iterable[Any], command_line: Iterable[str]) -> str:
    """Where a configuration came from, for messages. command_line: what --config gave."""
    return ", ".join(map(str, files)) + (" or --config" if list(command_line) else "")


def load_settings(raw: Mapping[str, Any], file: str = "config.yaml") -> Settings:
    """The settings of a configuration as YAML gives it; UserError for the first thing that is wrong."""
    raw = {**raw, **{key: _scalars(raw[key]) for key in ("measure", "presets", "experiments") if key in raw}}
    _check_shape(raw, file)
    preset = raw["preset"]
    if preset not in raw["presets"]:
        raise UserError(f"{file}: preset: {preset!r} is not a preset; accepted: {', '.join(raw['presets'])}")
    measure = {**raw["measure"], **raw["presets"][preset]}
    _check_samples(measure, f"{file}: measure", preset)
    grids = {}
    for name, block in raw["experiments"].items():
        if name not in experiment_names():
            raise UserError(
                f"{file}: experiments.{name}: there is no such experiment; there are: {', '.join(experiment_names())}"
            )
        experiment = load_experiment(name)
        for grid_name, grid in block["grids"].items():
            check_grid(experiment, grid, f"{file}: experiments.{name}.grids.{grid_name}")
        for preset_name, chosen in block["presets"].items():
            where = f"{file}: experiments.{name}.presets.{preset_name}"
            if preset_name not in raw["presets"]:
                raise UserError(f"{where}: not a preset; accepted: {', '.join(raw['presets'])}")
            for grid_name in chosen:
                if grid_name not in block["grids"]:
                    raise UserError(
                        f"{where}: {grid_name!r} is not a grid of {name}; accepted: {', '.join(block['grids'])}"
                    )
        _check_samples({**measure, **block.get("measure", {})}, f"{file}: experiments.{name}.measure", preset)
        grids[name] = {grid_name: block["grids"][grid_name] for grid_name in block["presets"].get(preset, [])}
    _check_trust(raw, file)
    return Settings(file, preset, measure, grids, raw)


def _scalars(value: Any) -> Any:
    """A value whose texts are read as YAML reads them: what the command line nests comes as texts, "1.5" for 1.5."""
    if isinstance(value, Mapping):
        return {key: _scalars(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_scalars(inner) for inner in value]
    if not isinstance(value, str):
        return value
    tag = _RESOLVER.resolve(yaml.ScalarNode, value, (True, False)).rpartition(":")[2]
    return yaml.safe_load(value) if tag in ("bool", "float", "int", "null") else value


def _check_samples(measure: Mapping[str, float], where: str, preset: str) -> None:
    if measure["maximum_samples"] < measure["minimum_samples"]:
        raise UserError(
            f"{where}.maximum_samples: {measure['maximum_samples']} is below minimum_samples, "
            f"{measure['minimum_samples']} (preset {preset}); it must be at least that"
        )


def _check_trust(raw: Mapping[str, Any], file: str) -> None:
    if "trust" not in raw:
        return
    trust = raw["trust"]
    _check_known(trust["experiment"], raw["experiments"], f"{file}: trust.experiment")
    grids = raw["experiments"][trust["experiment"]]["grids"]
    for key, names in (("grid", [trust["grid"]]), ("repeat", trust["repeat"])):
        for name in names:
            _check_known(name, grids, f"{file}: trust.{key}")


def _check_known(name: str, known: Mapping[str, Any], where: str) -> None:
    if name not in known:
        raise UserError(f"{where}: {name!r} is not there; accepted: {', '.join(known)}")


def _check_shape(raw: Mapping[str, Any], file: str) -> None:
    import jsonschema

    validator = jsonschema.Draft202012Validator(yaml.safe_load(SCHEMA.read_text()))
    error = next(iter(sorted(validator.iter_errors(raw), key=lambda e: list(map(str, e.absolute_path)))), None)
    if error is None:
        return
    key = ".".join(map(str, error.absolute_path))
    message = error.message
    if error.validator in ("minProperties", "minItems"):
        message = "is empty; name at least one"
    elif error.validator == "additionalProperties":
        unknown = ", ".join(repr(name) for name in error.instance if name not in error.schema["properties"])
        message = f"there is no key {unknown}"
    elif error.validator != "required":
        message = f"{error.instance!r} is not accepted"
    accepted = _accepted(error.schema)
    where = f"{file}: {key}" if key else file
    raise UserError(f"{where}: {message}" + (f"; accepted: {accepted}" if accepted else ""))


def _accepted(schema: Mapping[str, Any]) -> str:
    """What a part of the schema accepts, in words."""
    if "description" in schema:
        return schema["description"]
    if "properties" in schema:
        return ", ".join(schema["properties"])
    bounds = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "exclusiveMaximum": "below"}
    words = [f"{word} {schema[key]:g}" for key, word in bounds.items() if key in schema]
    names = {"integer": "a whole number", "number": "a number", "string": "a text", "object": "a mapping"}
    return " ".join([names.get(schema.get("type"), schema.get("type", "")), *words]).strip()

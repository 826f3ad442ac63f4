"""The configuration: each mistake ends the run with one message that names file, key, value and what is accepted."""

import pytest

from scopemark import config as config_module
from scopemark.config import load_settings, origin
from scopemark.errors import UserError
from scopemark.targets import Target

GRIDS = ("experiments", "scoped_atomics", "grids")
HEADLINE = (*GRIDS, "headline")


def change(configuration, path, value):
    """Set a key of the configuration, given as the path to it."""
    for key in path[:-1]:
        configuration = configuration[key]
    configuration[path[-1]] = value


@pytest.fixture(autouse=True)
def _no_gpu(monkeypatch):
    monkeypatch.setattr(config_module, "find_gpus", list)
    monkeypatch.setattr("scopemark.targets.find_gpus", list)


@pytest.mark.parametrize("preset", ["quick", "default", "full"])
def test_every_preset_is_accepted(configuration, preset):
    settings = load_settings(configuration | {"preset": preset})
    assert settings.preset == preset
    for name, block in configuration["experiments"].items():
        assert list(settings.grids[name]) == block["presets"].get(preset, [])


def test_every_grid_is_in_the_full_preset(configuration):
    for block in configuration["experiments"].values():
        assert sorted(block["presets"]["full"]) == sorted(block["grids"])


def test_a_preset_changes_what_it_names_alone(configuration):
    quick = load_settings(configuration | {"preset": "quick"}).measure
    assert quick == configuration["measure"] | configuration["presets"]["quick"]
    assert quick["timeout_seconds"] == configuration["measure"]["timeout_seconds"]


# Where, the wrong value, and what the message must say besides the file and the key.
MISTAKES = [
    (("speed",), 1, "my.yaml: there is no key", ["'speed'", "accepted: preset, targets, architectures"]),
    (("preset",), "fast", "preset", ["'fast'", "accepted: quick, default, full"]),
    (("preset",), 3, "preset", ["3 is not accepted"]),
    (("targets",), "everything", "targets", ["'everything'", "accepted: auto, or a list of cpu, gpu"]),
    (("targets",), [], "targets", ["accepted: auto"]),
    (("architectures",), [], "architectures", ["is empty"]),
    (("architectures",), ["sm_90"], "architectures.0", ["'sm_90'", "accepted: auto, or a"]),
    (("architectures",), [12], "architectures.0", ["12", "accepted: auto, or a"]),
    (("toolchains",), {}, "toolchains", ["accepted: auto, or a mapping of names to {nvcc: PATH}"]),
    (("toolchains",), {"mine": {"path": "x"}}, "toolchains", ["accepted"]),
    (
        ("measure", "sample_count"),
        5,
        "measure",
        ["'sample_count'", "accepted: relative_half_width, unstable_half_width"],
    ),
    (("measure", "minimum_samples"), "many", "measure.minimum_samples", ["'many'", "a whole number from 6"]),
    (("measure", "minimum_samples"), 2, "measure.minimum_samples", ["2 is not accepted", "from 6"]),
    (("measure", "minimum_samples"), 7.5, "measure.minimum_samples", ["7.5", "a whole number"]),
    (("measure", "relative_half_width"), 0, "measure.relative_half_width", ["0 is not", "above 0", "below 1"]),
    (("measure", "budget_seconds"), -1, "measure.budget_seconds", ["-1", "a number above 0"]),
    (("measure", "clock_floor"), 2, "measure.clock_floor", ["2 is not", "from 0", "to 1"]),
    (("measure", "maximum_samples"), 8, "measure.maximum_samples", ["8 is below minimum_samples, 18"]),
    (("presets", "quick", "sampels"), 8, "presets.quick", ["'sampels'", "accepted: relative_half_width"]),
    (("experiments",), {}, "experiments", ["is empty"]),
    (
        ("experiments", "scoped_atomic"),
        {"presets": {}, "grids": {"a": {"benchmark": "counter"}}},
        "experiments.scoped_atomic",
        ["no such experiment", "scoped_atomics"],
    ),
    (("experiments", "scoped_atomics", "grids"), {}, "experiments.scoped_atomics.grids", ["is empty"]),
    (
        ("experiments", "scoped_atomics", "presets", "quick"),
        ["headlines"],
        "experiments.scoped_atomics.presets.quick",
        ["'headlines'", "headline"],
    ),
    (
        ("experiments", "scoped_atomics", "presets", "quickest"),
        ["headline"],
        "experiments.scoped_atomics.presets.quickest",
        ["accepted: quick, default, full"],
    ),
    ((*HEADLINE, "benchmark"), "count", "headline.benchmark", ["'count'", "counter, match_count"]),
    ((*HEADLINE, "kind"), "tpu", "headline.kind", ["'tpu'", "accepted: gpu, cpu"]),
    ((*HEADLINE, "kind"), [], "headline.kind", ["empty", "accepted: gpu, cpu"]),
    ((*HEADLINE, "scopes"), ["block"], "headline.scopes", ["no such axis", "scope"]),
    ((*HEADLINE, "scope"), ["block", "cluster"], "headline.scope", ["'cluster'", "one of device, block, system"]),
    ((*HEADLINE, "scope"), [], "headline.scope", ["the list is empty", "at least one"]),
    ((*HEADLINE, "scope"), None, "headline.scope", ["None is not accepted", "device, block, system"]),
    ((*HEADLINE, "stride_bytes"), 2, "headline.stride_bytes", ["2", "a whole number from 4 to 4096"]),
    ((*HEADLINE, "stride_bytes"), True, "headline.stride_bytes", ["True", "a whole number"]),
    ((*HEADLINE, "iterations"), 1.5, "headline.iterations", ["1.5", "a whole number"]),
    ((*HEADLINE, "blocks"), "8/core", "headline.blocks", ["'8/core'", '"N/sm"']),
    ((*HEADLINE, "blocks"), 0, "headline.blocks", ["0", "a whole number from 1"]),
    (
        (*HEADLINE, "sampling"),
        "best_of_0",
        "headline.sampling",
        ["'best_of_0'", "adaptive, best_of_N, single_shots_N or cold_shots_N"],
    ),
    ((*HEADLINE, "budget_seconds"), "long", "headline.budget_seconds", ["'long'", "positive number"]),
    ((*HEADLINE, "api"), "builtin", "grids.headline", ["has no case", "a GPU has intrinsics, not builtins"]),
    ((*GRIDS, "Bad Name"), {"benchmark": "counter"}, "experiments.scoped_atomics.grids", ["Bad Name"]),
]


@pytest.mark.parametrize(("path", "value", "key", "said"), MISTAKES, ids=[f"{m[2]}={m[1]!r:.20}" for m in MISTAKES])
def test_a_mistake_is_told(configuration, path, value, key, said):
    change(configuration, path, value)
    with pytest.raises(UserError) as raised:
        load_settings(configuration, "my.yaml")
    message = str(raised.value)
    assert message.startswith("my.yaml: ")
    assert key in message
    for part in said:
        assert part in message, message


def nested(value):
    """What Snakemake makes of a value that the command line nests: texts, down to the last."""
    if isinstance(value, dict):
        return {key: nested(inner) for key, inner in value.items()}
    return [nested(inner) for inner in value] if isinstance(value, list) else str(value)


def test_texts_that_the_command_line_nests_are_read_as_yaml(configuration):
    configuration["measure"] |= nested({"budget_seconds": 1.5, "maximum_samples": 50, "clock_floor": 0})
    configuration["presets"]["default"] = nested({"minimum_samples": 8})
    change(configuration, ("experiments", "unified_memory", "measure"), nested({"relative_half_width": 0.25}))
    change(configuration, (*HEADLINE, "iterations"), nested([1, 64]))
    change(configuration, (*HEADLINE, "blocks"), ["8/sm", "7"])
    settings = load_settings(configuration)
    assert {"budget_seconds": 1.5, "maximum_samples": 50, "clock_floor": 0, "minimum_samples": 8}.items() <= (
        settings.measure.items()
    )
    assert settings.limits("unified_memory")["relative_half_width"] == 0.25
    headline = settings.grids["scoped_atomics"]["headline"]
    assert (headline["iterations"], headline["blocks"]) == ([1, 64], ["8/sm", 7])


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("measure", "budget_seconds"), "fast", "measure.budget_seconds: 'fast' is not accepted; accepted: a number"),
        (("measure", "budget_seconds"), "-1.5", "measure.budget_seconds: -1.5 is not accepted"),
        (
            ("measure", "minimum_samples"),
            "7.5",
            "minimum_samples: 7.5 is not accepted; accepted: a whole number",
        ),
        (("measure", "clock_floor"), "yes", "measure.clock_floor: True is not accepted"),
        (("measure", "clock_floor"), "[1", "measure.clock_floor: '[1' is not accepted"),
        (("measure", "clock_floor"), "<<", "measure.clock_floor: '<<' is not accepted"),
        ((*HEADLINE, "iterations"), ["1", "many"], "headline.iterations: 'many' is not accepted"),
    ],
)
def test_a_nested_text_that_is_wrong_is_told(configuration, path, value, said):
    change(configuration, path, value)
    with pytest.raises(UserError) as raised:
        load_settings(configuration, "config.yaml or --config")
    assert said in str(raised.value)


def test_the_command_line_is_named_where_it_gave_something():
    assert origin(["my.yaml", "config.yaml"], {}) == "my.yaml, config.yaml"
    assert origin(["config.yaml"], {"preset": "quick"}) == "config.yaml or --config"


def test_a_missing_key_is_told(configuration):
    del configuration["measure"]["clock_floor"]
    with pytest.raises(UserError, match=r"my\.yaml: measure: 'clock_floor' is a required property"):
        load_settings(configuration, "my.yaml")


def test_a_gpu_that_is_demanded_must_be_there(configuration):
    settings = load_settings(configuration | {"targets": ["gpu", "cpu"]}, "my.yaml")
    with pytest.raises(
        UserError, match=r"my\.yaml: targets: a GPU is asked for and none was found; accepted here: cpu"
    ):
        _ = settings.targets


def test_an_unknown_target_is_told(configuration):
    settings = load_settings(configuration | {"targets": ["gtx-480"]}, "my.yaml")
    with pytest.raises(UserError, match=r"my\.yaml: targets: 'gtx-480' is not a target here; accepted: auto, cpu$"):
        _ = settings.targets


def test_auto_is_the_cpu_where_there_is_no_gpu(configuration):
    assert [target.name for target in load_settings(configuration).targets] == ["cpu"]


def test_an_architecture_that_nvcc_does_not_know_is_told(configuration):
    settings = load_settings(configuration | {"architectures": [90, 61]}, "my.yaml")
    with pytest.raises(
        UserError, match=r"my\.yaml: architectures: nvcc of .* does not know 61; accepted: 75, 80, .*90"
    ):
        _ = settings.architectures


def test_architectures_are_those_listed_found_and_measured(configuration, monkeypatch):
    gpu = Target("gpu", "gpu", 0, "89", "GPU-1")
    monkeypatch.setattr(config_module, "find_gpus", lambda: [gpu])
    monkeypatch.setattr("scopemark.targets.find_gpus", lambda: [gpu])
    assert load_settings(configuration | {"architectures": ["auto", 100, 75]}).architectures == ["75", "89", "100"]
    assert load_settings(configuration | {"architectures": ["90"], "targets": ["cpu"]}).architectures == ["90"]
    assert load_settings(configuration | {"architectures": [90], "targets": ["gpu"]}).architectures == ["89", "90"]


def test_an_experiment_changes_limits_for_itself(configuration):
    configuration["experiments"]["unified_memory"]["measure"] = {"relative_half_width": 0.125}
    settings = load_settings(configuration)
    assert settings.limits("unified_memory")["relative_half_width"] == 0.125
    assert settings.limits("unified_memory")["minimum_samples"] == settings.measure["minimum_samples"]
    assert settings.limits("scoped_atomics") == settings.measure


def test_limits_of_an_experiment_that_contradict_each_other_are_named(configuration):
    configuration["experiments"]["unified_memory"]["measure"] = {"maximum_samples": 6}
    with pytest.raises(UserError, match=r"experiments\.unified_memory\.measure\.maximum_samples: 6 is below"):
        load_settings(configuration)

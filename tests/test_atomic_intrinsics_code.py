"""What the compiler makes of the experiment's kernels, and what is claimed of them.

The opcodes are those of NVIDIA's CUDA Binary Utilities.
"""

import pytest

from intrinsics_cases import INTRINSICS
from scopemark.build import compile_cubin, write_instances
from scopemark.claims.code import judge_build
from scopemark.claims.definitions import load_claims
from scopemark.claims.lost import lost_verdict
from scopemark.claims.verdict import RELATIONS
from scopemark.experiments.atomic_intrinsics import contention, operation
from scopemark.grid import instances
from scopemark.machinecode import disassemble, parse_disassembly
from scopemark.quantities_code import kernel_words
from scopemark.statistics import Interval

CODE = [
    *({"benchmark": "operation", "operation": ["add", "max", "exch"], "result": r} for r in ("discarded", "used")),
    {"benchmark": "operation", "type": ["int32", "uint32"], "operation": list(operation.ALL), "placement": "shared"},
    {"benchmark": "operation", "type": ["uint64", "float32x4"], "operation": "add", "result": "used"},
    {"benchmark": "operation", "type": ["float32", "uint64"], "placement": "shared", "result": "used"},
    {"benchmark": "operation", "operation": "cas", "placement": ["global", "shared"], "result": "used"},
    {"benchmark": "operation", "type": "uint32", "placement": "cluster"},
    {"benchmark": "sample", "api": ["plain", "intrinsic"], "operation": ["add", "max", "cas"]},
    {
        "benchmark": "sample",
        "api": ["std_atomic_ref", "atomic_ref"],
        "operation": ["add", "max"],
        "order": "seq_cst",
        "scope": "system",
    },
    {
        "benchmark": "contention",
        "api": ["intrinsic", "atomic_ref"],
        "operation": ["add", "max"],
        "form": list(contention.FORMS),
        "slots": [1, 10],
    },
    {"benchmark": "histogram", "api": "intrinsic", "form": ["private_bins", "global_bins"]},
]


@pytest.fixture(scope="module", params=["75", "90"])
def code(request, tree, toolchain, tmp_path_factory):
    """Architecture, and kernel name to code."""
    build = tmp_path_factory.mktemp(f"sm_{request.param}")
    write_instances(instances(INTRINSICS, [{"kind": "gpu", **grid} for grid in CODE], "gpu"), build / "k.inc")
    source = tree / "kernels/atomic_intrinsics.cu"
    compile_cubin(toolchain, request.param, source, build / "k.inc", build / "k.cubin", build / "k.txt")
    return int(request.param), parse_disassembly(disassemble(toolchain.cuobjdump, build / "k.cubin"))


def test_an_architecture_holds_the_kernels_it_has(code):
    architecture, kernels = code
    for name in ("operation__add_float32x4_global_used", "operation__add_uint32_cluster_discarded"):
        assert (name in kernels) == (architecture >= 90), name


def test_an_unused_result_makes_a_reduction_in_global_memory(code):
    _, kernels = code
    for name in ("add", "max"):
        discarded = kernels[f"operation__{name}_int32_global_discarded"]
        assert discarded.of("reduction")
        assert not discarded.of("atomic")
        used = kernels[f"operation__{name}_int32_global_used"]
        assert used.of("atomic")
        assert not used.of("reduction")


def test_there_is_no_reduction_that_exchanges(code):
    _, kernels = code
    assert kernels["operation__exch_int32_global_discarded"].instruction.startswith("ATOMG.E.EXCH")


def test_32_bit_integers_have_one_native_instruction_in_shared_memory(code):
    architecture, kernels = code
    native = {"add": "POPC.INC" if architecture >= 90 else "ADD"}
    native |= {"sub": "ADD", "exch": "EXCH", "min": "MIN", "max": "MAX", "inc": "INC", "dec": "DEC"}
    native |= {"and": "AND", "or": "OR", "xor": "XOR"}
    for name, mnemonic in native.items():
        found = kernels[f"operation__{name}_uint32_shared_discarded"].instruction
        assert found.startswith(f"ATOMS.{mnemonic}"), name
        assert " " not in found, name
    assert kernels["operation__cas_int32_shared_used"].instruction == "ATOMS.CAS"


def test_float_and_64_bit_adds_in_shared_memory_are_loops(code):
    _, kernels = code
    for name in ("float32", "uint64"):
        assert "ATOMS.CAST.SPIN" in kernels[f"operation__add_{name}_shared_used"].instruction


def test_plain_code_holds_no_atomic(code):
    _, kernels = code
    for name in ("add", "max", "cas"):
        found = kernels[f"sample__plain_{name}_relaxed_device_10_1000000"]
        assert not found.of("atomic", "reduction")
        assert found.of("load")
        assert found.of("store")


def test_the_samples_kernels_are_what_one_writes_by_hand(code, toolchain, tmp_path):
    """With an int for the index, and constants: nothing of how ours are put together is left in the machine code."""
    architecture, kernels = code
    update = {
        "plain_add": "slots[i % 10] = slots[i % 10] + 1",
        "plain_max": "if (slots[i % 10] < i) slots[i % 10] = i",
        "intrinsic_add": "atomicAdd(&slots[i % 10], 1)",
        "intrinsic_max": "atomicMax(&slots[i % 10], i)",
    }
    index = "const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < 1000000)"
    source, cubin = tmp_path / "by_hand.cu", tmp_path / "by_hand.cubin"
    lines = [
        f'extern "C" __global__ void {name}(int* slots) {{ {index} {{ {one}; }} }}' for name, one in update.items()
    ]
    source.write_text("\n".join(lines))
    compile_cubin(toolchain, str(architecture), source, None, cubin, tmp_path / "report.txt")
    by_hand = parse_disassembly(disassemble(toolchain.cuobjdump, cubin))
    for name in update:
        assert kernels[f"sample__{name}_relaxed_device_10_1000000"].text == by_hand[name].text


def test_a_maximum_by_the_iso_interface_is_a_loop_and_the_native_ones_are_not(code):
    _, kernels = code
    for api in ("std_atomic_ref", "atomic_ref"):
        assert ".CAS." in kernels[f"sample__{api}_max_seq_cst_system_10_1000000"].instruction
    assert ".MAX." in kernels["sample__intrinsic_max_relaxed_device_10_1000000"].instruction
    assert ".MAX." in kernels["contention__atomic_ref_max_native"].instruction


def test_only_a_uniform_slot_is_aggregated_by_the_compiler(code):
    _, kernels = code
    for api in ("intrinsic", "atomic_ref"):
        assert kernels[f"contention__{api}_add_compiler_aggregated"].warp_aggregated
        assert not kernels[f"contention__{api}_add_native"].warp_aggregated


def test_the_backing_off_loop_sleeps(code):
    _, kernels = code
    assert any(name.startswith("NANOSLEEP") for name in kernels["contention__atomic_ref_add_loop_backoff"].mnemonics)


# What is claimed of them


@pytest.mark.parametrize(
    ("relation", "least", "most", "samples", "verdict"),
    [
        ("most_lost", 60, 90, 5, "holds"),
        ("most_lost", 10, 50, 5, "contradicted"),
        ("most_lost", 10, 90, 5, "unresolved"),
        ("some_lost", 0, 1, 5, "holds"),
        ("some_lost", 0, 0, 5, "unresolved"),  # that it never happened does not show that it cannot
        ("varies", 3, 4, 2, "holds"),
        ("varies", 3, 3, 2, "contradicted"),
        ("varies", 3, 3, 1, "unresolved"),
    ],
)
def test_verdicts_on_lost_updates(relation, least, most, samples, verdict):
    assert lost_verdict(relation, least, most, 100, samples) == verdict


def test_a_difference_is_what_equality_is_not():
    for interval in (Interval(1.0, 0.99, 1.01), Interval(2.0, 1.9, 2.1), Interval(1.04, 1.0, 1.2)):
        turned = {"holds": "contradicted", "contradicted": "holds", "unresolved": "unresolved"}
        assert RELATIONS["different"](interval) == turned[RELATIONS["equal"](interval)]


def test_a_number_in_a_kernels_name_is_a_word_of_it():
    words = kernel_words(INTRINSICS.benchmark("sample"), "sample__std_atomic_ref_cas_seq_cst_system_10_1000000")
    expected = {"api": "std_atomic_ref", "operation": "cas", "order": "seq_cst", "scope": "system"}
    assert words == expected | {"slots": "10", "updates": "1000000"}


def test_claims_of_machine_code_are_judged_by_the_mnemonics():
    claims = load_claims("atomic_intrinsics")
    names = {
        "operation__add_uint32_global_discarded": "REDG.E.ADD",
        "operation__exch_int32_global_discarded": "ATOMG.E",
    }
    kernels = [
        {"kernel": name, "instruction": found, "toolchain": "t", "architecture": "sm_90"}
        for name, found in names.items()
    ]
    assert judge_build(claims["SM1"], INTRINSICS, kernels[:1], []).verdict == "holds"
    assert judge_build(claims["SM1"], INTRINSICS, kernels, []).verdict == "contradicted"
    assert judge_build(claims["SM4"], INTRINSICS, kernels, []).verdict == "not testable here"

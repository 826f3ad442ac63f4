"""Verdicts on machine code, from hand-made rows."""

from __future__ import annotations

from claim_rows import CPU, EXPERIMENT, GPU
from scopemark.claims.code import judge_build
from scopemark.claims.definitions import load_claims
from scopemark.claims.judge import Place
from scopemark.quantities_code import kernel_words

COUNTER = EXPERIMENT.benchmark("counter")
HERE_GPU, HERE_CPU = Place("here", "gpu0", GPU), Place("here", "cpu", CPU)
CLAIMS = load_claims("scoped_atomics")


def kernel(api, instruction, architecture="sm_90", name="block_relaxed_fetch_add_uint32_shared_uniform_discarded"):
    return {
        "toolchain": "t",
        "architecture": architecture,
        "kernel": f"counter__{api}_{name}",
        "instruction": instruction,
    }


def test_instructions_are_compared_as_sets():
    code = [
        kernel("atomic_ref", "ATOMS.ADD"),
        kernel("intrinsic", "ATOMS.ADD"),
        kernel("atomic", "ATOM.E.ADD", "sm_80"),
    ]
    finding = judge_build(CLAIMS["SA7"], EXPERIMENT, code, [])
    assert (finding.verdict, finding.pairs, finding.holding) == ("holds", 1, 1)
    code.append(kernel("intrinsic", "ATOMS.ADD", "sm_80"))
    finding = judge_build(CLAIMS["SA7"], EXPERIMENT, code, [])
    assert (finding.verdict, finding.pairs, finding.holding) == ("contradicted", 2, 1)
    assert "ATOM.E.ADD against ATOMS.ADD (sm_80, block, shared)" in finding.detail


def test_without_kernels_there_is_nothing_to_compare():
    assert judge_build(CLAIMS["SA7"], EXPERIMENT, [], []).verdict == "not testable here"
    assert judge_build(CLAIMS["SA10"], EXPERIMENT, [kernel("atomic", "")], []).verdict == "not testable here"


def test_both_builds_share_a_template_not_an_instance():
    host = [kernel("atomic_ref", "", "host", "system_relaxed_fetch_add_uint32_global_opaque_used")]
    finding = judge_build(CLAIMS["SA10"], EXPERIMENT, [kernel("atomic_ref", ""), kernel("atomic", "")], host)
    assert (finding.verdict, finding.pairs) == ("holds", 1)
    assert "sm_90 (1 kernels)" in finding.detail
    intrinsics = [kernel("intrinsic", "")]
    assert judge_build(CLAIMS["SA10"], EXPERIMENT, intrinsics, intrinsics).verdict == "not testable here"


def test_the_words_of_a_kernel_whose_words_hold_the_separator():
    words = kernel_words(COUNTER, "counter__std_atomic_ref_system_seq_cst_compare_exchange_uint64_global_opaque_used")
    assert list(words.values()) == [
        "std_atomic_ref",
        "system",
        "seq_cst",
        "compare_exchange",
        "uint64",
        "global",
        "opaque",
        "used",
    ]
    match = EXPERIMENT.benchmark("match_count")
    assert kernel_words(match, "match_count__atomic_ref_two_level") == {"api": "atomic_ref", "form": "two_level"}
    assert kernel_words(COUNTER, "match_count__atomic_ref_two_level") is None
    assert kernel_words(COUNTER, "counter__nothing") is None

"""What the compiler makes of an atomic, told from its disassembly.

The opcodes are those of NVIDIA's CUDA Binary Utilities (RED is a reduction without a result, ATOM, ATOMG and ATOMS
return one); that libcu++ 3.0 does not let the compiler drop the result, and that an add of one to shared memory becomes
ATOMS.POPC.INC, is what cuobjdump of these toolchains shows.
"""

import subprocess

import pytest

from scopemark.build import compile_cubin, host_compiler, write_instances
from scopemark.errors import UserError
from scopemark.machinecode import disassemble, opcode_class, parse_disassembly, parse_resources

INSTANCES = {
    "discarded": "intrinsic, device, relaxed, fetch_add, uint32, global, opaque, discarded",
    "used": "intrinsic, device, relaxed, fetch_add, uint32, global, opaque, used",
    "uniform": "intrinsic, device, relaxed, fetch_add, uint32, global, uniform, discarded",
    "block": "intrinsic, block, relaxed, fetch_add, uint32, global, opaque, used",
    "system": "intrinsic, system, relaxed, fetch_add, uint32, global, opaque, used",
    "shared": "intrinsic, block, relaxed, fetch_add, uint32, shared, opaque, used",
    "shared_uniform": "intrinsic, block, relaxed, fetch_add, uint32, shared, uniform, discarded",
    "exchange": "intrinsic, device, relaxed, exchange, uint32, global, opaque, used",
    "cas": "intrinsic, device, relaxed, compare_exchange, uint64, global, opaque, used",
    "ref": "atomic_ref, device, relaxed, fetch_add, uint32, global, opaque, discarded",
    "ref_uniform": "atomic_ref, device, relaxed, fetch_add, uint32, global, uniform, discarded",
    "acquire": "atomic_ref, device, acquire, fetch_add, uint32, global, opaque, discarded",
    "release": "atomic_ref, device, release, fetch_add, uint32, global, opaque, discarded",
    "seq_cst": "atomic_ref, device, seq_cst, fetch_add, uint32, global, opaque, discarded",
    "load": "atomic_ref, device, relaxed, load, uint32, global, opaque, used",
    "store": "atomic_ref, device, relaxed, store, uint32, global, opaque, discarded",
}


@pytest.fixture(scope="module", params=["75", "89", "90", "120"])
def code(request, tree, toolchain, tmp_path_factory):
    """Architecture, and kernel name to code."""
    build = tmp_path_factory.mktemp(f"sm_{request.param}")
    write_instances([f"COUNTER(k_{name}, {words})" for name, words in INSTANCES.items()], build / "k.inc")
    cubin, report = build / "k.cubin", build / "k.txt"
    compile_cubin(toolchain, request.param, tree / "kernels/scoped_atomics.cu", build / "k.inc", cubin, report)
    kernels = parse_disassembly(disassemble(toolchain.cuobjdump, cubin))
    resources = parse_resources(report.read_text())
    assert set(kernels) == set(resources) == {f"k_{name}" for name in INSTANCES}
    assert all(0 < found.registers <= 255 for found in resources.values())
    return int(request.param), {name: kernels[f"k_{name}"] for name in INSTANCES}


def test_a_discarded_result_is_a_reduction(code):
    architecture, kernels = code
    reduction = "RED" if architecture < 90 else "REDG"
    assert kernels["discarded"].instruction == f"{reduction}.E.ADD.STRONG.GPU"
    assert not kernels["discarded"].of("atomic")


def test_a_used_result_is_an_atomic(code):
    _, kernels = code
    assert kernels["used"].instruction == "ATOMG.E.ADD.STRONG.GPU"
    assert not kernels["used"].of("reduction")
    assert kernels["exchange"].instruction == "ATOMG.E.EXCH.STRONG.GPU"
    assert "CAS.64" in kernels["cas"].instruction


def test_the_scope_is_in_the_instruction(code):
    _, kernels = code
    assert kernels["system"].instruction.endswith("STRONG.SYS")
    assert kernels["used"].instruction.endswith("STRONG.GPU")
    assert kernels["block"].instruction.rpartition(".")[2] in ("CTA", "SM")


def test_the_library_form_keeps_the_result(code):
    _, kernels = code
    assert kernels["ref"].instruction == "ATOM.E.ADD.STRONG.GPU"


def test_shared_memory_has_a_unit_of_its_own(code):
    _, kernels = code
    for name in ("shared", "shared_uniform"):
        assert all(mnemonic.startswith("ATOMS.") for mnemonic in kernels[name].of("atomic", "reduction"))
        assert kernels[name].of("atomic")


def test_one_address_is_aggregated_and_a_hidden_one_is_not(code):
    _, kernels = code
    assert kernels["uniform"].warp_aggregated
    assert kernels["ref_uniform"].warp_aggregated
    assert kernels["shared_uniform"].warp_aggregated
    for name in ("discarded", "used", "ref", "exchange", "cas", "load", "store", "seq_cst"):
        assert not kernels[name].warp_aggregated, name


def test_orders_are_fences(code):
    _, kernels = code

    def fences(name):
        return " ".join(kernels[name].of("fence"))

    assert not fences("ref")
    assert "MEMBAR" not in fences("acquire")
    assert "CCTL.IVALL" in fences("acquire")  # what was read before may be stale
    assert "MEMBAR.ALL.GPU" in fences("release")
    assert "MEMBAR.SC.GPU" in fences("seq_cst")


def test_loads_and_stores_are_strong(code):
    _, kernels = code
    assert kernels["load"].instruction.startswith("LD")
    assert ".STRONG.GPU" in kernels["load"].instruction
    assert kernels["store"].instruction.startswith("ST")
    assert ".STRONG.GPU" in kernels["store"].instruction


SPILLING = """
extern "C" __global__ void few(float* p) { p[threadIdx.x] += 1; }
extern "C" __global__ void many(volatile float* p) {
  float v[64];
  #pragma unroll
  for (int i = 0; i < 64; ++i) v[i] = p[i];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 64; ++i) p[i] = v[63 - i];
}
extern "C" __global__ void shared(int* p) {
  __shared__ int words[100];
  words[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = words[99 - threadIdx.x];
}
"""


def test_spills_and_shared_memory_are_told(tmp_path, toolchain):
    """64 values that are all alive do not fit into 32 registers of 4 bytes."""
    (tmp_path / "k.cu").write_text(SPILLING)
    command = [toolchain.nvcc, "-Xptxas", "-v", "-maxrregcount=32", "-arch=sm_90", "-cubin", "-ccbin", host_compiler()]
    done = subprocess.run([*command, "k.cu", "-o", "k.cubin"], cwd=tmp_path, capture_output=True, text=True, check=True)
    resources = parse_resources(done.stdout + done.stderr)
    assert resources["many"].registers <= 32
    assert resources["many"].spill_store_bytes >= 4 * (64 - 32)
    assert resources["many"].stack_bytes >= 4 * (64 - 32)
    assert resources["few"].spill_store_bytes == resources["few"].spill_load_bytes == 0
    assert resources["shared"].shared_bytes == 400
    spilled = parse_disassembly(disassemble(toolchain.cuobjdump, tmp_path / "k.cubin"))["many"]
    assert any(mnemonic.startswith("STL") for mnemonic in spilled.of("store"))


TEXT = """
	code for sm_90
		Function : first
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   LDC R1, c[0x0][0x28] ;                         /* 0x00000a00ff017b82 */
                                                                                  /* 0x000fe20000000800 */
        /*0010*/              @!P1 REDG.E.ADD.STRONG.GPU desc[UR4][R2.64], R5 ;   /* 0x000000050200798e */
        /*0020*/                   VOTEU.ANY UR4, UPT, PT ;                       /* 0x0000000000047886 */
        /*0030*/                   UPOPC UR5, UR4 ;                               /* 0x00000004000572bf */
        /*0040*/                   EXIT ;                                         /* 0x000000000000794d */
        /*0050*/                   NOP;                                           /* 0x0000000000007918 */
		..........
		Function : second
        /*0000*/                   STG.E.STRONG.SYS desc[UR4][R2.64], R5 ;        /* 0x00 */
        /*0010*/                   BAR.SYNC.DEFER_BLOCKING 0x0 ;                  /* 0x00 */
        /*0020*/               @P0 BRA 0x10 ;                                     /* 0x00 */
        /*0030*/                   BRA 0x30;                                      /* 0x00 */
"""


def test_a_disassembly_is_counted():
    kernels = parse_disassembly(TEXT)
    assert list(kernels) == ["first", "second"]
    first, second = kernels.values()
    assert (first.instructions, second.instructions) == (5, 4)  # the padding behind the end is not counted
    assert first.instruction == "REDG.E.ADD.STRONG.GPU"
    assert first.warp_aggregated
    assert first.of("vote") == {"VOTEU.ANY": 1, "UPOPC": 1}
    assert second.instruction == "STG.E.STRONG.SYS"
    assert second.of("barrier") == {"BAR.SYNC.DEFER_BLOCKING": 1}
    assert not second.warp_aggregated
    assert second.mnemonics["BRA"] == 2
    assert second.guarded == {"BRA": 1}


def test_the_hash_changes_with_any_operand():
    one = parse_disassembly(TEXT)["first"].code_hash
    assert parse_disassembly(TEXT.replace("0x00000004000572bf", "0x1"))["first"].code_hash == one
    assert parse_disassembly(TEXT.replace("R2.64], R5", "R2.64], R6"))["first"].code_hash != one
    assert parse_disassembly(TEXT.replace("@!P1", "@P1"))["first"].code_hash != one


def test_an_unaggregated_vote_is_no_aggregation():
    text = TEXT.replace("@!P1 REDG", "     REDG")
    assert not parse_disassembly(text)["first"].warp_aggregated  # every lane adds: the vote serves something else


@pytest.mark.parametrize(
    ("mnemonic", "expected"),
    [
        ("ATOMS.POPC.INC.32", "atomic"),
        ("RED.E.ADD", "reduction"),
        ("MEMBAR.SC.SYS", "fence"),
        ("LDG.E", "load"),
        ("IADD3", None),
        ("REDUX", "vote"),
    ],
)
def test_opcode_classes(mnemonic, expected):
    assert opcode_class(mnemonic) == expected


def test_a_compile_error_is_told_without_a_traceback(tmp_path, toolchain):
    (tmp_path / "k.cu").write_text('extern "C" __global__ void k() { undeclared(); }\n')
    with pytest.raises(UserError) as raised:
        compile_cubin(toolchain, "90", tmp_path / "k.cu", None, tmp_path / "k.cubin", tmp_path / "k.txt")
    assert "nvcc failed for sm_90" in str(raised.value)
    assert "undeclared" in str(raised.value)
    assert "undeclared" in (tmp_path / "k.txt").read_text()


def test_no_cubin_is_told_without_a_traceback(tmp_path, toolchain):
    (tmp_path / "k.cubin").write_bytes(b"nothing")
    with pytest.raises(UserError, match=r"k\.cubin: cuobjdump failed"):
        disassemble(toolchain.cuobjdump, tmp_path / "k.cubin")

"""Evidence from the machine code: what the compiler made of each kernel.

Read from the disassembly of a cubin and from what ptxas reported of it. The classes are those of the opcodes' first
word in NVIDIA's "CUDA Binary Utilities".
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from scopemark.errors import UserError

CLASSES = {
    "atomic": {"ATOM", "ATOMG", "ATOMS"},
    "reduction": {"RED", "REDG", "REDS"},
    "vote": {"VOTE", "VOTEU", "POPC", "UPOPC", "REDUX", "CREDUX", "MATCH"},
    "fence": {"MEMBAR", "ERRBAR", "CGAERRBAR", "CCTL", "FENCE"},
    "barrier": {"BAR", "WARPSYNC", "NANOSLEEP", "YIELD"},
    "load": {"LD", "LDG", "LDS", "LDL", "LDC", "LDU", "ULDC"},
    "store": {"ST", "STG", "STS", "STL"},
}
_CLASS_OF = {opcode: name for name, opcodes in CLASSES.items() for opcode in opcodes}

# "/*0220*/  @!P1 REDG.E.ADD.STRONG.GPU desc[UR8][R2.64], R5 ;  /* 0x... */"
_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?P<text>(?P<guard>@!?U?P\w+\s+)?(?P<mnemonic>[A-Z][\w.]*)[^;]*);")
_FUNCTION = re.compile(r"^\s*Function : (\S+)")


@dataclass
class Code:
    """One kernel's machine code, reduced: counts per mnemonic, and a hash that changes when any instruction does."""

    kernel: str
    instructions: int = 0
    mnemonics: Counter[str] = field(default_factory=Counter)
    guarded: Counter[str] = field(default_factory=Counter)
    text: list[str] = field(default_factory=list)

    @property
    def code_hash(self) -> str:
        return hashlib.sha256("\n".join(self.text).encode()).hexdigest()[:16]

    def of(self, *classes: str) -> dict[str, int]:
        """Mnemonic to count, for those of the named classes."""
        return {m: n for m, n in sorted(self.mnemonics.items()) if opcode_class(m) in classes}

    @property
    def instruction(self) -> str:
        """What performs the operation: the atomics and reductions, or else the strong loads and stores."""
        found = self.of("atomic", "reduction")
        if not found:
            found = {m: n for m, n in self.of("load", "store").items() if ".STRONG" in m}
        return " ".join(found)

    @property
    def warp_aggregated(self) -> bool:
        """Whether one atomic stands for a warp's: by ATOMS.POPC.INC, or a vote that elects the lane that issues it."""
        if any(mnemonic.startswith("ATOMS.POPC") for mnemonic in self.mnemonics):
            return True
        opcodes = {mnemonic.split(".")[0] for mnemonic in self.mnemonics}
        elects = bool(opcodes & {"VOTE", "VOTEU", "MATCH"}) and bool(opcodes & {"POPC", "UPOPC", "REDUX", "CREDUX"})
        return elects and any(opcode_class(mnemonic) in ("atomic", "reduction") for mnemonic in self.guarded)


def opcode_class(mnemonic: str) -> str | None:
    """The class of a mnemonic's opcode; None for those that are of no interest here."""
    return _CLASS_OF.get(mnemonic.split(".")[0])


def disassemble(cuobjdump: Path, binary: Path, architecture: str = "") -> str:
    """The disassembly of a cubin or a program, of one that is built for several architectures that of one ("90").

    UserError if the disassembler does not understand it.
    """
    only = ["--gpu-architecture", f"sm_{architecture}"] if architecture else []
    done = subprocess.run([cuobjdump, "--dump-sass", *only, binary], capture_output=True, text=True)
    if done.returncode != 0:
        raise UserError(f"{binary}: cuobjdump failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout


def parse_disassembly(text: str) -> dict[str, Code]:
    """Kernel name to its code, from the text of `cuobjdump --dump-sass`."""
    kernels: dict[str, Code] = {}
    current = None
    for line in text.splitlines():
        if function := _FUNCTION.match(line):
            current = kernels.setdefault(function[1], Code(function[1]))
        elif current is not None and (found := _INSTRUCTION.search(line)):
            mnemonic = found["mnemonic"]
            current.text.append(" ".join(found["text"].split()))
            if mnemonic == "NOP":  # padding behind the end
                continue
            current.instructions += 1
            current.mnemonics[mnemonic] += 1
            if found["guard"]:
                current.guarded[mnemonic] += 1
    return kernels


@dataclass(frozen=True)
class Resources:
    """What ptxas reports of one kernel; bytes are per thread, shared memory per block and without the dynamic part."""

    registers: int = 0
    stack_bytes: int = 0
    spill_store_bytes: int = 0
    spill_load_bytes: int = 0
    shared_bytes: int = 0


def parse_resources(report: str) -> dict[str, Resources]:
    """Kernel name to its resources, from the output of `ptxas -v`."""
    found: dict[str, Resources] = {}
    kernel, stack = None, (0, 0, 0)
    for line in report.splitlines():
        if entry := re.search(r"Compiling entry function '([^']+)'", line):
            kernel, stack = entry[1], (0, 0, 0)
        elif frame := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            stack = tuple(map(int, frame.groups()))
        elif kernel and (used := re.search(r"Used (\d+) registers", line)):
            shared = re.search(r"(\d+) bytes smem", line)
            found[kernel] = Resources(int(used[1]), *stack, int(shared[1]) if shared else 0)
            kernel = None
    return found

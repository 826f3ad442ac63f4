"""Tabulate what the compiler made of each kernel."""

from pathlib import Path

from scopemark import tables
from scopemark.jobs import job
from scopemark.machinecode import disassemble, opcode_class, parse_disassembly, parse_resources

with job(snakemake.log[0]):
    kernels = parse_disassembly(disassemble(snakemake.params.toolchain.cuobjdump, Path(snakemake.input.cubin)))
    resources = parse_resources(Path(snakemake.input.ptxas).read_text())
    common = {
        "toolchain": snakemake.wildcards.toolchain,
        "architecture": f"sm_{snakemake.wildcards.architecture}",
        "experiment": snakemake.wildcards.experiment,
    }
    rows, counts = [], []
    for name, code in sorted(kernels.items()):
        rows.append(
            {
                **common,
                "kernel": name,
                "code_hash": code.code_hash,
                "instruction": code.instruction,
                "warp_aggregated": code.warp_aggregated,
                "instructions": code.instructions,
                **vars(resources[name]),
            }
        )
        for mnemonic, count in sorted(code.mnemonics.items()):
            if opcode_class(mnemonic):
                entry = {"kernel": name, "class": opcode_class(mnemonic), "mnemonic": mnemonic, "count": count}
                counts.append(common | entry)
    tables.write("kernels", tables.make("kernels", rows), snakemake.output.kernels)
    tables.write("mnemonics", tables.make("mnemonics", counts), snakemake.output.mnemonics)

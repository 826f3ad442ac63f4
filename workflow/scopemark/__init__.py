"""scopemark: what it costs to share memory on a GPU.

The modules follow the flow of a run: `config` and `grid` turn the configuration into cases, `toolchain`, `build` and
`machinecode` make kernels and the evidence of what they became, `measure` times the cases, `tables` and `statistics`
reduce the samples, `claims`, `advice`, `figures` and `report` answer with them.
"""

__version__ = "0.1.0"

# From the configuration to kernels, and from the kernels to the evidence of what they became.


rule instances:
    output:
        "results/build/instances/{experiment}.{kind}.inc",
    log:
        "logs/instances/{experiment}.{kind}.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        grids=lambda wildcards: settings.compiled_grids(
            wildcards.experiment, wildcards.kind
        ),
    script:
        "../scripts/instances.py"


rule compile:
    input:
        sources=lambda wildcards: kernel_sources(wildcards.experiment),
        instances="results/build/instances/{experiment}.gpu.inc",
    output:
        cubin="results/build/{toolchain}/{experiment}.sm_{architecture}.cubin",
        ptxas="results/build/{toolchain}/{experiment}.sm_{architecture}.ptxas.txt",
    log:
        "logs/compile/{toolchain}/{experiment}.sm_{architecture}.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        toolchain=lambda wildcards: toolchains[wildcards.toolchain],
    script:
        "../scripts/compile.py"


rule compile_cold_shots:
    input:
        sources=lambda wildcards: kernel_sources(wildcards.experiment),
        program="kernels/cold_shots.cu",
    output:
        program="results/build/{toolchain}/{experiment}.sm_{architecture}.cold_shots",
    log:
        "logs/compile/{toolchain}/{experiment}.sm_{architecture}.cold_shots.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        toolchain=lambda wildcards: toolchains[wildcards.toolchain],
        entries=lambda wildcards: cold_shot_instances(wildcards.experiment),
    script:
        "../scripts/compile_cold_shots.py"


rule compile_support:
    input:
        sources="kernels/support.cu",
    output:
        cubin="results/build/{toolchain}/support.sm_{architecture}.cubin",
        ptxas="results/build/{toolchain}/support.sm_{architecture}.ptxas.txt",
    log:
        "logs/compile/{toolchain}/support.sm_{architecture}.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        toolchain=lambda wildcards: toolchains[wildcards.toolchain],
    script:
        "../scripts/compile.py"


rule compile_support_host:
    input:
        source="kernels/support.cpp",
    output:
        library="results/build/support.host.so",
    log:
        "logs/compile/support.host.log",
    conda:
        "../envs/scopemark.yaml"
    script:
        "../scripts/compile_support_host.py"


rule compile_host:
    input:
        sources=lambda wildcards: kernel_sources(wildcards.experiment),
        host=lambda wildcards: host_sources(wildcards.experiment),
        instances="results/build/instances/{experiment}.cpu.inc",
    output:
        library="results/build/{toolchain}/{experiment}.host.so",
        kernels="results/build/{toolchain}/{experiment}.host.csv",
    log:
        "logs/compile/{toolchain}/{experiment}.host.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        toolchain=lambda wildcards: toolchains[wildcards.toolchain],
    script:
        "../scripts/compile_host.py"


rule disassemble:
    input:
        cubin="results/build/{toolchain}/{experiment}.sm_{architecture}.cubin",
        ptxas="results/build/{toolchain}/{experiment}.sm_{architecture}.ptxas.txt",
    output:
        kernels="results/build/{toolchain}/{experiment}.sm_{architecture}.kernels.csv",
        mnemonics="results/build/{toolchain}/{experiment}.sm_{architecture}.mnemonics.csv",
    log:
        "logs/disassemble/{toolchain}/{experiment}.sm_{architecture}.log",
    conda:
        "../envs/scopemark.yaml"
    params:
        toolchain=lambda wildcards: toolchains[wildcards.toolchain],
    script:
        "../scripts/disassemble.py"

"""The measuring engine.

`session` runs in the job: it decides what to sample next and when a case is done, and puts every batch on disk at once.
`worker` is its child: it holds the CUDA context or the host library, and dies alone when a case kills it.
"""

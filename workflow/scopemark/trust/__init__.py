"""Whether the engine can be believed: against another tool, against known durations, and against itself."""

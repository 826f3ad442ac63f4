"""The stage of a procedure: memory of every kind, two processors that touch it, and clocks."""

from scopemark.stage.stage import Stage

__all__ = ["Stage"]

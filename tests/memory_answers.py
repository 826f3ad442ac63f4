"""Asking the answers to the ten questions, for the tests of what they say."""

from __future__ import annotations

from helpers import ROOT
from memory_rows import results, row
from scopemark.figures.data import load_figure

ANSWERS = load_figure(ROOT / "workflow/report/texts/unified_memory/answers.py")
MANAGED_ONLY = {
    "architecture": "sm_90",
    "managed_memory": 1,
    "concurrent_managed_access": 1,
    "pageable_memory_access": 0,
}
TABLES = {"pageable_memory_access_uses_host_page_tables": 0}  # which is asked where the GPU can page


def said(place: int, *rows: dict, **attributes: object) -> str:
    """The answer to a question, its lines joined."""
    text = ANSWERS.text(results(*rows, **{**MANAGED_ONLY, **attributes}))
    (block,) = [block for block in text.split("\n\n") if block.startswith(f"Q{place}. ")]
    question = ANSWERS.QUESTIONS[place - 1].text
    return " ".join(block.split()).removeprefix(f"Q{place}. {question} ")


def read(passed: int, seconds: float, **other) -> dict:
    return row("access", seconds, origin="cpu", **{"pass": passed}, **other)


def moved(way: str, seconds: float, direction="to_gpu", **other) -> dict:
    return row("transfer", seconds, way=way, direction=direction, **other)

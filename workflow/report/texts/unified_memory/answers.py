"""Ten questions that users of unified memory ask, answered for every machine from its cases."""

import re
import textwrap

from scopemark.figures.data import Results
from scopemark.report.memory import Cases
from scopemark.report.memory_hints import HINTS
from scopemark.report.memory_moves import FIRST_KERNEL, PREFETCH, REUSE, WAYS_BACK
from scopemark.report.memory_shared import SHARING, TOGETHER
from scopemark.report.memory_use import LIMIT, PAGE_SIZES, PARADIGM

TITLE = "Ten questions, answered from the tables"
PROSE = True
QUESTIONS = [FIRST_KERNEL, PREFETCH, REUSE, PARADIGM, HINTS, PAGE_SIZES, TOGETHER, WAYS_BACK, SHARING, LIMIT]
WIDTH, INDENT = 100, "    "  # letters in a line, and before an answer


def text(results: Results) -> str:
    blocks = []
    ordered = results.summary.sort_values(["device", "machine"], kind="stable")
    for name, own in ordered.groupby("machine", sort=False):
        key = own["run"].iloc[0], own["target"].iloc[0]
        cases = Cases(own.to_dict("records"), results.machines[key])
        answers = [(place, question, question.answer(cases)) for place, question in enumerate(QUESTIONS, 1)]
        said = [_block(place, question.text, answer) for place, question, answer in answers if answer]
        if said:
            blocks.append("\n\n".join([f"{name}\n{'=' * len(name)}", *said]))
    return "\n\n\n".join(blocks) + "\n" if blocks else ""


def _block(place: int, question: str, answer: str) -> str:
    # A number stays with its interval and its unit: a space that does not break, for the time of wrapping.
    answer = re.sub(r" ?\[[^]]*\]( \S*s\b)?", lambda number: number[0].replace(" ", "\xa0"), answer)
    lines = textwrap.wrap(answer, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
    return "\n".join([f"Q{place}. {question}", *lines]).replace("\xa0", " ")

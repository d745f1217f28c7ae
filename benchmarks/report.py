"""Results as Markdown: for the terminal, and for docs/benchmarks/README.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench import Bench
from benchmarks.cases import Case
from benchmarks.claims import Claim, times_slower
from benchmarks.measure import Outcome
from benchmarks.peers import COMPETITORS
from benchmarks.scaling import Curves
from benchmarks.score import same_picks

BEGIN, END = "<!-- benchmarks: begin -->", "<!-- benchmarks: end -->"
_HEAD = (
    "case",
    "competitor",
    "version",
    "seconds",
    "peak MiB",
    "above inputs",
    "cost",
    "x protospot",
    "same picks",
    "notes",
)
_TEXT = {"case", "competitor", "version", "same picks", "notes", "promise", "bound", "holds"}


@dataclass(frozen=True, slots=True)
class Page:
    """All that a run found."""

    command: str
    machine: dict[str, str]
    cases: list[Case]
    bench: Bench
    promises: list[Claim]
    curves: Curves | None

    def text(self) -> str:
        """Return the whole page."""
        about = [f"Made by `{self.command}` on this machine:"]
        about.append("\n".join(f"- {name}: {value}" for name, value in self.machine.items()))
        parts = [*about]
        if self.promises:
            parts += ["### What must hold", promises_table(self.promises)]
        if self.cases:
            parts += ["### Cases", self._table(), self._about_cases()]
        if self.curves is not None:
            parts += ["### Growth", growth(self.curves)]
        return "\n\n".join(parts)

    def _table(self) -> str:
        rows = []
        for case in self.cases:
            if case.name in self.bench.skipped:
                rows.append(
                    (case.name, "", "", "skipped", *[""] * 5, self.bench.skipped[case.name])
                )
            outcomes = self.bench.results.get(case.name, [])
            for outcome in outcomes:
                rows.append(_row(case, outcome, outcomes[0]))
                if outcome.limit_seconds is not None:
                    rows.append(_limit_row(case, outcome))
        return markdown(_HEAD, rows)

    def _about_cases(self) -> str:
        lines = []
        for case in self.cases:
            line = f"- **{case.name}** (k = {case.k:,}): {case.about}."
            for why, names in self.bench.refused.get(case.name, {}).items():
                line += f" Not taking part, {why}: {', '.join(names)}."
            lines.append(line)
        return "\n".join(lines)


def promises_table(claims: list[Claim]) -> str:
    """Return the table of promises and whether they hold."""
    words = {True: "yes", False: "**no**", None: "not decided"}
    rows = []
    for claim in claims:
        value = "" if claim.value is None else f"{'over ' * claim.is_floor}{claim.value:.3g}"
        bound = f"{'at most' if claim.at_most else 'at least'} {claim.bound:g}"
        rows.append((claim.sentence, bound, value, words[claim.holds]))
    return markdown(("promise", "bound", "measured", "holds"), rows)


def growth(found: Curves) -> str:
    """Return the exponents, the cost of picks, and what failed on the way."""
    exponents = [(axis, f"{value:.2f}") for axis, value in found.exponents().items()]
    picks = [
        (f"{first:,} to {last:,}" if last > 1 else "1", f"{1e6 * seconds:,.0f}")
        for first, last, seconds in found.picks()
    ]
    about_picks = (
        f"What a pick costs in one selection of {found.pick_size} (`picks.csv`). The first holds "
        "all that comes before it:"
    )
    parts = [
        "Time grows like a power of each size (`scaling.csv`):",
        markdown(("size", "exponent"), exponents),
        "![time and memory against size](scaling.svg)",
        about_picks,
        markdown(("picks", "microseconds each"), picks),
        "![time per pick](picks.svg)",
    ]
    return "\n\n".join(parts + [f"Not measured: {failure}." for failure in found.failures])


def markdown(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a Markdown table; columns of numbers are aligned to the right."""
    is_text = [name in _TEXT for name in head]
    is_text[0] = True
    widths = [max(3, *(len(row[at]) for row in [head, *rows])) for at in range(len(head))]
    lines = []
    for row in [head, *rows]:
        cells = zip(row, widths, is_text, strict=True)
        padded = [cell.ljust(width) if text else cell.rjust(width) for cell, width, text in cells]
        lines.append(f"| {' | '.join(padded)} |")
    rules = [
        "-" * width if text else "-" * (width - 1) + ":"
        for width, text in zip(widths, is_text, strict=True)
    ]
    lines.insert(1, f"| {' | '.join(rules)} |")
    return "\n".join(lines)


def insert(text: str, path: Path) -> None:
    """Put the text between the two marks in a file, which is made where there is none."""
    old = path.read_text() if path.exists() else f"{BEGIN}\n{END}\n"
    before, _, rest = old.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"{path.name} must hold the lines {BEGIN!r} and {END!r}: add them.")
    path.write_text(f"{before}{BEGIN}\n\n{text.strip()}\n\n{END}{after}")


def _row(case: Case, outcome: Outcome, own: Outcome) -> tuple[str, ...]:
    start = (case.name, outcome.competitor, outcome.version)
    ratio = times_slower(outcome, own)
    if outcome.seconds is None:
        seconds = outcome.message if outcome.status == "over time" else outcome.status
        message = outcome.message.replace("|", "/") if outcome.status == "failed" else ""
        return (*start, seconds, "", "", "", f"over {ratio:.3g}" if ratio else "", "", message)
    return (
        *start,
        f"{outcome.seconds:.4g}",
        f"{outcome.peak / 2**20:,.0f}",
        f"{(outcome.peak - outcome.loaded) / 2**20:,.0f}",
        f"{outcome.cost:.6g}",
        f"{ratio:.3g}" if ratio else "",
        _sameness(outcome, own),
        _notes(case, outcome),
    )


def _limit_row(case: Case, own: Outcome) -> tuple[str, ...]:
    assert own.seconds is not None
    assert own.limit_seconds is not None
    seconds, ratio = own.limit_seconds, own.limit_seconds / own.seconds
    notes = f"protospot takes {own.over_limit:.2f} times as long; {own.limit_how}"
    name = f"limit: {own.limit_name}"
    return (case.name, name, "", f"{seconds:.4g}", "", "", "", f"{ratio:.3g}", "", notes)


def _sameness(outcome: Outcome, own: Outcome) -> str:
    if outcome is own or not own.indices:
        return ""
    if not COMPETITORS[outcome.competitor].is_greedy:
        return "other method"
    same = same_picks(outcome.indices, own.indices)
    return "yes" if same == len(own.indices) else f"first {same} of {len(own.indices)}"


def _notes(case: Case, outcome: Outcome) -> str:
    notes = [COMPETITORS[outcome.competitor].note]
    if len(outcome.indices) < case.k:
        notes.append(f"{len(outcome.indices)} prototypes")
    if outcome.gap is not None:
        notes.append(f"at most {100 * outcome.gap:.2g} % above the best possible")
    if len(outcome.runs) == 1:
        notes.append("one call")
    return "; ".join(note for note in notes if note)

"""The report as LaTeX for papers: tables with booktabs and intervals, a methods section, and a BibTeX file.

Every text is escaped, so that nothing from a model or a file can run a command or open a group.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from folkways import __version__
from folkways.display import NOT_A_NUMBER, number, percent, single_line
from folkways.evidence.sentences import LEVEL
from folkways.names import facet_title
from folkways.reports.formats.methods import methods_paragraph
from folkways.reports.views.grids import Cell, Grid, grids
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.views import FacetView, ReportView, Score, TaskView

HEAD = f"""% Made by folkways {__version__}. In the preamble: \\usepackage{{booktabs}}; Unicode text (any engine of today).
% Citations are in report.bib. A table that is wider or longer than a page is several.
"""

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$", "|": "$|$",
    "\u202f": r"\,", "\u2212": "$-$", "\u2013": "--", "†": r"\textsuperscript{\textdagger}",
}  # fmt: skip
_SPECIALS = re.compile("|".join(map(re.escape, _SPECIAL)))
_LIGATURES = re.compile(r"(['`-])(?=\1)|[?!](?=`)")
"""Pairs of characters that LaTeX joins: ``--`` to a dash, two quotes to a curly one."""

MOST_COLUMNS = 8
"""Columns of models in a table by group; the files have all models."""


def escape(text: str) -> str:
    """Sanitized text on one line, escaped for LaTeX."""
    return _SPECIALS.sub(
        lambda found: _SPECIAL[found[0]], _LIGATURES.sub("\\g<0>\0", single_line(text))
    ).replace("\0", "{}")


def render_latex(view: ReportView, leaderboard: Leaderboard | None = None) -> str:
    """The tables and methods of a report, one after the other, for ``\\input`` or to copy from."""
    board = leaderboard if leaderboard is not None else Leaderboard(view)
    parts = [f"{HEAD}% {escape(view.data.title)}"]
    for task in view.tasks:
        prose = f"{{\\sloppy\\paragraph{{{escape(task.title)}.}} {_prose(view, task)}\\par}}"
        parts += [prose, _results(board, task)]
        parts += [_by_group(view, task, facet) for facet in task.facets.values() if len(facet.values) > 1]
    for made in view.data.results:
        for table in made.tables:
            if table.layout is not None:
                notes = [table.unit, *map(view.in_short, table.notes)]
                laid_out = enumerate(grids(table, view.short), 1)
                parts += [
                    _grid(table.title, f"{table.name}-{number}", grid, notes) for number, grid in laid_out
                ]
    # Tables that wait for a place are set now and then; LaTeX gives up when they are too many.
    pieces = "\n\n".join(parts).split("\n\n\\begin{table*}")
    waiting = range(MOST_WAITING, len(pieces), MOST_WAITING)
    for index in waiting:
        pieces[index - 1] += "\n\n\\clearpage"
    return "\n\n\\begin{table*}".join(pieces) + "\n"


def _prose(view: ReportView, task: TaskView) -> str:
    """The methods, with citations that are not escaped."""
    keys: list[str] = []

    def cite(key: str) -> str:
        keys.append(key)
        return f"CITATION{len(keys) - 1}NOITATIC"

    words = escape(methods_paragraph(view, task, cite))
    for index, key in enumerate(keys):
        words = words.replace(f" CITATION{index}NOITATIC", f"~\\cite{{{key}}}")
    return words


def _results(board: Leaderboard, task: TaskView) -> str:
    """The task's leaderboard."""
    ranks = board.ranks(task)
    profiles = ["Profile"] if len(task.profiles) > 1 else []
    head = [*(["Rank"] if ranks else []), "Model", *profiles, "Score", "95\u202f% interval", "n", "Coverage"]
    rows = []
    for row in board.rows(task):
        rank_cell = [row.rank.span.replace("–", "--") if row.rank else ""] if ranks else []
        profile = [row.counted.profile if row.counted else ""] * len(profiles)
        ends = ["", "", ""]
        if row.counted:
            counts = [escape(row.counted.shown_n), escape(percent(row.counted.coverage))]
            ends = [_ends(row.low, row.high) or "--", *counts]
        name = (
            row.name
            + ("†" if row.rank and row.rank.level else "")
            + (f" ({row.source})" if row.kind in ("people", "published") else "")
        )
        rows.append([*rank_cell, name, *profile, _number(row.score), *ends])
    caption = f"{escape(task.title)}: {escape(task.metric.label)}."
    if task.metric.lower_is_better:
        caption += " Lower is better."
    if ranks:
        caption += " Ranks are the places that the paired differences leave open (Holm, 5\\,\\%)."
    if any(rank.level for rank in ranks.values()):
        caption += f" {escape('†')} {escape(LEVEL)}."
    kinds = ("r" if ranks else "") + "l" + "l" * len(profiles) + "rcrr"
    return floating_table(kinds, head, rows, caption, f"{task.slug}", names=2 if ranks else 1)


def _by_group(view: ReportView, task: TaskView, facet: FacetView) -> str:
    """A table with a row for each group and a column for each model."""
    shown = [name for name in task.shown if any((value, name) in facet.scores for value in facet.values)][
        :MOST_COLUMNS
    ]
    title = facet_title(facet.facet)
    by_value = {value: [facet.scores.get((value, name)) for name in shown] for value in facet.values}
    rows = [[facet.name(value), *map(_with_interval, scores)] for value, scores in by_value.items()]
    head = [title.capitalize(), *(view.short[name] for name in shown)]
    of_profile = f", profile {escape(task.profile)}" if len(task.profiles) > 1 else ""
    what = f"{escape(task.title)}, {escape(facet.metric.label)} by {escape(title)}"
    caption = f"{what}{of_profile}, with 95\\,\\% intervals."
    return floating_table(
        "l" + "r" * len(shown),
        head,
        rows,
        caption,
        f"{task.slug}-{facet.facet.replace('+', '-').replace('_', '-')}",
    )


def _with_interval(score: Score | None) -> str:
    if score is None:
        return ""
    ends = _ends(score.low, score.high)
    return f"{_number(score.score)} {{\\scriptsize {ends}}}" if ends else _number(score.score)


def _ends(low: float, high: float) -> str:
    """An interval; empty where there is none."""
    return "" if math.isnan(low) or math.isnan(high) else f"[{_number(low)}, {_number(high)}]"


def _grid(title: str, name: str, grid: Grid, notes: Sequence[str]) -> str:
    rows = [[row[0].text, *map(_cell, row[1:])] for row in grid.rows]
    of = f": {escape(grid.heading)}" if grid.heading else ""
    caption = f"{escape(title)}{of}. {' '.join(escape(note) for note in notes)}"
    return floating_table(
        "l" + "r" * (len(grid.columns) - 1),
        grid.columns,
        rows,
        caption,
        re.sub(r"[^a-z0-9-]+", "-", name.lower()),
    )


def _cell(cell: Cell) -> str:
    if cell.low is None or cell.high is None:
        return escape(cell.text)
    ends = f"[{_number(cell.low, cell.decimals)}, {_number(cell.high, cell.decimals)}]"
    return f"{escape(cell.text)} {{\\scriptsize {ends}}}"


def _number(value: float, decimals: int = 1) -> str:
    shown = number(value, decimals)
    return "--" if shown == NOT_A_NUMBER else escape(shown)


PAGE_WIDTH = 312.0
"""Points that a table may be wide at 10 pt. The text of LaTeX's own class ``article`` has 345 there, and at 11 and
12 pt not more than its letters take; pages of conferences are wider."""

GAP = 4.0
"""Points on each side of a column."""

LEAST_WORDS, MOST_WORDS = 70.0, 120.0
"""Points of a column of words: as narrow as the first where that brings all columns onto one page, else as wide as
the second; longer names are broken into lines."""

EM = 9.25
"""Points of LaTeX's unit em in \\small at 10 pt, which grows with the letters."""

SPARE = 1.08
"""How much wider than its longest line a box is, because widths are estimates."""

MOST_LINES = 34
"""Lines of a table on one page, of its caption and heading too, also at 12 pt."""

CAPTION_LETTERS = 70
"""Letters of a line of a caption."""

MOST_WAITING = 30
"""Tables after which all are set that wait for a place: LaTeX stops at 53 of them."""

_INTERVAL = re.compile(r"\{\\scriptsize (.*)\}$")
_SIGN = re.compile(r"\$[^$]+\$")
_COMMAND = re.compile(r"\\[a-zA-Z]+(?:\{\})?|\\[{}]")
_MARK = re.compile(r"[\\{}]")
_TOGETHER = re.compile(r"[/_-]*[^\s/_-]{0,12}[/_-]*\s*")
"""What stays on one line: a word, a part of one up to its hyphen, or twelve letters of one without."""

_WIDTHS = {
    **dict.fromkeys("iljtfrI.,:;!|'[]()- ", 2.9),
    **dict.fromkeys("mw%&", 7.9),
    **dict.fromkeys("MW@", 9.4),
}
"""Points of letters that are much narrower or wider than most, in \\small of Computer Modern at 10 pt."""


@dataclass(frozen=True)
class _Column:
    """A column of a table: its letter in LaTeX, its width in points, its heading and cells in LaTeX, and how many
    lines each cell takes."""

    kind: str
    width: float
    head: str
    cells: Sequence[str]
    lines: Sequence[int]


def floating_table(
    kinds: str, head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str, names: int = 1
) -> str:
    """A floating table; one that is wider or longer than a page as several, which repeat the first columns.

    kinds: a letter for each column: l for words, r and c for numbers.
    head, rows: headings and words as they are, numbers in LaTeX, as are caption and label.
    names: how many columns name the rows.
    """
    columns = _columns(kinds, head, rows)
    parts = [
        (part, shown)
        for part in _pages(columns, len(caption) // CAPTION_LETTERS)
        for shown in _side_by_side(columns, names)
    ]
    tables = []
    for count, (part, shown) in enumerate(parts, 1):
        title = [f"\\caption{{{caption}}}", f"\\label{{tab:{label}}}"]
        if count > 1:
            title = [f"\\caption{{Table~\\ref{{tab:{label}}}, continued ({count} of {len(parts)}).}}"]
        letters = "".join(column.kind for column in shown)
        lines = [
            "\\begin{table*}",
            "\\centering",
            "\\small",
            f"\\setlength{{\\tabcolsep}}{{{GAP:g}pt}}",
            *title,
        ]
        lines += [f"\\begin{{tabular}}{{{letters}}}", "\\toprule"]
        lines += [f"{' & '.join(column.head for column in shown)} \\\\", "\\midrule"]
        lines += [f"{' & '.join(column.cells[index] for column in shown)} \\\\" for index in part]
        tables.append("\n".join([*lines, "\\bottomrule", "\\end{tabular}", "\\end{table*}"]))
    return "\n\n".join(tables)


def _columns(kinds: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[_Column]:
    """The columns, those of words narrow enough for all to fit side by side, if that is possible."""
    cells = [[row[index] for row in rows] for index in range(len(kinds))]
    words = [kind == "l" for kind in kinds]
    widths = [
        max((cell_width(escape(cell) if of_words else cell) for cell in texts), default=0.0)
        for of_words, texts in zip(words, cells, strict=True)
    ]
    # A heading is broken where it is wider than the cells below it.
    heads = [_broken(title, max(width, 30.0)) for title, width in zip(head, widths, strict=True)]
    widths = [
        max(width, *(SPARE * cell_width(line) for line in lines))
        for width, lines in zip(widths, heads, strict=True)
    ]
    columns = []
    for index, kind in enumerate(kinds):
        excess = sum(width + 2 * GAP for width in widths) - PAGE_WIDTH
        texts, lines = cells[index], [1] * len(rows)
        if words[index] and excess > 0 and widths[index] > LEAST_WORDS:
            fits = excess <= widths[index] - LEAST_WORDS
            width = widths[index] = widths[index] - excess if fits else min(MOST_WORDS, widths[index])
            broken = [_broken(text, width) for text in texts]
            texts = [_stacked(parts, width, "[t]\\raggedright") for parts in broken]
            lines = [*map(len, broken)]
            heads[index] = _broken(head[index], width)
        elif words[index]:
            texts = [*map(escape, texts)]
        set_so = "\\raggedright" if words[index] else "\\raggedleft"
        title = _stacked(heads[index], max(map(cell_width, heads[index])) * SPARE, f"[b]{set_so}")
        columns.append(_Column(kind, widths[index], title, texts, lines))
    return columns


def _stacked(lines: Sequence[str], width: float, place: str) -> str:
    """One line as it is, several one below the other. place: ``[t]`` and the like of a ``\\parbox``, and how its
    lines are set."""
    stacked = r"\\".join(lines)
    where, _, set_so = place.partition("]")
    return (
        lines[0]
        if len(lines) == 1
        else f"\\parbox{where}]{{{width / EM:.1f}em}}{{{set_so} {stacked}\\strut}}"
    )


def _broken(text: str, width: float) -> list[str]:
    """The words in lines of ``width`` points, in LaTeX; a part that is wider has a line of its own."""
    lines = [""]
    for part in filter(None, _TOGETHER.findall(text)):
        if lines[-1] and SPARE * cell_width(escape(lines[-1] + part)) > width:
            lines.append("")
        lines[-1] += part
    return [escape(line) for line in lines]


def cell_width(cell: str) -> float:
    """Points of a cell, about: ``\\small`` at 10 pt, its interval in smaller letters."""
    interval = _INTERVAL.search(cell)
    small = 0.78 * cell_width(interval[1]) if interval else 0.0
    text = _MARK.sub("", _COMMAND.sub("n", _SIGN.sub("m", _INTERVAL.sub("", cell))))
    return small + sum(
        9.3
        if unicodedata.east_asian_width(letter) in "WF"
        else _WIDTHS.get(letter, 6.7 if letter.isupper() else 4.8)
        for letter in text
    )


def _side_by_side(columns: Sequence[_Column], names: int) -> Iterator[list[_Column]]:
    """The columns in groups that fit on a page, each with the first ``names`` of them."""
    first = [*columns[:names]]
    group = list(first)
    for column in columns[names:]:
        if len(group) > names and sum(one.width + 2 * GAP for one in (*group, column)) > PAGE_WIDTH:
            yield group
            group = list(first)
        group.append(column)
    yield group


def _pages(columns: Sequence[_Column], above: int) -> Iterator[list[int]]:
    """The indices of the rows that one page has, below ``above`` lines of caption."""
    part: list[int] = []
    first = min(above + max(column.head.count(r"\\") for column in columns), MOST_LINES - 8)
    used = first
    for index, lines in enumerate(
        max(lines) for lines in zip(*(column.lines for column in columns), strict=True)
    ):
        if part and used + lines > MOST_LINES:
            yield part
            part, used = [], first
        part.append(index)
        used += lines
    yield part

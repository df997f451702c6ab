"""The report as LaTeX for papers: tables with booktabs and intervals, a methods section, and a BibTeX file.

Every text is escaped, so that nothing from a model or a file can run a command or open a group.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from folkways import __version__
from folkways.display import NOT_A_NUMBER, number, percent, single_line
from folkways.evidence.sentences import LEVEL
from folkways.names import facet_title
from folkways.reports.formats.methods import methods_paragraph
from folkways.reports.views.grids import Cell, Grid, grids
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.views import FacetView, ReportView, Score, TaskView

HEAD = f"""% Made by folkways {__version__}. In the preamble: \\usepackage{{booktabs}}; Unicode text (any engine of today).
% Citations are in report.bib. Wide tables: \\usepackage{{graphicx}}, \\resizebox{{\\linewidth}}{{!}}{{...}}.
"""

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$", "|": "$|$",
    "\u202f": r"\,", "\u2212": "$-$", "\u2013": "--",
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
        parts += [f"\\paragraph{{{escape(task.title)}.}} {_prose(view, task)}", _results(board, task)]
        parts += [_by_group(view, task, facet) for facet in task.facets.values() if len(facet.values) > 1]
    for made in view.data.results:
        for table in made.tables:
            if table.layout is not None:
                notes = [table.unit, *table.notes]
                laid_out = enumerate(grids(table, view.short), 1)
                parts += [
                    _grid(table.title, f"{table.name}-{number}", grid, notes) for number, grid in laid_out
                ]
    return "\n\n".join(parts) + "\n"


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
    head = [*(["Rank"] if ranks else []), "Model", *profiles, "Score", "95\\,\\% interval", "$n$", "Coverage"]
    rows = []
    for row in board.rows(task):
        rank_cell = [row.rank.span.replace("–", "--") if row.rank else ""] if ranks else []
        profile = [escape(row.counted.profile) if row.counted else ""] * len(profiles)
        ends = ["", "", ""]
        if row.counted:
            counts = [escape(row.counted.shown_n), escape(percent(row.counted.coverage))]
            ends = [f"[{_number(row.low)}, {_number(row.high)}]", *counts]
        name = (
            escape(row.name)
            + ("$^{\\dagger}$" if row.rank and row.rank.level else "")
            + (f" ({escape(row.source)})" if row.kind in ("people", "published") else "")
        )
        rows.append([*rank_cell, name, *profile, _number(row.score), *ends])
    caption = f"{escape(task.title)}: {escape(task.metric.label)}."
    if task.metric.lower_is_better:
        caption += " Lower is better."
    if ranks:
        caption += " Ranks are the places that the paired differences leave open (Holm, 5\\,\\%)."
    if any(rank.level for rank in ranks.values()):
        caption += f" $^{{\\dagger}}$ {escape(LEVEL)}."
    columns = ("r" if ranks else "") + "l" + "l" * len(profiles) + "rcrr"
    return _table(columns, head, rows, caption, f"{task.slug}")


def _by_group(view: ReportView, task: TaskView, facet: FacetView) -> str:
    """A table with a row for each group and a column for each model."""
    shown = [name for name in task.shown if any((value, name) in facet.scores for value in facet.values)][
        :MOST_COLUMNS
    ]
    title = facet_title(facet.facet)
    by_value = {value: [facet.scores.get((value, name)) for name in shown] for value in facet.values}
    rows = [[escape(facet.name(value)), *map(_with_interval, scores)] for value, scores in by_value.items()]
    head = [escape(title.capitalize()), *(escape(view.short[name]) for name in shown)]
    caption = (
        f"{escape(task.title)}, {escape(facet.metric.label)} by {escape(title)}, with 95\\,\\% intervals."
    )
    return _table(
        "l" + "r" * len(shown),
        head,
        rows,
        caption,
        f"{task.slug}-{facet.facet.replace('+', '-').replace('_', '-')}",
    )


def _with_interval(score: Score | None) -> str:
    if score is None:
        return ""
    return f"{_number(score.score)} {{\\scriptsize [{_number(score.low)}, {_number(score.high)}]}}"


def _grid(title: str, name: str, grid: Grid, notes: Sequence[str]) -> str:
    rows = [[escape(row[0].text), *map(_cell, row[1:])] for row in grid.rows]
    head = [escape(column) for column in grid.columns]
    of = f": {escape(grid.heading)}" if grid.heading else ""
    caption = f"{escape(title)}{of}. {' '.join(escape(note) for note in notes)}"
    return _table("l" + "r" * (len(head) - 1), head, rows, caption, re.sub(r"[^a-z0-9-]+", "-", name.lower()))


def _cell(cell: Cell) -> str:
    if cell.low is None or cell.high is None:
        return escape(cell.text)
    ends = f"[{_number(cell.low, cell.decimals)}, {_number(cell.high, cell.decimals)}]"
    return f"{escape(cell.text)} {{\\scriptsize {ends}}}"


def _number(value: float, decimals: int = 1) -> str:
    shown = number(value, decimals)
    return "--" if shown == NOT_A_NUMBER else escape(shown)


def _table(columns: str, head: Sequence[str], rows: Sequence[Sequence[str]], caption: str, label: str) -> str:
    """A floating table; cells are LaTeX already."""
    lines = ["\\begin{table}", "\\centering", "\\small", f"\\caption{{{caption}}}", f"\\label{{tab:{label}}}"]
    lines += [f"\\begin{{tabular}}{{{columns}}}", "\\toprule", f"{' & '.join(head)} \\\\", "\\midrule"]
    lines += [f"{' & '.join(row)} \\\\" for row in rows]
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", "\\end{table}"])

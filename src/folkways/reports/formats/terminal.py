"""The report in the terminal: the headline scores as a table, and what a reader must know about them."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Column
from rich.text import Text

from folkways.display import count, interval, number, percent, single_line
from folkways.names import WHOLE, facet_title, value_name
from folkways.reports.data import ReportData
from folkways.reports.formats.summary import notices
from folkways.reports.formats.verdict_tables import MARK, MARKED, TextTable, expense_table, matrix_table
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.scores import LOST, STATES, table_of_numbers
from folkways.reports.views.verdicts import verdict_of
from folkways.reports.views.views import ReportView, Score, TaskView

NARROWEST_NAME = 14
NARROWEST_HEAD = 12
"""Characters that the title of a column may need before it is broken into lines."""


def terminal_summary(data: ReportData) -> RenderableType:
    """Score, interval, n, coverage and states of every endpoint and task, then the warnings and, where there
    is a choice of models or several tasks, the verdict, for rich."""
    view = ReportView(data)
    parts: list[RenderableType] = [_ScoreTable(view, task) for task in view.tasks]
    parts += [Text.assemble(("! ", "bold yellow"), single_line(sentence)) for sentence in notices(view)]
    if view.models and len(view.models) + len(view.tasks) > 2:
        parts.append(Text(single_line(verdict_of(Leaderboard(view)).text)))
    return Group(*parts)


def terminal_verdict(leaderboard: Leaderboard) -> RenderableType:
    """The verdict, the matrix of models and tasks, and what each model took, in the width of the terminal."""
    made = verdict_of(leaderboard)
    parts: list[RenderableType] = [Text(single_line(made.text)), Text()]
    matrix, expenses = matrix_table(leaderboard), expense_table(leaderboard)
    if matrix.rows:
        marked = any(MARK in cell for row in matrix.rows for cell in row[1:])
        parts += [Blocks(matrix), *([Text(MARKED, "dim")] if marked else []), Text()]
    if expenses.rows:
        parts += [Blocks(expenses), Text()]
    return Group(*parts)


@dataclass(frozen=True)
class Blocks:
    """A table of numbers, cut into as many blocks of columns below one another as the width needs."""

    table: TextTable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heads, rows = self.table.heads, self.table.rows
        widths = [max([cell_len(row[at]) for row in rows]) for at in range(len(heads))]
        widest = max(NARROWEST_NAME, options.max_width // 3)
        name = min(max(widths[0], len(heads[0])), widest)
        room = options.max_width - name - 2
        wrapped = [min(max(NARROWEST_HEAD, _longest_word(head)), cell_len(head), room - 2) for head in heads]
        blocks: list[list[int]] = []
        left = 0
        for at, width in enumerate(widths[1:], 1):
            needed = max(width, wrapped[at]) + 2
            if not blocks or needed > left:
                blocks.append([])
                left = room
            blocks[-1].append(at)
            left -= needed
        for block in blocks:
            first = Column(heads[0], no_wrap=True, overflow="ellipsis", max_width=name)
            table = table_of_numbers(first, ())
            for at in block:
                most = max(widths[at], wrapped[at])
                table.add_column(heads[at], justify="right", overflow="fold", min_width=most, max_width=most)
            for row in rows:
                table.add_row(row[0], *(row[at] for at in block))
            yield table


@dataclass(frozen=True)
class _ScoreTable:
    """The scores of one task in the width of the terminal, which can shorten names of models but no
    numbers."""

    view: ReportView
    task: TaskView

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        task = self.task
        cultures = f" · {count(task.cultures)} cultures" if task.cultures > 1 else ""
        profile = f" · {single_line(task.profile)}" if len(task.profiles) == 1 else ""
        title = Text.assemble(
            (single_line(task.title), "bold"),
            (f"  {task.metric.label}{cultures} · {task.task}{profile}", "dim"),
        )
        rows = [_cells(self.view, task, score) for score in task.headline]
        numbers = ("score", "95 % interval", "n", "coverage")
        widths = {
            name: max([len(name), *(row[at - 5].cell_len for row in rows)]) for at, name in enumerate(numbers)
        }
        profiles = (
            max([len("profile"), *(len(single_line(name)) for name in task.profiles)]) + 2
            if len(task.profiles) > 1
            else 0
        )
        groups = [value_name(score.facet, score.value) for score in task.headline if score.facet != WHOLE]
        words = profiles + max(map(len, groups), default=-2) + 2
        left = options.max_width - words - sum(wide + 2 for wide in widths.values()) - 2
        n_in_lines = _longest_word(*(row[-3] for row in rows))  # "320 (worth 12 questions)" may take two
        whole_words = _longest_word(LOST, *(row[-1] for row in rows))
        room = left + widths["n"] - n_in_lines  # for the name and LOST
        least = min(NARROWEST_NAME, max(len("baseline …"), room - whole_words))
        most = max(least, left - len(LOST))
        models = Column("model", no_wrap=True, overflow="ellipsis", min_width=least, max_width=most)
        table = table_of_numbers(models, (), title=title, title_justify="left", title_style="")
        if profiles:
            table.add_column("profile", no_wrap=True)
        if groups:
            table.add_column(
                facet_title(next(score.facet for score in task.headline if score.facet != WHOLE)),
                no_wrap=True,
            )
        for name in numbers:
            narrowest = n_in_lines if name == "n" else widths[name]
            table.add_column(name, justify="right", no_wrap=narrowest == widths[name], min_width=narrowest)
        table.add_column(LOST, overflow="fold", min_width=max(1, min(room - least, whole_words)))
        for score, row in zip(task.headline, rows, strict=True):
            table.add_row(*row, style="dim" if score.baseline else "")
        yield Padding(table, (0, 0, 1, 0))


def _longest_word(*texts: Text | str) -> int:
    return max(cell_len(word) for text in texts for word in str(text).split() or [""])


def _cells(view: ReportView, task: TaskView, score: Score) -> list[Text]:
    lost = "bold yellow" if score.lost else ""
    cells = [Text(single_line(view.short[score.endpoint]))]
    if len(task.profiles) > 1:
        cells.append(Text(single_line(score.profile)))
    if any(shown.facet != WHOLE for shown in task.headline):
        cells.append(Text("" if score.facet == WHOLE else value_name(score.facet, score.value)))
    states = [(state, getattr(score, state)) for state in STATES]
    notes = [
        (f"{count(amount)} {state}", lost if state in ("failed", "missing") else "")
        for state, amount in states
        if amount
    ]
    return [
        *cells,
        Text(number(score.score), "" if score.baseline else "bold"),
        Text(interval(score.low, score.high)),
        Text(score.shown_n),
        Text(percent(score.coverage), lost),
        Text(", ").join(Text(*part) for part in notes),
    ]

"""The report in the terminal: the headline scores as a table, and what a reader must know about them."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Column
from rich.text import Text

from folkways.display import count, interval, number, percent, single_line
from folkways.names import WHOLE, facet_title, value_name
from folkways.reports.data import ReportData
from folkways.reports.formats.summary import notices
from folkways.reports.views.scores import table_of_numbers
from folkways.reports.views.views import ReportView, Score, TaskView

STATES = ("refused", "unreadable", "truncated", "failed", "missing")
LOST = "not answered"
NARROWEST_NAME = 14


def terminal_summary(data: ReportData) -> RenderableType:
    """Score, interval, n, coverage and states of every endpoint and task, then the warnings, for rich."""
    view = ReportView(data)
    parts: list[RenderableType] = [_ScoreTable(view, task) for task in view.tasks]
    parts += [Text.assemble(("! ", "bold yellow"), single_line(sentence)) for sentence in notices(view)]
    return Group(*parts)


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
        taken = sum(wide + 2 for wide in widths.values()) + profiles + len(LOST) + 2
        groups = [value_name(score.facet, score.value) for score in task.headline if score.facet != WHOLE]
        taken += max(map(len, groups), default=-2) + 2
        most = max(NARROWEST_NAME, options.max_width - taken)
        models = Column("model", no_wrap=True, overflow="ellipsis", min_width=NARROWEST_NAME, max_width=most)
        table = table_of_numbers(models, (), title=title, title_justify="left", title_style="")
        if profiles:
            table.add_column("profile", no_wrap=True)
        if groups:
            table.add_column(
                facet_title(next(score.facet for score in task.headline if score.facet != WHOLE)),
                no_wrap=True,
            )
        for name in numbers:
            table.add_column(name, justify="right", no_wrap=True, min_width=widths[name])
        table.add_column(LOST, overflow="fold")
        for score, row in zip(task.headline, rows, strict=True):
            table.add_row(*row, style="dim" if score.baseline else "")
        yield Padding(table, (0, 0, 1, 0))


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

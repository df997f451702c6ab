"""The report in the terminal: the headline scores as a table, and what a reader must know before them."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from folkways.reports.data import ReportData
from folkways.reports.summary import coverage_notices, run_notices
from folkways.reports.text import count, number, one_line, percent
from folkways.reports.views import ReportView, Score, TaskView

STATES = ("refused", "unreadable", "failed", "missing")


def terminal_summary(data: ReportData) -> RenderableType:
    """Score, interval, n, coverage and the states that occur, of every endpoint and task, then the warnings; for rich to print."""
    view = ReportView(data)
    parts: list[RenderableType] = [_table(view, task) for task in view.tasks]
    notices = [*run_notices(view), *coverage_notices(view), *data.warnings]
    parts += [Text.assemble(("! ", "bold yellow"), one_line(sentence)) for sentence in notices]
    return Group(*parts)


def _table(view: ReportView, task: TaskView) -> RenderableType:
    cultures = f" · {count(task.cultures)} cultures" if task.cultures > 1 else ""
    title = Text.assemble((one_line(task.title), "bold"), (f"  {task.metric.label}{cultures} · {task.task}", "dim"))
    table = Table(
        title=title, title_justify="left", title_style="", box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim"
    )
    table.add_column("model", no_wrap=True, overflow="ellipsis", min_width=14)
    if len(task.profiles) > 1:
        table.add_column("profile")
    rows = [_cells(view, task, score) for score in task.whole]
    for position, name in enumerate(("score", "95 % interval", "n", "coverage")):
        widest = max((row[position - 5].cell_len for row in rows), default=0)
        table.add_column(name, justify="right", no_wrap=True, min_width=max(widest, len(name)))  # a number is never cut
    table.add_column("not answered", overflow="fold")
    for score, row in zip(task.whole, rows, strict=True):
        table.add_row(*row, style="dim" if score.baseline else "")
    return Padding(table, (0, 0, 1, 0))


def _cells(view: ReportView, task: TaskView, score: Score) -> list[Text]:
    lost = "bold yellow" if score.lost else ""
    cells = [Text(one_line(view.short[score.endpoint]))]
    if len(task.profiles) > 1:
        cells.append(Text(one_line(score.profile)))
    states = [(state, getattr(score, state)) for state in STATES]
    told = [(f"{count(amount)} {state}", lost if state in ("failed", "missing") else "") for state, amount in states if amount]
    return [
        *cells,
        Text(number(score.score), "" if score.baseline else "bold"),
        Text(f"{number(score.low)} – {number(score.high)}"),
        Text(count(score.n)),
        Text(percent(score.coverage), lost),
        Text(", ").join(Text(*part) for part in told),
    ]

"""The report as Markdown: short tables for pull requests, notes and README files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from folkways.benchmarks.results import ResultTables
from folkways.display import NOT_A_NUMBER, count, interval, number, percent, single_line
from folkways.evidence.sentences import LEVEL
from folkways.names import WHOLE, facet_title, value_name
from folkways.reports.data import FAILURES, PEOPLE
from folkways.reports.formats.summary import lede, notices, unasked
from folkways.reports.views.grids import Cell, grids
from folkways.reports.views.leaderboard import MOST_IN_SUMMARY, Leaderboard
from folkways.reports.views.overview import open_orders, turned_round, uncertain
from folkways.reports.views.views import FacetView, ReportView, Score, TaskView

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")
STATES = ("Answered", "Refused", "Unreadable", "Truncated", "Failed", "Missing")
HEAD = ("Score", "95 % interval", "n", "Coverage", *STATES, "Sig.")


def render_markdown(
    view: ReportView, leaderboard: Leaderboard | None = None, turned: Sequence[str] | None = None
) -> str:
    """The whole document of ``view``. leaderboard, turned: ``Leaderboard`` and ``turned_round`` of the view,
    if the caller has them already."""
    data = view.data
    parts = [f"# {escape(data.title)}", f"{escape(lede(view))} Made {data.created[:10]}."]
    board = leaderboard if leaderboard is not None else Leaderboard(view)
    if warnings := notices(view, [*open_orders(view, board), *uncertain(view, board)]):
        parts.append(
            "> **Before you read the numbers**\n>\n"
            + "\n".join(f"> - {escape(sentence)}" for sentence in warnings)
        )
    parts += _summary(view, board, turned_round(view, board) if turned is None else turned)
    for task in view.tasks:
        parts += _task(view, board, task)
    parts += _published(view, board)
    parts += _analyses(view)
    if data.failures.height:
        rows = []
        for endpoint, task_name, kind, times, example in data.failures.select(list(FAILURES)).iter_rows():
            words, reply = (
                [escape(endpoint), code(task_name, in_table=True)],
                code((example or "")[:200], in_table=True),
            )
            rows.append([*words, escape(kind), count(times), reply])
        parts += ["## What failed", table(["Model", "Task", "Kind", "Count", "Example"], rows, numeric={3})]
    parts += [
        "## Signatures",
        "\n".join(f"- {name}: {code(signature)}" for signature, name in view.signatures.items()),
    ]
    if data.releases:
        parts.append("## Data and licences")
        for release in data.releases:
            source = f"{escape(release.repository)} at {code(release.revision[:12])}"
            parts.append(f"**{escape(release.name)}** ({escape(release.licence)}), {source}")
            parts.append(fenced(release.citation, "bibtex"))
    return "\n\n".join(parts) + "\n"


def _summary(view: ReportView, board: Leaderboard, turned: Sequence[str]) -> Iterable[str]:
    """The leading models, and the cultures in which they change places."""
    yield "## Summary"
    chance = any(task.task in view.data.chance for task in view.tasks)
    baseline = any(board.best_baseline(task) for task in view.tasks)
    yield (
        f"The first {MOST_IN_SUMMARY} models of each task."
        + (" Chance: what guessing among the options scores." if chance else "")
        + (" Best baseline: of those that were asked." if baseline else "")
    )
    rows = [
        [
            escape(task.title),
            row.rank.span if row.rank else "",
            escape(row.name) + ("†" if row.rank and row.rank.level else ""),
            number(row.score),
            interval(row.low, row.high, " to "),
            *([number(board.chance(task))] if chance else []),
            *([_baseline(view, board.best_baseline(task, (score.facet, score.value)))] if baseline else []),
            score.shown_n,
            percent(score.coverage),
            count(None if score.unreadable is None else score.n - score.lost - score.answered),
        ]
        for task in view.tasks
        for row in board.first(task)
        if (score := row.counted) is not None
    ]
    references = [*(["Chance"] if chance else []), *(["Best baseline"] if baseline else [])]
    head = ["Task", "Rank", "Model", "Score", "95 % interval", *references, "n", "Coverage", "Without answer"]
    yield table(head, rows, numeric=set(range(3, len(head))))
    if any(row.rank and row.rank.level for task in view.tasks for row in board.first(task)):
        yield f"† {LEVEL}"
    if turned:
        yield "**Cultures where the order flips**\n\n" + "\n".join(
            f"- {escape(sentence)}" for sentence in turned
        )


def _baseline(view: ReportView, best: Score | None) -> str:
    if best is None:
        return ""
    return f"{number(best.score)} ({escape(view.short[best.endpoint].removeprefix('baseline '))})"


def _task(view: ReportView, board: Leaderboard, task: TaskView) -> Iterable[str]:
    yield f"## {escape(task.title)} ({code(task.task)})"
    yield f"{escape(task.metric.label)}. {escape(task.metric.explained)}".strip()
    several = len(task.profiles) > 1
    ranks = {row.counted: row.rank for row in board.rows(task) if row.rank}
    head = [*(["Rank"] if ranks else []), "Model", *(["Profile"] if several else []), "Metric", *HEAD]
    rows = []
    for score in (*task.headline, *task.others):
        rank = ranks.get(score)
        group = "" if score.facet == WHOLE else f", {value_name(score.facet, score.value)}"
        rows.append(
            [
                *([rank.span if rank else ""] if ranks else []),
                escape(score.endpoint) + ("†" if rank and rank.level else ""),
                *([escape(score.profile)] if several else []),
                escape(task.label_of(score.metric) + group),
                *_cells(view, score),
            ]
        )
    yield table(head, rows, numeric=set(range(len(head) - len(HEAD), len(head) - 1)))
    if any(rank.level for rank in ranks.values()):
        yield f"† {LEVEL}"
    if several:
        yield f"The tables below show profile *{escape(task.profile)}*; the files hold every profile."
    for facet in task.facets.values():
        yield f"### By {escape(facet_title(facet.facet))}"
        yield _facet(view, task, facet)
    for facet in task.more:
        yield f"### {escape(facet.metric.label)}, by {escape(facet_title(facet.facet))}"
        yield _facet(view, task, facet)


def _published(view: ReportView, board: Leaderboard) -> Iterable[str]:
    """The models among published ones, and why some figures are not comparable."""
    published = board.published
    if published.neighbours or published.warnings:
        yield "## Beside published figures"
    if published.warnings:
        yield "\n".join(f"- {escape(view.in_short(sentence))}" for sentence in published.warnings)
    for neighbours in published.neighbours:
        yield f"### {escape(neighbours.title)} ({escape(neighbours.source)})"
        rows = [
            [
                escape(row["name"]),
                escape(row["model"]),
                _estimate(row["score"], row["low"], row["high"]),
                f"{row['above'] + 1} of {row['models'] + 1}",
                escape(
                    f"{row['next_above'] or ''} "
                    f"{number(row['next_above_score']) if row['next_above'] else ''}"
                ),
                escape(
                    f"{row['next_below'] or ''} "
                    f"{number(row['next_below_score']) if row['next_below'] else ''}"
                ),
            ]
            for row in neighbours.places.iter_rows(named=True)
        ]
        yield table(["Group", "Model", "Score", "Place", "Next above", "Next below"], rows, numeric={2, 3})


def _analyses(view: ReportView) -> Iterable[str]:
    """The analyses of the papers."""
    without = unasked(view)
    of_papers = [made for made in view.data.results if not made.result.across_benchmarks]
    for made in view.data.results:
        if made.result.across_benchmarks:
            yield f"## {escape(made.result.heading)}"
            yield from _tables(view, made)
    if of_papers or without:
        yield "## What the papers ask"
    if without:
        yield "\n".join(f"- {escape(sentence)}" for sentence in without)
    for made in of_papers:
        yield f"### {escape(made.result.heading)}"
        yield from _tables(view, made)


def _tables(view: ReportView, made: ResultTables) -> Iterable[str]:
    """The question of a result, and its tables."""
    yield escape(made.result.about)
    for shown in made.tables:
        if shown.title != made.result.heading:
            yield f"#### {escape(shown.title)}"
        yield escape(shown.unit)
        for grid in grids(shown, view.short):
            if grid.heading:
                yield f"**{escape(grid.heading)}**"
            rows = [[_grid_cell(cell) for cell in row] for row in grid.rows]
            yield table(
                [escape(name) for name in grid.columns],
                rows,
                {at for at, numeric in enumerate(grid.numeric) if numeric},
            )
        if shown.notes:
            yield "\n".join(f"- {escape(view.in_short(note))}" for note in shown.notes)


def _grid_cell(cell: Cell) -> str:
    return escape(f"{cell.text} [{cell.interval.replace(' to ', ', ')}]" if cell.interval else cell.text)


def _facet(view: ReportView, task: TaskView, facet: FacetView) -> str:
    """A table with a row for each group and a column for each endpoint: score, interval and n."""
    shown = [name for name in task.shown if any((value, name) in facet.scores for value in facet.values)]
    people = {value: task.people_of(facet, value) for value in facet.values}
    with_people = [PEOPLE.capitalize()] if any(people.values()) else []
    head = [
        escape(facet_title(facet.facet).capitalize()),
        *(escape(view.short[name]) for name in shown),
        *with_people,
    ]
    rows = []
    for value in facet.values:
        scores = [facet.scores.get((value, name)) for name in shown]
        if with_people:
            scores.append(people[value])
        rows.append([escape(facet.name(value)), *(_compact(score) for score in scores)])
    return table(head, rows, numeric=set(range(1, len(head))))


def _compact(score: Score | None) -> str:
    if score is None:
        return ""
    lost = f", coverage {percent(score.coverage)}" if score.lost or score.left_out else ""
    return f"{_estimate(score.score, score.low, score.high)} n={score.shown_n}{lost}"


def _estimate(score: float, low: float | None, high: float | None) -> str:
    ends = interval(low, high, ", ")
    return number(score) if ends == NOT_A_NUMBER else f"{number(score)} [{ends}]"


def _cells(view: ReportView, score: Score) -> list[str]:
    cells = [
        number(score.score),
        interval(score.low, score.high, " to "),
        score.shown_n,
        percent(score.coverage),
    ]
    return [*cells, *(count(amount) for amount in score.states.values()), view.signatures[score.signature]]


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], numeric: set[int] | frozenset[int] = frozenset()
) -> str:
    """A pipe table. Cells must be escaped; columns in ``numeric`` are aligned right."""
    rule = ["---:" if position in numeric else "---" for position in range(len(head))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def escape(text: str) -> str:
    """Sanitized text on one line, escaped for Markdown."""
    return _SPECIAL.sub(r"\\\1", single_line(text))


def code(text: str, *, in_table: bool = False) -> str:
    """Text as inline code. in_table: escape ``|``, which only tables unescape."""
    plain = single_line(text)
    ticks = "`" * (_longest_ticks(plain) + 1)
    pad = " " if plain.startswith("`") or plain.endswith("`") else ""
    whole = f"{ticks}{pad}{plain}{pad}{ticks}"
    return whole.replace("|", "\\|") if in_table else whole


def _longest_ticks(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def fenced(text: str, language: str = "") -> str:
    """A block of code with a fence that is longer than any in the text."""
    fence = "`" * max(3, _longest_ticks(text) + 1)
    return f"{fence}{language}\n{text}\n{fence}"

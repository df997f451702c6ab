"""Reports without a browser: Markdown, the terminal, single items."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

from folkways import run
from folkways.display import number
from folkways.records import Metric
from folkways.reports.data import ReportData
from folkways.reports.formats.item import item_as_json, render_item
from folkways.reports.formats.markdown import code, escape, fenced, render_markdown
from folkways.reports.formats.summary import coverage_notices, doubts, notices
from folkways.reports.formats.terminal import Blocks, terminal_summary, terminal_verdict
from folkways.reports.formats.verdict_tables import TextTable
from folkways.reports.formats.write import write_report
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.verdicts import verdict_of
from folkways.reports.views.views import ReportView
from tests.reports.conftest import HOSTILE
from tests.support.report_data import MODELS, TASKS, Shape, report_of, simulate, small_report
from tests.support.report_page import page_without_figures

ITEM = {
    "task": "blend/saq", "item": "KR/Al-en-01", "release_id": "Al-en-01", "question": "Al-en-01", "culture": "KR",
    "text": f"What is eaten? [bold]{HOSTILE}", "gold": "rice cake (4)", "topic": "Food",
}  # fmt: skip
ASKED = {"task": "blend/saq", "item": "KR/Al-en-01", "language": "ko", "variant": "inst-4"}
PROMPTS = pl.DataFrame(
    [{**ASKED, "system": None, "user": f"Q: {HOSTILE}", "choices": None, "prompt_source": "release"}]
)
RESPONSES = pl.DataFrame(
    [
        {
            "endpoint": "openai/x",
            **ASKED,
            "sample": 0,
            "state": "answered",
            "response": f"떡볶이 {HOSTILE}",
            "reason": None,
        }
    ]
)
JUDGED = {
    "endpoint": "openai/x", "profile": "paper", **ASKED, "question": "Al-en-01", "culture": "KR", "sample": 0, "counted": True,
    "state": "answered", "answer": "떡볶이", "reason": "matches [red]떡볶이[/red]", "sem_b": 1.0,
}  # fmt: skip
JUDGEMENTS = pl.DataFrame([JUDGED])
SEM_B = Metric("sem_b", "SEM-B", "")


def printed(renderable: object, width: int = 100) -> str:
    target = io.StringIO()
    Console(file=target, width=width, force_terminal=True, color_system="standard").print(renderable)
    return target.getvalue()


def without_styles(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_an_item_is_shown_whole_and_cannot_act_on_the_terminal() -> None:
    shown = printed(render_item(ITEM, PROMPTS, RESPONSES, JUDGEMENTS, (SEM_B,)))
    plain = without_styles(shown)
    for expected in (
        "South Korea (KR)",
        "Food",
        "rice cake (4)",
        "Korean · inst-4",
        "openai/x",
        "SEM-B 1.00",
        "[bold]",
        "[red]",
    ):
        assert expected in plain
    assert "\x1b" not in plain and "\x00" not in plain and "\u202e" not in plain
    assert "\x1b[31m" not in shown


def test_an_item_without_replies_still_shows_its_prompts() -> None:
    assert "Q: " in printed(render_item(ITEM, PROMPTS))


def test_an_item_as_json_is_exact_and_safe_to_print() -> None:
    text = item_as_json(ITEM, PROMPTS, RESPONSES, JUDGEMENTS)
    value = json.loads(text)
    assert value["item"]["text"] == ITEM["text"]
    assert value["responses"][0]["response"] == f"떡볶이 {HOSTILE}"
    assert "떡볶이" in text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


@pytest.mark.parametrize("width", [72, 80, 120, 200])
def test_the_summary_in_the_terminal_shows_every_headline_score_whole(data: ReportData, width: int) -> None:
    shown = without_styles(printed(terminal_summary(data), width))
    assert max(map(len, shown.splitlines())) <= width
    for score in data.scores.filter(facet="all", metric="sem_b").iter_rows(named=True):
        assert f"{number(score['low'])} – {number(score['high'])}" in shown
    assert "failed and" in shown


@pytest.mark.parametrize(
    ("models", "tasks", "told"),
    [(0, 1, False), (0, 3, False), (1, 1, False), (1, 2, True), (2, 1, True), (2, 2, True)],
)
def test_the_verdict_follows_where_there_is_a_choice_or_several_tasks(
    models: int, tasks: int, told: bool
) -> None:
    whole = simulate(Shape(saq=6, easy=4, xcr=3, loss=0), tasks=tuple(TASKS)[:tasks])
    kept = pl.col("endpoint").is_in([*MODELS][models:]).not_()
    made = replace(whole, scores=whole.scores.filter(kept), judgements=whole.judgements.filter(kept))
    words = " ".join(without_styles(printed(terminal_summary(made), 120)).split())
    assert (verdict_of(Leaderboard(ReportView(made))).text in words) is told


@pytest.mark.parametrize("width", [76, 80, 100, 120])
def test_no_word_of_the_summary_is_broken_where_few_questions_have_most_items(
    data: ReportData, width: int
) -> None:
    few = {"n": 320, "questions": 87, "effective_questions": 12.0, "unreadable": 55, "truncated": 9}
    kinds = data.scores.schema
    scores = data.scores.with_columns(
        pl.lit(value).cast(kinds[name]).alias(name) for name, value in few.items()
    )
    shown = without_styles(printed(terminal_summary(replace(data, scores=scores)), width)).split("! ")[0]
    assert max(map(len, shown.splitlines())) <= width
    for word in ("answered", "unreadable", "truncated", "(worth", "questions)"):
        assert re.search(rf"(?<![^\s]){re.escape(word)},?(?![^\s])", shown), word


@pytest.mark.parametrize("width", [72, 80, 120])
def test_a_long_name_is_cut_in_the_terminal_and_a_number_is_not(data: ReportData, width: int) -> None:
    name = "http://localhost:8000/v1#an-even-longer-model-name-with-many-parts-Instruct-2507-FP8-dynamic-of-somebody-else"
    renamed = pl.col("endpoint").replace({"openai/gpt-4o-mini": name})
    long = replace(
        data, scores=data.scores.with_columns(renamed), judgements=data.judgements.with_columns(renamed)
    )
    shown = without_styles(printed(terminal_summary(long), width))
    tables = shown.split("! ")[0].splitlines()
    assert any("an-even-" in line and "…" in line for line in tables)
    for score in long.scores.filter(facet="all", metric="sem_b").iter_rows(named=True):
        assert f"{number(score['low'])} – {number(score['high'])}" in shown


def test_replies_that_could_not_be_read_are_told_before_the_numbers(data: ReportData) -> None:
    assert "no answer could be read out of" not in render_markdown(ReportView(data))
    model = (pl.col("endpoint") == "openai/gpt-4o-mini") & (pl.col("task") == "blend/saq")
    unreadable = pl.when(model).then(pl.col("answered")).otherwise("unreadable").alias("unreadable")
    text = render_markdown(ReportView(replace(data, scores=data.scores.with_columns(unreadable))))
    notice = next(line for line in text.splitlines() if "no answer could be read out of" in line)
    assert "gpt" in notice and text.index(notice) < text.index("## ")


def test_scores_over_different_items_are_told_before_the_numbers(data: ReportData) -> None:
    assert "not everyone was asked the same" not in render_markdown(ReportView(data))
    narrow = (pl.col("endpoint") == "openai/gpt-4o-mini") & (pl.col("task") == "blend/saq")
    fewer = pl.when(narrow).then(pl.col("n") // 2).otherwise("n").alias("n")
    text = render_markdown(ReportView(replace(data, scores=data.scores.with_columns(fewer))))
    assert text.index("not everyone was asked the same") < text.index("## ")
    code = data.scores.filter(narrow, facet="culture")["value"][0]
    elsewhere = pl.when(narrow & (pl.col("value") == code)).then(pl.lit("KE")).otherwise("value")
    text = render_markdown(ReportView(replace(data, scores=data.scores.with_columns(value=elsewhere))))
    assert re.search(r"not everyone was asked the same, though n is 1,440 for each\.", text)


def test_scores_over_as_many_but_other_items_are_told_in_files_too(
    one_task: ReportData, tmp_path: Path
) -> None:
    of_weak = (pl.col("endpoint") == "lab/weak") & (pl.col("item") == one_task.judgements["item"][0])
    other = pl.when(of_weak).then(pl.col("item") + "x").otherwise("item").alias("item")
    apart = replace(one_task, judgements=one_task.judgements.with_columns(other))
    for data, told in ((one_task, False), (apart, True)):
        write_report(data, tmp_path, ("md",))
        text = (tmp_path / "report.md").read_text(encoding="utf-8")
        assert ("not everyone was asked the same, though n is 40 for each" in text) is told
        said = verdict_of(Leaderboard(ReportView(data))).text
        assert ("beyond the questions that both of a pair were asked" in said) is told


def test_the_summary_in_the_terminal_is_inert(hostile: ReportData) -> None:
    shown = printed(terminal_summary(hostile), 200)
    assert "\x1b" not in without_styles(shown) and "\u202e" not in shown and "\x00" not in shown
    assert "\x1b[31m" not in shown


def test_markdown_has_the_scores_notices_signatures_and_citations(data: ReportData) -> None:
    text = render_markdown(ReportView(data))
    row = data.scores.filter(facet="all", metric="sem_b", endpoint="openai/gpt-4o-mini").row(0, named=True)
    assert (
        f"| openai/gpt-4o-mini | SEM-B | {number(row['score'])} | {number(row['low'])} to "
        f"{number(row['high'])} |" in text
    )
    assert "Before you read the numbers" in text
    assert all(signature in text for signature in data.scores["signature"].unique())
    assert all(release.citation in text for release in data.releases)


def test_every_markdown_table_keeps_its_columns(hostile: ReportData) -> None:
    lines = render_markdown(ReportView(hostile)).splitlines()
    width = 0
    for line in lines:
        if line.startswith("| "):
            cells = len(re.findall(r"(?<!\\)\|", line))
            width = width or cells
            assert cells == width, line
        else:
            width = 0


def test_code_is_exact_outside_tables_and_keeps_to_its_cell_inside() -> None:
    assert code("a|b") == "`a|b`"
    assert code("a|b", in_table=True) == "`a\\|b`"


@pytest.mark.parametrize("text", ["a|b", "`x`", "``", "a``b|", "<b>", "# no", "*x* _y_ [z](w)"])
def test_markdown_pieces_cannot_break_out(text: str) -> None:
    assert not re.search(r"(?<!\\)[|<`*_\[]", escape(text))
    ticks = re.match("`+", code(text))
    assert ticks and code(text).count(ticks[0]) == 2
    block = fenced(f"```\n{text}\n````")
    assert block.splitlines()[0] == block.splitlines()[-1] == "`````"


def test_terminal_markdown_and_page_say_what_not_to_believe_in_one_order(data: ReportData) -> None:
    narrow = (pl.col("endpoint") == "openai/gpt-4o-mini") & (pl.col("task") == "blend/saq")
    half = pl.when(narrow).then(pl.col("n") // 2)
    mixed = data.scores.with_columns(n=half.otherwise("n"), unreadable=half.otherwise("unreadable"))
    odd = replace(data, scores=mixed, warnings=("What the data say.",))
    view = ReportView(odd)
    told = doubts(view, ["What is uncertain."])
    assert [
        any(words in sentence for sentence in told)
        for words in ("not everyone was asked", "no answer could be read")
    ] == [True] * 2
    assert told[-2:] == ["What is uncertain.", "What the data say."]
    assert notices(view) == [*coverage_notices(view), *doubts(view)]

    def places(text: str) -> list[int]:
        return [flat(text).index(flat(sentence)) for sentence in doubts(view)]

    def flat(text: str) -> str:
        return re.sub(r"\W+", "", text)

    page = re.sub(r"<[^>]+>", "", unescape(page_without_figures(view)))
    for text in (printed(terminal_summary(odd), 200), render_markdown(view), page):
        assert places(text) == sorted(places(text))


def test_markdown_begins_with_the_summary_of_the_page(data: ReportData) -> None:
    view = ReportView(data)
    text = render_markdown(view, turned=["one turns | round"])
    summary = text[text.index("## Summary") : text.index("## ", text.index("## Summary") + 3)]
    board = Leaderboard(view)
    for task in view.tasks:
        assert summary.count(f"| {escape(task.title)} |") == len(board.first(task)) > 0
    assert "- one turns \\| round" in summary


@pytest.mark.parametrize("width", range(60, 82))
@pytest.mark.parametrize("state", ["answered", "refused", "unreadable", "truncated", "missing"])
def test_no_word_of_a_table_of_scores_is_broken_from_60_columns_on(width: int, state: str) -> None:
    """Names of models are shortened instead."""
    report = small_report(
        Metric("right", "Right", "It is right."), {("baseline/random", "KR"): 41}, 136, "wrong"
    )
    states = pl.when(pl.int_range(pl.len()) > 99).then(pl.lit(state)).otherwise("state")
    data = report_of(report.judgements.with_columns(state=states), Metric("right", "Right", "It is right."))
    words = set(without_styles(printed(terminal_summary(data), width)).split())
    assert {"answered", "coverage", "interval", "136"} <= words
    assert state == "answered" or state in words
    assert any(word.startswith("baseline") for word in words)


@pytest.fixture(scope="module")
def of_the_demo(tmp_path_factory: pytest.TempPathFactory) -> ReportView:
    workspace = tmp_path_factory.mktemp("demo") / "w.db"
    return ReportView(run("demo", models=["baseline/random"], limit=2, workspace=workspace).report_data())


@pytest.mark.parametrize("width", [50, 60, 72, 80, 200])
def test_no_title_of_a_task_is_broken_within_a_word_in_the_matrix(
    of_the_demo: ReportView, width: int
) -> None:
    lines = without_styles(printed(terminal_verdict(Leaderboard(of_the_demo)), width)).splitlines()
    assert max(map(len, lines)) <= width
    words = {word for line in lines for word in line.split()}
    assert {word for task in of_the_demo.tasks for word in task.title.split()} <= words


@pytest.mark.parametrize(
    ("width", "blocks"), [(200, [6]), (72, [6]), (71, [5, 1]), (42, [3, 3]), (41, [2, 2, 2]), (32, [2, 2, 2])]
)
def test_a_table_is_cut_into_no_more_blocks_than_its_width_needs(width: int, blocks: list[int]) -> None:
    """A name takes ten cells, and a number eight; two are between columns."""
    heads = ("model", *(f"task {number}" for number in range(6)))
    rows = tuple((f"lab/model{name}", *(f"{number}.{name}45678" for number in range(6))) for name in "12")
    lines = without_styles(printed(Blocks(TextTable(heads, rows)), width)).splitlines()
    assert max(map(len, lines)) <= width
    assert [line.count("task") for line in lines if "task" in line] == blocks
    for row in rows:
        parts = [line.split()[1:] for line in lines if line.split()[:1] == [row[0]]]
        assert [cell for part in parts for cell in part] == [*row[1:]]


@pytest.mark.parametrize(("width", "shown"), [(200, 40), (90, 30), (60, 20), (42, 14), (30, 14)])
def test_a_name_takes_a_third_of_the_width_of_a_table_of_a_few_numbers(width: int, shown: int) -> None:
    name = "n" * 40
    (line,) = [
        line
        for line in without_styles(
            printed(Blocks(TextTable(("model", "score"), ((name, "1.2"),))), width)
        ).splitlines()
        if "1.2" in line
    ]
    cut = name if shown == 40 else "n" * (shown - 1) + "…"
    assert line.split() == [cut, "1.2"]


def test_a_heading_that_is_wider_than_all_names_is_whole() -> None:
    lines = without_styles(printed(Blocks(TextTable(("model", "s"), (("x", "1.2"),))), 60)).splitlines()
    assert [line.split() for line in lines if line.strip(" ─━")] == [["model", "s"], ["x", "1.2"]]

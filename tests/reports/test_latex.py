"""The report for a paper: LaTeX that parses whatever was written into it, the scores, and citations that
resolve."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pylatexenc.latex2text import LatexNodes2Text
from pylatexenc.latexwalker import LatexEnvironmentNode, LatexWalker

from folkways.benchmarks.results import Result, ResultTables
from folkways.benchmarks.tables import Layout, Table
from folkways.cultures import cultures_of
from folkways.display import single_line
from folkways.releases.registry import get_record, known_releases
from folkways.reports.data import ReportData
from folkways.reports.formats import latex, markdown
from folkways.reports.formats.latex import escape, render_latex
from folkways.reports.formats.methods import bibliography, citation_key, methods_paragraph
from folkways.reports.formats.write import write_report
from folkways.reports.views.leaderboard import Leaderboard, Rank
from folkways.reports.views.views import ReportView
from tests.reports.test_analyses_shown import gains_table
from tests.support.report_data import signed


def _environments(document: str) -> list[str]:
    """Names of all environments, from an outside parser that stops at what does not match."""
    found = []

    def walk(nodes: object) -> None:
        for node in nodes or ():  # type: ignore[attr-defined]
            if isinstance(node, LatexEnvironmentNode):
                found.append(node.environmentname)
            walk(getattr(node, "nodelist", None))

    walk(LatexWalker(document, tolerant_parsing=False).get_latex_nodes()[0])
    return found


@pytest.fixture(scope="module")
def document(data: ReportData) -> str:
    return render_latex(ReportView(data))


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cs",))))
def test_whatever_is_escaped_prints_as_it_was(text: str) -> None:
    printed = LatexNodes2Text(strict_latex_spaces=True, keep_comments=True).latex_to_text(escape(text))
    expected = single_line(text).replace("−", "-")
    plain = str.maketrans({"\u202f": " ", "–": "-", "—": "-", "ˆ": "^"})
    assert re.sub(r"-+|\s+", "", printed.translate(plain)) == re.sub(r"-+|\s+", "", expected.translate(plain))


def test_tables_parse_and_have_the_scores(document: str, data: ReportData) -> None:
    assert _environments(document).count("tabular") == document.count("\\toprule") > 8
    row = data.scores.filter(
        task="blend/saq", metric="sem_b", facet="culture", value="ET", endpoint="openai/gpt-4o-mini"
    ).row(0, named=True)
    cell = f"{row['score']:.1f} {{\\scriptsize [{row['low']:.1f}, {row['high']:.1f}]}}"
    assert f"Ethiopia & {cell}" in document
    assert "1 & gpt-4o-mini & " in document and "baseline constant:yes" in document


def test_a_dagger_marks_what_is_not_told_apart_from_the_first(
    data: ReportData, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = ReportView(data)
    (task,) = [task for task in view.tasks if task.task == "blend/saq"]
    first, second = task.models[:2]
    for level in (True, False):
        board = Leaderboard(view)
        ranks = {first: Rank(1, 1, 2), second: Rank(2, 1, 2, level)}
        monkeypatch.setattr(
            board, "ranks", lambda asked, found=ranks: found if asked.task == task.task else {}
        )
        marked = f"{escape(view.short[second])}{escape('†')} &"
        document = render_latex(view, board).partition("\\label{tab:" + task.slug + "}")
        table = document[2].partition("\\end{table*}")[0]
        assert (
            marked in table,
            f"{escape('†')} not told apart from the first" in document[0].rpartition("\\caption")[2],
        ) == (level, level)
        assert f"{escape(view.short[first])} &" in table
        plain = markdown.render_markdown(view, board)
        assert (f"{markdown.escape(second)}† |" in plain, f"{markdown.escape(first)}† |" in plain) == (
            level,
            False,
        )


def paper(folder: Path, kind: str = "10pt", then: str = "") -> tuple[str, str]:
    """Set a paper of LaTeX's own class that has the report in it; the logs of pdfTeX and of BibTeX."""
    if shutil.which("pdflatex") is None or shutil.which("bibtex") is None:
        pytest.skip("no TeX: apt-get install texlive-latex-base texlive-latex-recommended")
    (folder / "paper.tex").write_text(
        f"\\documentclass[{kind}]{{article}}\\usepackage{{booktabs}}\\begin{{document}}\\input{{report.tex}}"
        f"\\bibliographystyle{{plain}}\\bibliography{{report}}{then}\\end{{document}}"
    )
    tex = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    for command in (tex, ["bibtex", "paper"], tex, tex):
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", check=False
        )
        assert done.returncode == 0, done.stdout[-3000:]
    logs = [
        (folder / f"paper.{ending}").read_text(encoding="utf-8", errors="replace")
        for ending in ("log", "blg")
    ]
    return logs[0], logs[1]


@pytest.fixture(scope="module")
def wide_report(data: ReportData) -> ReportData:
    """Eight models with names as long as people's are, and an analysis with a grid of 45 rows and long notes."""
    first = data.scores.filter(endpoint="openai/gpt-4o-mini")
    names = [f"organisation/family-{number}.5-235b-a22b-thinking-2507" for number in range(8)]
    scores = pl.concat([data.scores, *(first.with_columns(endpoint=pl.lit(name)) for name in names)])
    rows = (
        pl.DataFrame({"culture": [culture.code for culture in cultures_of("culturalbench")]})
        .join(pl.DataFrame({"endpoint": names}), how="cross")
        .with_columns(gain=-12.3, low=-100.0, high=45.6)
    )
    table = Table(
        "gains", "Gains", "points", rows, Layout("culture", "endpoint", "gain", decimals=1), ("Long. " * 200,)
    )
    result = Result("gains", "Gained", lambda _: (), about="Is it?", tasks=("blend/saq",))
    releases = tuple(record for record in known_releases() if record.citation)
    return replace(data, scores=scores, results=(ResultTables(result, (table,)),), releases=releases)


@pytest.mark.parametrize(
    "kind", ["12pt", *(pytest.param(kind, marks=pytest.mark.nightly) for kind in ("10pt", "11pt,twocolumn"))]
)
def test_tex_sets_every_table_within_the_page(wide_report: ReportData, tmp_path: Path, kind: str) -> None:
    write_report(wide_report, tmp_path, ("latex",))
    log, entries = paper(tmp_path, kind)
    assert re.findall(r"Overfull .*|Float too large.*|.*undefined.*|.*multiply defined.*", log) == []
    assert "Warning" not in entries, "a style of BibTeX knows all types, and has what they need"
    document = (tmp_path / "report.tex").read_text(encoding="utf-8")
    assert document.count("\\begin{table*}") > 30 and ", continued (2 of " in document
    assert int(re.search(r"Output written on paper.pdf \((\d+) pages", log)[1]) > 10  # type: ignore[index]


CELLS = (
    "48.6 {\\scriptsize [45.1, 50.2]}",
    "$-$12.3 {\\scriptsize [$-$100.0, $-$45.6]}",
    "[$-$0.2, 1.4]",
    "llama-3.1-8b-instruct",
    "Qwen3-235B-A22B",
    "Northern Nigeria, English",
    "MMMMM WWWWW",
    "1,234 of 5,678",
    escape("{x}{y}{z}"),
    escape("a_b & 95 % ⟨U+202E⟩ <b> {x}†"),
)


def test_tex_sets_hostile_text_as_text_and_cells_as_wide_as_was_guessed(
    hostile: ReportData, tmp_path: Path
) -> None:
    write_report(replace(hostile, title="⟨a title⟩"), tmp_path, ("latex",))
    measures = [
        f"\\settowidth{{\\dimen0}}{{\\small {cell}}}\\typeout{{WIDTH \\the\\dimen0}}" for cell in CELLS
    ]
    log, _ = paper(tmp_path, then="".join(measures))
    widths = [float(width) for width in re.findall(r"^WIDTH ([\d.]+)pt", log, re.MULTILINE)]
    for cell, width in zip(CELLS, widths, strict=True):
        assert 0.95 * width < latex.cell_width(cell) < 1.35 * width, (cell, width)


@pytest.mark.parametrize(
    ("number", "words", "ems"),
    [
        ("1" * 47, "word " * 40, "7.6"),  # 225.6 points, and 2 * 4 beside each column: 70.4 of 312 are left
        ("1" * 46 + "ii", "word " * 40, "13.0"),  # 226.6 points leave 69.4, so that it gets its own page
        ("1" * 46 + "ii", "word " * 5, "12.3"),  # its own width
        ("1" * 40, "word " * 40, "11.2"),
        ("1" * 40, "word " * 4, None),
    ],
)
def test_a_column_of_words_is_as_narrow_as_70_points_where_that_saves_a_page_else_120(
    number: str, words: str, ems: str | None
) -> None:
    table = latex.floating_table("lr", ["a", "b"], [[words, number]], "Caption.", "label")
    boxes = re.findall(r"parbox\[t\]\{([\d.]+)em\}", table)
    assert boxes == ([ems] if ems else [])


@given(st.integers(1, 12), st.integers(0, 90), st.integers(1, 60), st.integers(1, 2))
def test_a_table_that_does_not_fit_is_split_and_loses_no_cell(
    models: int, rows: int, letters: int, names: int
) -> None:
    head = [*["group"] * names, *(f"model-{number}-" + "x" * letters for number in range(models))]
    cells = [
        [
            *[f"row {row}"] * names,
            *(f"c{row}.{number} {{\\scriptsize [10.0, 20.0]}}" for number in range(models)),
        ]
        for row in range(rows)
    ]
    tables = latex.floating_table("l" * names + "r" * models, head, cells, "Caption.", "label", names).split(
        "\n\n"
    )
    lines = [line for table in tables for line in table.splitlines() if line.startswith("row ")]
    assert sorted(re.findall(r"c\d+\.\d+", " ".join(lines))) == sorted(
        f"c{row}.{number}" for row in range(rows) for number in range(models)
    )
    for table in tables:
        (kinds,) = re.findall(r"begin\{tabular\}\{(\w+)\}", table)
        own = [line for line in table.splitlines() if line.startswith("row ")]
        assert kinds.startswith("l" * names + "r") and len(own) <= latex.MOST_LINES
        wide = [
            max([0.0, *(latex.cell_width(cell) for cell in column)])
            for column in zip(*(line.removesuffix(r" \\").split(" & ") for line in own), strict=True)
        ]
        assert len(kinds) == names + 1 or sum(wide) + 2 * latex.GAP * len(kinds) <= latex.PAGE_WIDTH
    assert [table.count("\\label") for table in tables] == [1, *[0] * (len(tables) - 1)]
    assert all(f"continued ({place} of {len(tables)})" in table for place, table in enumerate(tables[1:], 2))


def test_every_line_of_a_table_has_as_many_cells_as_its_head(document: str) -> None:
    tables = re.findall(r"\\begin\{tabular\}\{([lrc]+)\}(.*?)\\end\{tabular\}", document, re.DOTALL)
    assert len(tables) == document.count("\\toprule")
    for columns, body in tables:
        lines = re.findall(r"^(.*) \\\\$", body, re.MULTILINE)
        assert len(lines) > 1
        for line in lines:
            assert len(re.findall(r"(?<!\\)&", line)) + 1 == len(columns), line


def test_hostile_text_opens_and_runs_nothing(hostile: ReportData) -> None:
    attack = "\\input{secret} \\end{tabular} $x^{2}$ % gone & done # ~ {"
    model = hostile.scores["endpoint"][0]
    evil = replace(
        hostile,
        scores=hostile.scores.with_columns(endpoint=hostile.scores["endpoint"].replace(model, attack)),
    )
    document = render_latex(ReportView(evil))
    assert re.search(r"\\input|(?<!\\)% gone|\^\{2", document) is None
    assert "\\textbackslash{}input" in document
    assert _environments(document).count("tabular") == document.count("\\toprule")


def test_analyses_come_with_their_layout(data: ReportData) -> None:
    made = ResultTables(
        Result("gains", "Gained", lambda _: (), about="Is it?", tasks=("blend/saq",)),
        (gains_table(decimals=1),),
    )
    document = render_latex(ReportView(replace(data, results=(made,))))
    assert "South Korea & 8.0 {\\scriptsize [6.0, 10.0]} & 2.0" in document
    assert "Gains $<$b$>$" in document and "\\label{tab:gains-1}" in document


def test_notes_of_analyses_name_models_as_their_tables_do(data: ReportData) -> None:
    """Nobody's server stands in what is published."""
    (model, *_) = ReportView(data).endpoints
    address = "http://10.0.0.7:8000/v1#mine"
    renamed = data.scores.with_columns(pl.col("endpoint").replace(model, address))
    table = replace(gains_table(decimals=1), notes=(f"{address}: nothing is lost.",))
    made = ResultTables(Result("gains", "Gained", lambda _: (), about="?", tasks=("blend/saq",)), (table,))
    view = ReportView(replace(data, scores=renamed, results=(made,)))
    for text in (render_latex(view), markdown.render_markdown(view)):
        assert re.search(r"[\s{]mine: nothing is lost\.", text)


def test_tables_by_group_say_their_profile_where_there_are_several(data: ReportData) -> None:
    one = data.scores.filter(pl.col("profile") == data.scores["profile"][0])
    other = pl.concat([one, one.with_columns(profile=pl.lit("another"))])
    (latex_one, plain_one), (latex_both, plain_both) = (
        (render_latex(view), markdown.render_markdown(view))
        for view in (ReportView(replace(data, scores=scores)) for scores in (one, other))
    )
    profile = one["profile"][0]
    assert f"by culture, profile {profile}, with" in latex_both and ", profile " not in latex_one
    said = f"The tables below show profile *{profile}*"
    assert said in plain_both and said not in plain_one


def test_the_methods_say_what_the_signature_says(data: ReportData) -> None:
    signature = (
        "task:blend/saq|data:blend@24e7d73#0a1b|lang:ko+en|variant:inst-4+pers-3|prompts:release|system:own#12|"
        "settings:temperature=0.0|samples:2|profile:strict|text-jieba:0.42.1|seed:0|folkways:0.1.0"
    )
    view = ReportView(
        replace(data, scores=data.scores.with_columns(signature=data.scores["signature"].replace_strict({}, default=signature)),
                signatures={signature: signed(signature)}, releases=(get_record("blend"),))
    )  # fmt: skip
    words = methods_paragraph(view, view.tasks[0])
    for part in (
        "gpt-4o-mini and llama-3.1-8b-instruct",
        "(myung2024blend), release blend@24e7d73, about 16 cultures in Korean and English",
        "the authors’ wording (variants inst-4 and pers-3)",
        "2 replies per prompt, the settings temperature=0.0 and a system prompt of our own",
        "known defects fixed (profile strict)",
        "jieba 0.42.1",
        "wilson by question",
        "(folkways)",
    ):
        assert part in words


def test_every_citation_is_in_the_bibliography(data: ReportData, tmp_path: Path) -> None:
    releases = tuple(get_record(name) for name in ("blend", "blend-june", "culturalbench", "xcr"))
    signature = "data:blend@24e7d73#0|profile:paper"
    scores = data.scores.with_columns(signature=pl.lit(signature))
    told = replace(data, releases=releases, scores=scores, signatures={signature: signed(signature)})
    files = write_report(told, tmp_path, ("latex",))
    assert [path.name for path in files] == ["report.tex", "report.bib"]
    document, entries = (path.read_text(encoding="utf-8") for path in files)
    cited = set(re.findall(r"\\cite\{([^}]*)\}", document))
    assert cited == {"folkways", "myung2024blend"}
    keys = re.findall(r"^@\w+\{([^,]+),", entries, re.MULTILINE)
    assert sorted(keys) == sorted(["folkways", *{citation_key(release) for release in releases}]), (
        "states of one work share an entry"
    )
    assert entries.count("{") == entries.count("}")


def test_a_citation_without_a_key_is_left_out(hostile: ReportData) -> None:
    assert citation_key(hostile.releases[0]) is None
    assert bibliography(hostile.releases).count("@") == 1

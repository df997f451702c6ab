"""How models differ is stored with the scores of a run, and belongs to them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
import sqlalchemy as sa
from polars.testing import assert_frame_equal

import folkways as api
from folkways.evidence.order import ModelContrasts
from folkways.integrations.every_eval_ever.export import export_run as export_records
from folkways.integrations.inspect.export import export_run as export_logs
from folkways.records import SCORES
from folkways.reports.data import ReportData
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.views import ReportView
from folkways.runs.results.report import verdict_on_runs
from folkways.workspace import results, schema
from folkways.workspace.archives.moving import archive_run
from tests.support.hub_benchmarks import write_piqa

TASK = "demo/saq"


ANSWERS = {
    **{"fermented": "kimchi", "entrance": "shoes", "birthday": "miyeokguk", "lunar": "tteokguk"},
    **{"roasted": "coffee", "flat bread": "injera", "How many months": "13"},
    **{"yogurt": "ayran", "narrow waist": "tea", "scented": "kolonya", "kiss": "hand"},
}


def knows_english(prompt: str) -> str:
    return next((answer for word, answer in ANSWERS.items() if word in prompt), "I do not know.")


def knows_korea(prompt: str) -> str:
    return knows_english(prompt) if "Korea" in prompt else "I do not know."


def always_silent(_prompt: str) -> str:
    return "I do not know."


@pytest.fixture
def run(tmp_path: Path) -> api.Run:
    """Three models, one of them a baseline, on three cultures."""
    models = [knows_english, always_silent, "baseline/first"]
    return api.run(TASK, models=models, cultures="KR,ET,TR", workspace=tmp_path / "w.db")


def compared(data: ReportData, task: str = TASK) -> ModelContrasts:
    board = Leaderboard(ReportView(data))
    (shown,) = (one for one in board.view.tasks if one.task == task)
    return ModelContrasts(board.contrasts(shown), board.ranks(shown))


def made_of_judgements(run: api.Run, profile: str | None = None) -> ModelContrasts:
    return compared(replace(run.report_data(profile), contrasts={}))


def assert_same(stored: ModelContrasts, made: ModelContrasts) -> None:
    assert_frame_equal(stored.contrasts, made.contrasts)
    assert stored.ranks == made.ranks and list(stored.ranks) == list(made.ranks)


def without_metrics(run: api.Run) -> None:
    with run.workspace.write() as connection:
        connection.execute(sa.update(schema.judgements).values(details="{}"))


def test_a_display_of_scores_reads_no_judgement(run: api.Run) -> None:
    made, brief = made_of_judgements(run), run.brief()
    assert made.contrasts.height == 4 and made.ranks["python/knows_english"].value == 1
    without_metrics(run)
    assert_same(compared(run.report_data(with_judgements=False, with_verdict=True)), made)
    assert run.brief() == brief


def test_what_is_stored_is_that_of_the_last_scores(run: api.Run) -> None:
    """Replies that came since, and a profile that is scored later, have contrasts of their own."""
    before = made_of_judgements(run)
    replies = schema.responses
    with run.workspace.write() as connection:
        own = sa.select(schema.endpoints.c.id).where(schema.endpoints.c.name == "python/knows_english")
        connection.execute(
            sa.update(replies).where(replies.c.endpoint_id.in_(own)).values(text="I do not know.")
        )
    run.score()
    after = compared(run.report_data(with_judgements=False, with_verdict=True))
    assert_same(after, made_of_judgements(run))
    assert before.ranks["python/always_silent"].value == 2 and after.ranks["python/always_silent"].value == 1
    run.score("paper")
    without = {"with_judgements": False, "with_verdict": True}
    assert_same(compared(run.report_data("paper", **without)), made_of_judgements(run, "paper"))
    assert_same(compared(run.report_data("strict", **without)), after)


def test_scores_that_go_take_their_contrasts_along(run: api.Run) -> None:
    scored = pl.DataFrame(schema={"subject": pl.String, **dict.fromkeys(SCORES, pl.String)})
    results.save_scores(run.workspace, run.record, TASK, "paper", scored)
    assert len(list(results.load_contrasts(run.workspace, run.record))) == 1
    results.save_scores(run.workspace, run.record, TASK, "strict", scored)
    assert list(results.load_contrasts(run.workspace, run.record)) == []


def test_contrasts_of_another_version_are_made_anew(run: api.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    made = made_of_judgements(run)
    monkeypatch.setattr(results, "__version__", "0.0.1")
    assert list(results.load_contrasts(run.workspace, run.record)) == []
    assert_same(compared(run.report_data(with_judgements=False, with_verdict=True)), made)


def test_several_runs_are_compared_together(run: api.Run) -> None:
    """No run alone knows how its models differ from those of the other."""
    other = api.run(TASK, models=knows_korea, cultures="KR,ET,TR", workspace=run.workspace)
    brief = verdict_on_runs([run.name, other.name], workspace=run.workspace)
    (task,) = brief.tasks
    pairs = task.evidence.contrasts.filter(pl.col("facet") == "all").select("first", "second").rows()
    assert len(pairs) == 3 and {name for pair in pairs for name in pair} == {
        *("python/knows_english", "python/knows_korea", "python/always_silent")
    }

    assert len(list(results.load_contrasts(run.workspace, run.record))) == 1
    assert list(results.load_contrasts(other.workspace, other.record)) == []


def test_other_groups_than_cultures_are_compared_by_the_judgements(run: api.Run) -> None:
    board = Leaderboard(ReportView(run.report_data()), by=("language",))
    assert board.contrasts(board.view.tasks[0])["facet"].unique().sort().to_list() == ["all", "language"]


def test_a_single_model_has_none_and_its_judgements_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "load_judgements", lambda *_, **__: pytest.fail("there is no pair"))
    alone = api.run(TASK, models=[knows_english, "baseline/first"], workspace=tmp_path / "w.db")
    assert list(results.load_contrasts(alone.workspace, alone.record)) == []


def always_a(_prompt: str) -> str:
    return "A"


def told_where_it_was_born(prompt: str, system: str | None = None) -> str:
    return "none of these" if system and "born in" in system else always_a(prompt)


def test_models_are_compared_on_prompts_as_they_are(tmp_path: Path) -> None:
    models = [always_a, told_where_it_was_born]
    treated = api.run(
        "demo/mcq", models=models, cultures="KR", treatments="persona-second", workspace=tmp_path / "w.db"
    )
    stored = compared(treated.report_data(with_judgements=False, with_verdict=True), "demo/mcq")
    assert stored.contrasts["difference"].abs().max() == 0 and stored.contrasts.height > 0


IN_ENGLISH, OTHERS = "tea warm", {"Brötchen": "B", "畳": "B", "queijo": "A"}


def of_english(prompt: str) -> str:
    return "A" if IN_ENGLISH in prompt else "none"


def of_others(prompt: str) -> str:
    return next((right for word, right in OTHERS.items() if word in prompt), "none")


@pytest.fixture(scope="module")
def varieties(tmp_path_factory: pytest.TempPathFactory) -> api.Run:
    """A task whose score is the mean over varieties: one model is right in the large one, the other in the
    three small ones."""
    return asked_in_varieties(tmp_path_factory.mktemp("varieties"))


def asked_in_varieties(folder: Path, until: float | None = None) -> api.Run:
    write_piqa(folder / "piqa", ("deu_latn", "jpn_jpan", "por_latn_braz"), 4)
    write_piqa(folder / "piqa", ("eng_latn",), 40)
    asked = {"releases": {"global-piqa": str(folder / "piqa")}, "workspace": folder / "w.db"}
    return api.run("global-piqa", models=[of_english, of_others], until=until, **asked)


def test_the_score_of_a_sample_is_a_mean_over_groups_as_that_of_all_is(tmp_path: Path) -> None:
    whole = asked_in_varieties(tmp_path, until=20).scores().filter(facet="all", metric="accuracy")
    assert whole["interval"].str.starts_with("anytime").all()
    assert dict(whole.select("endpoint", "score").rows()) == {
        "python/of_english": 25.0,
        "python/of_others": 75.0,
    }


@pytest.mark.parametrize(
    "way", ["stored", "judgements", "compare", "logs", "records", "run beside logs", "archive"]
)
def test_every_difference_is_that_of_scores_that_are_means_over_groups(
    way: str, varieties: api.Run, tmp_path: Path
) -> None:
    task, stored = "global-piqa/mcq", (varieties.workspace, varieties.record)
    scores = varieties.scores().filter(facet="all", metric="accuracy")
    assert dict(scores.select("endpoint", "score").rows()) == {
        "python/of_english": 25.0,
        "python/of_others": 75.0,
    }
    if way == "stored":
        contrasts = compared(varieties.report_data(with_judgements=False, with_verdict=True), task).contrasts
    elif way == "judgements":
        contrasts = compared(replace(varieties.report_data(), contrasts={}), task).contrasts
    elif way == "compare":
        contrasts = varieties.compare()[0].differences
    elif way == "logs":
        export_logs(*stored, tmp_path, unlicensed_items=True)
        contrasts = api.compare_logs(*tmp_path.rglob("*.eval"))[0].differences
    else:
        boards: list[Leaderboard] = []
        files: list[Path | str] = [varieties.name]
        if way == "archive":
            moved = asked_in_varieties(tmp_path)
            archive_run(moved.workspace, moved.record, tmp_path / "archive")
            files = [tmp_path / "archive"]
        elif way == "records":
            export_records(*stored, tmp_path, unlicensed_items=True)
            files = [*tmp_path.rglob("data/**/*.json")]
        api.report_logs(*files, out=tmp_path / "report", workspace=varieties.workspace, tell=boards.append)
        contrasts = boards[0].contrasts(boards[0].view.tasks[0])
    first, apart = contrasts.filter(facet="all").select("first", "difference").row(0)
    assert apart == pytest.approx(-50.0 if first.endswith("of_english") else 50.0)

"""Verdicts on synthetic systems against what the authors' own programs gave for them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from folkways.benchmarks.registry import get_task
from folkways.benchmarks.released_data import open_release
from folkways.records import State
from folkways.runs.judging.external_responses import judge_file
from tests.support.command_line import folkways

pytestmark = pytest.mark.shared

XCR = {
    "identification": (
        ("id_gold", "id_mixA", "id_adversarial"),
        ("hi_csi", "si_csi", "si_precision", "si_recall"),
    ),
    "prediction": (("pr_gold", "pr_mixA", "pr_adversarial"), ("hp_csi",)),
}
SYSTEMS = [(task, system) for task, (systems, _) in XCR.items() for system in systems]
HEADLINES = {"HI-CSI": "hi_csi", "SI-CSI": "si_csi", "HP-CSI": "hp_csi"}

GIVEN = ("ID", "Translation", "prompt", "response", "prompt_no")
SAQ = {
    "Algeria_Arabic": ("DZ", "ar", 0.90),
    "Azerbaijan_Azerbaijani": ("AZ", "az", 0.91),
    "China_Chinese": ("CN", "zh", 0.95),
    "Northern_Nigeria_Hausa": ("NG-N", "ha", 0.91),
    "South_Korea_Korean": ("KR", "ko", 0.98),
    "US_English": ("US", "en", 0.93),
}
"""File -> culture, language, and the share of verdicts that a segmenter without dictionaries gets like the
authors' tools do."""


@pytest.fixture(scope="module")
def systems(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the synthetic systems for XCR-Bench."""
    folder = tmp_path_factory.mktemp("xcr")
    maker = shared / "parity" / "xcr" / "make_inputs.py"
    subprocess.run([sys.executable, maker, shared / "data" / "xcr", folder], check=True, capture_output=True)
    return folder / "inputs"


@pytest.mark.parametrize(
    ("task", "system", "by_position"),
    [
        *((task, system, False) for task, system in SYSTEMS if system != "pr_gold"),
        ("prediction", "pr_mixA", True),
        pytest.param("prediction", "pr_gold", False, marks=pytest.mark.nightly),
        *(
            pytest.param(task, system, True, marks=pytest.mark.nightly)
            for task, system in SYSTEMS
            if system != "pr_mixA"
        ),
    ],
)
def test_xcr_row_by_row(shared: Path, systems: Path, task: str, system: str, by_position: bool) -> None:
    release = open_release(shared / "data" / "xcr", "xcr")
    path = systems / task / f"{system}.csv"
    judged = judge_file(get_task(f"xcr/{task}"), release, path, by_position=by_position).judgements
    expected = pl.read_csv(shared / "parity" / "xcr" / "expected" / task / f"{system}.csv")
    assert judged.height == expected.height == 1034
    for metric in XCR[task][1]:
        difference = (judged[metric] - expected[metric]).abs()
        assert difference.null_count() == 0
        assert difference.max() <= 1e-12, f"{metric}: {(difference > 1e-12).sum()} rows differ"


@pytest.mark.parametrize(
    ("task", "system"), [("identification", "id_adversarial"), ("prediction", "pr_mixA")]
)
def test_xcr_overall_by_the_command(
    shared: Path, systems: Path, tmp_path: Path, task: str, system: str
) -> None:
    out = tmp_path / "verdicts.parquet"
    data = shared / "data" / "xcr"
    done = folkways(
        "judge",
        f"xcr/{task}",
        "--release",
        data,
        "--responses",
        systems / task / f"{system}.csv",
        "--out",
        out,
        "--by-position",
    )
    assert done.returncode == 0, done.stderr
    overall = pl.read_csv(shared / "parity" / "xcr" / "expected" / "overall.csv").filter(
        pl.col("system") == system, pl.col("metric").is_in(list(HEADLINES))
    )
    assert set(overall["metric"]) == ({"HP-CSI"} if task == "prediction" else {"HI-CSI", "SI-CSI"})
    verdicts = pl.read_parquet(out)
    shown = judge_file(
        get_task(f"xcr/{task}"), open_release(data, "xcr"), systems / task / f"{system}.csv"
    ).scores
    for metric, expected in overall.select("metric", "overall").iter_rows():
        score = shown.filter(pl.col("facet") == "all", pl.col("metric") == HEADLINES[metric])["score"].item()
        assert score == pytest.approx(expected, abs=1e-9)
        assert verdicts[HEADLINES[metric]].null_count() == 0


@pytest.fixture(scope="module")
def saq(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    """File -> one row per question: our judgement, and the authors' as ``official_*``; only GIVEN was shown
    to folkways."""
    folder = tmp_path_factory.mktemp("saq")
    release = open_release(shared / "data" / "blend" / "24e7d73", "blend")
    found = {}
    for name, (culture, language, _) in SAQ.items():
        whole = pl.read_csv(shared / "parity" / "blend_saq" / f"{name}.csv", infer_schema=False)
        path = folder / f"{name}.csv"
        whole.select(GIVEN).write_csv(path)
        judged = judge_file(get_task("blend/saq"), release, path, culture=culture, language=language)
        assert "3 rows repeat an item: the last row of each counts" in judged.notes
        official = whole.unique("ID", keep="last").select(
            pl.col("ID").alias("release_id"),
            pl.col("official_valid") == "1",
            pl.col("official_binary", "official_weight").cast(pl.Float64),
            "official_stage",
        )
        found[name] = judged.judgements.join(official, on="release_id", how="left", maintain_order="left")
    return found


@pytest.mark.parametrize("name", SAQ)
def test_saq_every_question_has_a_row_and_the_denominator_is_the_authors(
    saq: dict[str, pl.DataFrame], name: str
) -> None:
    table = saq[name]
    assert table.height == 500
    missing = table.filter(pl.col("state") == State.MISSING)
    assert missing.height == 3
    assert missing.filter("counted")["sem_b"].to_list() == [0.0] * missing["counted"].sum()
    there = table.filter(pl.col("official_stage").is_not_null())
    assert there.height == 497
    assert there["counted"].to_list() == there["official_valid"].to_list()


@pytest.mark.parametrize("name", SAQ)
def test_saq_what_the_authors_match_letter_by_letter_we_match_alike(
    saq: dict[str, pl.DataFrame], name: str
) -> None:
    matched = saq[name].filter("official_valid", pl.col("official_stage").str.starts_with("substring"))
    assert matched.height > 200
    assert matched["sem_b"].to_list() == [1.0] * matched.height
    assert (matched["sem_w"] - matched["official_weight"]).abs().max() <= 1e-12


@pytest.mark.parametrize("name", SAQ)
def test_saq_agreement(saq: dict[str, pl.DataFrame], name: str) -> None:
    counted = saq[name].filter("official_valid")
    agreement = float((counted["sem_b"] == counted["official_binary"]).mean() or 0.0)
    assert agreement >= SAQ[name][2], f"{agreement:.4f}"

"""What leaves of a run on a survey: distances that say what they are, and no reply that is called right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from folkways.api import Run, run
from folkways.errors import FolkwaysError
from folkways.integrations.every_eval_ever.export import export_run
from folkways.integrations.hub.eval_results import HubAddresses, export_eval_results

ADDRESSES = HubAddresses(data_sets={"survey": "lab/survey", "demo": "lab/demo"})


def agreeing(prompt: str, item: str) -> str:
    """A model that takes the first label."""
    return "A" if "\nA. " in prompt else "1"


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("opinions")
    return run(["survey/opinions", "demo/mcq"], models=agreeing, workspace=folder / "w.db")


@pytest.fixture(scope="module")
def store(done: Run, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[str, ...]]:
    folder = tmp_path_factory.mktemp("store")
    return folder, export_run(done.workspace, done.record, folder).notes


def documents(folder: Path, benchmark: str) -> dict[str, Any]:
    (path,) = folder.glob(f"data/{benchmark}/**/*.json")
    return json.loads(path.read_bytes())  # type: ignore[no-any-return]


def test_the_store_gets_kind_direction_and_bounds_of_distances(store: tuple[Path, tuple[str, ...]]) -> None:
    configs = {
        result["metric_config"]["metric_id"].rpartition(".")[2]: result["metric_config"]
        for result in documents(store[0], "survey")["evaluation_results"]
    }
    kinds = {name: (one["metric_kind"], one["lower_is_better"]) for name, one in configs.items()}
    assert kinds == {
        "similarity": ("distribution", False),
        "wasserstein": ("distribution", True),
        "mean_gap": ("distribution", False),
        "of_as_many_people": ("distribution", False),
        "opinions": ("mean", False),
    }
    assert all("accuracy" not in json.dumps(one).casefold() for one in configs.values())
    assert "base 2" in configs["similarity"]["evaluation_description"]
    assert "Neither way is better" in configs["mean_gap"]["evaluation_description"]
    assert (configs["similarity"]["min_score"], configs["similarity"]["max_score"]) == (0, 100)
    assert (configs["mean_gap"]["min_score"], configs["mean_gap"]["max_score"]) == ("-Infinity", "Infinity")


def test_no_reply_to_a_survey_is_called_right_or_wrong(store: tuple[Path, tuple[str, ...]]) -> None:
    folder, notes = store
    assert "detailed_evaluation_results" not in documents(folder, "survey")
    assert not [*folder.glob("data/survey/**/*.jsonl")]
    assert [
        note for note in notes if "survey/opinions: aggregates alone" in note and "right or wrong" in note
    ]
    assert documents(folder, "demo")["detailed_evaluation_results"]["total_rows"]


def test_files_that_take_one_score_of_a_model_get_none_of_opinions(done: Run, tmp_path: Path) -> None:
    stored = (done.workspace, done.record)
    files, notes = export_eval_results(*stored, tmp_path, addresses=ADDRESSES, incomplete=True)
    assert [file.task_ids for file in files] == [("mcq",)]
    assert [
        note for note in notes if note.startswith("survey/opinions is not written: it has no right answers")
    ]
    with pytest.raises(FolkwaysError, match="survey/opinions is not written"):
        export_eval_results(
            *stored, tmp_path, tasks=["survey/opinions"], addresses=ADDRESSES, incomplete=True
        )

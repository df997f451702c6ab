"""Replies say which model they come from: where a run has replies of several under one name, its readers
are told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import folkways

HEAD = "In run mixed the replies of python/m say that they come from different models: "
END = ". Its scores mix them; afresh=True asks everything anew."


@pytest.fixture
def warnings_of(tmp_path: Path) -> Callable[..., list[str]]:
    """The sentences about served models in reports of a run in which reply number i is that of
    ``names[i]``."""

    def ask(names: list[Any], **shown: Any) -> list[str]:
        left = iter(names)

        def answer(prompt: str) -> dict[str, Any]:
            return {"model": next(left), "choices": [{"message": {"content": "A"}}]}

        model = folkways.model(answer, name="m", version=1, concurrency=1)
        run = folkways.run(
            "demo/mcq", models=model, workspace=tmp_path / "w.db", name="mixed", limit=len(names)
        )
        return [text for text in run.report_data(**shown).warnings if "different models" in text]

    return ask


@pytest.mark.parametrize(
    ("names", "listed"),
    [
        (["v1"] * 6, None),
        (["v1", None, None, None, "v1", "v1"], "python/m (3) and v1 (3)"),  # the endpoint's own, where none
        (["v1", "v2", "v2", "v1", "v2", "v2"], "v2 (4) and v1 (2)"),
        (["b", "a", "b", "a", "c", "c"], "a (2), b (2) and c (2)"),
        (["v\x1b[2J\n2"] * 4 + ["v1"] * 2, "v [2J 2 (4) and v1 (2)"),
        (["x" * 199] * 4 + ["v1"] * 2, f"{'x' * 119}… (4) and v1 (2)"),
        (["o/m@c template=1"] * 4 + ["o/m@c"] * 2, None),  # version 0.1 told no template
        (
            ["o/m@c template=1"] * 4 + ["o/m@c template=2"] * 2,
            "o/m@c template=1 (4) and o/m@c template=2 (2)",
        ),
    ],
)
@pytest.mark.parametrize("with_judgements", [True, False])
def test_a_report_names_the_models_whose_replies_a_run_mixes(
    warnings_of: Any, names: list[Any], listed: str | None, with_judgements: bool
) -> None:
    expected = [] if listed is None else [f"{HEAD}{listed}{END}"]
    assert warnings_of(names, with_judgements=with_judgements) == expected


def test_of_many_models_a_report_names_the_first_three(warnings_of: Any) -> None:
    (sentence,) = warnings_of([f"v{number:02}" for number in range(18)])
    assert sentence == f"{HEAD}v00 (1), v01 (1), v02 (1) and others{END}"

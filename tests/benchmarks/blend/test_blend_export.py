"""Which questions of a study are in the release that is made of it."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from folkways.benchmarks.blend.export import files
from folkways.benchmarks.studies import Study, StudyItem, Vote
from folkways.errors import FolkwaysError

RESULT = {"valid": 0, "idk": 5}


def item(state: str, result: dict[str, int] | None, culture: str | None = "KR") -> StudyItem:
    content = {"english": "What is eaten?", "local": "무엇을 먹나요?", "category": "Food"}
    votes = [Vote("p-1", {"answers": ["떡국"], "no_answer": None})]
    return StudyItem(
        1, "q1@korea", "answer", None, 1, "korea", culture, "ko", "", state, content, result, votes
    )


def study(*items: StudyItem) -> Study:
    return Study("mine", "Mine", "CC-BY-4.0", {"answer": "short_answers"}, {each.id: each for each in items})


@pytest.mark.parametrize(
    ("made", "exported"),
    [
        (item("done", RESULT), True),
        (item("open", None), True),  # nobody has decided yet
        (item("draft", None), False),
        (item("dropped", RESULT), True),  # nobody knew an answer, which the release counts
        (item("dropped", None), False),  # a researcher took it out
        (item("done", RESULT, culture=None), False),
    ],
)
def test_a_question_is_left_out_that_is_not_asked_yet_or_was_taken_out(
    made: StudyItem, exported: bool
) -> None:
    if not exported:
        with pytest.raises(FolkwaysError, match="study mine has no questions yet"):
            files(study(made))
        return
    written = files(study(made))
    (name,) = (name for name in written if name.startswith("annotations/"))
    annotated: dict[str, Any] = orjson.loads(written[name])
    assert [*annotated] == ["q1"] and annotated["q1"]["annotations"] == {"떡국": 1}

"""Studies as benchmarks get them: where items come from, and which benchmarks make a release of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from folkways.benchmarks.registry import benchmarks, labels_of, study_exports
from folkways.benchmarks.studies import Study, StudyItem
from folkways.errors import FolkwaysError
from folkways_studio.stages.registry import STAGE_KINDS


def item(
    number: int, stage: str, parent: int | None = None, result: Mapping[str, Any] | None = None
) -> StudyItem:
    return StudyItem(number, f"k{number}", stage, parent, 1, None, None, None, "", "done", {}, result, ())


def study(*items: StudyItem) -> Study:
    stages = {"mark": "label_item", "again": "label_item", "change": "adapt", "decide": "adjudicate"}
    return Study("mine", "Mine", "CC0-1.0", stages, {each.id: each for each in items})


def test_items_come_stage_by_stage_with_their_lineage() -> None:
    first, second, third, expert = (
        item(1, "again"),
        item(2, "mark"),
        item(3, "change", 1),
        item(4, "decide", 3, result={"intra": "x"}),
    )
    found = study(first, second, third, expert)
    assert [each.id for each in found.of("label_item")] == [2, 1]
    assert found.ancestor(expert, "label_item") is first
    assert found.ancestor(third, "adapt") is third
    assert found.ancestor(second, "adapt") is None
    assert found.child(third, "adjudicate") is expert
    assert found.child(second, "adjudicate") is None
    assert study(third, item(4, "decide", 3)).child(third, "adjudicate") is None, "nobody has decided yet"


def test_a_release_of_one_stage_is_not_made_of_two() -> None:
    study().require_one_stage("adapt")
    with pytest.raises(FolkwaysError, match=r"2 stages of kind label_item \(mark, again\)"):
        study().require_one_stage("label_item")


def test_exports_are_of_kinds_of_stages_that_the_studio_has() -> None:
    exports = study_exports()
    assert {name for name, benchmark in benchmarks().items() if benchmark.exports} == set(exports)
    assert {export.kind for made in exports.values() for export in made} <= set(STAGE_KINDS)
    assert set(labels_of("label_item")) == {"category", "level", "element"}
    assert labels_of("vote") == {}


def test_what_cannot_be_carried_over_is_written_as_the_release_has_it() -> None:
    from folkways.benchmarks.xcr.release import is_non_transferable
    from folkways_studio.stages.adapting import NO_VERSION

    assert is_non_transferable(NO_VERSION)

"""The labels that people may give are those of the released corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from folkways.benchmarks.xcr import release as xcr
from folkways.benchmarks.xcr.labels import FIELDS, RELEASED_LABEL
from tests.support.xcr_data import xcr_release


@pytest.mark.shared
def test_labels_are_those_of_the_released_corpus(shared: Path) -> None:
    base = xcr.read_base(xcr_release(shared / "data" / "xcr"))
    columns = {"category": "csi_category", "level": "hall_level", "element": "csi_hall_mapping"}
    assert {name: set(base[column]) for name, column in columns.items()} == {
        name: set(valid) for name, valid in FIELDS.items()
    }


def test_the_label_for_what_has_no_equivalent_is_read_as_one() -> None:
    assert xcr.is_non_transferable(RELEASED_LABEL)

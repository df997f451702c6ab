"""Rows found and changed by the values of their columns, on both databases."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import NoResultFound

from folkways_studio.database import schema
from folkways_studio.database.rows import change_rows, find_row, get_row, get_value
from folkways_studio.records import ItemState
from studio.tests.support.studies import ON_BOTH, QUESTION, StudyFixture


@ON_BOTH
def test_a_row_is_found_by_all_the_values_that_are_given(study: StudyFixture) -> None:
    first, second = study.add("verify", [QUESTION] * 2)
    with study.workspace.read() as connection:
        assert get_row(connection, schema.items, id=second).key == "q1"
        found = find_row(connection, schema.items, study_id=study.record.id, key="q0")
        assert found is not None
        assert found.id == first
        assert find_row(connection, schema.items, id=second, key="q0") is None
        with pytest.raises(NoResultFound):
            get_row(connection, schema.items, id=10**9)


@ON_BOTH
def test_a_value_is_that_of_its_column_or_nothing(study: StudyFixture) -> None:
    (item,) = study.add("verify", [QUESTION])
    with study.workspace.read() as connection:
        assert get_value(connection, schema.items.c.content, id=item) == QUESTION
        assert get_value(connection, schema.items.c.reason, id=item) is None
        assert get_value(connection, schema.items.c.key, id=10**9) is None


@ON_BOTH
def test_a_change_is_made_to_the_rows_that_fit_and_to_no_other(study: StudyFixture) -> None:
    first, second = study.add("verify", [QUESTION] * 2)
    with study.workspace.claim() as connection:
        get_row(connection, schema.items, id=first, lock="row")
        get_row(connection, schema.items, id=second, lock="key")
        change_rows(
            connection, schema.items, {"id": first}, id=first, state=str(ItemState.DROPPED), reason="a test"
        )
        change_rows(connection, schema.items, {"id": second, "key": "another"}, state=str(ItemState.DROPPED))
    with study.workspace.read() as connection:
        rows = [get_row(connection, schema.items, id=item) for item in (first, second)]
    assert [(row.state, row.reason) for row in rows] == [
        (ItemState.DROPPED, "a test"),
        (ItemState.OPEN, None),
    ]

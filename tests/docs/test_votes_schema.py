"""The page on building from votes lists the schema as it is declared."""

from __future__ import annotations

import re

from folkways.benchmarks.culturalbench.build.counting import Reason
from folkways.benchmarks.culturalbench.votes import ITEM_FIELDS, META_FIELDS, VOTE_FIELDS
from tests.support.doc_pages import REPOSITORY

PAGE = REPOSITORY / "docs" / "reference" / "build-culturalbench.md"


def test_every_column_is_listed_with_what_it_says() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (required|optional) \| (.*) \|$", PAGE.read_text(encoding="utf-8"), re.M
    )
    declared = [
        (field.name, "required" if field.required else "optional", field.about)
        for field in (*ITEM_FIELDS, *VOTE_FIELDS, *META_FIELDS)
    ]
    assert rows == declared


def test_every_reason_to_leave_a_question_out_is_explained() -> None:
    explained = re.findall(r"^\| `([a-z-]+)` \| [^|]+ \|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert [name for name in explained if name in set(Reason)] == list(Reason)

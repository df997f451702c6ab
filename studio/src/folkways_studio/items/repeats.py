"""Questions of a study that read like another one, so that whoever curates sees what was asked before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from folkways.sdk.workspace import Workspace
from folkways_studio.database import schema
from folkways_studio.records import LEFT_OUT, Item, ItemState

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

CLOSEST = 5
ALIKE = 0.3
"""From which likeness on a question is shown: below it, questions share no more than how questions begin."""

_PUNCTUATION = str.maketrans(dict.fromkeys("?!.,;:…\"'()“”‘’«»？！。，、；：؟،؛।።፧", " "))


@dataclass(frozen=True, slots=True)
class SimilarItem:
    """Another item of the stage: its key and content, whether it is settled, and how alike it is, 0 to 1."""

    key: str
    content: Mapping[str, Any]
    settled: bool
    likeness: float


def similar_items(workspace: Workspace, item: Item, names: Sequence[str]) -> tuple[SimilarItem, ...]:
    """The items of the stage of ``item`` whose texts ``names`` (``StageKind.compared``) read most like its
    own, the closest first.

    How alike two texts are is the share of the item's own runs of three letters that stand in the other as
    well, rare ones counting more than frequent ones: "what do people in" makes no two questions alike. Of
    several texts the most alike one counts, each compared with the one of the same name. Items that were
    dropped, and those of people who left, are not among them. Among 12,000 questions it takes a few tenths of
    a second.
    """
    if not names:
        return ()
    table, people = schema.items, schema.participants
    gone = sa.select(people.c.id).where(people.c.study_id == item.study_id, people.c.state.in_(LEFT_OUT))
    with workspace.read() as connection:
        rows = connection.execute(
            sa.select(table.c.key, table.c.state, table.c.content).where(
                table.c.stage_id == item.stage_id,
                table.c.id != item.id,
                table.c.id
                != (item.parent_id if item.check is not None and item.parent_id is not None else item.id),
                table.c.state.in_((ItemState.OPEN, ItemState.DONE)),
                table.c.check.is_(None),
                sa.or_(table.c.author_id.is_(None), table.c.author_id.not_in(gone)),
            )
        ).all()
    if not rows:
        return ()
    import numpy as np

    alike = np.zeros(len(rows))
    for name in names:
        texts = [str(row.content.get(name) or "") for row in rows]
        alike = np.maximum(alike, likeness(str(item.content.get(name) or ""), texts))
    closest = np.argsort(-alike, kind="stable")[:CLOSEST]
    found = ((rows[number], float(alike[number])) for number in closest if alike[number] >= ALIKE)
    return tuple(SimilarItem(row.key, row.content, row.state == ItemState.DONE, like) for row, like in found)


def likeness(own: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    """How alike each text is to ``own``, 0 to 1: the share of the trigrams of ``own`` that it has, each
    weighted by log(1 + n / n with it) where there are n texts.

    All texts are looked through as one array of letters: with a set of trigrams for each it takes several
    times as long.
    """
    import numpy as np

    known = np.unique(_trigrams([own])[0])
    if not len(known):
        return np.zeros(len(texts))
    found, numbers = _trigrams(texts)
    places = np.minimum(np.searchsorted(known, found), len(known) - 1)
    hits = np.flatnonzero(known[places] == found)
    has = np.zeros((len(texts), len(known)), dtype=bool)
    has[numbers[hits], places[hits]] = True
    weights = np.log1p(len(texts) / np.maximum(has.sum(axis=0), 1))
    return np.asarray(has @ weights / weights.sum(), dtype=np.float64)


def _trigrams(texts: Sequence[str]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.intp]]:
    """Every three characters in a row of the texts, as one number each, and the number of the text in which
    they stand.

    Case and punctuation do not count; room before and behind each word makes its ends trigrams as well.
    """
    import numpy as np

    joined = (
        "\n".join(f" {' '.join(text.split())} " for text in texts)
        .casefold()
        .translate(_PUNCTUATION)
        .replace(" ", "  ")
    )
    letters = np.frombuffer(joined.encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    first, middle, last = letters[:-2], letters[1:-1], letters[2:]
    numbers = (first << np.uint64(42)) | (middle << np.uint64(21)) | last
    apart = (middle != ord(" ")) | (last != ord(" "))  # the room between two words is no part of either
    return numbers[apart], np.cumsum(letters == ord("\n"))[:-2][apart]

"""Finds questions of a study that read like another one, for people who curate."""

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
"""Minimum likeness that is shown; below it, questions share only how questions begin."""

_PUNCTUATION = str.maketrans(dict.fromkeys("?!.,;:…\"'()“”‘’«»？！。，、；：؟،؛।።፧", " "))


@dataclass(frozen=True, slots=True)
class SimilarItem:
    """Another item of the stage: its key and content, whether it is settled, and its likeness (0 to 1)."""

    key: str
    content: Mapping[str, Any]
    settled: bool
    likeness: float


def similar_items(workspace: Workspace, item: Item, names: Sequence[str]) -> tuple[SimilarItem, ...]:
    """The items in the stage of ``item`` whose texts ``names`` (``StageKind.compared``) read most like its
    own, closest first.

    Likeness is the share of the item's letter trigrams that the other text has, rare ones weighing more:
    "what do people in" does not make two questions alike. Texts of the same name are compared, and the most
    similar pair counts. Dropped items and those of people who left are ignored. 12,000 questions take a few
    tenths of a second.
    """
    if not names:
        return ()
    table, people = schema.items, schema.participants
    left = sa.select(people.c.id).where(people.c.study_id == item.study_id, people.c.state.in_(LEFT_OUT))
    with workspace.read() as connection:
        rows = connection.execute(
            sa.select(table.c.key, table.c.state, table.c.content).where(
                table.c.stage_id == item.stage_id,
                table.c.id != item.id,
                table.c.id
                != (item.parent_id if item.check is not None and item.parent_id is not None else item.id),
                table.c.state.in_((ItemState.OPEN, ItemState.DONE)),
                table.c.check.is_(None),
                sa.or_(table.c.author_id.is_(None), table.c.author_id.not_in(left)),
            )
        ).all()
    if not rows:
        return ()
    import numpy as np

    alike = np.zeros(len(rows))
    for name in names:
        texts = [str(row.content.get(name, "")) for row in rows]
        alike = np.maximum(alike, likeness(str(item.content.get(name, "")), texts))
    closest = np.argsort(-alike, kind="stable")[:CLOSEST]
    matches = ((rows[number], float(alike[number])) for number in closest if alike[number] >= ALIKE)
    return tuple(
        SimilarItem(row.key, row.content, row.state == ItemState.DONE, like) for row, like in matches
    )


def likeness(own: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
    """Likeness (0 to 1) of each text to ``own``: the share of the trigrams of ``own`` that it has, each
    weighted by log(1 + n / n with it) for n texts.

    All texts are searched as one array of letters, which is several times faster than sets of trigrams.
    """
    import numpy as np

    trigrams = np.unique(_trigrams([own])[0])
    if not len(trigrams):
        return np.zeros(len(texts))
    others, numbers = _trigrams(texts)
    columns = np.minimum(np.searchsorted(trigrams, others), len(trigrams) - 1)
    hits = np.flatnonzero(trigrams[columns] == others)
    has = np.zeros((len(texts), len(trigrams)), dtype=bool)
    has[numbers[hits], columns[hits]] = True
    weights = np.log1p(len(texts) / np.maximum(has.sum(axis=0), 1))
    return np.asarray(has @ weights / weights.sum(), dtype=np.float64)


def _trigrams(texts: Sequence[str]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.intp]]:
    """All character trigrams of the texts, each as one number, and the number of the text of each.

    Case and punctuation are ignored; spaces around each word make its ends trigrams too.
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
    apart = (middle != ord(" ")) | (last != ord(" "))  # spaces between words belong to neither
    return numbers[apart], np.cumsum(letters == ord("\n"))[:-2][apart]

"""A stage that asks a part of every type, with answers at random, for round trips through formats of others."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from folkways_studio.formats.questions import AnnotatedItem, AnnotatedStage, Answer, Suggestion
from studio.tests.support.spans import spans_within, texts

WORDS = {"key": "words", "type": "spans", "label": "Which?", "of": "text", "required": False}
PLACES = {**WORDS, "key": "places", "label": "Where?"}
PARTS: list[dict[str, Any]] = [
    WORDS,
    PLACES,
    {**WORDS, "key": "title_words", "of": "title"},
    {
        "key": "sure",
        "type": "choice",
        "label": {"en": "Sure?", "ko": "확실?"},
        "options": [
            {"value": "yes", "label": "Yes, I am"},
            {"value": "no", "label": {"en": "No", "ko": "아니"}},
        ],
    },
    {"key": "which", "type": "several", "label": "Which ones?", "options": ["a & b", "c", "<d>"]},
    {"key": "place", "type": "several", "label": "Right?", "options_from": "things", "positions": True},
    {"key": "own", "type": "choice", "label": "Best?", "options_from": "things"},
    {"key": "fit", "type": "scale", "label": "Fit"},
    {"key": "cold", "type": "scale", "label": "Cold", "least": -2, "most": 2},
    {"key": "from_zero", "type": "scale", "label": "From zero", "least": 0, "most": 4},
    {"key": "count", "type": "number", "label": "How many?", "least": 0},
    {"key": "why", "type": "text", "label": "Why?"},
    {"key": "names", "type": "texts", "label": "Names"},
    {"key": "better", "type": "pairwise", "label": "Better", "between": ["left one", "right"], "tie": True},
    {"key": "rank", "type": "ranking", "label": "Rank", "options": ["rice", "bread", "soup"]},
    {"key": "rank_own", "type": "ranking", "label": "Rank", "options_from": "things"},
]
SHOW = {"text": "text", "title": "text", "left one": "text", "right": "text"}
LINES = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=9
)

TEXTS = texts()
THINGS = st.lists(TEXTS, min_size=2, max_size=5, unique_by=lambda each: " ".join(each.split()))


@st.composite
def contents(draw: st.DrawFn) -> dict[str, Any]:
    """Fields of an item."""
    lines = [" ".join(each.split()) for each in draw(THINGS)]
    return {"text": draw(TEXTS), "title": draw(TEXTS), "left one": "L", "right": "R", "things": lines}


VALUES: dict[str, st.SearchStrategy[Any]] = {
    "sure": st.sampled_from(["yes", "no"]),
    "which": st.lists(st.sampled_from(["a & b", "c", "<d>"]), unique=True, min_size=1),
    "fit": st.integers(1, 5),
    "cold": st.integers(-2, 2),
    "from_zero": st.integers(0, 4),
    "count": st.floats(0, 1e14, allow_subnormal=False),
    "why": TEXTS,
    "names": st.lists(LINES, min_size=1, max_size=3),
    "better": st.sampled_from(["left one", "right", "tie"]),
    "rank": st.permutations(["rice", "bread", "soup"]),
}
"""Made once: Hypothesis checks every strategy when it first draws from it."""


LEFT = st.sets(st.sampled_from([*VALUES, "place", "own", "rank_own"]))


@st.composite
def answers(draw: st.DrawFn, content: dict[str, Any]) -> dict[str, Any]:
    """Answers to some of the parts; nothing marked is an answer."""
    things = content["things"]
    marks: dict[str, list[list[int]]] = {"words": [], "places": [], "title_words": []}
    for start, end, label in draw(spans_within(content["text"])):
        marks[label].append([start, end])
    for start, end, _ in draw(spans_within(content["title"])):
        marks["title_words"].append([start, end])
    own = {
        "place": st.lists(st.sampled_from(range(len(things))), unique=True, min_size=1),
        "own": st.sampled_from(things),
        "rank_own": st.permutations(things),
    }
    fields = {**VALUES, **own}
    left = draw(LEFT)
    return {**marks, **{key: draw(values) for key, values in fields.items() if key not in left}}


@st.composite
def stages(draw: st.DrawFn) -> AnnotatedStage:
    """The stage with one item, two people, what was decided, and what two models suggest."""
    content = draw(contents())
    people = [Answer(name, draw(answers(content)), 1.5, 1_700_000_000.0) for name in ("p-1", "p-2")]
    suggestions = [
        Suggestion("tagger", "2", 0.75, draw(answers(content))),
        Suggestion("reader", "", None, draw(answers(content))),
    ]
    decided = Answer(None, draw(answers(content)))
    item = AnnotatedItem("q 1", content, PARTS, people, decided, suggestions, {"population": "korea"})
    return AnnotatedStage("mark", "Mark", SHOW, PARTS, {part["key"]: "?" for part in PARTS}, [item])

"""Compares wrong answers with the other cultures' answers: which of them each could have been, and which it
is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from folkways.cultures import cultures
from folkways.records import Schema, State, of_rows, plain, require_columns

MATCHES: Schema = {
    "endpoint": pl.String,
    "language": pl.String,  # that was asked in
    "asked_culture": pl.String,
    "question": pl.String,  # the template: the same for the question about every culture
    "others": pl.List(pl.String),  # the cultures whose answer it could be
    "weights": pl.List(pl.Float64),  # how many answers each of them has that would be wrong here
    "matched": pl.List(pl.String),  # those whose answer it is
}
"""One row per wrong answer."""

ROW = ("item", "variant", "sample")
"""What tells the rows of a model and a language apart: MATCHES have those that the judgements have."""

WRONG = ("endpoint", "language", "culture", "question", "state", "counted")
"""Columns of judgements that are needed in addition to the metric."""

Wording = tuple[str, str]
"""A way to put an answer, and the language that it is in."""

Answers = Mapping[str, Sequence[Sequence[Wording]]]
"""Culture -> its people's answers, each as all the ways to put it."""

Same = Callable[[str, str, str], bool]
"""Whether a reply contains an answer in a given language, by the benchmark's own rule."""


MOST, SEED = 10_000, 0
"""Wrong answers in words of a model in a language that are matched at most, drawn by the seed: each is
compared with a hundred."""

SLICE = 2_000
"""Replies whose matches are kept as Python objects at a time."""


def wrong(judged: pl.DataFrame, metric: str, *more: str) -> pl.DataFrame:
    """WRONG, the metric and ``more`` of the judgements with a readable wrong answer.

    Raises DataError for missing columns.
    """
    columns = (*WRONG, metric, *more)
    require_columns(judged, columns, "judgements")
    columns = (*dict.fromkeys((*columns, *_rows_of(judged))),)
    return judged.select(columns).filter(_is_wrong(metric))


def _is_wrong(metric: str) -> pl.Expr:
    return pl.col("counted") & (pl.col("state") == State.ANSWERED) & (pl.col(metric) == 0.0)


def _rows_of(judged: pl.DataFrame) -> list[str]:
    return [name for name in ROW if name in judged.columns]


def of_options(judged: pl.DataFrame, metric: str, templates: pl.Expr, wrong_options: int) -> pl.DataFrame:
    """MATCHES of multiple choice whose options are other cultures' answers: the culture of the chosen option.

    judged: with ``chosen_culture``, and ``offered``, the cultures of the wrong options with blanks between.
        An option that belongs to no culture has another name there; how many such there are follows from
        ``wrong_options``.
    metric: 0.0 for a wrong answer.
    templates: which question is the same about every culture.
    wrong_options: of an item.
    """
    answers = plain(wrong(judged, metric, "offered", "chosen_culture")).drop_nulls(
        ["offered", "chosen_culture"]
    )
    answers = answers.with_columns(question=templates)
    matches = answers.select(
        *(name for name in (*MATCHES, *ROW) if name in answers.columns),
        asked_culture="culture",
        others=pl.col("offered").str.split(" "),
        matched=pl.concat_list("chosen_culture"),
    ).filter(pl.col("others").list.contains(pl.col("matched").list.first()))
    codes = pl.Series([*cultures()])
    of_cultures = pl.col("others").list.eval(pl.element().is_in(codes.implode())).list.sum()
    nobodys = pl.col("others").list.len() - of_cultures
    each = ((wrong_options - of_cultures.cast(pl.Float64)) / nobodys).clip(lower_bound=1.0)
    weighted = matches.with_row_index("row").with_columns(each=each).explode("others")
    weight = pl.when(pl.col("others").is_in(codes.implode())).then(1.0).otherwise("each")
    lists = weighted.group_by("row", maintain_order=True).agg("others", weights=weight)
    return (
        matches.drop("others")
        .hstack(lists.drop("row"))
        .select(*(pl.col(name).cast(kind) for name, kind in MATCHES.items()), *_rows_of(matches))
    )


def of_answers(
    judged: pl.DataFrame, metric: str, templates: pl.Expr, known: Callable[[str, str], Answers], same: Same
) -> pl.DataFrame:
    """MATCHES of answers in words: whose people gave the answer in the reply.

    judged: with ``answer``, the reply as it was judged.
    metric: 0.0 for a wrong answer.
    templates: which question is the same about every culture; null for one that is asked about no other.
    known: template and language asked in -> the answers of all cultures that have some in that language.
    same: the benchmark's own rule.

    An answer that people of the culture in question gave as well is not wrong, and does not count for
    others. If a model has more than MOST wrong answers in a language, MOST of them are drawn.
    """
    # Only the answers that are drawn are copied: there may be a million.
    require_columns(judged, (*WRONG, metric, "answer"), "judgements")
    usable = _is_wrong(metric) & pl.col("answer").is_not_null() & templates.is_not_null()
    numbers = pl.int_range(pl.len(), dtype=pl.UInt32).filter(usable)
    candidates = judged.select(pl.col("endpoint", "language").filter(usable), row=numbers)
    turn = pl.int_range(pl.len()).shuffle(SEED).over("endpoint", "language")
    drawn = candidates.filter(turn < MOST)["row"]
    answered = plain(
        judged[drawn].select(*WRONG, metric, "answer", *_rows_of(judged)).with_columns(question=templates)
    )
    key = ["question", "language", "culture", "answer"]
    distinct = answered.select(key).unique(maintain_order=True)
    # One question after the other, so that the answers to one are in memory at a time.
    distinct = distinct.sort("question", "language", maintain_order=True)
    matches = pl.concat(of_rows(rows, _MATCHED) for rows in _matched(distinct, known, same))
    matched = answered.join(distinct.hstack(matches), on=key, how="left", maintain_order="left").with_columns(
        asked_culture="culture"
    )
    return matched.filter(pl.col("others").list.len() > 0).select(
        *(pl.col(name).cast(kind) for name, kind in MATCHES.items()), *_rows_of(matched)
    )


_MATCHED = {name: MATCHES[name] for name in ("others", "weights", "matched")}
_Match = tuple[list[str], list[float], list[str]]


def _matched(
    replies: pl.DataFrame, known: Callable[[str, str], Answers], same: Same
) -> Iterator[list[_Match]]:
    """_MATCHED of each of the ``replies``, which are sorted by question and language, in parts; at least one
    part."""
    current, question, rows = None, _Question({}), list[_Match]()
    for template, language, culture, reply in replies.iter_rows():
        if (template, language) != current:
            current, question = (template, language), _Question(known(template, language))
        rows.append(question.match(culture, reply, same))
        if len(rows) >= SLICE:
            yield rows
            rows = []
    yield rows


@dataclass
class _Question:
    """The answers to one question, and the cultures that replies to it matched."""

    answers: Answers
    _texts: dict[str, list[frozenset[str]]] = field(default_factory=dict)  # of each culture's answers
    _whose: dict[Wording, list[str]] = field(default_factory=dict)
    _replies: dict[str, frozenset[str]] = field(default_factory=dict)
    _weights: dict[str, dict[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for culture, groups in self.answers.items():
            self._texts[culture] = [
                frozenset(text.casefold().strip() for text, _ in group) for group in groups
            ]
            for wording in dict.fromkeys(wording for group in groups for wording in group):
                self._whose.setdefault(wording, []).append(culture)

    def match(self, culture: str, reply: str, same: Same) -> _Match:
        """The other cultures, how many answers each has, and those whose answer the reply has.

        Empty if it is an answer of the culture in question, by this comparison if not by the profile's.
        """
        if reply not in self._replies:
            hits = (names for (text, spoken), names in self._whose.items() if same(text, reply, spoken))
            self._replies[reply] = frozenset(name for names in hits for name in names)
        if culture not in self._weights:
            self._weights[culture] = self._others(culture)
        weights, matched = self._weights[culture], self._replies[reply]
        if culture in matched:
            return [], [], []
        shown = {name: max(weight, float(name in matched)) for name, weight in weights.items()}
        shown = {name: weight for name, weight in shown.items() if weight}
        return [*shown], [*shown.values()], sorted(matched)

    def _others(self, culture: str) -> dict[str, float]:
        own_texts = frozenset[str]().union(*self._texts.get(culture, ()))
        return {
            name: float(sum(own_texts.isdisjoint(texts) for texts in groups))
            for name, groups in self._texts.items()
            if name != culture
        }

"""What a model's judgements say about each culture: its own language against English, its topics against one
another, and wrong replies that the model repeats; with the sentences on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from folkways.benchmarks.summary import summarise_means
from folkways.cultures import name_of_code
from folkways.display import bound, interval, named, number, p_value, percent, plural
from folkways.evidence.answers import answers_of
from folkways.evidence.contrasts import ALPHA, CULTURE, contrasts
from folkways.evidence.sentences import unit_words
from folkways.evidence.weak_spots import COMPARABLE, gaps_to_mean
from folkways.names import local_languages
from folkways.records import (
    LEFT_OUT,
    MANY_IN_OTHER_LANGUAGE,
    OTHER_LANGUAGE,
    Metric,
    Schema,
    State,
    by_slices,
    empty,
    of_rows,
    without_nan,
)
from folkways.stats.differences import difference_of_shares
from folkways.stats.hypotheses.corrections import holm

ENGLISH = "en"

OWN_LANGUAGE: Schema = {
    "culture": pl.String,
    "language": pl.String,  # of the culture
    "difference": pl.Float64,  # own language minus English, in the unit of the scores, paired by question
    "low": pl.Float64,
    "high": pl.Float64,
    "p_holm": pl.Float64,  # corrected for the cultures and languages of the model
}

TOPICS: Schema = {
    "culture": pl.String,
    "topic": pl.String,
    "score": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "gap": pl.Float64,  # from the unweighted mean over the topics of the culture, in the unit of the scores
    "p_holm": pl.Float64,  # corrected for the topics of all cultures of the model
}

FEWEST_REPEATS = 3
"""Questions in which a wrong reply has to come for it to be called repeated."""

LONGEST_REPEATED = 100
"""Characters of a reply that is compared with others; a longer one is hardly given twice."""

REPEATED: Schema = {
    "culture": pl.String,
    "language": pl.String,  # that was asked in
    "key": pl.String,  # the reply as it is compared: letters and digits in lower case
    "reply": pl.String,  # as the model first gave it; untrusted
    "times": pl.Int64,  # questions about the culture with this wrong reply
    "questions": pl.Int64,  # questions about the culture with a readable wrong reply, in this language
    "share": pl.Float64,  # times of questions, from 0 to 1
    "elsewhere": pl.Float64,  # the same share about other cultures, in this language; null if there is none
    "p": pl.Float64,  # two-sided, times the replies that could have come first; null if elsewhere is
}

_QUESTION = (CULTURE, "language", "question")
_REPLIES = dict.fromkeys((*_QUESTION, "reply", "key"), pl.String)

SLICE = 20_000
"""Judgements whose replies are looked at together."""


def own_language(judgements: pl.DataFrame, metric: Metric) -> pl.DataFrame:
    """OWN_LANGUAGE of one model and task: for each culture that was asked in its own language and in English.

    judgements: records.JUDGEMENTS of the model, with the metric's column. A culture is left out if more than
    a tenth of the replies in either language are in another one (records.OTHER_LANGUAGE): the difference
    would be one of other languages than it says.
    """
    languages: dict[str, list[str]] = {}
    for culture, language in asked_in_both(judgements):
        languages.setdefault(culture, []).append(language)
    if languages:
        judgements = judgements.filter(~_answered_elsewhere(judgements)).with_columns(
            pl.col(CULTURE, "language").cast(pl.String)
        )
    rows = [pl.DataFrame(schema={**OWN_LANGUAGE, "p": pl.Float64})]
    for turn in range(max(map(len, languages.values()), default=0)):  # more than one where it has several
        of_turn = {culture: names[turn] for culture, names in languages.items() if len(names) > turn}
        local = pl.col(CULTURE).replace_strict(of_turn, default=None, return_dtype=pl.String)
        sides = {
            name: judgements.filter(local.is_not_null(), pl.col("language") == spoken).with_columns(
                language=pl.lit("")  # so that the two match
            )
            for name, spoken in (("local", local), (ENGLISH, pl.lit(ENGLISH)))
        }
        if any(frame.is_empty() for frame in sides.values()):
            continue
        differences = contrasts(answers_of(sides, metric, (CULTURE,)), metric)
        by_culture = differences.filter(pl.col("facet") == CULTURE).rename({"value": CULTURE})
        rows.append(
            by_culture.with_columns(language=local, p_holm=pl.lit(None, pl.Float64)).select(rows[0].columns)
        )
    every = pl.concat(rows)
    return without_nan(every.with_columns(p_holm=_holm(every["p"]))).select(list(OWN_LANGUAGE))


def asked_in_both(judgements: pl.DataFrame) -> list[tuple[str, str]]:
    """Each culture with each of its languages, other than English, if questions about it came in both."""
    pairs = (
        judgements.select(CULTURE, "language").unique().drop_nulls().cast(pl.String).sort(CULTURE, "language")
    )
    in_english = {*pairs.filter(pl.col("language") == ENGLISH)[CULTURE]}
    return [
        (culture, language)
        for culture, language in pairs.iter_rows()
        if culture in in_english and language != ENGLISH and language in local_languages(culture)
    ]


def _answered_elsewhere(judgements: pl.DataFrame) -> pl.Expr:
    """Whether too many replies about a row's culture, in one of the languages asked, are in another."""
    if OTHER_LANGUAGE not in judgements.columns:
        return pl.lit(False)
    share = pl.col(OTHER_LANGUAGE).cast(pl.Float64).mean().over(CULTURE, "language")
    return (share > MANY_IN_OTHER_LANGUAGE).fill_null(False).any().over(CULTURE)


def topics(judgements: pl.DataFrame, metric: Metric, facet: str) -> pl.DataFrame:
    """TOPICS of one model and task: each topic of each culture against the mean of the culture's topics.

    judgements: records.JUDGEMENTS of the model, with the metric's column and ``facet``. Topics that are not
    COMPARABLE are left out, and so is a culture with one topic. Empty for a metric without bounds.
    """
    needed = [name for name in ("question", "counted", "state", LEFT_OUT) if name in judgements.columns]
    counted = judgements.select(*needed, CULTURE, facet, metric.name).filter(
        "counted", pl.col(metric.name, CULTURE, facet).is_not_null()
    )
    if metric.bounds is None or counted.is_empty():
        return empty(TOPICS)
    pairs = counted.select(CULTURE, facet).unique().cast(pl.String).sort(CULTURE, facet)
    cell = pl.concat_str(pl.col(CULTURE, facet).cast(pl.String), separator="+").cast(pl.Categorical)
    counted = by_slices(counted, SLICE, lambda rows: rows.with_columns(cell.alias(CULTURE)).drop(facet))
    scores = summarise_means(counted, "", (metric,), (), ((CULTURE,),)).filter(
        pl.col("facet") == CULTURE, COMPARABLE
    )
    of_cells = scores.rows_by_key("value", named=True, unique=True)
    rows = []
    for (culture,), part in pairs.group_by(CULTURE, maintain_order=True):
        of_topics = {
            topic: of_cells[name] for topic in part[facet] if (name := f"{culture}+{topic}") in of_cells
        }
        gaps = gaps_to_mean([*of_topics.values()], metric)
        for (topic, score), gap in zip(of_topics.items(), gaps, strict=False):  # none for one topic
            rows.append((culture, topic, score["score"], score["low"], score["high"], gap.difference, gap.p))
    frame = of_rows(rows, TOPICS)
    return frame.with_columns(p_holm=_holm(frame["p_holm"]))


def _holm(values: pl.Series) -> pl.Series:
    return pl.Series("p_holm", holm(values.fill_null(float("nan")).to_list()), dtype=pl.Float64)


def reply_key() -> pl.Expr:
    """The column ``answer`` as replies are compared: letters and digits in lower case; null if it is long."""
    short = pl.when(pl.col("answer").str.len_chars() <= LONGEST_REPEATED).then("answer")
    key = short.str.to_lowercase().str.replace_all(r"[^\p{L}\p{M}\p{N}]+", " ").str.strip_chars()
    return pl.when(key != "").then(key)


@dataclass(frozen=True)
class WrongReplies:
    """The wrong replies of one model on one task, as far as it can have repeated one.

    rows: culture, language, question, reply and key (``reply_key``) of the replies whose key comes
    FEWEST_REPEATS times or more. questions: culture, language and question of all, each once. different: how
    many replies of all differ, by culture and language.
    """

    rows: pl.DataFrame
    questions: pl.DataFrame
    different: int


def wrong_replies(judgements: pl.DataFrame, metric: Metric) -> WrongReplies:
    """The counted readable replies that are wholly wrong. judgements: records.JUDGEMENTS of one model, with
    the metric's column."""
    hashed_key = pl.when(pl.col("key").is_not_null()).then(pl.col("key").hash())
    hashes, of_cells = [], []
    questions = empty(_REPLIES).select(_QUESTION)
    # Most replies come once: as texts, those of a million would take more memory than all else of a report.
    for rows in _replies(judgements, metric, right=False):
        questions = pl.concat([questions, rows.select(_QUESTION)]).unique()
        hashed = rows.drop_nulls("key").select(
            cell=pl.struct(CULTURE, "language", "key").hash(), key=hashed_key
        )
        of_cells.append(hashed["cell"])
        hashes.append(hashed["key"])
    in_order = pl.concat(hashes).sort()
    often = in_order.filter(in_order == in_order.shift(FEWEST_REPEATS - 1)).unique()
    del hashes, in_order
    return WrongReplies(
        pl.concat(
            rows.filter(hashed_key.is_in(often.implode()))
            for rows in _replies(judgements, metric, right=False)
        ),
        questions,
        pl.concat(of_cells).n_unique(),
    )


def right_replies(judgements: pl.DataFrame, metric: Metric, keys: pl.Series) -> pl.DataFrame:
    """culture, language, question, reply and key of the counted replies that are right, of these keys.
    judgements, metric: as for ``wrong_replies``."""
    wanted = pl.col("key").is_in(keys.implode())
    return pl.concat(rows.filter(wanted) for rows in _replies(judgements, metric, right=True))


def _replies(judgements: pl.DataFrame, metric: Metric, *, right: bool) -> Iterator[pl.DataFrame]:
    value = pl.col(metric.name).cast(pl.Float64)
    wanted = (value >= 1.0 if right else value == 0.0) & (pl.col("state") == State.ANSWERED)
    yield empty(_REPLIES)
    for part in judgements.iter_slices(SLICE):
        yield (
            part.filter("counted", wanted)
            .select(pl.col(_QUESTION).cast(pl.String), reply="answer", key=reply_key())
            .drop_nulls([CULTURE, "reply"])
        )


def most_repeated(judgements: pl.DataFrame, metric: Metric) -> tuple[pl.DataFrame, pl.DataFrame]:
    """REPEATED of one model and task, and the ``WrongReplies.rows`` with these replies.

    judgements: records.JUDGEMENTS of the model, with the metric's column.
    """
    wrong = wrong_replies(judgements, metric)
    repeated = repeated_replies(wrong)
    return repeated, wrong.rows.filter(pl.col("key").is_in(repeated["key"].implode()))


def repeated_replies(wrong: WrongReplies) -> pl.DataFrame:
    """REPEATED of one model and task: for each culture and language the wrong reply that most questions got.

    A question has a reply if any of its askings in one language got it. The share among the questions about
    the culture is compared with that about the other cultures, where a template that several cultures share
    counts once. The reply was chosen because it is frequent, so p is multiplied by the number of replies that
    could have been chosen (Bonferroni).
    """
    of_culture = [CULTURE, "language"]
    questions = wrong.questions.group_by(of_culture).agg(questions=pl.len().cast(pl.Int64))
    of_reply = wrong.rows.group_by(*of_culture, "key", maintain_order=True)
    times = of_reply.agg(
        times=pl.col("question").n_unique().cast(pl.Int64),
        rows=pl.len().cast(pl.Int64),
        reply=pl.col("reply").first(),
    )
    first = (
        times.filter(pl.col("times") >= FEWEST_REPEATS)
        .sort(*of_culture, -pl.col("times"), -pl.col("rows"), "key")
        .unique(of_culture, keep="first", maintain_order=True)
        .join(questions, on=of_culture, maintain_order="left")
        .with_columns(share=pl.col("times") / pl.col("questions"))
    )
    compared = _elsewhere(first, wrong.questions, wrong.rows)
    p = [
        None
        if row["templates"] is None
        else min(
            1.0,
            wrong.different * _difference(row["share"], row["questions"], row["elsewhere"], row["templates"]),
        )
        for row in compared.iter_rows(named=True)
    ]
    return compared.with_columns(p=pl.Series(p, dtype=pl.Float64)).select(list(REPEATED))


def _difference(share: float, questions: int, elsewhere: float, templates: int) -> float:
    """p of the difference of two shares. Those of templates are means over cultures and vary less than
    proportions, so that p can only be too large."""
    first, first_number, second, second_number = (
        np.array([float(number)]) for number in (share, questions, elsewhere, templates)
    )
    return difference_of_shares(first, first_number, second, second_number).p


def _elsewhere(first: pl.DataFrame, wrong: pl.DataFrame, replies: pl.DataFrame) -> pl.DataFrame:
    """``first`` with ``elsewhere``, the mean share of each reply over templates, and ``templates``, how many
    these are; null without any.

    wrong: culture, language and question with a wrong reply. replies: the same with each reply's key.
    """
    cell, template = [CULTURE, "language"], ["language", "question"]
    marked = wrong.with_columns(here=pl.lit(1))
    others = (
        first.select(cell)
        .join(wrong.group_by(template).agg(cultures=pl.len().cast(pl.Int64)), on="language")
        .join(marked, on=[*cell, "question"], how="left")
        .with_columns(others=pl.col("cultures") - pl.col("here").fill_null(0))
        .filter(pl.col("others") > 0)
        .select(*cell, "question", "others")
    )
    answers = replies.select(*cell, "question", "key").unique().rename({CULTURE: "other"})
    hits = (
        first.select(*cell, "key")
        .join(answers, on=["language", "key"])
        .filter(pl.col("other") != pl.col(CULTURE))
        .group_by(*cell, "question")
        .agg(hits=pl.len())
    )
    shares = (
        others.join(hits, on=[*cell, "question"], how="left")
        .group_by(cell)
        .agg(elsewhere=(pl.col("hits").fill_null(0) / pl.col("others")).sort().mean(), templates=pl.len())
    )
    return first.join(shares, on=cell, how="left", maintain_order="left")


RIGHT_ELSEWHERE: Schema = {
    **dict.fromkeys(("culture", "language", "key"), pl.String),  # of REPEATED
    "other": pl.String,  # a culture about which the reply counts as right
    "times": pl.Int64,  # questions that got the reply wrongly here, and about the other culture rightly
}


def right_elsewhere(repeated: pl.DataFrame, wrong: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
    """RIGHT_ELSEWHERE: about which other cultures the same reply to the same question is right, most first.

    repeated, wrong: ``most_repeated`` of one model. right: ``right_replies`` of any model, so that only what
    some model said can be known.
    """
    key = ["language", "question", "key"]
    of_repeated = wrong.join(repeated, on=["culture", "language", "key"], how="semi").unique()
    joined = of_repeated.join(right.select(*key, other="culture").unique(), on=key)
    counts = joined.filter(pl.col("other") != pl.col("culture")).group_by(
        "culture", "language", "key", "other"
    )
    return (
        counts.agg(times=pl.col("question").n_unique().cast(pl.Int64))
        .sort("culture", "language", -pl.col("times"), "other")
        .select(list(RIGHT_ELSEWHERE))
    )


def language_sentence(row: Mapping[str, object], metric: Metric) -> str:
    """A row of OWN_LANGUAGE in words."""
    language = name_of_code(str(row["language"]))
    difference, unit = float(str(row["difference"])), unit_words(metric.scale == 100)
    low, high = _float(row["low"]), _float(row["high"])
    between = f"{interval(low, high, ' to ')}"
    if _clear(row["p_holm"]):
        better = "better" if (difference > 0) != metric.lower_is_better else "worse"
        return f"{language} {better} than English by {bound(abs(difference))}{unit} ({between})."
    alone = (
        ""
        if low is None or high is None or low <= 0 <= high
        else " once every language compared is allowed for"
    )
    return f"{language} less English: {number(difference)}{unit} ({between}), not told apart{alone}."


def not_compared(language: str) -> str:
    """Why ``own_language`` leaves a language out."""
    return (
        f"{name_of_code(language)} is not compared with English: too many replies are in another language "
        "than asked."
    )


def topic_sentence(rows: pl.DataFrame, metric: Metric) -> str:
    """The best and the worst topic of one culture in words; empty without topics. rows: TOPICS of the
    culture."""
    if rows.is_empty():
        return ""
    order = rows.sort("score", "topic", descending=[not metric.lower_is_better, False])
    best, worst = order.row(0, named=True), order.row(-1, named=True)
    if best["score"] == worst["score"]:
        return f"All topics: {number(best['score'])}."
    clear = [
        f"{row['topic']} is {word} than the other topics"
        for row, word in ((best, "better"), (worst, "worse"))
        if _clear(row["p_holm"])
    ]
    verdict = " and ".join(clear) or "no topic is told apart from the others"
    ends = [
        f"{row['topic']} {number(row['score'])} ({interval(row['low'], row['high'], ' to ')})"
        for row in (best, worst)
    ]
    return f"Best topic {ends[0]}, worst {ends[1]}: {verdict}."


def repeated_sentence(row: Mapping[str, object]) -> str:
    """A row of REPEATED in words, to follow the reply itself."""
    language = name_of_code(str(row["language"]))
    times, questions = int(str(row["times"])), int(str(row["questions"]))
    share = f"in {times} of the {plural(questions, 'question')} it got wrong in {language}"
    share += f" ({percent(_float(row['share']))})"
    elsewhere, p = _float(row["elsewhere"]), _float(row["p"])
    if elsewhere is None or p is None:
        return f"{share}; no other culture was asked about in {language}"
    compared = f"{share}, about other cultures in {percent(elsewhere)}"
    higher = float(str(row["share"])) > elsewhere
    if p < ALPHA:
        return f"{compared}: {'more' if higher else 'less'} often here (p {p_value(p)})"
    return f"{compared}: not more often than chance allows"


def right_sentence(rows: pl.DataFrame) -> str:
    """About which other cultures a repeated wrong reply is right; empty for none. rows: RIGHT_ELSEWHERE of
    it."""
    others = [
        f"{name_of_code(other)} ({plural(times, 'question')})"
        for other, times in rows.select("other", "times").iter_rows()
    ]
    return f"the same reply to the same question counts as right about {named(others)}" if others else ""


def whose_sentences(cells: pl.DataFrame) -> Iterator[str]:
    """Whose answers the wrong answers about one culture are, above chance; one sentence for each language.

    cells: ``whose_culture.result.CELLS`` of one model and culture. A language without a chance line is left
    out.
    """
    for (language,), part in cells.filter(pl.col("chance").is_not_null()).group_by(
        "language", maintain_order=True
    ):
        above = part.filter(pl.col("p_holm") < ALPHA, pl.col("difference") > 0).sort(
            -pl.col("difference"), "culture"
        )
        whose = [
            f"{name_of_code(row['culture'])} ({number(row['share'])} %, by chance {number(row['chance'])} %)"
            for row in above.iter_rows(named=True)
        ]
        where = f"Asked in {name_of_code(str(language))}, its wrong answers are "
        yield (
            f"{where}above chance those of {'; '.join(whose)}."
            if whose
            else f"{where}those of no other culture above chance."
        )


def _clear(p: object) -> bool:
    value = _float(p)
    return value is not None and value < ALPHA


def _float(value: object) -> float | None:
    return None if value is None else float(str(value))

"""What the default tools change in SEM-B: against the reference verdicts, and against the authors' tools on
made replies."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from folkways.benchmarks.released_data import open_release
from folkways.cultures import get_culture, get_language
from perf.text import parity
from perf.text.authors_tools import ask
from perf.text.made_replies import forms_of, made_replies, neighbours, words_of

THEIRS = ("ar", "az", "ha", "ko")
"""Languages of the reference whose tool can be had and is not folkways' own."""
MADE = (
    ("AZ", "az"), ("CN", "en"), ("DZ", "ar"), ("GB", "en"), ("ID", "id"), ("ID-JB", "su"), ("IR", "fa"), ("KP", "ko"),
    ("KR", "ko"), ("NG-N", "ha"), ("US", "en"),
)  # fmt: skip
"""Culture and language of the replies that are made; English is judged beside the model that the authors
name."""
SEEDS = tuple(range(21, 29))
"""Draws that no rule was fitted to: those were of other seeds."""


@dataclass(frozen=True)
class Effect:
    """The default tools on some replies, beside the authors' verdicts.

    gained, lost: shares of questions that only the default tools, or only the authors', let count. table:
    SEM-B less the authors' in points over all questions, where the authors' English is a stand-in and the
    shares leave out the questions that it decides. exact: share of equal verdicts with the authors' tools in
    folkways, which says that all but the tool is theirs.
    """

    culture: str
    language: str
    replies: str
    questions: int
    gained: float
    lost: float
    table: float | None = None
    exact: float | None = None

    @property
    def bias(self) -> Bias:
        """What it says of the language."""
        return Bias.of([self])

    def row(self) -> list[str]:
        """The cells of the table."""
        return [
            get_culture(self.culture).name,
            get_language(self.language).name,
            self.replies,
            str(self.questions),
            f"{self.bias.points:+.2f}",
            f"{self.bias.low:+.1f} to {self.bias.high:+.1f}",
            f"{100 * self.gained:.2f}",
            f"{100 * self.lost:.2f}",
            f"{100 * (1 - self.gained - self.lost):.1f} %",
            "" if self.table is None else f"{self.table:+.2f}",
            "" if self.exact is None else f"{self.exact:.1f} %",
        ]


COLUMNS = (
    "culture", "asked in", "replies", "n", "signed", "95 % interval", "gained", "lost", "equal verdicts", "with the table",
    "with their tools",
)  # fmt: skip


@dataclass(frozen=True)
class Bias:
    """SEM-B with the default tools less SEM-B with the authors', in points, with its normal 95 % interval."""

    points: float
    low: float
    high: float

    @classmethod
    def of(cls, effects: Sequence[Effect]) -> Bias:
        """Over the questions of all."""
        questions = sum(effect.questions for effect in effects)
        gained, lost = (
            sum(getattr(effect, name) * effect.questions for effect in effects) / questions
            for name in ("gained", "lost")
        )
        mean = gained - lost
        half = 1.96 * math.sqrt((gained + lost - mean * mean) / questions)
        return cls(100 * mean, 100 * (mean - half), 100 * (mean + half))


def reference(language: str, gold: pl.DataFrame, exactly: bool = True) -> Effect:
    """The default tools beside the reference verdicts; ``exactly`` asks the authors' tools too."""
    responses, official = parity.replies(language)
    theirs = official["official_binary"].cast(pl.Float64, strict=False)
    ours = parity.verdicts(gold, responses)
    aside = official["en_lemmatizer_sensitive"] == "0"
    exact = None
    if exactly:
        local, english = parity.texts(gold, responses)
        swapped = {"en": ask("en-table", english)} | (
            {language: ask(language, local)} if language in THEIRS else {}
        )
        with parity.tools(swapped):
            exact = 100 * parity.equal(parity.verdicts(gold, responses), theirs)
    culture = responses["item"][0].split("/")[0]
    whole = _effect(culture, language, "reference", [(ours, theirs)]).bias.points
    return replace(
        _effect(culture, language, "reference", [(ours.filter(aside), theirs.filter(aside))]),
        table=whole,
        exact=exact,
    )


def made(language: str, gold: pl.DataFrame) -> Iterator[Effect]:
    """The default tools beside the authors' on replies made for each of a language's cultures."""
    release = open_release(str(parity.SHARED / "data" / "blend" / "24e7d73"), "blend")
    cultures = [culture for culture, spoken in MADE if spoken == language]
    words = {culture: words_of(culture, language, gold) for culture in cultures}
    forms = {culture: forms_of(own, language) for culture, own in words.items()}
    stems = ask(language, (form for own in forms.values() for form in own))
    standing = {
        culture: neighbours(words[culture], forms[culture], lambda form: " ".join(stems.tokens(form)))
        for culture in cultures
    }
    replies = {
        culture: [made_replies(culture, language, gold, release, standing[culture], seed) for seed in SEEDS]
        for culture in cultures
    }
    side = language == "en"
    authors = ask(
        language,
        (text for drawn in replies.values() for made in drawn for text in parity.texts(gold, made)[side]),
    )
    for culture in cultures:
        verdicts = []
        for drawn in replies[culture]:
            ours = parity.verdicts(gold, drawn)
            with parity.tools({language: authors}):
                verdicts.append((ours, parity.verdicts(gold, drawn)))
        yield _effect(culture, language, "made", verdicts)


def every(gold: pl.DataFrame) -> list[Effect]:
    """All that can be measured, language by language."""
    found = []
    for language in sorted(
        {*parity.FILES, *(spoken for _, spoken in MADE)}, key=lambda code: get_language(code).name
    ):
        effects = [reference(language, gold)] if language in parity.FILES else []
        effects += made(language, gold) if any(language == spoken for _, spoken in MADE) else []
        for effect in effects:
            print(*effect.row(), file=sys.stderr, flush=True)
        found += effects
    return found


def by_language(effects: Sequence[Effect]) -> dict[str, Bias]:
    """The bias of each language, over all its questions: what English decides in the reference is left out of
    them."""
    languages = sorted({effect.language for effect in effects})
    return {
        language: Bias.of([effect for effect in effects if effect.language == language])
        for language in languages
    }


def _effect(culture: str, language: str, replies: str, verdicts: list[tuple[pl.Series, pl.Series]]) -> Effect:
    both = pl.concat(pl.DataFrame({"ours": ours, "theirs": theirs}).drop_nulls() for ours, theirs in verdicts)
    gained, lost = (both["ours"] > both["theirs"]).mean(), (both["ours"] < both["theirs"]).mean()
    assert isinstance(gained, float) and isinstance(lost, float)
    return Effect(culture, language, replies, both.height, gained, lost)

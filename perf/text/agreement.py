"""What the default tools change in SEM-B: against the reference verdicts, and against the authors' tools on made replies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from folkways.cultures import get_culture, get_language
from folkways.releases.store import open_release
from perf.text import parity
from perf.text.authors_tools import ask
from perf.text.made_replies import SEED, made_replies, neighbours, words_of

THEIRS = ("ar", "az", "ha", "ko")
"""Languages of the reference whose tool can be had and is not folkways' own."""
MADE = (
    ("AZ", "az"), ("CN", "en"), ("DZ", "ar"), ("GB", "en"), ("ID", "id"), ("ID-JB", "su"), ("IR", "fa"), ("KP", "ko"),
    ("KR", "ko"), ("NG-N", "ha"), ("US", "en"),
)  # fmt: skip
"""Culture and language of the replies that are made; English is judged beside the model that the authors name."""
SEEDS = (SEED, 1)


@dataclass(frozen=True)
class Effect:
    """The default tools on some replies, beside the authors' verdicts.

    signed: SEM-B with the default tools less SEM-B with the authors', in points; gained, lost: the questions that make it.
    aside: ``signed`` without the questions that the choice of an English tool decides, where the authors' English is a stand-in.
    exact: share of equal verdicts with the authors' tools in folkways, which says that all but the tool is theirs.
    """

    culture: str
    language: str
    replies: str
    questions: int
    signed: float
    gained: float
    lost: float
    equal: float
    aside: float | None = None
    exact: float | None = None

    def row(self) -> list[str]:
        """The cells of the table."""
        return [
            get_culture(self.culture).name,
            get_language(self.language).name,
            self.replies,
            str(self.questions),
            f"{self.signed:+.2f}",
            "" if self.aside is None else f"{self.aside:+.2f}",
            f"{self.gained:.2f}",
            f"{self.lost:.2f}",
            f"{self.equal:.1f} %",
            "" if self.exact is None else f"{self.exact:.1f} %",
        ]


COLUMNS = ("culture", "asked in", "replies", "n", "signed", "English aside", "gained", "lost", "equal verdicts", "with their tools")


def reference(language: str, gold: pl.DataFrame, exactly: bool = True) -> Effect:
    """The default tools beside the reference verdicts; ``exactly`` asks the authors' tools too."""
    responses, official = parity.replies(language)
    theirs = official["official_binary"].cast(pl.Float64, strict=False)
    ours = parity.verdicts(gold, responses)
    aside = official["en_lemmatizer_sensitive"] == "0"
    exact = None
    if exactly:
        local, english = parity.texts(gold, responses)
        swapped = {"en": ask("en-table", english)} | ({language: ask(language, local)} if language in THEIRS else {})
        with parity.tools(swapped):
            exact = 100 * parity.equal(parity.verdicts(gold, responses), theirs)
    without = _signed(ours.filter(aside), theirs.filter(aside))
    culture = responses["item"][0].split("/")[0]
    return _effect(culture, language, "reference", [(ours, theirs)], without, exact)


def made(language: str, gold: pl.DataFrame) -> Iterator[Effect]:
    """The default tools beside the authors' on replies made for each of a language's cultures."""
    release = open_release(str(parity.SHARED / "data" / "blend" / "24e7d73"), "blend")
    cultures = [culture for culture, spoken in MADE if spoken == language]
    words = {culture: words_of(culture, language, gold) for culture in cultures}
    stems = ask(language, (word for found in words.values() for word in found))
    replies = {
        culture: [
            made_replies(
                culture, language, gold, release, neighbours(words[culture], lambda word: " ".join(stems.tokens(word))), seed
            )
            for seed in SEEDS
        ]
        for culture in cultures
    }
    side = language == "en"
    authors = ask(language, (text for drawn in replies.values() for made in drawn for text in parity.texts(gold, made)[side]))
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
    for language in sorted({*parity.FILES, *(spoken for _, spoken in MADE)}, key=lambda code: get_language(code).name):
        effects = [reference(language, gold)] if language in parity.FILES else []
        effects += made(language, gold) if any(language == spoken for _, spoken in MADE) else []
        for effect in effects:
            print(*effect.row(), file=sys.stderr, flush=True)
        found += effects
    return found


def by_language(effects: list[Effect]) -> dict[str, float]:
    """The signed effect that a language's scores have typically, in points.

    Of the reference verdicts without what English decides, where there are any; else, and for English, the mean over made replies.
    """
    found = {}
    for language in sorted({effect.language for effect in effects}):
        own = [effect for effect in effects if effect.language == language]
        told = [effect.aside for effect in own if effect.aside is not None and language != "en"]
        points = told or [effect.signed for effect in own if effect.replies == "made"]
        found[language] = sum(points) / len(points)
    return found


def _effect(
    culture: str,
    language: str,
    replies: str,
    verdicts: list[tuple[pl.Series, pl.Series]],
    aside: float | None = None,
    exact: float | None = None,
) -> Effect:
    both = pl.concat(pl.DataFrame({"ours": ours, "theirs": theirs}).drop_nulls() for ours, theirs in verdicts)
    gained, lost = (both["ours"] > both["theirs"]).mean(), (both["ours"] < both["theirs"]).mean()
    assert isinstance(gained, float) and isinstance(lost, float)
    points = (100 * (gained - lost), 100 * gained, 100 * lost, 100 * (1 - gained - lost))
    return Effect(culture, language, replies, both.height, *points, aside=aside, exact=exact)


def _signed(ours: pl.Series, theirs: pl.Series) -> float:
    return float(
        100 * pl.DataFrame({"ours": ours, "theirs": theirs}).drop_nulls().select(pl.col("ours") - pl.col("theirs")).mean().item()
    )

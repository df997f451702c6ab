"""Prompts as treatments: what is changed about every prompt (a persona, retrieved text, a language to think
in), with placebos and the same treatment for another culture.

Each arm is a variant of the prompt that it changes: ``inst-4~with-persona`` names the item's own culture,
``inst-4~with-persona:placebo-1`` none, ``inst-4~with-persona:for-KR`` another one. Plans, stored replies and
estimates thus hold arms without knowing of them; tasks never see them (``contract.judgements_of``), and
scores are of the prompts as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import polars as pl

from folkways.benchmarks.placebo_texts import EQUAL, OtherTexts
from folkways.benchmarks.templates import WORLD, Template, culture_parts, missing_places
from folkways.errors import DataError, FolkwaysError, UnknownNameError
from folkways.records import PROMPTS
from folkways.text_tables import csv_header, read_table
from folkways.toml_files import packaged_toml, read_toml

MARK = "~with-"
"""Stands in the variants of treated prompts, and in no others."""

LENGTH = "characters"
"""Column of judgements of treated prompts: characters of the reply."""

FEWEST_PLACEBOS = 3

EVERY = "all"
"""``crossed`` of a treatment that names every other culture of the run on every item."""

Kind = Literal["control", "treatment", "placebo", "crossed"]

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
_ARM = re.compile(
    rf"^(?P<base>.*){MARK}(?P<treatment>{_NAME.pattern})(?::(?P<kind>placebo|for)-(?P<which>.+))?$", re.S
)
_OF_CULTURE = ("culture", "country", "language", "people")


@dataclass(frozen=True, slots=True)
class Arm:
    """What a variant says of how its prompt was treated.

    base: the variant of the prompt as it is. treatment: its name; empty for the control. which: number of the
    placebo, or code of the culture that is named in place of the item's own.
    """

    base: str
    treatment: str = ""
    kind: Kind = "control"
    which: str = ""

    @classmethod
    def of(cls, variant: str) -> Arm:
        """The arm of a variant; one without MARK is a control."""
        match = _ARM.match(variant)
        if match is None:
            return cls(variant)
        kinds: dict[str | None, Kind] = {None: "treatment", "placebo": "placebo", "for": "crossed"}
        return cls(match["base"], match["treatment"], kinds[match["kind"]], match["which"] or "")

    def group(self, apart: Collection[str] | None = ()) -> str:
        """What its replies are judged and scored together as: ``persona``, ``persona:placebo-1``,
        ``persona:for-others``; empty for the control.

        apart: treatments whose crossed arms are a group for each culture named (``persona:for-KR``); None for
        all.
        """
        named = self.which if apart is None or self.treatment in apart else "others"
        endings = {"placebo": f":placebo-{self.which}", "crossed": f":for-{named}"}
        return self.treatment + endings.get(self.kind, "")


def arms_in(variants: pl.Series) -> dict[str, Arm]:
    """Variant -> its arm, for those of a column (text or categories) that are treated."""
    names = variants.unique().cast(pl.String).to_list()
    return {name: Arm.of(name) for name in names if MARK in name}


def without_treatments(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of prompts as they are."""
    treated = arms_in(rows["variant"])
    return rows.filter(~pl.col("variant").cast(pl.String).is_in([*treated])) if treated else rows


def with_length(judged: pl.DataFrame) -> pl.DataFrame:
    """Judgements with ``LENGTH``, where any are of a treated prompt and their replies are there."""
    if LENGTH in judged.columns or "response" not in judged.columns or not arms_in(judged["variant"]):
        return judged
    return judged.with_columns(pl.col("response").cast(pl.String).str.len_chars().alias(LENGTH))


def by_group(rows: pl.DataFrame, apart: Collection[str] | None = ()) -> dict[str, pl.DataFrame]:
    """``Arm.group`` -> its rows, with the variants of the prompts as they are; the control comes first.
    apart: as for ``Arm.group``."""
    treated = arms_in(rows["variant"])
    if not treated:
        return {"": rows}
    kind = rows.schema["variant"]
    variant = pl.col("variant").cast(pl.String)
    groups = variant.replace_strict({name: arm.group(apart) for name, arm in treated.items()}, default="")
    bases = variant.replace_strict({name: arm.base for name, arm in treated.items()}, default=variant)
    named = rows.with_columns(bases.cast(kind), groups.alias("_group"))
    parts = {str(name): part for (name,), part in named.group_by("_group", maintain_order=True)}
    return {name: parts[name].drop("_group") for name in sorted(parts)}


@dataclass(frozen=True)
class Treatment:
    """What is changed about a prompt.

    system, prompt: language of the prompt -> the text added to the system prompt, and the text of the user
        with ``{prompt}`` in the place of the prompt; ``""`` is every other language.
    texts: CSV file with the columns ``item`` or ``culture``, and ``text``, which fills ``{text}``. digest: of
        what the file held when the run was planned.
    placebos: texts in place of ``system`` or ``prompt``; None: the treatment's own, with what folkways puts
        in place of its names, and texts of other items in place of the item's.
    crossed: whether each item is also asked with the treatment for another culture; EVERY: for each other
        culture of the run.
    """

    name: str
    system: Mapping[str, str]
    prompt: Mapping[str, str]
    texts: str = ""
    digest: str = ""
    placebos: tuple[str, ...] | None = None
    crossed: bool | str = False

    @classmethod
    def of(cls, name: str, entry: Any, file: Path | None = None) -> Treatment:
        """The treatment of a table of a file. Raises DataError for one that cannot be used."""

        def wrong(what: str) -> DataError:
            return DataError(f"treatment {name!r}: {what}", file=file)

        if not _NAME.fullmatch(name):
            raise wrong("its name may have small letters, digits, - and _ alone")
        if not isinstance(entry, Mapping):
            raise wrong(f'must be a table with system = "..." or prompt = "...", got {entry!r}')
        if unknown := sorted(set(entry) - set(_KEYS)):
            raise wrong(f"unknown key {unknown[0]!r}; valid: {', '.join(_KEYS)}")
        for key, kinds in _KEYS.items():
            if not isinstance(entry.get(key, kinds[0]()), kinds):
                raise wrong(f"{key} must be {_KINDS[key]}, got {entry[key]!r}")
        if entry.get("crossed", False) not in (True, False, EVERY):
            raise wrong(f"crossed must be {_KINDS['crossed']}, got {entry['crossed']!r}")
        system, prompt = (_by_language(entry.get(key, {})) for key in ("system", "prompt"))
        texts = [*system.values(), *prompt.values()]
        if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
            raise wrong('needs a text: system = "...", or prompt = "... {prompt}"')
        if any(missing_places(text, ("prompt",)) for text in prompt.values()):
            raise wrong("every prompt needs {prompt}, where the prompt itself goes")
        if any("text" in _names(text) for text in texts) != bool(entry.get("texts")):
            raise wrong('{text} and texts = "FILE.csv" go together')
        path = entry.get("texts", "")
        if path and file is not None:
            path = str((file.parent / path).resolve())
        names_culture = any(set(_OF_CULTURE) & set(_names(text)) for text in texts)
        key = _key(path) if path else ""
        made = cls(
            name,
            system,
            prompt,
            path,
            entry.get("digest") or (_digest(path) if path else ""),
            tuple(entry["placebos"]) if entry.get("placebos") is not None else None,
            entry.get("crossed", names_culture or key == "culture"),
        )
        if problem := made._problem_of_placebos(names_culture):
            raise wrong(problem)
        has_placebos = names_culture or key == "item" or made.placebos is not None
        return made if has_placebos else replace(made, placebos=())

    def table(self) -> dict[str, Any]:
        """What ``of`` reads, of plain values."""
        texts = {"system": self.system, "prompt": self.prompt}
        return {
            **{
                name: by_language[""] if [*by_language] == [""] else dict(by_language)
                for name, by_language in texts.items()
                if by_language
            },
            "crossed": self.crossed,
            **({"texts": self.texts, "digest": self.digest} if self.texts else {}),
            **({} if self.placebos is None else {"placebos": list(self.placebos)}),
        }

    def _problem_of_placebos(self, names_culture: bool) -> str:
        if not self.placebos:
            return ""
        if self.system and self.prompt:
            return "has system and prompt, so that it is unclear what a placebo replaces; leave placebos out"
        if len(self.placebos) < FEWEST_PLACEBOS:
            return f"needs {FEWEST_PLACEBOS} placebos or more, or none: one cue alone may mean something"
        (text, *_) = (self.system or self.prompt).values()
        for placebo in self.placebos:
            if self.prompt and missing_places(placebo, ("prompt",)):
                return f"the placebo {placebo[:60]!r} has no {{prompt}}, where the prompt itself goes"
            if cues := [name for name in _OF_CULTURE if name in _names(placebo)]:
                return f"the placebo {placebo[:60]!r} has {{{cues[0]}}}, and a placebo names no culture"
            words, wanted = len(placebo.split()), len(text.split())
            if names_culture and abs(words - wanted) > max(1, EQUAL * wanted):
                return (
                    f"the placebo {placebo[:60]!r} has {words} words and the treatment {wanted}; the two "
                    f"have to be as long, give or take {100 * EQUAL:g} %"
                )
        return ""

    def arms(self, cultures: int) -> int:
        """Largest number of prompts that a prompt gets besides itself. cultures: of the run."""
        placebos = len(placebo_names()) if self.placebos is None else len(self.placebos)
        return 1 + placebos + (max(0, cultures - 1) if self.crossed == EVERY else bool(self.crossed))

    @cached_property
    def _texts(self) -> tuple[str, dict[str, str]]:
        """Whether texts go by ``item`` or ``culture``, and the texts; several of one key follow one
        another."""
        if _digest(self.texts) != self.digest:
            raise FolkwaysError(
                f"treatment {self.name!r}: {self.texts} has changed since the run was planned; bring the old "
                "file back, or start a new run"
            )
        key = _key(self.texts)
        rows = read_table(Path(self.texts), {name: (name,) for name in (key, "text")})
        joined = rows.group_by(key, maintain_order=True).agg(pl.col("text").str.join("\n"))
        return key, dict(joined.select(key, "text").iter_rows())

    @cached_property
    def _other_texts(self) -> OtherTexts:
        return OtherTexts(self._texts[1].values())

    def of_prompt(
        self, item: str, culture: str, others: Sequence[str], seed: int
    ) -> Iterator[tuple[str, _ArmTexts]]:
        """The ending of each arm's variant, and what its texts are filled with.

        item: its id. culture: its code. others: codes of the cultures that are named in crossed arms. seed:
        decides which items' texts are placebos. FolkwaysError for an item or a culture without a text, and
        for an item with too few texts of others that are as long.
        """
        named = {} if self.texts == "" else {"text": self._text(item, culture)}
        ending = MARK + self.name
        yield ending, _ArmTexts(self.system, self.prompt, {**culture_parts(culture), **named})
        if self.placebos is None:
            replaced: list[dict[str, str]] = [named] * len(placebo_names())
            if named and self._texts[0] == "item":
                replaced = [{"text": text} for text in self._texts_of_others(item, named["text"], seed)]
            for number, (parts, text) in enumerate(zip(placebo_names(), replaced, strict=True), start=1):
                yield f"{ending}:placebo-{number}", _ArmTexts(self.system, self.prompt, {**parts, **text})
        for number, cue in enumerate(self.placebos or (), start=1):
            system, prompt = ({"": cue}, {}) if self.system else ({}, {"": cue})
            yield f"{ending}:placebo-{number}", _ArmTexts(system, prompt, {})
        for other in others if self.crossed else ():
            if named and self._texts[0] == "culture":
                named = {"text": self._text(item, other)}
            yield (
                f"{ending}:for-{other}",
                _ArmTexts(self.system, self.prompt, {**culture_parts(other), **named}),
            )

    def _texts_of_others(self, item: str, text: str, seed: int) -> list[str]:
        number = len(placebo_names())
        drawn = self._other_texts.like(text, number, f"{seed}/{self.name}/{item}")
        if len(drawn) < number:
            raise FolkwaysError(
                f"treatment {self.name!r}: placebos are texts of other items, and {self.texts} has fewer "
                f"than {number} in the script of the item {item!r} that have its {len(text):,} characters; "
                "add texts of more items, or write placebos = [] to ask without placebos"
            )
        return drawn

    def _text(self, item: str, culture: str) -> str:
        key, texts = self._texts
        name = item if key == "item" else culture
        if name not in texts:
            raise FolkwaysError(
                f"treatment {self.name!r}: {self.texts} has no text for the {key} {name!r}; add a row for it "
                "(its text may be empty), or narrow the run"
            )
        return texts[name]


@dataclass(frozen=True, slots=True)
class _ArmTexts:
    """The texts of an arm and what fills them."""

    system: Mapping[str, str]
    prompt: Mapping[str, str]
    parts: Mapping[str, str]

    def apply(self, row: Mapping[str, Any], name: str) -> dict[str, Any]:
        """``system`` and ``user`` of a prompt, changed. name: of the treatment, for errors."""
        changed = {"system": row["system"], "user": row["user"]}
        if (text := _in_language(self.system, row["language"], name)) is not None:
            cue = Template(text, f"treatment {name}").fill(self.parts)
            changed["system"] = f"{row['system']}\n\n{cue}" if row["system"] else cue
        if (text := _in_language(self.prompt, row["language"], name)) is not None:
            parts = {**self.parts, "prompt": row["user"]}
            changed["user"] = Template(text, f"treatment {name}").fill(parts)
        return changed


def with_treatments(
    prompts: pl.DataFrame,
    items: pl.DataFrame,
    system: str | None,
    treatments: Sequence[Treatment],
    cultures: Sequence[str],
    seed: int,
) -> pl.DataFrame:
    """The ``prompts`` (records.PROMPTS) with the run's ``system`` prompt, each followed by its arms.

    items: those of the prompts. system: may name the item's culture; None leaves the task's. treatments: of
    the run. cultures: those that crossed arms name; where one is, it is drawn by ``seed``, for all items of a
    question alike. An item about no culture is asked as it is alone. UnfilledError for a {name} that nothing
    fills.
    """
    if system is None and not treatments:
        return prompts
    about = {
        item: (culture, question)
        for item, culture, question in items.select("item", "culture", "question").iter_rows()
    }
    rows: list[dict[str, Any]] = []
    for row in prompts.select(list(PROMPTS)).iter_rows(named=True):
        culture, question = about[row["item"]]
        if system is not None:
            row["system"] = Template(system, "the system prompt").fill(culture_parts(culture))
        rows.append(row)
        for treatment in treatments if culture not in (None, WORLD) else ():
            others = _others(culture, question, treatment, cultures, seed)
            for ending, filled in treatment.of_prompt(row["item"], culture, others, seed):
                variant = row["variant"] + ending
                rows.append({**row, **filled.apply(row, treatment.name), "variant": variant})
    return pl.DataFrame(rows, schema=dict(PROMPTS))


def _others(
    culture: str, question: str, treatment: Treatment, cultures: Sequence[str], seed: int
) -> list[str]:
    """The cultures that the crossed arms of an item name: all others, or one of them."""
    others = [code for code in cultures if code not in (culture, WORLD)]
    if treatment.crossed == EVERY or not others:
        return others
    # A hash of our own, because a library's draw may change from version to version and this must not.
    lot = blake2b(f"{seed}/{treatment.name}/{culture}/{question}".encode(), digest_size=8).digest()
    return [others[int.from_bytes(lot) % len(others)]]


def read_treatments(value: str | Path | Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Treatments by name, as plain tables, from a TOML file, from names of folkways' own separated by
    commas, or from such tables. A table without a text that is called as one of folkways' changes that.

    DataError for a treatment that cannot be used; UnknownNameError for a name that folkways has not.
    """
    if isinstance(value, Mapping):
        return {name: Treatment.of(name, _whole(name, entry)).table() for name, entry in value.items()}
    if str(value).endswith(".toml"):
        file = Path(value)
        tables = read_toml(file, 'treatments file, with a table [NAME] and system = "..." per treatment')
        if not tables:
            raise DataError('has no treatment; write [NAME] and system = "..."', file=file)
        return {name: Treatment.of(name, _whole(name, entry), file).table() for name, entry in tables.items()}
    shipped = {name: entry for name, entry in _shipped().items() if name != "placebos"}
    names = [name.strip() for name in str(value).split(",") if name.strip()]
    for name in names:
        if name not in shipped:
            raise UnknownNameError("treatment (or a file that ends in .toml)", name, shipped)
    return {name: Treatment.of(name, shipped[name]).table() for name in names}


def _whole(name: str, entry: Any) -> Any:
    if isinstance(entry, Mapping) and not {"system", "prompt"} & set(entry) and name != "placebos":
        return {**_shipped().get(name, {}), **entry}
    return entry


def placebo_names() -> tuple[dict[str, str], ...]:
    """What folkways puts in place of the names of a culture, for each placebo."""
    return tuple(
        {**entry, "country": entry["culture"], "people": f"people in {entry['culture']}"}
        for entry in _shipped()["placebos"]
    )


@cache
def _shipped() -> Mapping[str, Any]:
    return packaged_toml("folkways.benchmarks", "treatments.toml")


_KEYS: Mapping[str, tuple[type, ...]] = {
    "system": (str, Mapping),
    "prompt": (str, Mapping),
    "texts": (str,),
    "digest": (str,),
    "placebos": (list, tuple),
    "crossed": (bool, str),
}
_KINDS = {
    **dict.fromkeys(("system", "prompt"), "a text, or a table of texts by language"),
    **dict.fromkeys(("texts", "digest"), "a text"),
    "placebos": "a list of texts",
    "crossed": f'true, false or "{EVERY}"',
}


def _by_language(entry: str | Mapping[str, str]) -> dict[str, str]:
    return {"": entry.strip()} if isinstance(entry, str) else dict(entry)


def _in_language(texts: Mapping[str, str], language: str, name: str) -> str | None:
    if not texts:
        return None
    if language not in texts and "" not in texts:
        raise FolkwaysError(
            f"treatment {name!r} has no text for prompts in {language!r}; it has {', '.join(texts)}: add "
            '"" for every other language, or narrow --languages'
        )
    return texts.get(language, texts.get(""))


def _names(text: str) -> list[str]:
    return re.findall(r"(?<!\{)\{(\w+)\}", text)


def _columns(path: str) -> list[str]:
    columns = csv_header(Path(path))
    if "text" not in columns or not {"item", "culture"} & set(columns):
        raise DataError(
            f"has the columns {', '.join(columns)}; it needs item or culture, and text", file=Path(path)
        )
    return columns


def _key(path: str) -> str:
    """The column that its texts go by."""
    return "item" if "item" in _columns(path) else "culture"


def _digest(path: str) -> str:
    _columns(path)
    return blake2b(Path(path).read_bytes(), digest_size=8).hexdigest()

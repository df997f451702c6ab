"""blend/saq: BLEnD's short-answer questions, in each culture's language and in English (paper, section
4.1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import orjson
import polars as pl

from folkways.benchmarks.base import AnswerGroups, HumanBaseline, PromptOptions, Scoring, Task, answer_groups
from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.answer_judging import ENGLISH, PLACE, judge_answers
from folkways.benchmarks.free_answers.matching import LANGUAGE_METRICS
from folkways.benchmarks.summary import ASKED_IN, summarise_means, with_asked_in
from folkways.benchmarks.templates import Template, culture_parts, missing_places, wordings
from folkways.cultures import codes_of_languages, cultures_of, get_culture
from folkways.errors import DataError, UnknownNameError
from folkways.records import ITEMS, PROMPTS, Metric, of_rows
from folkways.releases.once import read_once
from folkways.releases.release_records import Release
from folkways.text.tools import TOOL_SETS, get_tool, has_tool

_PLACE = re.compile(r"\{\w\}")  # two Algerian templates have the placeholder's letter translated


def template_frame(release: Release, cultures: Iterable[str]) -> pl.DataFrame:
    """One row per culture: ``templates`` (JSON: template -> [English text, local text]) and
    ``prompt_source``.

    The JSON is one string per culture that all its items share, so that a reply can later be freed of its
    prompt.
    """
    ours_by_name = wordings("folkways.benchmarks.blend")["saq"]  # template -> language -> text with ``{q}``
    released: dict[str, dict[str, list[str]]] = {}
    if blend.has(release, "prompts"):
        for culture, name, *texts in blend.read_prompts(release).iter_rows():
            released.setdefault(culture, {})[name] = [_PLACE.sub(PLACE, text) for text in texts]
    rows = []
    for culture in cultures:
        local = get_culture(culture).languages[0]
        ours = {
            name: [texts[ENGLISH], texts.get(local, texts[ENGLISH])] for name, texts in ours_by_name.items()
        }
        templates, source = (released[culture], "release") if culture in released else (ours, "folkways")
        rows.append((culture, orjson.dumps(templates).decode(), source))
    return of_rows(rows, {"culture": pl.String, "templates": pl.String, "prompt_source": pl.String})


def make_prompts(
    task: str,
    items: pl.DataFrame,
    options: PromptOptions,
    default_variants: tuple[str, ...],
    release: Release,
) -> pl.DataFrame:
    """records.PROMPTS for items with ``local_language``, ``question_local``, ``question_en``, ``templates``
    and ``prompt_source``.

    task: name for the rows; options: what the user asked for; default_variants: templates if the options name
    none. The items may be a part of the release's: an item that lacks a template or language which others
    have gets no prompt for it. Raises UnknownNameError for a template or language that no item of the release
    has.
    """
    released_of = {
        culture: orjson.loads(text)
        for culture, text in items.select("culture", "templates").unique(maintain_order=True).iter_rows()
    }
    brought = _brought(options.prompt_texts)
    variants = _variants(options, released_of, brought, default_variants, release)
    wanted_languages = _languages(options.languages, items["local_language"].unique())
    rows = []
    for culture, local, source in (
        items.select("culture", "local_language", "prompt_source").unique(maintain_order=True).iter_rows()
    ):
        order = 0
        for language in dict.fromkeys(local if code == "local" else code for code in wanted_languages):
            if language not in (local, ENGLISH):
                continue
            for variant in variants:
                user_text = brought.get((variant, language), brought.get((variant, "")))
                if user_text:
                    parts = {**culture_parts(culture), "question": PLACE}
                    user_text = Template(user_text, f"file:{variant}").fill(parts)
                released = released_of[culture].get(variant)
                text = user_text or (released and released[0 if language == ENGLISH else 1])
                if text:
                    rows.append(
                        (culture, language, variant, order, text, f"file:{variant}" if user_text else source)
                    )
                    order += 1
    names = ("culture", "language", "variant", "order", "template", "prompt_source")
    schema = {name: pl.Int64 if name == "order" else pl.String for name in names}
    templates = of_rows(rows, schema)
    question = (
        pl.when((pl.col("language") == ENGLISH) & (pl.col("local_language") != ENGLISH))
        .then("question_en")
        .otherwise("question_local")
    )
    return (
        items.drop("prompt_source")
        .with_row_index("place")
        .join(templates, on="culture")
        .sort("place", "order")
        .select(
            pl.lit(task).alias("task"),
            "item",
            "language",
            "variant",
            pl.lit(None, dtype=pl.String).alias("system"),
            pl.col("template").str.replace_all(PLACE, question, literal=True).alias("user"),
            pl.lit(None, dtype=pl.List(pl.String)).alias("choices"),
            "prompt_source",
        )
        .select(list(PROMPTS))
    )


def _brought(texts: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """(template, language or "") -> text, from names like ``inst-4`` (every language) and ``inst-4@ko``."""
    for name, text in texts.items():
        if absent := missing_places(text, ("question",)):
            raise DataError(
                f"the prompt {name!r} has no {absent[0]}, the place of the question: {text[:80]!r}"
            )
    return {
        (name.partition("@")[0], name.partition("@")[2]): text.replace("{question}", PLACE)
        for name, text in texts.items()
    }


def _variants(
    options: PromptOptions,
    known: Mapping[str, Mapping[str, list[str]]],
    brought: Mapping[tuple[str, str], str],
    default: tuple[str, ...],
    release: Release,
) -> list[str]:
    names = dict.fromkeys(
        [*(name for templates in known.values() for name in templates), *(name for name, _ in brought)]
    )
    if options.variants is None:
        return list(dict.fromkeys(name for name, _ in brought) or default)
    chosen = [member for name in options.variants for member in (names if name == "all" else [name])]
    if unknown := [name for name in chosen if name not in names]:
        elsewhere = (
            blend.read_prompts(release)["id"].unique().to_list() if blend.has(release, "prompts") else []
        )
        for name in unknown:
            if name not in elsewhere:
                raise UnknownNameError("prompt template", name, {*names, *elsewhere, "all"})
    return list(dict.fromkeys(chosen))


def _languages(wanted: tuple[str, ...] | None, asked_in: Iterable[str]) -> list[str]:
    valid = {"local", ENGLISH, *(culture.languages[0] for culture in cultures_of("blend")), *asked_in}
    codes = codes_of_languages(wanted or ("local", ENGLISH), valid)
    for code in codes:
        if code not in valid:
            raise UnknownNameError("language of blend/saq", code, valid)
    return list(codes)


SKIPPED = {
    "skipped: nobody answered": pl.col("groups").list.len() == 0,
    "skipped: too few people knew, or could answer": ~blend.is_counted(),
}
"""Why a question does not count, the first that holds."""


class ShortAnswers(Task):
    """500 questions per culture; right when the reply has an answer that people of the culture gave."""

    name: ClassVar[str] = "blend/saq"
    release: ClassVar[str] = "blend"
    title: ClassVar[str] = "BLEnD short answers"
    about: ClassVar[str] = (
        "Everyday questions of 16 cultures, asked in the local language and in English; a reply counts when "
        "it has an answer that annotators of the culture gave (paper, section 4.1)."
    )
    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric(
            "sem_b",
            "SEM-B",
            "The reply has any answer that people gave (paper, section 4.1).",
            headline_by=ASKED_IN,  # as Tables 10 and 11, which never pool the two
        ),
        Metric(
            "sem_w",
            "SEM-W",
            "Votes of the matched answer over those of the commonest (paper, section 4.1).",
            kind="mean",
        ),
        Metric(
            "sem_b_first",
            "SEM-B, first answer",
            "SEM-B of the first answer alone where the reply lists several.",
        ),
        Metric("refusal", "Refusals", "Share of replies that decline to answer.", lower_is_better=True),
        *LANGUAGE_METRICS,
        Metric(
            "answers_given",
            "Answers given",
            "Answers that a reply lists.",
            kind="mean",
            scale=1.0,
            bounds=None,
        ),
        Metric(
            "inside_word",
            "Inside a word only",
            "Share of replies that are right only because an answer stands within a longer word; paper "
            "profile.",
            lower_is_better=True,
        ),
    )
    facets: ClassVar[tuple[str, ...]] = ("topic",)
    variants: ClassVar[tuple[str, ...]] = ("inst-4", "pers-3")
    max_tokens: ClassVar[int] = 128
    scoring: ClassVar[Scoring] = Scoring(("paper", "strict"), text_tools=TOOL_SETS, per_reply=True)

    @property
    def tool_set(self) -> str:
        return self.tools.text_tools or "default"

    def items(self, release: Release) -> pl.DataFrame:
        """8,000 items in the full release: records.ITEMS, topic, wordings, templates, groups
        (data.release.GROUPS), skip_reason."""
        return _items(release).with_columns(task=pl.lit(self.name))

    def prompts(self, items: pl.DataFrame, options: PromptOptions, release: Release) -> pl.DataFrame:
        """In the local language and English (US, GB: English alone), by inst-4 and pers-3: 30,000 prompts in
        the full release. FolkwaysError with the install line where judging the replies needs a text tool that
        is not installed."""
        prompts = make_prompts(self.name, items, options, self.variants, release)
        asked_in = prompts["language"].unique().sort().to_list()
        for language in dict.fromkeys([*(code for code in asked_in if code != "en"), "en"]):
            get_tool(language, self.tool_set)  # English answers count in every language
        return prompts

    def judge(self, items: pl.DataFrame, responses: pl.DataFrame, profile: str) -> pl.DataFrame:
        """One judgement per response, with the headline that it belongs to (ASKED_IN); a column ``prompt`` in
        the responses, where there is one, is what replies are freed of."""
        profile = self.resolve_profile(profile)
        names = [metric.name for metric in self.metrics if metric.name != "inside_word" or profile == "paper"]
        judged = judge_answers(items, responses, profile, names, self.tool_set)
        return with_asked_in(judged).cast({ASKED_IN: pl.String})

    def summarise(self, judgements: pl.DataFrame) -> pl.DataFrame:
        """Means over the questions that count, by culture, language, language of asking, variant and
        topic."""
        return summarise_means(with_asked_in(judgements), self.name, self.metrics, (ASKED_IN, *self.facets))

    def human_baseline(self) -> HumanBaseline:
        return HumanBaseline("first answers against the others'", self._people, "blend-raw")

    def _people(self, items: pl.DataFrame, release: Release, profile: str) -> pl.DataFrame | None:
        """Each annotator's first answer, judged against those of the others (see ``tables.people``)."""
        from folkways.benchmarks.blend.results.people import has_raw_answers, people_judgements

        keys = items.select("culture", pl.col("question").alias("id")).unique()
        annotations = blend.read_annotations(release).join(
            keys, on=["culture", "id"], how="semi", maintain_order="left"
        )
        if not has_raw_answers(annotations):
            return None
        judged = people_judgements(annotations, self.resolve_profile(profile), self.tool_set)
        return judged.join(items.select("item", "topic"), on="item", how="left", maintain_order="left")

    def accepted_answers(self, item: Mapping[str, Any]) -> AnswerGroups:
        ordered = sorted(item["groups"], key=lambda group: -group["count"])
        return answer_groups([*group["answers"], *group["en_answers"]] for group in ordered)

    def question_in(self, item: Mapping[str, Any], language: str) -> str:
        """``blend/saq`` asks cultures that speak English in their own English."""
        return str(
            item["question_en" if language == "en" and item["local_language"] != "en" else "question_local"]
        )

    def from_authors(self, table: pl.DataFrame) -> pl.DataFrame | None:
        """The output of the authors' inference program: ID, question, prompt, response, prompt_no.

        Culture and language are in its file name only. An empty cell is a reply of no words.
        """
        if not {"ID", "prompt", "response", "prompt_no"} <= set(table.columns):
            return None
        return table.select(
            release_id="ID", variant="prompt_no", prompt="prompt", response=pl.col("response").fill_null("")
        )

    def text_tools(self) -> Mapping[str, str]:
        """The tools of the languages that questions are asked in, those that are installed; each once."""
        languages = {culture.languages[0] for culture in cultures_of("blend")}
        tools = (
            get_tool(language, self.tool_set) for language in languages if has_tool(language, self.tool_set)
        )
        return dict(sorted({(tool.name, tool.version) for tool in tools}))


@read_once
def _items(release: Release) -> pl.DataFrame:
    """The items of ``ShortAnswers``, which planning, judging and reporting look at."""
    annotated = blend.read_annotations(release)
    questions = _questions(release, annotated)
    cultures = questions["culture"].unique(maintain_order=True)
    locals_ = {code: get_culture(code).languages[0] for code in cultures}
    names = {code: blend.country_in_english(get_culture(code)) for code in cultures}
    skip_reason = pl.lit(None, dtype=pl.String)
    for reason, holds in reversed(SKIPPED.items()):
        skip_reason = pl.when(holds).then(pl.lit(reason)).otherwise(skip_reason)
    item = pl.concat_str("culture", "id", separator="/")
    return (
        questions.join(
            annotated.select("culture", "id", "groups", "idks"),
            on=["culture", "id"],
            how="left",
            maintain_order="left",
        )
        .with_columns(pl.col("groups").fill_null(pl.lit([])))
        .with_columns(
            question_en=pl.col("english").str.replace_all(
                "your country", pl.col("culture").replace_strict(names), literal=True
            ),
            local_language=pl.col("culture").replace_strict(locals_),
            skip_reason=skip_reason,
        )
        .with_columns(
            task=pl.lit(ShortAnswers.name),
            item=item,
            release_id="id",
            question="id",
            text=pl.when(pl.col("local_language") == "en").then("local").otherwise("question_en"),
            gold=_shown(pl.col("groups")),
            question_local="local",
        )
        .join(template_frame(release, cultures), on="culture", how="left", maintain_order="left")
        .select(
            *ITEMS,
            "topic",
            "source",
            "local_language",
            "question_local",
            "question_en",
            "templates",
            "prompt_source",
            "groups",
            "skip_reason",
        )
    )


def _questions(release: Release, annotations: pl.DataFrame) -> pl.DataFrame:
    """QUESTIONS of the release; what it has no question file for comes from the annotations, without
    topic."""
    annotated = annotations.select("culture", "id", local="question", english="en_question")
    if not blend.has(release, "questions"):
        return annotated.with_columns(
            topic=pl.lit(None, dtype=pl.String), source=pl.lit(None, dtype=pl.String)
        )
    questions = blend.read_questions(release)
    return pl.concat([questions, annotated.join(questions, on=["culture", "id"], how="anti")], how="diagonal")


def _shown(groups: pl.Expr) -> pl.Expr:
    """Groups as a person reads them: ``과자 / snack (3); 과일 / fruit (2)``."""
    element = pl.element().struct
    variants = (
        pl.concat_list(element.field("answers"), element.field("en_answers"))
        .list.unique(maintain_order=True)
        .list.join(" / ")
    )
    return groups.list.eval(pl.format("{} ({})", variants, element.field("count"))).list.join("; ")

"""``folkways build mcq`` from names to questions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from folkways import __version__
from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.build.calls import ModelOracle, Oracle, RuleOracle
from folkways.benchmarks.blend.build.construction import Questions, build_order_free, build_paper
from folkways.benchmarks.blend.build.languages import (
    LocalAnswers,
    blind_guesses,
    build_in_languages,
    read_glosses,
    wanted_languages,
)
from folkways.benchmarks.blend.build.sources import SourceQuestion, select_sources
from folkways.benchmarks.blend.data.files import country_name
from folkways.benchmarks.blend.published import PUBLISHED
from folkways.benchmarks.build import BuildSession
from folkways.benchmarks.printed_prompts import texts_for_builder
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.templates import Template, digest_of, wordings
from folkways.cultures import get_culture
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.releases.release_records import Release

BRACED = re.compile(r"\{(\w+)\}")
"""What a template would take for a part."""


def own_wording() -> Template:
    """Our prompt of an item, with {question} and {choices}."""
    return Template(wordings("folkways.benchmarks.blend")["build"]["item"], "folkways")


def released_wording(name: str, sources: Sequence[SourceQuestion]) -> Template:
    """The prompt of released questions, with {question} and {choices} in place of its parts.

    name: a release or a folder. The prompt is found by a question that is there and here.
    FolkwaysError where there is none, or nothing to read.
    """
    texts = {(source.question, country): text for source in sources for country, text in source.texts.items()}
    for batch in blend.read_mcq_batches(_release(name)):
        for key, code, prompt, labels, choices in batch.select(
            "id", "culture", "prompt", "labels", "choices"
        ).iter_rows():
            question = texts.get((key, country_name(get_culture(code))))
            lettered = "\n".join(f"{label}. {choice}" for label, choice in zip(labels, choices, strict=True))
            if question and prompt.count(question) == 1 and prompt.count(lettered) == 1:
                # what is sent as it is
                literal = BRACED.sub(r"{{\1}}", prompt.replace(lettered, "\0").replace(question, "\1"))
                return Template(
                    literal.replace("\0", "{choices}").replace("\1", "{question}"), f"release:{name}"
                )
    raise FolkwaysError(
        f"the wording of {name} cannot be taken over: no question has the same text there and here\n"
        "Give the question texts that it was made with (--question-text), or leave --wording-of out"
    )


def _release(name: str) -> Release:
    release = open_release(name, "blend")
    if not blend.has(release, "mcq"):
        raise FolkwaysError(
            f"release {release.name} has no multiple-choice questions to take a wording from; try "
            "--wording-of blend-mcq"
        )
    return release


PROFILES = ("paper", "strict")
STAND_IN = "stand-in:"
BY_QUESTION = "question"


@dataclass(frozen=True)
class QuestionsBuild:
    """What was built, the release it was made from, and a record of how."""

    built: Questions
    release: Release
    record: dict[str, Any]


def make_questions(
    session: BuildSession,
    *,
    release: str,
    judge: str,
    question_text: str | None = None,
    dummies: str | None = None,
    profile: str = "paper",
    judge_batch: str = BY_QUESTION,
    ahead: int = 16,
    questions: Sequence[str] | None = None,
    wording_of: str | None = None,
    prompts: Path | None = None,
    reasons: bool = False,
    exclusion: str = "code",
    language: Sequence[str] | None = None,
    glosses: Path | None = None,
    name: str | None = None,
) -> QuestionsBuild:
    """Build multiple-choice questions.

    session: opens models and shows progress.
    release: name or folder with annotations;
    question_text: another one with better question texts.
    judge: a model or ``stand-in:RULE``;
    dummies: who makes up options, the judge if None.
    profile: ``paper`` or ``strict``.
    judge_batch: strict: ``question``, or how many pairs the judge sees at a time.
    ahead: paper: how many calls may be on their way at once.
    questions: ids; None for all.
    wording_of: release or folder whose prompt is taken over; None for ours.
    prompts: file of prompt texts in place of ours (``printed_prompts``).
    reasons: paper: the judge writes its reasons before the verdict, as in the paper (Appendix C.3.2).
    exclusion: which filter of questions: ``code`` or ``text`` (``select_sources``).
    language: codes of languages in which items are asked as well as in English (``languages``); None for
        English alone. glosses: translations for these (``read_glosses``).
    name: of the run in which models are asked.

    Raises UnknownNameError or FolkwaysError for invalid options, before anything is asked.
    """
    _check(profile, judge_batch)
    spoken = _check_languages(language, glosses, profile, dummies, wording_of)
    texts_brought = texts_for_builder(prompts, "build mcq", PUBLISHED.prompts)
    if profile != "paper" and (reasons or "judge" in texts_brought):
        raise FolkwaysError(
            "the profile strict asks about many answers at once: its judge gives no reasons and has no text "
            "of yours; choose --profile paper"
        )
    if "item" in texts_brought and spoken:
        raise FolkwaysError(
            "the prompts file has a text 'item', which is in one language; delete it there, or leave "
            "--language out"
        )
    if "item" in texts_brought and wording_of:
        raise FolkwaysError("the prompts file has a text 'item'; delete it there, or leave --wording-of out")
    asked_of = {"judge": judge, "dummies": dummies or judge}
    oracles: dict[str, Oracle] = {
        name: RuleOracle(name.removeprefix(STAND_IN))
        for name in asked_of.values()
        if name.startswith(STAND_IN)
    }
    source = _with_answers(release)
    texts = open_release(question_text, "blend") if question_text else source
    inputs = {
        "made_by": f"folkways {__version__}",
        "release": source.label,
        "question_text": texts.label,
        "profile": profile,
        "exclusion": exclusion,
        **asked_of,
        "judge_batch": judge_batch if profile == "strict" else "1",
        "prompts": f"folkways {digest_of(wordings('folkways.benchmarks.blend')['build'])}",
        **({"judge_form": "reasons first"} if reasons else {}),
        **({"languages": sorted(spoken), "glosses": glosses.name if glosses else None} if spoken else {}),
        **{f"{name}_prompt": f"{text.source} {digest_of(text.text)}" for name, text in texts_brought.items()},
    }
    models = [name for name in dict.fromkeys(asked_of.values()) if name not in oracles]
    if models:
        config = {
            "build": "mcq",
            **inputs,
            "wording": wording_of,
            "questions": questions,
            "fingerprint": source.fingerprint,
        }
        opened = session.models(models, config, name=name, many_rounds=profile == "paper")
        oracles |= {
            name: ModelOracle(ask, texts_brought, reasoned=reasons)
            for name, ask in zip(models, opened, strict=True)
        }
    annotations, questions_asked = blend.read_annotations(source), blend.read_questions(texts)
    selected = select_sources(annotations, questions_asked, questions, exclusion, by_culture=bool(spoken))
    sources = selected.sources
    wording = (
        released_wording(wording_of, sources) if wording_of else texts_brought.get("item", own_wording())
    )
    of_both = oracles[asked_of["judge"]], oracles[asked_of["dummies"]]
    pairs_per_call = None if judge_batch == BY_QUESTION else int(judge_batch)
    more: dict[str, Any] = {}
    if spoken:
        local = LocalAnswers(annotations, questions_asked, read_glosses(glosses) if glosses else None)
        in_languages = build_in_languages(sources, of_both[0], local, spoken, pairs_per_call=pairs_per_call)
        built = in_languages.built
        for country, kept_out in selected.by_culture.items():
            if local.language[country] in spoken:
                nothing: dict[str, Any] = {"items": 0, "origins": {}, "left_out": {}}
                in_languages.by_culture.setdefault(country, nothing)["left_out"].update(kept_out)
        more = {"by_culture": in_languages.by_culture, "blind_guesses": blind_guesses(built.items).to_dicts()}
    elif profile == "paper":
        built = build_paper(sources, *of_both, wording, ahead=ahead, progress=session.progress)
    else:
        built = build_order_free(sources, *of_both, wording, pairs_per_call=pairs_per_call)
    record = {
        **inputs,
        "wording": wording.source,
        "filtered": selected.filtered,
        **_counts(built, len(sources)),
        **more,
    }
    return QuestionsBuild(built, source, record)


def _with_answers(name: str) -> Release:
    """The release to build from. Raises what ``open_release`` does, with what answers need to have."""
    try:
        return open_release(name, "blend")
    except FolkwaysError as error:
        if type(error) is not FolkwaysError:
            raise
        raise FolkwaysError(
            f"{error}\nQuestions are built from answers that have votes and an English version each, as "
            "BLEnD's do. Those of SemEval-2026 Task 7 have neither."
        ) from None


def _check(profile: str, judge_batch: str) -> None:
    if profile not in PROFILES:
        raise UnknownNameError("profile of a build", profile, PROFILES)
    if judge_batch != BY_QUESTION and not (judge_batch.isdecimal() and int(judge_batch) > 0):
        raise FolkwaysError(
            f"--judge-batch is 'question' or a number of pairs from 1 on, got {judge_batch!r}"
        )
    if profile == "paper" and judge_batch != BY_QUESTION:
        raise FolkwaysError(
            "--judge-batch needs --profile strict: the paper's procedure judges one call after the other"
        )


def _check_languages(
    language: Sequence[str] | None,
    glosses: Path | None,
    profile: str,
    dummies: str | None,
    wording_of: str | None,
) -> frozenset[str]:
    """The languages that are asked for. Raises FolkwaysError for options that do not go with them."""
    if not language:
        if glosses:
            raise FolkwaysError("--glosses needs --language: it words options in these languages")
        return frozenset()
    spoken = wanted_languages(language)
    if profile != "strict":
        raise FolkwaysError("--language needs --profile strict: the paper has questions in English alone")
    if dummies:
        raise FolkwaysError(
            "--dummies makes up English options, and with --language people's answers word all of them; "
            "leave one of the two out"
        )
    if wording_of:
        raise FolkwaysError(
            "--wording-of takes over a prompt in English, and --language needs one in each language; leave "
            "one of the two out"
        )
    return spoken


def _counts(built: Questions, looked_at: int) -> Mapping[str, Any]:
    return {
        "questions": built.items["ID"].n_unique(),
        "questions_looked_at": looked_at,
        "items": built.items.height,
        "judge_calls": built.judge_calls,
        "dummy_calls": built.dummy_calls,
        "asked_ahead_in_vain": built.ahead,
        "left_out": built.left_out,
    }

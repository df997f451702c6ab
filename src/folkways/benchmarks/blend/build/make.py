"""``folkways build mcq`` from names to questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from folkways import __version__
from folkways.benchmarks.blend import data as blend
from folkways.benchmarks.blend.build.asking import AskedModel
from folkways.benchmarks.blend.build.calls import Oracle
from folkways.benchmarks.blend.build.procedures import Questions, build_order_free, build_paper
from folkways.benchmarks.blend.build.sources import select_sources
from folkways.benchmarks.blend.build.stand_ins import StandIn
from folkways.benchmarks.blend.build.wording import own_wording, released_wording
from folkways.benchmarks.build import BuildSession
from folkways.benchmarks.released_data import open_release
from folkways.benchmarks.templates import digest_of, wordings
from folkways.errors import FolkwaysError, UnknownNameError
from folkways.releases.release_records import Release

PROFILES = ("paper", "strict")
STAND_IN = "stand-in:"
BY_QUESTION = "question"


@dataclass(frozen=True)
class MadeQuestions:
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
    name: str | None = None,
) -> MadeQuestions:
    """Build multiple-choice questions.

    release:     name or folder with annotations; question_text: with the questions, where another one has
                better texts.
    judge:       a model, or ``stand-in:RULE``; dummies: who makes up options, the judge if None.
    profile:     ``paper`` or ``strict``.
    judge_batch: strict: ``question``, or how many pairs the judge sees at a time.
    ahead:       paper: how many calls may be on their way at once.
    questions:   ids; None for all. wording_of: release or folder whose prompt is taken over; None for ours.
    name:        of the run in which models are asked.

    Raises UnknownNameError or FolkwaysError for what cannot be, before anything is asked.
    """
    _check(profile, judge_batch)
    asked_of = {"judge": judge, "dummies": dummies or judge}
    oracles: dict[str, Oracle] = {
        name: StandIn(name.removeprefix(STAND_IN)) for name in asked_of.values() if name.startswith(STAND_IN)
    }
    source = open_release(release, "blend")
    texts = open_release(question_text, "blend") if question_text else source
    inputs = {
        "made_by": f"folkways {__version__}",
        "release": source.label,
        "question_text": texts.label,
        "profile": profile,
        **asked_of,
        "judge_batch": judge_batch if profile == "strict" else "1",
        "prompts": f"folkways {digest_of(wordings('folkways.benchmarks.blend')['build'])}",
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
        oracles |= {name: AskedModel(ask) for name, ask in zip(models, opened, strict=True)}
    selected = select_sources(blend.read_annotations(source), blend.read_questions(texts), questions)
    found = selected.sources
    wording = released_wording(wording_of, found) if wording_of else own_wording()
    of_both = oracles[asked_of["judge"]], oracles[asked_of["dummies"]]
    if profile == "paper":
        built = build_paper(found, *of_both, wording, ahead=ahead, progress=session.progress)
    else:
        built = build_order_free(
            found, *of_both, wording, pairs_per_call=None if judge_batch == BY_QUESTION else int(judge_batch)
        )
    record = {
        **inputs,
        "wording": wording.source,
        "filtered": selected.filtered,
        **_counts(built, len(found)),
    }
    return MadeQuestions(built, source, record)


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

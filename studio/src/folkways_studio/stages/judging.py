"""Judging what models answered (BLEnD, section 5): right, half right or wrong, and what is odd about it.

The judgements leave as a table of errors (Table 13) and as labels for ``judge-by-model --labels``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import polars as pl

from folkways.sdk.files import Schema
from folkways.sdk.studies import Study, Vote
from folkways_studio.errors import Message
from folkways_studio.stages.asking import Asking
from folkways_studio.stages.base import Config, Content, Decision, Option, Sheet
from folkways_studio.stages.parts.base import COMMENT, built_in, option

VERDICTS: Mapping[str, float] = {"applicable": 1.0, "conditional": 0.5, "incorrect": 0.0}
"""What a judge says -> its value as a label."""

FLAGS: Mapping[str, Message] = {
    "unnatural": Message("Unnatural language"),
    "stereotypical": Message("Stereotypical"),
    "partially_correct": Message("Partially correct"),
    "refusal": Message("Refusal"),
    "nonsensical": Message("Nonsensical"),
    "other_country": Message("Another country's view"),
}
"""What may be odd about an answer (section 5)."""

LABELS: Schema = {
    "run": pl.String,
    "task": pl.String,
    "item": pl.String,
    "language": pl.String,
    "variant": pl.String,
    "sample": pl.Int64,
    "endpoint": pl.String,
    "participant": pl.String,
    "label": pl.Float64,  # 1, 0.5 or 0
    "verdict": pl.String,
    "flags": pl.String,  # separated by spaces
    "comment": pl.String,
}

ERRORS: Schema = {
    "culture": pl.String,
    "language": pl.String,
    "endpoint": pl.String,
    "answers": pl.Int64,  # how many were judged
    "judgements": pl.Int64,
    **dict.fromkeys((*VERDICTS, *FLAGS), pl.Float64),  # percent of the judgements
}


class JudgeAnswer(Asking):
    """content: ``question``, ``reply``, ``accepted`` (what people answered), ``language``, and what the reply is, which judges
    do not see: ``task``, ``item_id``, ``variant``, ``sample``, ``endpoint``, ``run``, ``culture``. submission: ``verdict`` (a key
    of VERDICTS), ``flags`` (keys of FLAGS), ``comment``. result: ``label`` (mean of the verdicts' values) and ``flags`` (those
    that at least half gave).
    """

    name = "judge_answer"
    content_texts: ClassVar[Mapping[str, int]] = {"question": 4000, "reply": 20000}
    texts = ("comment",)
    known_fields = ("verdict", "flags")
    about = "natives judge what a model answered"
    example: ClassVar[Mapping[str, str]] = {
        "question": "What do people in Spain eat for breakfast?",
        "reply": "Toast with tomato.",
        "accepted": '["toast"]',
    }
    parts = (
        built_in("verdict", "choice", Message("Is the answer right for your country?"),
            missing=Message("Choose whether the answer is applicable."), options=[
                option("applicable", Message("Applicable"), "1", Message("Most people would accept it.")),
                option("conditional", Message("Conditionally applicable"), "2",
                    Message("Some people, places or times would; others would not.")),
                option("incorrect", Message("Incorrect"), "3", Message("Nobody would say that.")),
            ]),
        built_in("flags", "several", Message("Anything odd about it?"),
            options=[option(flag, FLAGS[flag], key) for flag, key in zip(FLAGS, "usprnc", strict=True)], required=False),
        {**COMMENT, "language": ""},
    )  # fmt: skip
    judges_replies = True
    sheet = Sheet(
        lambda content: {"question": content["question"], "answer": content["reply"]},
        ("verdict", "flags", "comment"),
        lambda row, _: {**row, "verdict": row["verdict"].strip(), "flags": row["flags"].replace(",", " ").split()},
    )
    hidden = ("task", "item_id", "variant", "sample", "endpoint", "run", "culture")
    own_columns = ("item_id",)
    options: ClassVar[Mapping[str, Option]] = {"answers": Option(1, "how many people judge each answer", least=1)}

    def check_fields(self, content: Content, texts: Mapping[str, str], problems: dict[str, str]) -> Mapping[str, Any]:
        """``question`` and ``reply``."""
        return {"accepted": content.get("accepted", [])}

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """The mean of the verdicts."""
        label = sum(VERDICTS[vote.payload["verdict"]] for vote in votes) / len(votes)
        given = Counter(flag for vote in votes for flag in vote.payload["flags"])
        return Decision(
            "done", result={"label": label, "flags": [flag for flag in FLAGS if 2 * given[flag] >= len(votes) and given[flag]]}
        )

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The verdict, and the set of flags."""
        return {**super().labels(payload), "flags": frozenset(payload["flags"] or ["none"])}

    def known_of(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """The verdict, where its label is that of one."""
        verdict = next((verdict for verdict, value in VERDICTS.items() if value == result.get("label")), None)
        return {"verdict": verdict} if verdict else {}

    def tables(self, study: Study) -> Mapping[str, pl.DataFrame]:
        """LABELS, one row per judgement (whoever reads them averages several of one reply), and ERRORS, by culture, language and
        model, in order of first appearance.
        """
        said = [(item, vote) for item in study.of(self.name) for vote in item.votes]
        labels = [
            {
                **{name: item.content.get(name) for name in ("run", "task", "language", "variant", "sample", "endpoint")},
                "item": item.content.get("item_id", item.key),
                "participant": vote.participant,
                "label": VERDICTS[vote.payload["verdict"]],
                "verdict": vote.payload["verdict"],
                "flags": " ".join(vote.payload["flags"]),
                "comment": vote.payload["comment"],
            }
            for item, vote in said
        ]
        shares = [
            {
                **{"culture": item.culture, "language": item.content.get("language"), "endpoint": item.content.get("endpoint")},
                "item": item.id,
                **{name: 100.0 * (name == vote.payload["verdict"]) for name in VERDICTS},
                **{name: 100.0 * (name in vote.payload["flags"]) for name in FLAGS},
            }
            for item, vote in said
        ]
        columns = {**ERRORS, "item": pl.Int64}
        errors = (
            pl.DataFrame(shares, schema={name: kind for name, kind in columns.items() if name not in ("answers", "judgements")})
            .group_by("culture", "language", "endpoint", maintain_order=True)
            .agg(
                pl.col("item").n_unique().cast(pl.Int64).alias("answers"),
                pl.len().cast(pl.Int64).alias("judgements"),
                *(pl.col(name).mean() for name in (*VERDICTS, *FLAGS)),
            )
        )
        return {"labels": pl.DataFrame(labels, schema=dict(LABELS)), "errors": errors.select(list(ERRORS))}

"""Judging what models answered (BLEnD, section 5): right, half right or wrong, and what is odd about it.

The judgements leave as a table of errors (Table 13) and as labels for ``judge-by-model --labels``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from folkways.sdk.studies import Study, Vote
from folkways_studio.errors import Message
from folkways_studio.stages.asking import Asking
from folkways_studio.stages.base import Config, Content, Decision, Option, Sheet
from folkways_studio.stages.parts.base import COMMENT, built_in, option

if TYPE_CHECKING:
    import polars as pl

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


class JudgeAnswer(Asking):
    """content: ``question``, ``reply``, ``accepted`` (what people answered), ``language``, and what the reply
    is, which judges do not see: ``task``, ``item_id``, ``variant``, ``sample``, ``endpoint``, ``run``,
    ``culture``. submission: ``verdict`` (a key of VERDICTS), ``flags`` (keys of FLAGS), ``comment``. result:
    ``label`` (mean of the verdicts' values) and ``flags`` (those that at least half gave).
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
        lambda row, _: {
            **row,
            "verdict": row["verdict"].strip(),
            "flags": row["flags"].replace(",", " ").split(),
        },
    )
    hidden = ("task", "item_id", "variant", "sample", "endpoint", "run", "culture")
    own_columns = ("item_id",)
    options: ClassVar[Mapping[str, Option]] = {
        "answers": Option(1, "how many people judge each answer", least=1)
    }

    def check_fields(
        self, content: Content, texts: Mapping[str, str], problems: dict[str, str]
    ) -> Mapping[str, Any]:
        """``question`` and ``reply``."""
        return {"accepted": content.get("accepted", [])}

    def resolve(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """The mean of the verdicts."""
        label = sum(VERDICTS[vote.payload["verdict"]] for vote in votes) / len(votes)
        given = Counter(flag for vote in votes for flag in vote.payload["flags"])
        return Decision(
            "done",
            result={
                "label": label,
                "flags": [flag for flag in FLAGS if 2 * given[flag] >= len(votes) and given[flag]],
            },
        )

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The verdict, and the set of flags."""
        return {**super().labels(payload), "flags": frozenset(payload["flags"] or ["none"])}

    def known_of(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """The verdict, where its label is that of one."""
        verdict = next((verdict for verdict, value in VERDICTS.items() if value == result.get("label")), None)
        return {"verdict": verdict} if verdict else {}

    def tables(self, study: Study) -> Mapping[str, pl.DataFrame]:
        """``labels`` and ``errors`` of ``judged_tables``."""
        from folkways_studio.stages.judged_tables import error_table, label_table

        items = [*study.of(self.name)]
        return {"labels": label_table(items, VERDICTS), "errors": error_table(items, [*VERDICTS], [*FLAGS])}

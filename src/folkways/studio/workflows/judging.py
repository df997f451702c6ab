"""Judging what models answered (BLEnD, section 5): right, half right or wrong, and what is odd about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from folkways.studio.rules.counts import missing_answers
from folkways.studio.workflows.base import Config, Content, Decision, Handler, Option, Vote, raise_if, text_of

VERDICTS: Mapping[str, float] = {"applicable": 1.0, "conditional": 0.5, "incorrect": 0.0}
"""What a judge says -> its value as a label."""

FLAGS: Mapping[str, str] = {
    "unnatural": "unnatural language",
    "stereotypical": "stereotypical",
    "partially_correct": "partially correct",
    "refusal": "refusal",
    "nonsensical": "nonsensical",
    "other_country": "another country's view",
}
"""What may be odd about an answer (section 5)."""


class JudgeAnswerHandler(Handler):
    """content: ``question``, ``reply``, ``accepted`` (what people answered), ``language``, and what the reply is, which judges
    do not see: ``task``, ``item_id``, ``variant``, ``sample``, ``endpoint``, ``run``. submission: ``verdict`` (a key of
    VERDICTS), ``flags`` (keys of FLAGS), ``comment``. result: ``label`` (mean of the verdicts' values) and ``flags`` (those
    that at least half gave).
    """

    kind = "judge_answer"
    texts = ("comment",)
    about = "natives judge what a model answered"
    example: ClassVar[Mapping[str, str]] = {
        "question": "What do people in Spain eat for breakfast?",
        "reply": "Toast with tomato.",
        "accepted": '["toast"]',
    }
    hidden = ("task", "item_id", "variant", "sample", "endpoint", "run")
    options: ClassVar[Mapping[str, Option]] = {"answers": Option(1, "how many people judge each answer", least=1)}

    def check_content(self, content: Content, config: Config) -> Mapping[str, Any]:
        """``question`` and ``reply``."""
        problems: dict[str, str] = {}
        question = text_of(content, "question", problems)
        reply = text_of(content, "reply", problems, most=20_000)
        raise_if(problems)
        return {"accepted": [], **content, "question": question, "reply": reply}

    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """A verdict; any flags."""
        problems: dict[str, str] = {}
        verdict, flags = submission.get("verdict"), submission.get("flags") or []
        comment = text_of(submission, "comment", problems, least=0)
        if verdict not in tuple(VERDICTS):
            problems["verdict"] = f"choose one of: {', '.join(VERDICTS)}"
        if not isinstance(flags, list) or any(flag not in tuple(FLAGS) for flag in flags):
            problems["flags"] = f"choose among: {', '.join(FLAGS)}"
        raise_if(problems)
        return {"verdict": verdict, "flags": [flag for flag in FLAGS if flag in flags], "comment": comment}

    def decide(self, votes: Sequence[Vote], content: Content, config: Config) -> Decision:
        """The mean of the verdicts."""
        missing = missing_answers(len(votes), 0, wanted=config["answers"])
        if missing:
            return Decision("wait", missing)
        label = sum(VERDICTS[vote.payload["verdict"]] for vote in votes) / len(votes)
        given = Counter(flag for vote in votes for flag in vote.payload["flags"])
        return Decision(
            "done", result={"label": label, "flags": [flag for flag in FLAGS if 2 * given[flag] >= len(votes) and given[flag]]}
        )

    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """The verdict, and the set of flags."""
        return {"verdict": payload["verdict"], "flags": frozenset(payload["flags"]) or frozenset(["none"])}

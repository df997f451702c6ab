"""Questions whose answer is known: the test before a stage, those among the work, and what follows from how
many are right.

``config`` is that of a stage, as ``workflows.known_answers`` has checked it. Studies of before have none of
these settings.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from typing import Any

ACTIONS = ("warn", "pause", "exclude")
"""What a rule may do, the mildest first."""

PAYS = ("completed", "screened_out", "none")
"""Which code of the recruitment service somebody is given whose work ends early; ``none`` gives none."""

BELOW, AFTER = 0.6, 5
"""A rule that does not say otherwise acts below this share of right answers, after so many of them."""


@dataclass(frozen=True, slots=True)
class Qualification:
    """The test before a stage. questions: how many are asked in one try, of which ``needed`` have to be
    right.

    feedback: whether people see if each answer is right.
    populations: names of those who are tested, empty for everybody.
    pay: one of PAYS, for those who fail it for good.
    """

    questions: int
    needed: int
    tries: int
    feedback: bool
    populations: tuple[str, ...]
    pay: str

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Qualification | None:
        """The test of a stage; None where it has none."""
        setting = config.get("qualification")
        if not setting:
            return None
        questions = setting["questions"]
        needed = ceil(round(setting["pass_mark"] * questions, 6))
        return cls(
            questions,
            needed,
            setting["tries"],
            setting["feedback"],
            tuple(setting["populations"]),
            setting["pay"],
        )

    def is_for(self, population: str | None) -> bool:
        """Whether people of that population have to pass it; None: who is of none."""
        return not self.populations or population in self.populations


@dataclass(frozen=True, slots=True)
class Rule:
    """What happens to whom. then: one of ACTIONS. pay: one of PAYS, for those who are excluded."""

    then: str
    below: float
    after: int
    pay: str

    def acts(self, right: int, asked: int) -> bool:
        """Whether so few are right that chance does not explain it: at least ``after`` were asked, and even
        the upper end of the 95 % interval (Wilson) of the person's share lies below ``below``.
        """
        from folkways.sdk.statistics import wilson

        return asked >= self.after and wilson(right, asked).high < self.below


@dataclass(frozen=True, slots=True)
class Gold:
    """Known answers among the work. per: one question in ``per``, at a place that differs from person to
    person, or at the last place of each where ``fixed``. overlap: how much of two sets of marks has to be
    shared, 1 for all.
    """

    per: float
    fixed: bool
    overlap: float
    rules: tuple[Rule, ...]

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Gold | None:
        """The settings of a stage; None where no known answers come among its work."""
        setting = config.get("gold")
        if not setting:
            every = config.get("check_every")
            return cls(float(every), True, 1.0, ()) if every else None
        per = 1 / setting["share"] if setting["share"] else float(setting["every"])
        rules = tuple(
            Rule(each["then"], each["below"], each["after"], each["pay"]) for each in setting["rules"]
        )
        return cls(per, False, setting["overlap"], rules)

    def is_turn(self, number: int, seed: str) -> bool:
        """Whether the question ``number`` (from 1) of a person is to be one of known answer. seed: of the
        person and the stage."""
        block = ceil(round(number / self.per, 9))
        first, last = floor(round((block - 1) * self.per, 9)) + 1, floor(round(block * self.per, 9))
        if self.fixed:
            return number == last
        drawn = int.from_bytes(hashlib.sha256(f"{seed}|{block}".encode()).digest()[:8])
        return number == first + drawn % (last - first + 1)

    def ahead(self, asked: int, real: int, known: int, seed: str) -> int:
        """How many questions of known answer are still to come for a person: none after the last real one.

        asked: how many questions they have had, of either sort. real, known: how many of each sort are
        left. seed: the person's, for the places of known ones.
        """
        come = 0
        while real:
            asked += 1
            if come < known and self.is_turn(asked, seed):
                come += 1
            else:
                real -= 1
        return come


def action(rules: Sequence[Rule], right: int, asked: int) -> Rule | None:
    """The hardest of the rules that act; None where none does."""
    acting = [rule for rule in rules if rule.acts(right, asked)]
    return max(acting, key=lambda rule: ACTIONS.index(rule.then), default=None)

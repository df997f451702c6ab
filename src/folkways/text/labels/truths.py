"""What a reply says to a question that is answered by a word: true or false, yes or no.

Each clause says one thing: its words for and against are multiplied, so that "the claim that it is true is
wrong" is against. What a question asks, what "if" or "although" sets aside and what is hedged says nothing;
"no" before a noun ("no reason") is not an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import prod

from folkways.text.labels.mentions import first_turn, plain
from folkways.text.labels.words import any_of, corrections, spellings

TRUTHS = ("True", "False")

_TRUTH = {
    "true": 1,
    "correct": 1,
    "accurate": 1,
    "false": -1,
    "untrue": -1,
    "incorrect": -1,
    "wrong": -1,
    "inaccurate": -1,
}
_ACCEPTANCE = {**_TRUTH, "acceptable": 1, "appropriate": 1, "unacceptable": -1, "inappropriate": -1}
_ANSWERS = {"yes": 1, "no": -1, "yeah": 1, "yep": 1, "nope": -1}
_SENTENCE = re.compile(r"([.!?؟…。।\n]+)")
_CLAUSES = re.compile(
    r"""( [,،、;:—–]+ | \s-\s
      | \b(?: but | so | therefore | thus | hence | because | since | however | yet )\b
      | \band\b (?! \s+ (?:true|false|correct|incorrect)\b ) )""",
    re.I | re.X,
)
_NOT = re.compile(
    r"""\b(?: not | never | cannot | hardly | nobody | no\ one | nothing | no\ longer | far\ from
           | by\ no\ means
           | neither | nor
           | dont | doesnt | isnt | cant | disagree | reject | deny | denied )\b
      | n[’']t\b | \bno\s+(?=true\b|way\b)""",
    re.I | re.X,
)
_NO_DENIAL = re.compile(r"\b(?:not only|no doubt|without (?:a )?doubt|not just|why not)\b", re.I)
_LEFT_OPEN = re.compile(
    r"""\b(?: not | \w+n[’']t ) \s+ (?: necessarily|always|entirely|completely|quite|strictly
          |generally|fully|wholly|simply )\b
      | \b(?: partly|partially|half|sometimes|if|whether|unless|perhaps|maybe|might|may|could
          |possibly|depends|depending )\b
      | \b(?: cannot | can\ not | can[’']?t | could\ not | couldn[’']t | unable\ to )
        \s (?: say|tell|confirm|determine|judge|know|be\ sure|verify|decide|answer|see )
      | \b(?: hard|difficult|impossible )\ to\b | \bin\ some\b
      | \b(?: do|does )(?:\ not|n[’']t)\ (?:know|see\ (?:why|how|whether|if))
      | \b(?: not\ (?:sure|certain|clear) | unsure | uncertain | unclear | doubt | no\ idea )\b
      | \b(?: true|yes|correct ) \s* (?: / | \| | , | \bor\b | \band\b ) \s*
        (?:not\s+)? (?: false|no|incorrect )\b
      | \b(?: false|no|incorrect ) \s* (?: / | \| | \bor\b | \band\b ) \s* (?: true|yes|correct )\b
      | \b(?: neither\ (?:true|correct)\ nor | both | no\ (?:rule|reason|law|evidence|proof)
          | never\ (?:said|claimed) )\b""",
    re.I | re.X,
)
_IN_PART = re.compile(r"\b(?:in (?:some|part|parts|certain|others)|sometimes|partly|partially|half)\b", re.I)
_ONLY = re.compile(rf"{_IN_PART.pattern}|\b(?:only|depends|not (?:always|entirely|necessarily))\b", re.I)
_OF_ANSWER = re.compile(
    r"\b(?:correct|right|true|best|accurate) (?=answer|option|choice|response|verdict|judge?ment)", re.I
)
_CONCESSION = re.compile(
    r"^\W*(?:although|though|while|whereas|even if|if|unless|granted|(?:some|many|people) "
    r"(?:may|might|would))\b",
    re.I,
)
_SUBJECT = re.compile(
    r"\b(?:statement|claim|answer|assertion|proposition|sentence|option|verdict|conclusion|judge?ment|this|that|it)\b",
    re.I,
)
_ANNOUNCED = re.compile(
    r"\banswer\b\W*(?:(?:is|would be|must be|was|:|=)\W*)+(?:that\s+(?:it|this)\s+is\s+)?$|\\boxed\s*\{\s*$",
    re.I,
)
_NESTED = re.compile(r"\b(?:that|claim\w*|say\w*|statement|think\w*|call\w*|idea|case)\b", re.I)
_CHOICE = re.compile(r"\b(?:true\s*(?:/|\bor\b|\|)\s*false|yes\s*(?:/|\bor\b|\|)\s*no)\b\s*[:?]?", re.I)
_LATIN_DENIALS = frozenset(
    ("no es", "no sería", "não é", "não seria", "n'est pas", "non è", "nicht", "niet", "inte", "ikke", "není")
) | {"bukan", "tidak", "không phải"}
_LATIN_DENIALS_BEHIND = {"değil*", "deyil*", "emas"}
_THINK_SO = re.compile(r"\b(don['’]t |do not )?(?:think|believe|suppose)_so\b", re.I)


@cache
def _correction() -> re.Pattern[str]:
    """Words that take back what was said before, where a clause begins."""
    begin = r"(?:^|(?<=[,.…!?;:—–\n-]))\s*(?:(?:no,?|but)\s+)?"
    return re.compile(rf"{begin}{any_of(corrections())}(?!\s+than\b)", re.I)


@dataclass(frozen=True, slots=True)
class _Clause:
    """What one clause says: 1 for, -1 against, 0 neither; and whether it announces that as the answer."""

    sign: int
    announced: bool = False


def settled_truth(reply: str) -> str | None:
    """``"True"`` or ``"False"`` as the reply settles it, in any case and dress; None where it names neither
    or hedges.

    "not true", "I don't think that is true" and "Is it true? No." are False, "not false" is True; "not
    necessarily true", "true or false", "not true but not false either" and "I can't say that is true" are
    nothing.
    """
    sign = _settled(plain(first_turn(reply)), _TRUTH)
    return {1: "True", -1: "False"}.get(sign) if sign is not None else None


def settled_word(reply: str, words: Mapping[str, str]) -> str | None:
    """The label of what a reply answers to the question whether something is acceptable; None where it leaves
    that open.

    words: "yes", "no" and perhaps "neither" and others, in small letters -> label. "no" is an answer by
    itself, and not in "no reason"; "acceptable" and "unacceptable" say yes and no.
    """
    text = plain(first_turn(reply))
    undecided = "|".join(re.escape(word) for word in words if word not in _ANSWERS)
    text = re.sub(
        r"\bneither\s+(?:yes\s+nor\s+no|no\s+nor\s+yes|acceptable\s+nor\s+unacceptable)\b",
        "neither",
        text,
        flags=re.I,
    )
    either = "|".join(map(re.escape, words))
    text = re.sub(rf"\b(?:{either})\b(?:\s*(?:,|/|\||\bor\b)+\s*\b(?:{either})\b)+", " ", text, flags=re.I)
    sign = _settled(text, _ACCEPTANCE)
    between = _undecided(text, undecided) if undecided else None
    if between is not None:
        return words[between] if sign is None or re.match(rf"\W*(?:{undecided})\b", text, re.I) else None
    return {1: words.get("yes"), -1: words.get("no")}.get(sign) if sign is not None else None


def _undecided(text: str, words: str) -> str | None:
    """The word for neither that the text gives as its answer, if it does."""
    before = r"""^\W* | \banswer\W+(?:is|would\ be|must\ be|:)?\W* | [.!?\n:,]\s*
        | \b(?:it|this|that)(?:\s+is|['’]s)\s+ | \bsay\s+"""
    matches = re.findall(rf"(?:{before}) ({words}) \b (?!\s+of\b)", text, re.I | re.X)
    if not matches and len(text.split()) <= 4:
        matches = re.findall(rf"\b({words})\b", text, re.I)
    return matches[-1].casefold() if matches else None


def _settled(text: str, signs: Mapping[str, int]) -> int | None:
    every = {**signs, **_ANSWERS}
    if (bare := re.sub(r"[^\w\s'’]", " ", text).strip().casefold()) in every:
        return every[bare]
    for part in reversed(_correction().split(text)):
        if clauses := list(_clauses(part, signs)):
            announced = [clause for clause in clauses if clause.announced]
            agreed = {clause.sign for clause in announced or clauses}
            return agreed.pop() if len(agreed) == 1 else None
    return None


def _clauses(text: str, signs: Mapping[str, int]) -> Iterator[_Clause]:
    """What each clause asserts, if anything; later clauses count only where they speak of the question."""
    pieces = _SENTENCE.split(text)
    every = _any_of({**signs, **_ANSWERS})
    question_sign, first = 0, True
    for sentence, end in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        if "?" in end or "؟" in end:
            question_sign = _sign(sentence, signs) or question_sign
            continue
        sentence = re.sub(r"\b(think|believe|suppose) so\b", r"\1_so", _CHOICE.sub(" ", sentence), flags=re.I)
        parts = _CLAUSES.split(sentence)
        for joint, clause in zip(["", *parts[1::2]], parts[::2], strict=True):
            contrasts = joint.strip().casefold() in ("but", "however")
            if (contrasts and _ONLY.search(clause)) or (_IN_PART.search(clause) and every.search(clause)):
                yield _Clause(0)
            elif (
                stance := _clause(
                    _OF_ANSWER.sub(" ", _NO_DENIAL.sub(" ", clause)), signs, question_sign, first
                )
            ) is not None:
                first = False
                yield stance


def _clause(clause: str, signs: Mapping[str, int], asked: int, first: bool) -> _Clause | None:
    """asked: the sign of the question before, if any. first: whether no clause before said anything."""
    words = [word.casefold() for word in re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", clause)]
    if not words or _CONCESSION.match(clause) or _LEFT_OPEN.search(clause):
        return None
    answer = _answer(clause, words)
    sign = _sign(clause, signs)
    if sign is None:
        if asked and (thought := _THINK_SO.search(clause)):
            return _Clause(asked * (-1 if thought[1] else 1))
        announced = "answer" in words or "boxed" in words
        if answer is None or not (first or asked or announced or len(words) <= 2):
            return None
        return _Clause(answer * (asked or 1), announced)
    begins = next(_any_of(signs).finditer(clause)).start()
    if _ANNOUNCED.search(clause[:begins]):
        return _Clause(sign, announced=True)
    if len(words) <= 2:
        return _Clause(sign)
    if words[0] in signs:
        return _Clause(sign) if first else None
    if answer is not None and answer != sign:
        return _Clause(0)
    return _Clause(sign) if first or words[0] in ("not", "never") or _SUBJECT.search(clause) else None


def _answer(clause: str, words: list[str]) -> int | None:
    """The sign of a yes or no by itself in the clause: at its beginning or its end, and not before a noun."""
    for word, sign in _ANSWERS.items():
        if word not in words:
            continue
        quoted = re.search(r"\b(?:say|saying|said|not)\b|n['’]t\b", clause, re.I) is not None
        mine = re.search(r"\b(?:would|will|i['’]d|to|must|should)\s+say\b", clause, re.I) and not _NOT.search(
            clause
        )
        if words == [word] or (words[-1] == word and (mine or not quoted)):
            return sign
        follows = words[1] if words[0] == word else ""
        if follows in {"it", "this", "that", "he", "she", "they", "i", "the"} or (sign > 0 and follows):
            return sign
    return None


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """What finds the words; those of other scripts may touch them: 答案是True, True입니다."""
    letter = "[A-Za-z0-9_\u00c0-\u024f\u1e00-\u1eff]"
    return re.compile(rf"(?<!{letter})(?:{'|'.join(words)})(?!{letter})", re.I)


def _sign(clause: str, signs: Mapping[str, int]) -> int | None:
    """The product of what the clause says for or against and of its denials; 0 for both at once, None where
    it says nothing."""
    hits = list(_any_of(signs).finditer(clause))
    values = [signs[hit[0].casefold()] for hit in hits]
    if not values:
        return None
    if len(values) > 1 and not _NESTED.search(clause):
        return values[0] if len(set(values)) == 1 else 0
    # "a false statement that is not a fact" is false
    denials = len(_NOT.findall(_NO_DENIAL.sub(" ", clause[: hits[-1].end()])))
    before, behind = _denied_elsewhere()
    denied = before.search(clause[: hits[-1].start()]) or behind.match(clause[hits[-1].end() :])
    denials += denied is not None
    return int(prod(values) * (-1) ** denials)


@cache
def _denied_elsewhere() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Denials in other languages directly before a truth and directly after it; of those in Latin letters,
    some that English lacks. One further away may be part of what the reply repeats: 他们不吃猪肉是True."""
    latin = re.compile("[a-z\u00c0-\u024f]")
    before, behind = (
        any_of(sorted({each for each in spellings(role) if not latin.match(each)} | denials))
        for role, denials in (("not", _LATIN_DENIALS), ("not_behind", _LATIN_DENIALS_BEHIND))
    )
    particle = "[\uac00-\ud7a3]{0,2}"
    return (
        re.compile(rf"{before}[\s\"'“「『]*$", re.I),
        re.compile(rf"[\s\"'”」』]*{particle}\s*{behind}", re.I),
    )

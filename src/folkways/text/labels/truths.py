"""What a reply says to a question that is answered by a word: true or false, yes or no.

Each clause says one thing: its words for and against are multiplied, so that "the claim that it is true is wrong" is against. What a
question asks, what "if" or "although" sets aside and what is hedged says nothing; "no" before a noun ("no reason") is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from folkways.text.labels.mentions import plain

TRUTHS = ("True", "False")

_SIGNS = {
    "true": {"true": 1, "correct": 1, "accurate": 1, "false": -1, "untrue": -1, "incorrect": -1, "wrong": -1, "inaccurate": -1},
    "acceptable": {
        "acceptable": 1, "appropriate": 1, "unacceptable": -1, "inappropriate": -1,
        "wrong": -1, "true": 1, "false": -1, "incorrect": -1,
    },
}  # fmt: skip
_PLAIN_WORDS = {"yes": 1, "no": -1, "yeah": 1, "yep": 1, "nope": -1}
_SENTENCE = re.compile(r"([.!?…\n]+)")
_CLAUSES = re.compile(
    r"[,;:—–]+|\s-\s|\bbut\b|\bso\b|\btherefore\b|\bthus\b|\bhence\b|\bbecause\b|\bsince\b|\bhowever\b|\byet\b|\band\b(?!\s+(?:true|false|correct|incorrect)\b)",
    re.I,
)
_CORRECTION = re.compile(
    r"(?:^|[,.…!?;:—–-]\s*)(?:no,?\s+)?(wait|hold on|scratch that|correction|sorry|i mean|on second thoughts?|let me reconsider|or rather|actually)\b",
    re.I,
)
_NOT = re.compile(
    r"\b(?:not|never|cannot|hardly|no longer|far from|by no means|neither|nor)\b|n[’']t\b|\b(?:dont|doesnt|isnt|cant)\b|\bno\s+(?=true\b|way\b)|\bdisagree\b|\breject\b|\bdeny\b|\bdenied\b",
    re.I,
)
_NO_DENIAL = re.compile(r"\bnot only\b|\bno doubt\b|\bwithout (?:a )?doubt\b|\bnot just\b|\bwhy not\b", re.I)
_LEFT_OPEN = re.compile(
    r"""\b(?:not|n[’']t) \s+ (?:necessarily|always|entirely|completely|quite|strictly|generally|fully|wholly|simply)\b
      | \b(?:partly|partially|half|sometimes|if|whether|unless|perhaps|maybe|might|may|could|possibly|depends|depending|in\ some)\b
      | \b(?:can(?:\s*not|[’']?t)|could(?:\ not|n[’']t)|unable\ to)\ (?:say|tell|confirm|determine|judge|know|be\ sure|verify|decide|answer|see)
      | \b(?:hard|difficult|impossible)\ to\b | \b(?:do|does)(?:\ not|n[’']t)\ (?:know|see\ (?:why|how|whether|if)) | \bnot\ (?:sure|certain|clear)\b
      | \b(?:unsure|uncertain|unclear|doubt|no\ idea)\b
      | \b(?:true|yes|correct)\s*(?:/|\||,|\bor\b|\band\b|,\s*or)\s*(?:not\s+)?(?:false|no|incorrect)\b
      | \b(?:false|no|incorrect)\s*(?:/|\||\bor\b|\band\b)\s*(?:true|yes|correct)\b
      | \bneither\ (?:true|correct)\ nor\b | \bboth\b""",
    re.I | re.X,
)
_CONCESSION = re.compile(
    r"^\W*(?:although|though|while|whereas|even if|even though|if|unless|granted|some (?:may|might|would)|many (?:would|may)|people (?:may|might))\b",
    re.I,
)
_SUBJECT = re.compile(
    r"\b(?:statement|claim|answer|assertion|proposition|sentence|option|verdict|conclusion|judge?ment|this|that|it)\b", re.I
)
_ANNOUNCED = re.compile(
    r"\banswer\b\W*(?:(?:is|would be|must be|was|:|=)\W*)+(?:that\s+(?:it|this)\s+is\s+)?$|\\boxed\s*\{\s*$", re.I
)


@dataclass(frozen=True, slots=True)
class _Clause:
    """What one clause says: a word's sign, 0 for neither, None for nothing. kind: bare, announced, said or word."""

    sign: int
    kind: str


def settled_truth(reply: str) -> str | None:
    """``"True"`` or ``"False"`` as the reply settles it, in any case and dress; None where it names neither, hedges or contradicts itself.

    "not true", "I don't think that is true" and "Is it true? No." are False, "not false" is True; "not necessarily true", "true or
    false", "not true but not false either" and "I can't say that is true" are nothing.
    """
    sign = _settled(plain(reply), _SIGNS["true"])
    return {1: "True", -1: "False"}.get(sign) if sign is not None else None


def settled_word(reply: str, words: Mapping[str, str]) -> str | None:
    """The label of the answer that a reply settles on, of a question whether something is acceptable: None where it leaves that open.

    words: "yes", "no" and perhaps "neither" and others in small letters -> label. "no" is an answer where it stands by itself, and not
    in "no reason"; "acceptable" and "unacceptable" say yes and no.
    """
    text = plain(reply)
    undecided = [word for word in words if word not in _PLAIN_WORDS]
    text = re.sub(r"\bneither\s+(?:yes\s+nor\s+no|no\s+nor\s+yes|acceptable\s+nor\s+unacceptable)\b", "neither", text, flags=re.I)
    either = "|".join(map(re.escape, words))
    text = re.sub(rf"\b(?:{either})\b(?:\s*(?:,|/|\||\bor\b)+\s*\b(?:{either})\b)+", " ", text, flags=re.I)
    middle = None
    for word in undecided:
        alone = rf"(?:^\W*|\banswer\W+(?:is|would be|must be|:)?\W*|[.!?\n:,]\s*|\b(?:it|this|that)(?:\s+is|['’]s)\s+|\bsay\s+){word}\b(?!\s+of\b)"
        if re.search(alone, text, re.I) or (len(text.split()) <= 4 and re.search(rf"\b{word}\b", text, re.I)):
            middle = words[word]
    sign = _settled(text, _SIGNS["acceptable"])
    if middle is not None:
        begins = re.match(rf"\W*(?:{'|'.join(undecided)})\b", text, re.I)
        return middle if sign is None or begins else None
    return {1: words.get("yes"), -1: words.get("no")}.get(sign) if sign is not None else None


def _settled(text: str, signs: Mapping[str, int]) -> int | None:
    bare = re.sub(r"[^\w\s'’]", " ", text).strip().casefold()
    if bare in {**signs, **_PLAIN_WORDS}:
        return {**signs, **_PLAIN_WORDS}[bare]
    cuts = [hit.start(1) for hit in _CORRECTION.finditer(text)]
    parts = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    for part in reversed(parts):
        clauses = list(_clauses(part, signs))
        if clauses:
            return _agreed(clauses)
    return None


def _agreed(clauses: list[_Clause]) -> int | None:
    announced = {clause.sign for clause in clauses if clause.kind == "announced"}
    if announced:
        return announced.pop() if len(announced) == 1 else None
    by_kind = {kind: {clause.sign for clause in clauses if clause.kind == kind} for kind in ("bare", "said")}
    said = by_kind["bare"] | by_kind["said"]
    return said.pop() if len(said) == 1 else None


def _clauses(text: str, signs: Mapping[str, int]) -> Iterator[_Clause]:
    pieces = _SENTENCE.split(text)
    asked = 0
    first = True
    for sentence, end in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        if not sentence.strip():
            continue
        if "?" in end:
            asked = _sign(sentence, signs) or asked
            continue
        for clause in _CLAUSES.split(_LEFT_OPEN_ECHO.sub(" ", sentence)):
            found = _clause(clause, signs, asked, first)
            if found is not None:
                first = False
                yield found


_LEFT_OPEN_ECHO = re.compile(r"\b(?:true\s*(?:/|\bor\b|\|)\s*false|yes\s*(?:/|\bor\b|\|)\s*no)\b\s*[:?]?", re.I)


def _clause(clause: str, signs: Mapping[str, int], asked: int, first: bool) -> _Clause | None:
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", clause)
    if not words:
        return None
    lone = [word.casefold() for word in words]
    plain_word = _plain_word(clause, lone)
    if _CONCESSION.match(clause) or _LEFT_OPEN.search(clause):
        return None
    sign = _sign(clause, signs)
    if sign is None:
        if plain_word is None:
            return None
        return _Clause(plain_word * (asked or 1), "announced" if _announced(clause, plain_word) else "bare")
    hits = [hit for hit in _of(signs).finditer(clause)]
    if _ANNOUNCED.search(clause[: hits[0].start()]):
        return _Clause(sign, "announced")
    if len(words) <= 2 or lone[0] in signs:
        return _Clause(sign, "bare") if first or len(words) <= 2 else None
    if plain_word is not None and plain_word != sign:
        return _Clause(0, "said")
    return _Clause(sign, "said") if first or _SUBJECT.search(clause) else None


def _announced(clause: str, sign: int) -> bool:
    return bool(re.search(r"\banswer\b|\\boxed", clause, re.I))


def _plain_word(clause: str, words: list[str]) -> int | None:
    """The sign of a yes or no that stands by itself in the clause: at its beginning or its end, and not before a noun."""
    for word, sign in _PLAIN_WORDS.items():
        if word not in words:
            continue
        if words == [word] or (
            words[-1] == word and not re.search(rf"\b(?:say|saying|said|not|n['’]t)\b.*\b{word}\W*$", clause, re.I)
        ):
            return sign
        if (
            words[-1] == word
            and re.search(rf"\b(?:would|will|i['’]d|to|must|should)\s+say\b.*\b{word}\W*$", clause, re.I)
            and not _NOT.search(clause)
        ):
            return sign
        follows = words[1] if words[0] == word and len(words) > 1 else ""
        if follows in {"it", "this", "that", "he", "she", "they", "i", "the"} or (sign > 0 and follows):
            return sign
    return None


def _of(signs: Mapping[str, int]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(signs)})(?!\w)", re.I)


def _sign(clause: str, signs: Mapping[str, int]) -> int | None:
    """The product of what the clause says for or against and of its denials; None where it says nothing."""
    hits = _of(signs).findall(clause)
    if not hits:
        return None
    if len(hits) > 1 and not re.search(r"\bthat\b|\bclaim|\bsay|\bstatement\b|\bthink|\bcall|\bidea\b|\bcase\b", clause, re.I):
        return 0 if len({signs[hit.casefold()] for hit in hits}) > 1 else signs[hits[0].casefold()]
    product = 1
    for hit in hits:
        product *= signs[hit.casefold()]
    return product * (-1) ** len(_NOT.findall(_NO_DENIAL.sub(" ", clause)))

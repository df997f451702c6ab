"""What the sentences of a reply say of the options that they name: asserted, denied or set aside, and how firmly.

The text comes with a character for each mention of an option (``mentions``). Where a denial may belong to either of two options, or
a sentence asserts several, nothing is settled: a reply that is not read costs less than one that is read wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from folkways.text.labels.mentions import TEXT
from folkways.text.labels.words import any_of, pattern, spellings, words

Stance = Literal["asserted", "denied", "aside"]
ALONE, SET_OFF, SETTLED, FINAL = 1, 2, 3, 4
"""How firmly an option is named: in passing; as a label ("B)", "option B"); as the answer ("so B"); as the final answer."""

_CLOSE, _OPEN = r"[)\]}\"'”’]*", r"[(\[{\"'“‘<]*"
_NO_WORD = r"[^\w\ue000-\uf8ff]*"  # without the characters that stand for options
_END = re.compile(r"([!?。！？؟।።…]+|\.{2,}|\.(?=\s|$|[\"'”’)])|[;；]|\.(?=[^\s\w]))")
_BOUNDARY = (
    r"[,،，、፣;:：—–]|\bbut\b|\bpero\b|\baber\b|\bmais\b|\btetapi\b|\bнo\b|但|\bلكن\b|\bاما\b|\bलेकिन\b|\bকিন্তু\b|\bαλλά\b|\bግን\b"
)
_REASSURANCE = re.compile(
    r"\bno doubt\b|\bwithout (?:a )?doubt\b|\bundoubtedly\b|\bnot only\b|\bno question\b|\bsin duda\b|毫无疑问|의심의 여지 없이",
    re.I,
)
_COPULA = r"(?:(?:would|must|should|will|has\sto|can|could|might|may)\s(?:\w+\s)?be|is|are|was|were|being|[:：=\-–—])"
_ENGLISH = rf"""\b(?:answers?|answer_choice|choices?|options?|response|letter|one|conclusion) \b ["'”’]? \s* (?:to\s[^.,:]{{1,30}}?\s)?
    {_COPULA} (?:\s+(?:then|therefore|clearly|definitely|probably|most|likely|indeed|simply|thus|actually|really|that|it\sis|it's))*
    [:：=\s]* (?:(?:the\s)?(?:option|choice|letter|answer)\s*)? {_OPEN} $"""
_PREFERS = re.compile(r"\b(?:prefer|pick|choose|chose|favou?r)\w*\b", re.I)
_ALL_BUT = re.compile(rf"\b(?:anything|everything|all|any)\s+but\s*(?:option\s*)?{_OPEN}$", re.I)
_COMPARED = re.compile(
    rf"\b(?:prefer|pick|choose|chose|favou?r)\w*\b.*[\ue000-\uf8ff].*\b(?:to|over)\s*{_OPEN}$|\bas\s+\w+\s+as\s*{_OPEN}$|أفضل.*[\ue000-\uf8ff].*على\s*$",
    re.I,
)
""""I prefer A to\", before B."""
_SINGULAR = re.compile(r"^\W*(?:is|was|isn['’]t|wasn['’]t|seems|looks|sounds|does|has|es|ist|est|è|é)\b", re.I)


@dataclass(frozen=True, slots=True)
class Mention:
    """What one sentence says of one option, or of several at once.

    characters: those of the options. part: how many corrections ("wait", "no,") stand before. near: whether it follows one closely.
    """

    characters: frozenset[str]
    stance: Stance
    strength: int
    part: int = 0
    near: bool = False


def statements(text: str, kind: str) -> Iterator[Mention]:
    """What the text says of the options, in order. kind: the class of characters that stand for them."""
    part = 0
    listed: list[Mention] = []
    for line in text.split("\n"):
        for sentence, asks in _sentences(line, kind):
            if _taken_back().fullmatch(sentence):
                yield Mention(frozenset(), "denied", ALONE, part)  # "No."
            for number, piece in enumerate(_corrected(sentence)):
                part += number > 0
                for mention in _mentions(piece, kind, asks, part, near=number > 0):
                    if mention.strength == SET_OFF and _lists(piece, kind):
                        listed.append(mention)
                    else:
                        yield mention
    several = len({mention.characters for mention in listed}) > 1  # the options again
    yield from (Mention(m.characters, "aside" if several else m.stance, m.strength, m.part, m.near) for m in listed)


def _sentences(line: str, kind: str) -> Iterator[tuple[str, bool]]:
    """Each sentence of a line and whether it asks; a full stop behind a label that begins one does not end it."""
    pieces = _END.split(line)
    start = ""
    for body, end in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        body = start + body
        start = ""
        if end == "." and re.fullmatch(rf"\W*(?:{words('answer')}\s*)?{kind}{_CLOSE}", body, re.I) and line[-1:] != ".":
            start = f"{body}. "
            continue
        if body.strip():
            yield body, "?" in end or "？" in end or "؟" in end
    if start.strip():
        yield start, False


def _corrected(sentence: str) -> list[str]:
    """The pieces of a sentence between words that take back what was said before; the first has none before it."""
    pieces, start = [], 0
    for hit in _correction().finditer(sentence):
        pieces.append(sentence[start : hit.start(1)])
        start = hit.end(1)
    return [*pieces, sentence[start:]]


@cache
def _taken_back() -> re.Pattern[str]:
    """A sentence such as "no" or "wait, no"."""
    return re.compile(rf"{_NO_WORD}(?:{words('correction')}{_NO_WORD})*{words('not', 'not_behind')}{_NO_WORD}", re.I)


@cache
def _correction() -> re.Pattern[str]:
    """Words that may also deny what follows need punctuation behind them: "no, B" takes back, "no B" denies."""
    denials = pattern("not", "not_behind")
    plain_words = [each for each in sorted(spellings("correction")) if not denials.fullmatch(each.strip("*"))]
    denying = rf"{words('correction')}(?=\s*(?:[,،，፣:：—–-]|$))"
    return re.compile(rf"(?:^{_NO_WORD}|[,،，፣—–(-]\s*|\bor\s)({denying}|{any_of(plain_words)})", re.I)


def _lists(piece: str, kind: str) -> bool:
    """Whether the piece is a label with an option's text behind it."""
    return re.match(rf"\W*(?:{words('answer')}\s*)?{kind}\s*[).:}}\]．：、-]+\s*[\w\ue000-\ue0ff]", piece, re.I) is not None


@cache
def _groups(kind: str) -> re.Pattern[str]:
    perhaps = rf"(?:{words('maybe')}\s*)?"
    between = (
        rf"(?:[,،，、፣/&+<>]\s*(?:{words('or')}\s*{perhaps})?|{words('or')}\s*{perhaps})\s*(?:(?:the\s)?{words('answer')}\s*)?"
    )
    joined = rf"{_CLOSE}(?:\s*\([^()]{{1,30}}\))?(?:\s*{between}|[ \t]+){_OPEN}\s*"
    return re.compile(rf"{kind}(?:{joined}{kind})*", re.I)


def _mentions(sentence: str, kind: str, asks: bool, part: int, near: bool) -> Iterator[Mention]:
    if not _PREFERS.search(sentence):
        sentence = re.sub(rf"({kind})\s+(?:to|through|thru|till)\s+({kind})", r"\1/\2", sentence)
    hits = list(_groups(kind).finditer(sentence))
    for number, hit in enumerate(hits):
        start = hits[number - 1].end() if number else 0
        end = hits[number + 1].start() if number + 1 < len(hits) else len(sentence)
        before, after = sentence[start : hit.start()], sentence[hit.end() : end]
        if number:
            before = _shared(before)[1]
        if number + 1 < len(hits):
            after = _shared(after)[0]
        named = hit[0]
        if (of_last := re.search(rf"(?<={kind}){_CLOSE}\s*[,،，、፣]\s*{_OPEN}({kind})$", named)) and pattern("or").search(named):
            if pattern("between").search(before):  # "between A and B, B"
                yield Mention(frozenset(re.findall(kind, named[: of_last.start()])), "aside", ALONE, part, near)
                before, named = "", of_last[1]
        characters = re.findall(kind, named)
        first, *_ = characters
        if len(set(characters)) > 1 and not pattern("or").search(named) and _denied_behind(after, announced=False):
            # "B, A is wrong" denies the second alone, "A, B are wrong" both.
            announced = _announced(before)
            if len(characters) == 2 and (announced or _SINGULAR.search(after)) and not _denied_before(before):
                yield Mention(frozenset([first]), "asserted", SETTLED if announced else SET_OFF, part, near)
            yield Mention(frozenset(characters[1:]), "denied", ALONE, part, near)
            continue
        if len(set(characters)) == 2 == len(characters) and not pattern("or").search(named) and "/" not in named:
            aside = re.search(rf"{words('than')}\s*{_OPEN}\s*$", _clause(before), re.I)
            if aside or (
                _denied_before(before) == 1 and pattern("right").search(after) and not _denied_behind(after, announced=False)
            ):
                yield Mention(frozenset([first]), "aside" if aside else "denied", ALONE, part, near)
                stance, strength = _said("", after, "", several=False, begins=False, kind=kind)
                yield Mention(frozenset(characters[1:]), stance, strength, part, near)
                continue
        stance, strength = _said(
            before, after, sentence[: hit.start()], len(set(characters)) > 1, hit.start() == _begin(sentence), kind
        )
        if asks and stance == "asserted":
            stance = "aside"
        close = near and number == 0 and len(before.split()) <= 5
        yield Mention(frozenset(characters), stance, strength, part, close)


def _begin(sentence: str) -> int:
    return len(sentence) - len(re.sub(r"^\W*?(?=[\ue000-\uf8ff])", "", sentence))


def _shared(between: str) -> tuple[str, str]:
    """What stands between two mentions as the end of the first one's clause and the beginning of the second one's."""
    last = None
    for last in re.finditer(rf"{_BOUNDARY}|{words('so')}|\band\b|\by\b|\bو(?=\s)", between, re.I):
        pass
    if last is not None:
        return between[: last.start()], between[last.start() :]
    of_next = re.fullmatch(rf"\s*{words('not')}\s*(?:{words('answer')}\s*)?{_OPEN}\s*", between, re.I) or re.search(
        rf"{words('than')}\s*(?:the\s)?(?:{words('answer')}\s*)?{_OPEN}\s*$|\b(?:to|على)\s*$", between, re.I
    )
    if of_next:
        return between[: of_next.start()], of_next[0]
    return between, "" if re.search(words("not_behind", "wrong", "than_behind"), between, re.I) else between


def _said(before: str, after: str, so_far: str, several: bool, begins: bool, kind: str) -> tuple[Stance, int]:
    """What the words around a mention say of it."""
    announced = _announced(before)
    if not so_far.strip(before) and re.search(rf"\S\s*{words('or')}\s*{_OPEN}$", before, re.I):
        return "aside", ALONE  # joined with something that is no option
    if several and (pattern("between").search(before) or pattern("between").match(after.strip())):
        return "aside", ALONE
    if _COMPARED.search(so_far):
        return "aside", ALONE
    if re.search(rf"{words('than')}[^,،，]{{0,24}}$", _clause(before), re.I) or re.match(
        rf"\s*\W?\s*{words('than_behind')}", after, re.I
    ):
        return "aside", ALONE
    if pattern("both").search(_clause(before)):
        return ("asserted" if several else "aside"), ALONE
    denials = _denied_before(before) + (_ALL_BUT.search(before) is not None)
    if denials == 1:
        return ("denied", ALONE) if not _denied_behind(after, announced=True) else ("aside", ALONE)
    if denials > 1:
        return "aside", ALONE
    label = begins and re.match(r"\s*[)\].:}．：]", after) is not None
    if _denied_listed(after) if label else _denied_behind(after, announced):
        return "denied", ALONE
    near = _until_reason(after)
    clause = re.split(_BOUNDARY, near, maxsplit=1)[0]
    opening = re.search(r"\\boxed\s*\{\s*$", before)
    if announced or opening:
        return "asserted", FINAL if opening or pattern("final").search(before) else SETTLED
    right = not label and pattern("right").search(clause) is not None
    if label:
        right = (
            re.match(rf"\W*(?:\w+\s+){{0,2}}{words('right')}\W*$", clause, re.I) is not None
            or re.match(r"[\s).:]*(?:yes|true)\W*$", clause, re.I) is not None
        )
    if pattern("maybe").search(_clause(before)):
        return "asserted", ALONE
    if not label and pattern("maybe").search(" ".join(clause.split()[:4])):
        return ("asserted", ALONE) if right else ("aside", ALONE)
    if re.search(rf"{words('than_behind')}\s*{_OPEN}$", before, re.I):
        return "asserted", SETTLED
    if right or pattern("choose").search(before) or pattern("so").search(before) or pattern("right").search(before):
        return "asserted", SETTLED
    if not label and (found := pattern("choose").search(clause)) and len(clause[: found.start()].split()) <= 3:
        return "asserted", SETTLED
    if label or (
        re.fullmatch(rf"\W*(?:{words('answer')}\W*)?", before, re.I)
        and (begins or before.strip())
        and re.match(r"\s*(?:$|[,،，፣—–-])", after)
    ):
        return "asserted", SET_OFF
    if several or kind == TEXT:
        return "asserted", ALONE
    led = not _clause(before).strip(" \t([{\"'“‘") or re.search(rf"{words('lead', 'answer')}\s*{_OPEN}$", before, re.I)
    followed = re.sub(rf"^\s*{words('behind')}", "", clause.strip(" \t)]}}\"'”’.")).strip()
    is_it = re.search(rf"{words('lead')}\s*{_OPEN}$", before, re.I)
    return ("asserted" if is_it or (led and not followed) else "aside"), ALONE


def _clause(before: str) -> str:
    """What stands before a mention in its own clause."""
    return re.split(rf"{_BOUNDARY}|{words('so')}|\band\b", before, flags=re.I)[-1]


def _announced(before: str) -> bool:
    """Whether the words before a mention announce an answer."""
    if re.search(_ENGLISH, before, re.I | re.X):
        return True
    return _other_announcement().search(before) is not None


@cache
def _other_announcement() -> re.Pattern[str]:
    english = r"(?:answers?|choices?|options?|response|letter|answer_choice)(?![\w])"
    filler = rf"(?:\s*[:：=–—-]\s*|\s*(?-i:[^\W\d_A-Z])[^\s.,،，!?:：=]{{0,14}}(?:\s+|$)|\s+){{0,6}}[^\s.,،，!?。A-Za-z]{{0,12}}\s*{_OPEN}\s*$"
    return re.compile(rf"(?!\b{english}){words('answer')}{filler}", re.I)


def _denied_before(before: str) -> int:
    """How many words deny what follows, in the clause of the mention."""
    clause = _REASSURANCE.sub(" ", _clause(before))
    denials = len(pattern("not").findall(clause))
    if not pattern("others").search(before):
        lead = re.split(r"[,،，፣;]", before)[-1]
        denials += len(pattern("wrong").findall(lead)) if not denials else 0
    return denials


def _until_reason(after: str) -> str:
    return re.split(words("because", "others"), after, maxsplit=1, flags=re.I)[0]


def _denied_behind(after: str, announced: bool) -> bool:
    """Whether what follows a mention denies it."""
    near = _REASSURANCE.sub(" ", _until_reason(after))
    clause = re.split(_BOUNDARY, near, maxsplit=1)[0]
    if announced:
        start = " ".join(clause.split()[:5]) if " " in clause.strip() else clause[:14]
        return bool(pattern("not_behind").search(start) or pattern("wrong").search(start)) or bool(
            re.match(rf"\s*{_COPULA}\s+{words('not')}", clause, re.I)
        )
    return bool(pattern("wrong", "not_behind").search(near) or pattern("not").search(near))


def _denied_listed(after: str) -> bool:
    """Whether what follows a label that is set off, which may be its option's text, begins by denying it."""
    start = " ".join(after.split()[:5])[:60]
    first = re.split(_BOUNDARY, re.sub(r"^[\s)\].:}．：]+", "", after), maxsplit=1)[0]
    if len(first.split()) <= 2 and pattern("not_behind").search(first):
        return True
    if re.match(r"(?:no|nope|false|❌|✗|✘|✖)(?!\w)", first.strip(), re.I):
        return True
    denied = pattern("not", "not_behind").search(start) and pattern("right").search(start)
    return bool(pattern("wrong").search(start) or denied)

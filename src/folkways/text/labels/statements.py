"""What the sentences of a reply say of the options that they name: asserted, denied or set aside, and how
firmly.

The text comes with a character for each mention of an option (``mentions``). Where a denial may belong to
either of two options, or a sentence asserts several, nothing is settled: a reply that is not read costs less
than one that is read wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from folkways.text.labels.mentions import TEXT
from folkways.text.labels.words import any_of, corrections, pattern, words

Stance = Literal["asserted", "denied", "aside"]
ALONE, LIKELIER, SET_OFF, SETTLED, FINAL = 1, 2, 3, 4, 5
"""How firmly an option is named: in passing; as likelier than another; as a label ("B)", "option B"); as the
answer ("so B"); as the final answer."""

_CLOSE, _OPEN = r"[)\]}\"'”’]*", r"[(\[{\"'“‘<]*"
_NO_WORD = r"[^\w\ue000-\uf8ff]*"  # without the characters of options
_END = re.compile(r"([!?。！？؟۔।።։။។…]+|\.{2,}|\.(?=\s|$|[\"'”’)])|[;；]|\.(?=[^\s\w]))")
_PUNCTUATION = r"[,،，、፣၊;:：՝፦—–]"
_NO_DENIAL = (
    r"no doubt",
    r"without (?:a )?doubt",
    r"undoubtedly",
    r"not only",
    r"no question",
    "sin duda",
    "毫无疑问",
    "의심의 여지 없이",
    "(?:では|じゃ)(?:ない|ありません)(?:でしょう)?か",  # is it not B?
    r"\b(?:noch|sem|varken)\b(?!\W*(?:[\ue000-\uf8ff]|$))",  # still, without, a pig
)
_REASSURANCE = re.compile("|".join(_NO_DENIAL), re.I)
_MAY_BE = r"(?:would|must|should|will|has\sto|can|could|might|may)\s(?:\w+\s)?be"
_COPULA = rf"(?:{_MAY_BE}|is|are|was|were|being|[:：=\-–—])"
_ENGLISH = re.compile(
    rf"""\b(?:answers?|answer_choice|choices?|options?|response|letter|one|conclusion) \b ["'”’]? \s*
    (?:to\s[^.,:]{{1,30}}?\s)?
    {_COPULA} (?:\s+(?:then|therefore|clearly|definitely|probably|most|likely|indeed|simply|thus
        |actually|really|that|it\sis|it's))*
    [:：=\s]* (?:(?:the\s)?(?:option|choice|letter|answer)\s*)? {_OPEN} $""",
    re.I | re.X,
)
_PREFERS = re.compile(r"\b(?:prefer|pick|choose|chose|favou?r)\w*\b", re.I)
_COMPARED = re.compile(
    rf"""{_PREFERS.pattern} .* [\ue000-\uf8ff] .* \b(?:to|over) \s* {_OPEN} $
      | \bas\s+\w+\s+as \s* {_OPEN} $
      | أفضل .* [\ue000-\uf8ff] .* على \s* $""",
    re.I | re.X,
)
""""I prefer A to", before B."""
_ALL_BUT = re.compile(rf"\b(?:anything|everything|all|any)\s+but\s*(?:option\s*)?{_OPEN}$", re.I)
_IS_NI = re.compile(r"\b((?:jibu|ìdáhùn|idahun)(?: \S+){0,5}) ni\b", re.I)
"""The answer is, in Swahili and Yoruba; alone, ni denies in Spanish."""
_NI = re.compile(r"\bni\b(?=\s+sahihi\b|[\s.!]*$)", re.I | re.M)
"""Is, where it denies nothing: "B ni sahihi" (Swahili), "B ni" (Yoruba)."""
_NOT_SO = re.compile(r"(?<=\bnot)[^\S\n]+(?:therefore|thus|hence|consequently)\b", re.I)
"""In "not therefore B" the conclusion does not part B from its denial."""
_SINGULAR = re.compile(
    r"^\W*(?:is|was|isn['’]t|wasn['’]t|seems|looks|sounds|does|has|es|ist|est|è|é)\b", re.I
)


@dataclass(frozen=True, slots=True)
class Mention:
    """What one sentence says of one option, or of several at once.

    characters: those of the options. part: how many corrections ("wait", "no,") precede it. near: whether
    it follows one closely. hedged: whether it is said only to be possible. against: whether a word such as
    "but" sets it against what was said before.
    """

    characters: frozenset[str]
    stance: Stance
    strength: int
    part: int = 0
    near: bool = False
    hedged: bool = False
    against: bool = False


def statements(text: str, kind: str) -> Iterator[Mention]:
    """What the text says of the options, in order. kind: the class of characters that represent them."""
    part = 0
    listed: list[Mention] = []
    text = re.sub(rf"({kind})\s*[かとやも]\s*(?={kind})", r"\1/", text)  # A or B, A and B, in Japanese
    text = _NOT_SO.sub("", _NI.sub("", _IS_NI.sub(r"\1:", text)))
    for line in text.split("\n"):
        for sentence, asks in _sentences(line, kind):
            if _taken_back().fullmatch(sentence):
                yield Mention(frozenset(), "denied", ALONE, part)  # "No."
            for number, piece in enumerate(_corrected(sentence)):
                part += number > 0
                mentions = list(_mentions(piece, kind, asks, part, near=number > 0))
                lists = any(mention.strength == SET_OFF for mention in mentions) and _lists(piece, kind)
                for mention in mentions:
                    if mention.strength == SET_OFF and lists:
                        listed.append(mention)
                    else:
                        yield mention
    several = len({mention.characters for mention in listed}) > 1  # the options again
    yield from (replace(mention, stance="aside" if several else mention.stance) for mention in listed)


def _sentences(line: str, kind: str) -> Iterator[tuple[str, bool]]:
    """Each sentence of a line and whether it asks; a full stop after a label at its beginning does not end
    it."""
    pieces = _END.split(line)
    start = ""
    for body, end in zip(pieces[::2], [*pieces[1::2], ""], strict=True):
        body = start + body
        start = ""
        if (
            end == "."
            and re.fullmatch(rf"\W*(?:{words('answer')}\s*)?{kind}{_CLOSE}", body, re.I)
            and line[-1:] != "."
        ):
            start = f"{body}. "
            continue
        if body.strip():
            yield body, "?" in end or "？" in end or "؟" in end
    if start.strip():
        yield start, False


def _corrected(sentence: str) -> list[str]:
    """The pieces of a sentence between words that take back what was said before; the first has none before
    it."""
    pieces, start = [], 0
    for hit in _correction().finditer(sentence):
        pieces.append(sentence[start : hit.start(1)])
        start = hit.end(1)
    return [*pieces, sentence[start:]]


@cache
def _taken_back() -> re.Pattern[str]:
    """A sentence such as "no" or "wait, no"."""
    return re.compile(
        rf"{_NO_WORD}(?:{words('correction')}{_NO_WORD})*{words('not', 'not_behind')}{_NO_WORD}", re.I
    )


@cache
def _correction() -> re.Pattern[str]:
    """Words that may also deny what follows need punctuation after them: "no, B" takes back, "no B"
    denies."""
    denying = rf"{words('correction')}(?=\s*(?:[,،，፣:：—–-]|$))"
    but = rf"(?:{words('but')}\s*)?"
    return re.compile(rf"(?:^{_NO_WORD}|[,،，፣—–(-]\s*|\bor\s){but}({denying}|{any_of(corrections())})", re.I)


def _lists(piece: str, kind: str) -> bool:
    """Whether the piece is a label followed by an option's text."""
    return (
        re.match(rf"\W*(?:{words('answer')}\s*)?{kind}\s*[).:}}\]．：、-]+\s*[\w\ue000-\ue0ff]", piece, re.I)
        is not None
    )


@cache
def _groups(kind: str) -> re.Pattern[str]:
    perhaps = rf"(?:{words('maybe')}\s*)?"
    joint = rf"(?:[,،，、፣/|&+<>]\s*(?:{words('or')}\s*{perhaps})?|{words('or')}\s*{perhaps})"
    of_options = rf"(?:\s*{joint}\s*(?:(?:the\s)?{words('answer')}\s*)?|[ \t]+)"
    return re.compile(rf"{kind}(?:{_CLOSE}(?:\s*\([^()]{{1,30}}\))?{of_options}{_OPEN}\s*{kind})*", re.I)


def _mentions(sentence: str, kind: str, asks: bool, part: int, near: bool) -> Iterator[Mention]:
    if not _PREFERS.search(sentence):
        sentence = re.sub(rf"({kind})\s+(?:to|through|thru|till)\s+({kind})", r"\1/\2", sentence)
    hits = list(_groups(kind).finditer(sentence))
    for number, hit in enumerate(hits):
        start = hits[number - 1].end() if number else 0
        end = hits[number + 1].start() if number + 1 < len(hits) else len(sentence)
        before, after = sentence[start : hit.start()], sentence[hit.end() : end]
        against = pattern("but").search(before) is not None
        if number:
            before = _shared(before)[1]
        if number + 1 < len(hits):
            after = _shared(after)[0]
        so_far, begins = sentence[: hit.start()], hit.start() == _begin(sentence)
        for characters, (stance, strength) in _of_group(hit[0], before, after, so_far, begins, kind):
            yield Mention(
                frozenset(characters),
                "aside" if asks and stance == "asserted" else stance,
                strength,
                part,
                near=near and number == 0 and len(before.split()) <= 5,
                hedged=strength != LIKELIER
                and pattern("maybe").search(f"{_clause(before)} {' '.join(after.split()[:4])}") is not None,
                against=against,
            )


def _of_group(
    group: str, before: str, after: str, so_far: str, begins: bool, kind: str
) -> Iterator[tuple[list[str], tuple[Stance, int]]]:
    """What is said of options that are named together, or of the one that is: characters, and their stance
    and strength."""
    joined = pattern("or").search(group) is not None
    last = re.search(rf"(?<={kind}){_CLOSE}\s*[,،，、፣]\s*{_OPEN}({kind})$", group)
    if last and joined and pattern("between").search(before):  # "between A and B, B"
        yield re.findall(kind, group[: last.start()]), ("aside", ALONE)
        yield [last[1]], _stance_of("", after, "", several=False, begins=False, kind=kind)
        return
    characters = re.findall(kind, group)
    several = len(set(characters)) > 1
    if several and not joined and "/" not in group:
        first, rest = characters[:1], characters[1:]
        # "B, A is wrong" denies the second alone, "A, B are wrong" both
        if _denied_behind(after, announced=False):
            announced = _announced(before)
            if len(rest) == 1 and (announced or _SINGULAR.search(after)) and not _denied_before(before):
                yield first, ("asserted", SETTLED if announced else SET_OFF)
            yield rest, ("denied", ALONE)
            return
        aside = re.search(rf"{words('than')}\s*{_OPEN}\s*$", _clause(before), re.I)
        if len(rest) == 1 and (aside or (_denied_before(before) == 1 and pattern("right").search(after))):
            yield first, ("aside" if aside else "denied", ALONE)  # "unlike A, B", "not A, B is right"
            yield rest, _stance_of("", after, "", several=False, begins=False, kind=kind)
            return
    yield characters, _stance_of(before, after, so_far, several, begins, kind)


def _begin(sentence: str) -> int:
    return len(sentence) - len(re.sub(r"^\W*?(?=[\ue000-\uf8ff])", "", sentence))


def _shared(between: str) -> tuple[str, str]:
    """The text between two mentions, split into the end of the first one's clause and the beginning of the
    second one's."""
    borders = list(re.finditer(rf"{_boundary()}|{words('so')}|\band\b|\by\b|\bو(?=\s)", between, re.I))
    if borders:
        return between[: borders[-1].start()], between[borders[-1].start() :]
    of_next = re.fullmatch(
        rf"\s*{words('not')}\s*(?:{words('answer')}\s*)?{_OPEN}\s*", between, re.I
    ) or re.search(
        rf"{words('than')}\s*(?:the\s)?(?:{words('answer')}\s*)?{_OPEN}\s*$|\b(?:to|على)\s*$", between, re.I
    )
    if of_next:
        return between[: of_next.start()], of_next[0]
    return between, "" if re.search(words("not_behind", "wrong", "than_behind"), between, re.I) else between


def _stance_of(
    before: str, after: str, so_far: str, several: bool, begins: bool, kind: str
) -> tuple[Stance, int]:
    """What the words around a mention say of it."""
    clause_before = _clause(before)
    if _set_aside(before, clause_before, after, so_far, several):
        return "aside", ALONE
    if pattern("both").search(clause_before):
        return ("asserted" if several else "aside"), ALONE
    announced = _announced(before)
    if denials := _denied_before(before) + (_ALL_BUT.search(before) is not None):
        return ("denied" if denials == 1 and not _denied_behind(after, announced=True) else "aside"), ALONE
    label = begins and re.match(r"\s*[)\].:}．：|]", after) is not None  # ``|`` ends the cell of a table
    predicate = (_ENGLISH.search(before) or re.search(r"[:：=]\s*$", before)) or _ends_with("lead", before)
    if _denied_listed(after) if label else _denied_behind(after, announced, subject=not predicate):
        return "denied", ALONE
    clause = re.split(_boundary(), _until_reason(after))[0]
    boxed = re.search(r"\\boxed\s*\{\s*$", before)
    if announced or boxed:
        return "asserted", FINAL if boxed or pattern("final").search(before) else SETTLED
    right = _right_listed(clause) if label else pattern("right").search(clause) is not None
    if not label and re.search(rf"{words('likelier')}\s*(?:\S+\s*|{words('than')}.*)?$", clause, re.I):
        return "asserted", SETTLED if pattern("choose", "so").search(before) else LIKELIER
    if pattern("maybe").search(clause_before):
        return "asserted", ALONE
    if not label and pattern("maybe").search(" ".join(clause.split()[:4])):
        return ("asserted" if right else "aside"), ALONE
    if right or pattern("choose", "so", "right").search(before) or _ends_with("than_behind", before):
        return "asserted", SETTLED
    chosen = None if label else pattern("choose").search(clause)
    if chosen and len(clause[: chosen.start()].split()) <= 3:
        return "asserted", SETTLED
    bare = re.fullmatch(rf"\W*(?:{words('answer')}\W*)?", before, re.I) and (begins or before.strip())
    if label or (bare and re.match(r"\s*(?:$|[,،，፣|—–-])", after)):
        return "asserted", SET_OFF
    if several or kind == TEXT:
        return "asserted", ALONE
    led = _ends_with("lead", before)
    begun = re.fullmatch(rf"\s*{_OPEN}", clause_before) or _ends_with("answer", before)
    followed = re.sub(
        rf"^\s*{words('behind')}",
        "",
        re.sub(r"[\s)\]}\"'”’.]+$", "", re.sub(rf"^[\s.]*{_CLOSE}", "", clause)),
    )
    return ("asserted" if led or (begun and not followed.strip()) else "aside"), ALONE


def _set_aside(before: str, clause: str, after: str, so_far: str, several: bool) -> bool:
    """Whether the words around a mention compare it, leave it open, or join it with something that is not an
    option."""
    if not so_far.strip(before) and re.search(rf"\S\s*{words('or')}\s*{_OPEN}$", before, re.I):
        return True
    if several and (pattern("between").search(before) or pattern("between").match(after.strip())):
        return True
    than = re.search(rf"{words('than')}[^,،]{{0,24}}$", clause, re.I) or re.match(
        rf"\s*\W?\s*{words('than_behind')}", after, re.I
    )
    return bool(than or _COMPARED.search(so_far))


def _ends_with(role: str, before: str) -> bool:
    return re.search(rf"{words(role)}\s*{_OPEN}$", before, re.I) is not None


def _right_listed(clause: str) -> bool:
    """Whether what follows a label that is set off is nothing but a word for right."""
    return re.match(rf"\W*(?:(?:\w+\s+){{0,2}}{words('right')}|yes|true)\W*$", clause, re.I) is not None


@cache
def _boundary() -> str:
    return rf"(?:{_PUNCTUATION}|{words('but')})"


def _clause(before: str) -> str:
    """The part of a mention's clause that precedes it."""
    return re.split(rf"{_boundary()}|{words('so')}|\band\b", before, flags=re.I)[-1]


def _announced(before: str) -> bool:
    """Whether the words before a mention announce an answer."""
    return (_ENGLISH.search(before) or _other_announcement().search(before)) is not None


@cache
def _other_announcement() -> re.Pattern[str]:
    """A word for an answer in another language, and up to six words in small letters or 12 characters of
    another script."""
    english = r"\b(?:answers?|choices?|options?|response|letter|answer_choice)(?!\w)"
    word = r"\s*(?-i:[^\W\d_A-Z])[^\s.,،，!?:：=]{0,14}(?:\s+|$)"
    filler = rf"(?:\s*[:：=–—-]\s*|{word}|\s+){{0,6}}[^\s.,،，!?。A-Za-z]{{0,12}}\s*{_OPEN}\s*$"
    return re.compile(rf"(?!{english}){words('answer')}{filler}", re.I)


def _denied_before(before: str) -> int:
    """How many words deny what follows, in the clause of the mention."""
    clause = _REASSURANCE.sub(" ", _clause(before))
    denials = len(pattern("not").findall(clause))
    if not pattern("others").search(before):
        lead = re.split(r"[,،，፣;]", before)[-1]
        denials += len(pattern("wrong").findall(lead)) if not denials else 0
    return denials


def _until_reason(after: str) -> str:
    return re.split(words("because", "others"), after, flags=re.I)[0]


def _denied_behind(after: str, announced: bool, subject: bool = False) -> bool:
    """Whether what follows a mention denies it. subject: whether its verb may follow
    ("option B does not"), which it cannot in "the answer is B no matter what"."""
    near = _REASSURANCE.sub(" ", _until_reason(after))
    clause = re.split(_boundary(), near)[0]
    if announced:
        start = " ".join(clause.split()[:5]) if " " in clause.strip() else clause[:14]
        verb = " ".join(re.split(r"[(\[{]", start)[0].split()[:3]) if subject else ""
        return bool(
            pattern("not_behind", "wrong").search(start)
            or pattern("not").search(verb)
            or re.match(rf"\s*{_COPULA}\s+{words('not')}", clause, re.I)
        )
    return bool(pattern("wrong", "not_behind").search(near) or pattern("not").search(near))


def _denied_listed(after: str) -> bool:
    """Whether what follows a label that is set off, which may be its option's text, begins by denying it."""
    start = " ".join(after.split()[:5])[:60]
    first = re.split(_boundary(), re.sub(r"^[\s)\].:}．：]+", "", after))[0]
    two_words = first[:20] if len(first.split()) <= 2 else ""  # a whole clause is one word without spaces
    if pattern("not_behind").search(two_words):
        return True
    if re.match(r"(?:no|nope|false|❌|✗|✘|✖)(?!\w)", first.strip(), re.I):
        return True
    denied = pattern("not", "not_behind").search(start) and pattern("right").search(start)
    return bool(pattern("wrong").search(start) or denied)

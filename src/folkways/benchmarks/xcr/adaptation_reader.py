"""Reads a reply to the adaptation prompt: the version within English, the one into the language, and
Newmark's strategy that it names.

The authors ask for ``[within English, into the language, strategy]`` and released no parser. Models answer
with JSON, Python lists, unescaped quotes, brackets without quotes although the sentences contain commas,
labelled lines, tables or bare lines; some repeat the format first, and go on with inputs of their own.
Each layout is tried in turn; a reply is unreadable if none fits or if the boundary between the two
versions stays open. The gold answer is never looked at.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from folkways.benchmarks.xcr.release import is_bare_label, is_non_transferable

STRATEGIES: Mapping[str, str] = {
    "Transference": r"transferences?",
    "Cultural Equivalent": r"(?:cultural(?:ly)?|functional) equivalen(?:ts?|ces?)(?: substitution)?",
    "Neutralization": r"neutrali[sz](?:ation|ing|e)",
    "Literal Translation": r"literal(?: translations?)?|through[- ]translation|calque",
    "Label": r"label(?:l?ing|s)?",
    "Naturalization": r"naturali[sz](?:ation|ing|e)",
    "Componential Analysis": r"componential(?: analysis)?",
    "Deletion": r"deletions?|omission",
    "Accepted Standard Translation": r"accepted(?: standard)?(?: translations?)?|standard translation",
    "Paraphrase or Gloss": r"paraphras(?:e|ing)(?:\s*(?:or|and|/|,)\s*gloss(?:es)?)?|gloss(?:es|ing)?",
    "Classifier": r"classifiers?",
}
"""Canonical name -> what models write for it. With the bare ``COUPLET`` these are the paper's twelve."""

COUPLET = "Couplet"
COMBINATION = "Combination"

_NAMED = re.compile(
    "|".join(rf"\b(?P<s{place}>{pattern})\b" for place, pattern in enumerate(STRATEGIES.values())), re.I
)
_COUPLET = re.compile(r"\bcouplets?\b", re.I)
_FILLER = re.compile(
    r"\b(?:adaptation|strateg(?:y|ies)|methods?|techniques?|used|number|no|combin(?:ed|ation)|mix|of|and|with|plus|the|a|by|for|both)\b|[\W\d_]",
    re.I,
)


def canonical_strategy(text: str) -> str | None:
    """The strategy that ``text`` names, apart from spelling and numbering; None if it names none.

    Two different strategies are a couplet, in any order: ``Couplet (Label + Transference)``; more are a
    ``Combination``. Half of all strategies or more are the repeated list of the prompt, which names none.
    ``Couplet`` alone stays as it is.
    """
    named = sorted({_name(match) for match in _NAMED.finditer(text)})
    if len(named) == 1:
        return named[0]
    if named and 2 * len(named) < len(STRATEGIES):
        return f"{COUPLET if len(named) == 2 else COMBINATION} ({' + '.join(named)})"
    return COUPLET if _COUPLET.search(text) else None


def names_only_strategies(text: str) -> bool:
    """Whether ``text`` names a strategy and otherwise has only numbers, punctuation and words such as
    "method" or "and"."""
    rest, named = _NAMED.subn(" ", text)
    rest, couplets = _COUPLET.subn(" ", rest)
    return bool(named + couplets) and not _FILLER.sub("", rest)


def _name(found: re.Match[str]) -> str:
    return list(STRATEGIES)[int(str(found.lastgroup)[1:])]


_TAG = re.compile(r"<\s*(?:/\s*)?CSI\s*(?:/\s*)?>", re.I)
_SENTENCE_END = re.compile(r"[.!?。！？।؟…]\s*(?:</CSI>)?\s*['\"”’»)]*\s*(?:</CSI>)?$")
_NEARLY = 0.9
_NOT_LATIN = 0x250  # the first letter after the Latin ones
_OTHER_STRATEGY = re.compile(r"[A-Za-z]\w*|[A-Z][A-Za-z'’/&()-]*(?: [A-Za-z'’/&()-]+){1,4}")
_FEWEST_WORDS = 3
# a strategy may hold separators itself ("Couplet: Transference, Label"), but not more than this
_LAST_PIECES = 4

_NO_STRATEGY = re.compile(
    r"""\W*(?: n\W?a | none | not\ applicable | [-–—]+
        | no\ (?:\w+\ )?(?:method|strategy|technique)s?(?:\ (?:was\ )?used)? )\W*""",
    re.I | re.X,
)
"""What stands for a strategy where none was used."""

Span = tuple[int, int]


def split_off_strategy(text: str, separator: re.Pattern[str]) -> tuple[str, str] | None:
    """The text before its final strategy, and the strategy: the longest ending that names only strategies, or
    says that there is none.

    None if no ending does.
    """
    parts = None
    for start, end in reversed([cut.span() for cut in separator.finditer(text)][-_LAST_PIECES:]):
        named = names_only_strategies(text[end:]) or _NO_STRATEGY.fullmatch(text[end:])
        if named and not text[end:].lstrip().startswith((",", "，", "]")):
            parts = text[:start], text[end:]
    return parts


def split_off_other_strategy(text: str, separator: re.Pattern[str]) -> tuple[str, str] | None:
    """The same for a list whose strategy is not one of those asked for ("Substitution"): a few words that are
    not a sentence.

    Only after the end of a sentence or another script, after the same text twice, or if the list has just
    three parts, the others longer. None elsewhere.
    """
    cuts = [cut.span() for cut in separator.finditer(text)]
    if len(cuts) < 2 or not _OTHER_STRATEGY.fullmatch(text[cuts[-1][1] :].strip()):
        return None
    versions, method = text[: cuts[-1][0]], text[cuts[-1][1] :]
    last = next((character for character in reversed(versions) if character.isalpha()), "")
    ended = _SENTENCE_END.search(versions) or ord(last or "a") >= _NOT_LATIN
    only = len(cuts) == 2 and all(len(part.split()) >= _FEWEST_WORDS for part in separator.split(versions))
    return (versions, method) if ended or only or _same_on_both_sides(versions, cuts[:-1]) else None


def boundary_between_versions(text: str, separator: re.Pattern[str]) -> Span | None:
    """The separator between the English version and the one in the language, or None if it stays open.

    Evidence in this order: only one separator; a version that is the label "non-transferable"; the same
    text on both sides (the model did not translate); the change of script, or the only separator near it
    that follows the end of a sentence; the only one at all that does.
    """
    cuts = [cut.span() for cut in separator.finditer(text)]
    if len(cuts) <= 1:
        return next(iter(cuts), None)
    if label := _label_on_one_side(text, cuts):
        return label
    if same := _same_on_both_sides(text, cuts):
        return same
    changes = _changes_of_script(text, cuts)
    if changes is not None:
        best, nearly = changes
        return _after_sentence(text, nearly) or _only(best)
    return _after_sentence(text, cuts)


def change_of_script(text: str, separator: re.Pattern[str]) -> Span | None:
    """The only separator at which the text changes from Latin letters to others, or None."""
    best, _ = _changes_of_script(text, [cut.span() for cut in separator.finditer(text)]) or ([], [])
    return _only(best)


def _without_strategy(text: str, separator: re.Pattern[str]) -> Span | None:
    """The separator between the label "non-transferable" and a version, or where the script changes."""
    cut = _label_on_one_side(text, [cut.span() for cut in separator.finditer(text)])
    if cut is not None and all(
        is_bare_label(side) or _TAG.search(side) or _SENTENCE_END.search(side) for side in _sides(text, cut)
    ):
        return cut
    return change_of_script(text, separator)


def _label_on_one_side(text: str, cuts: list[Span]) -> Span | None:
    return _only([cut for cut in cuts if any(map(is_bare_label, _sides(text, cut)))])


def _only(cuts: list[Span]) -> Span | None:
    return next(iter(cuts)) if len(cuts) == 1 else None


def _sides(text: str, cut: Span) -> tuple[str, str]:
    return text[: cut[0]].strip(), text[cut[1] :].strip()


def _same_on_both_sides(text: str, cuts: list[Span]) -> Span | None:
    return next((cut for cut in cuts if len(set(_sides(text, cut))) == 1), None)


def _after_sentence(text: str, cuts: list[Span]) -> Span | None:
    return _only([cut for cut in cuts if _SENTENCE_END.search(text[: cut[0]])])


def _changes_of_script(text: str, cuts: list[Span]) -> tuple[list[Span], list[Span]] | None:
    """The cuts that best separate Latin letters from others, and those that nearly do so; None for text in
    one script.

    A name or an abbreviation in Latin letters at the beginning of the other version makes the cut after it
    the best one.
    """
    latin = [0]
    other = [0]
    plain = _TAG.sub(lambda tag: " " * len(tag[0]), text)
    for character in plain:
        is_letter = character.isalpha()
        latin.append(latin[-1] + (is_letter and ord(character) < _NOT_LATIN))
        other.append(other[-1] + (is_letter and ord(character) >= _NOT_LATIN))
    scores = [latin[start] + other[-1] - other[end] for start, end in cuts]
    if not cuts or not latin[-1] or not other[-1] or max(scores) < 0.6 * (latin[-1] + other[-1]):
        return None
    best = max(scores)
    nearly = [(cut, score) for cut, score in zip(cuts, scores, strict=True) if score >= _NEARLY * best]
    return [cut for cut, score in nearly if score == best], [cut for cut, _ in nearly]


# characters: longer replies are read as JSON or not at all, which takes time linear in their length
LONGEST = 20_000

_THINKING = re.compile(r"^.*</think(?:ing)?>", re.S | re.I)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?[ \t]*```", re.S)
_LEAD = re.compile(r"^\W*(?:output|answer|response|result|adaptation)s?\s*[:：]\W*?(?=[\[{“\"'\w])", re.I)
_FORMAT = re.compile(
    r"[\[<(]{0,3}\s{0,3}intra[\s-]*lingual adaptation\W{1,4}inter[\s-]*lingual adaptation\W{1,4}adaptation "
    r"method used\s*[\])>]*",
    re.I,
)
_NEXT_INPUT = re.compile(r"\n\W{0,20}(?:(?:next|new)\s+)?(?:input|sentence)s?(?:\s+\d+)?\s*[:：]", re.I)
_NEXT_OUTPUT = re.compile(r"^\W{0,20}output\s*[:：]", re.I | re.M)
_LABEL = re.compile(
    r"""^ (?: [-*#>•\d.()"'_] | [^\S\n] ){0,30}
        (?P<name> int(?:ra|er) (?:[\s_-]*lingual)?
                | (?:adaptation\s+)? (?:method|strateg(?:y|ies)|technique)s?
                | (?:the\s+)? rewritten\s+sentence\s+in\s+\w+ | the\s+way\s+(?:you|i)\s+chose )
        (?: [^:：\n]{0,60}? [:：] [*_"']* | (?:[^\S\n]+(?:adaptation|used))* ["'*_]* [^\S\n]* \n )
        [^\S\n]*""",
    re.I | re.X | re.M,
)
_BEFORE_LABEL = re.compile(
    r"[,，;؛|،]\s*(?=(?:inter[\s-]*lingual|(?:adaptation\s+)?(?:method|strategy))[\w\s-]{0,20}[:：])", re.I
)
_QUOTES = {'"': '"', "'": "'", "“": "”", "«": "»", "‘": "’", "`": "`"}


@dataclass(frozen=True, slots=True)
class AdaptationReply:
    """The parts of a reply. ``method`` is as the model wrote it, empty if it named none; a version may be
    empty too."""

    intra: str
    inter: str
    method: str


def read_adaptation(reply: str) -> AdaptationReply | None:
    """The two versions and the strategy in ``reply``, or None if they cannot be told apart.

    A reply that is nothing but "non-transferable" says so of both versions.
    """
    text = _THINKING.sub("", reply)
    if len(text) > LONGEST:
        return _adaptation(_json(text))
    text = text.replace("\r\n", "\n")
    fenced = _FENCE.search(text)
    if fenced:
        text = fenced[1]
    for answer in _answers(text):
        if is_bare_label(answer.strip(" []\n\t`*\"'")):
            return AdaptationReply(answer.strip(), answer.strip(), "")
        plain = _with_square_brackets(answer)
        for part in (_first_list(plain), plain):
            for layout in LAYOUTS if part else ():
                if (parts := layout(part)) is not None:
                    return _adaptation(parts)
        if (of_neither := _of_neither(answer)) is not None:
            return of_neither
    return None


def _of_neither(answer: str) -> AdaptationReply | None:
    """A reply that says of both versions that there is none: the label several times, and perhaps a strategy,
    or that there is none; or the label with an explanation."""
    pieces = [piece.strip(_DRESS) for piece in re.split(r"[\n,，;；|،]+", answer) if piece.strip(_DRESS)]
    if not pieces or not is_non_transferable(pieces[0]):
        return None
    *labels, last = pieces
    several = all(map(is_bare_label, labels)) and (is_bare_label(last) or _NO_STRATEGY.fullmatch(last))
    if several or (_EXPLAINED.match(answer) and not _TAG.search(answer)):
        return AdaptationReply(_LABEL_OF_NONE, _LABEL_OF_NONE, "")
    return None


_DRESS = " \t[]`*\"'“”‘’.{}()"
_LABEL_OF_NONE = "Non-transferable"
_EXPLAINED = re.compile(r"\W*non[\s-]*transferr?able[\]*\"'”’`)\s]*(?:[.(:–—\n]|-\s)", re.I)
"""The label, and what sets off an explanation from it."""

_ROUND, _INSIDE = r"[（(][^()（）]*[)）]", r"[^()（）]"
_OTHER_BRACKETS = re.compile(
    rf"\A([^\w()（）]*?)(?:［|【|（|\()((?:{_INSIDE}|{_ROUND})*)(?:］|】|）|\))(\W*)\Z", re.S
)


def _with_square_brackets(text: str) -> str:
    """The text with those around the whole of it as square ones, where it has none."""
    return text if "[" in text else _OTHER_BRACKETS.sub(r"\1[\2]\3", text)


def _first_list(text: str) -> str:
    """The text up to the bracket that closes the first list, if that ends a line and an explanation with
    brackets of its own follows; else empty."""
    depth, begins = 0, text.find("[")
    for bracket in re.finditer(r"[\[\]]", text[max(begins, 0) :]):
        depth += 1 if bracket[0] == "[" else -1
        if not depth:
            end = begins + bracket.end()
            after = text[end:]
            ends_line = re.match(r"[^\S\n]*[.`*]*[^\S\n]*\n", after)
            return text[:end] if ends_line and "]" in after and not after.lstrip().startswith("[") else ""
    return ""


def _answers(text: str) -> list[str]:
    """The parts of the reply that may hold the answer: those after "Output:", without answers to inputs that
    the model made up."""
    text = _FORMAT.sub("", text)
    made_up = _NEXT_INPUT.search(text.lstrip())
    return _NEXT_OUTPUT.split(text.lstrip()[: made_up.start()] if made_up else text)


Parts = tuple[str, str, str]
FIELDS = ("intra", "inter", "method")


def _adaptation(parts: Parts | None) -> AdaptationReply | None:
    if parts is None:
        return None
    intra, inter, method = map(_without_label, FIELDS, parts)
    return AdaptationReply(intra, inter, method) if intra or inter else None


def _without_label(field: str, part: str) -> str:
    """A part without the words that announce it ("Intra-lingual adaptation: ...")."""
    label = _LABEL.match(part)
    return part[label.end() if label and _field(label["name"].lower()) == field else 0 :].strip()


def _json(text: str) -> Parts | None:
    """A JSON list or object, wherever it begins; strings may contain line breaks."""
    decoder = json.JSONDecoder(strict=False)
    for opening in "[{":
        if opening in text:
            try:
                value, _ = decoder.raw_decode(text, text.index(opening))
            except (ValueError, RecursionError):
                continue
            parts = _from_value(value)
            if parts is not None:
                return parts
    return None


def _python(text: str) -> Parts | None:
    """A Python list, tuple or dictionary of strings."""
    for opening, closing in ("[]", "()", "{}"):
        inside = _between(text, opening, closing)
        if inside is not None:
            try:
                value = ast.literal_eval(f"{opening}{inside}{closing}")
            except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                continue
            parts = _from_value(value)
            if parts is not None:
                return parts
    return None


def _from_value(value: object) -> Parts | None:
    if isinstance(value, (list, tuple)):
        match [part[0] if isinstance(part, list) and len(part) == 1 else part for part in value]:
            case [only]:
                return _from_value(only)
            case [str(english), str(other), *rest] if all(isinstance(part, str) for part in rest):
                return english, other, ", ".join(rest)
    if isinstance(value, dict):
        fields = {str(name).lower(): part for name, part in value.items() if isinstance(part, str)}
        intra, inter, method = (
            next((part for name, part in fields.items() if name.lstrip("<( ").startswith(stems)), None)
            for stems in (
                ("intra",),
                ("inter",),
                ("method", "strateg", "techni", "adaptation_m", "adaptation m", "adaptation s"),
            )
        )
        if intra is not None and inter is not None:
            return intra, inter, method or ""
    return None


def _labelled(text: str) -> Parts | None:
    """Lines that begin with a label; each text runs on to the next label."""
    labels = list(_LABEL.finditer(text))
    fields: dict[str, str] = {}
    for index, label in enumerate(labels):
        end = labels[index + 1].start() if index + 1 < len(labels) else len(text)
        key = _field(label["name"].lower())
        fields.setdefault(key, _undressed(text[label.end() : end]))
    if "intra" in fields and "inter" in fields:
        return fields["intra"], fields["inter"], fields.get("method", "").split("\n\n")[0]
    return None


def _field(label: str) -> str:
    """Which part a label announces, in the authors' words or in ours."""
    if label.startswith("intra") or re.search(r"sentence\s+in\s+english$", label):
        return "intra"
    return "inter" if label.startswith("inter") or "sentence" in label else "method"


def _table(text: str) -> Parts | None:
    """The last row of a Markdown table with three columns."""
    rows = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in text.splitlines()
        if line.strip().startswith("|")
    ]
    if len(rows) >= 3 and len(rows[-1]) == 3:
        return rows[-1][0], rows[-1][1], rows[-1][2]
    return None


def _quoted(text: str) -> Parts | None:
    """A list of quoted strings that hold unescaped quotes: cut at a closing quote, a comma and an opening
    quote."""
    inner = _inside_brackets(text)
    if inner is None or inner[:1] not in _QUOTES or inner[-1:] != _QUOTES[inner[0]]:
        return None
    opening, closing = inner[0], _QUOTES[inner[0]]
    separator = re.compile(rf"{re.escape(closing)}\s*[,，]\s*{re.escape(opening)}")
    return _three(
        inner[1:-1], separator, lambda part: part.replace(f"\\{closing}", closing), any_strategy=True
    )


def _bracketed_each(text: str) -> Parts | None:
    """Each part in brackets of its own."""
    inner = _inside_brackets(text)
    return None if inner is None else _three(inner, re.compile(r"\]\s*[,，;]?\s*\["), any_strategy=True)


def _bare(text: str) -> Parts | None:
    """One bracket, no quotes, commas in the sentences; without a strategy only if the script changes or one
    version is the label "non-transferable"."""
    inner = _inside_brackets(text)
    if inner is None:
        return None
    comma = re.compile(r"[,，]\s*")
    parts = (
        _labelled(_BEFORE_LABEL.sub("\n", inner))
        or _three(inner, re.compile(r"\s*[;؛|،]\s*"))
        or _three(inner, re.compile(r"[,，]\n+"))
        or _three(inner, comma, any_strategy=True)
    )
    change = _without_strategy(inner, comma) if parts is None else None
    return parts if change is None else (inner[: change[0]], inner[change[1] :], "")


def _lines(text: str) -> Parts | None:
    """One part to a line, numbered or not, the strategy last; a line of introduction ends with a colon."""
    text = re.sub(r"\A[^\n]*[:：]\s*\n+", "", _LEAD.sub("", text).lstrip())
    return _three(text.strip(), re.compile(r"\n+"), _unnumbered)


LAYOUTS: Sequence[Callable[[str], Parts | None]] = (
    _json,
    _python,
    _labelled,
    _table,
    _bracketed_each,
    _quoted,
    _bare,
    _lines,
)
"""From the most to the least explicit; the first that fits decides."""


def _three(
    text: str, separator: re.Pattern[str], finish: Callable[[str], str] = str, *, any_strategy: bool = False
) -> Parts | None:
    """Cut at ``separator``: the strategy from the end, then between the two versions.

    any_strategy: accepts an ending that is a strategy other than those asked for.
    """
    parts = split_off_strategy(text, separator) or (
        split_off_other_strategy(text, separator) if any_strategy else None
    )
    if parts is None:
        return None
    versions, method = parts
    boundary = boundary_between_versions(versions, separator)
    if boundary is None:
        return None
    return finish(versions[: boundary[0]]), finish(versions[boundary[1] :]), method


def _inside_brackets(text: str) -> str | None:
    inside = _between(text, "[", "]")
    return None if inside is None else inside.strip(" \t")


def _between(text: str, opening: str, closing: str) -> str | None:
    """The text between the first opening mark and the last closing one."""
    inside, closed, _ = text.partition(opening)[2].rpartition(closing)
    return inside if closed else None


def _unnumbered(line: str) -> str:
    return re.sub(r"^\s*(?:[-*•]|\(?\d+[.)])\s+", "", line)


def _undressed(text: str) -> str:
    """Without Markdown emphasis, bullets of the next line, and quotes that enclose the whole."""
    text = re.sub(r"\n\s*(?:[-*•]|\d+\.)?\s*$", "", text.strip()).strip().strip("*_").strip()
    if (
        len(text) > 1
        and _QUOTES.get(text[0]) == text[-1]
        and text[-1] not in text[1:-1]
        and not is_non_transferable(text)
    ):
        return text[1:-1]
    return text

"""Where one part of an adaptation reply ends and the next begins, when commas or line breaks stand inside the
parts as well."""

from __future__ import annotations

import re

from folkways.benchmarks.xcr.data.reading import is_bare_label
from folkways.benchmarks.xcr.strategies import names_only_strategies

_TAG = re.compile(r"<\s*/?\s*CSI\s*/?\s*>", re.I)
_SENTENCE_END = re.compile(r"[.!?。！？।؟…]\s*(?:</CSI>)?\s*['\"”’»)]*\s*(?:</CSI>)?$")
_NEARLY = 0.9
_NOT_LATIN = 0x250  # the first letter behind the Latin ones
_OTHER_STRATEGY = re.compile(r"[A-Za-z]\w*|[A-Z][A-Za-z'’/&()-]*(?: [A-Za-z'’/&()-]+){1,4}")
_FEWEST_WORDS = 3
_LAST_PIECES = (
    4  # a strategy may hold separators itself ("Couplet: Transference, Label"), but not more than this
)

Span = tuple[int, int]


def split_off_strategy(text: str, separator: re.Pattern[str]) -> tuple[str, str] | None:
    """The text before the strategy that it ends with, and the strategy: the longest ending that names only
    strategies.

    None where no ending does.
    """
    found = None
    for start, end in reversed([cut.span() for cut in separator.finditer(text)][-_LAST_PIECES:]):
        if names_only_strategies(text[end:]) and not text[end:].lstrip().startswith((",", "，", "]")):
            found = text[:start], text[end:]
    return found


def split_off_other_strategy(text: str, separator: re.Pattern[str]) -> tuple[str, str] | None:
    """The same where a list ends in a strategy that is none of those asked for ("Substitution"): a few words
    that are no sentence.

    Only behind the end of a sentence or another script, behind the same text twice, or where the list has
    just three parts, the others longer. None elsewhere.
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
    """The separator at which the English version ends and the one in the language begins, or None where that
    stays open.

    Evidence in this order: only one separator; a version that is the label "non-transferable"; the same text
    on both sides (the model did not translate); the change of script, or the only separator near it that
    follows the end of a sentence; the only one at all that does.
    """
    cuts = [cut.span() for cut in separator.finditer(text)]
    if len(cuts) <= 1:
        return next(iter(cuts), None)
    if label := _only([cut for cut in cuts if any(map(is_bare_label, _sides(text, cut)))]):
        return label
    if same := _same_on_both_sides(text, cuts):
        return same
    changes = _changes_of_script(text, cuts)
    if changes is not None:
        best, nearly = changes
        return _after_sentence(text, nearly) or _only(best)
    return _after_sentence(text, cuts)


def change_of_script(text: str, separator: re.Pattern[str]) -> Span | None:
    """The one separator at which the text changes from Latin letters to others, or None."""
    best, _ = _changes_of_script(text, [cut.span() for cut in separator.finditer(text)]) or ([], [])
    return _only(best)


def _only(cuts: list[Span]) -> Span | None:
    return next(iter(cuts)) if len(cuts) == 1 else None


def _sides(text: str, cut: Span) -> tuple[str, str]:
    return text[: cut[0]].strip(), text[cut[1] :].strip()


def _same_on_both_sides(text: str, cuts: list[Span]) -> Span | None:
    return next((cut for cut in cuts if len(set(_sides(text, cut))) == 1), None)


def _after_sentence(text: str, cuts: list[Span]) -> Span | None:
    return _only([cut for cut in cuts if _SENTENCE_END.search(text[: cut[0]])])


def _changes_of_script(text: str, cuts: list[Span]) -> tuple[list[Span], list[Span]] | None:
    """The cuts that best part Latin letters from others, and those that nearly do so; None where the text is
    in one script.

    A name or an abbreviation in Latin letters at the beginning of the other version makes the cut behind it
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

"""How many answers an item still needs, and how much one person or population may take."""

from __future__ import annotations


def missing_answers(valid: int, not_known: int, *, wanted: int = 5, most_not_known: int = 5) -> int:
    """Further answers that an item needs when only "I don't know" is replaced (BLEnD, section 3.2).

    valid: answers that are not "I don't know"; "not applicable" and "no specific answer" are valid.
    not_known: the others. Asking stops at ``wanted`` valid answers or at more than ``most_not_known`` that
    are not. 0 where it has stopped.
    """
    if valid >= wanted or not_known > most_not_known:
        return 0
    return wanted - valid


def room(taken: int, most: int | None) -> int | None:
    """How many more may be taken under a cap or quota; None where there is none. Never below 0."""
    return None if most is None else max(0, most - taken)

"""Texts of many scripts, and spans in them, for properties."""

from __future__ import annotations

from hypothesis import strategies as st

from folkways_studio.formats.spans import Span

PIECES = (
    *("soup", "don't", "a-b", "3.5", "🍲", "👩‍👩‍👧", "👍🏽", "🇰🇷", "cafe\u0301", "ﬁ"),
    *(
        "أكلنا",
        "الكُشَري",
        "እንጀራ",
        "፡",
        "우리가",
        "떡국",
        "饺子",
        "ラーメン",
        "ข้าว",
        "नमस्ते",
        "#",
        "O",
        '"',
        "<b>",
        "𠮷",
    ),
)
SPACES = (" ", "  ", "\n", "\t", "\u00a0", "\u3000", "", "\u2028")


def texts() -> st.SearchStrategy[str]:
    """Texts without outer white space."""
    pairs = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(SPACES)), min_size=1, max_size=8)
    return pairs.map(lambda each: "".join(piece + space for piece, space in each).strip())


def spans_within(text: str, labels: tuple[str, ...] = ("words", "places")) -> st.SearchStrategy[list[Span]]:
    """Spans apart from one another, in order, without white space at their ends."""

    def apart(cuts: list[int]) -> list[tuple[int, int]]:
        pairs = zip(cuts[::2], cuts[1::2], strict=False)
        return [
            (start, end) for start, end in pairs if text[start:end].strip() == text[start:end] and end > start
        ]

    cuts = st.lists(st.integers(0, len(text)), max_size=8).map(sorted).map(apart)
    return cuts.flatmap(
        lambda pairs: st.tuples(
            *(st.sampled_from(labels).map(lambda label, pair=pair: (*pair, label)) for pair in pairs)
        ).map(list)
    )

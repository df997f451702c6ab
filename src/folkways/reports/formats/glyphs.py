"""Glyphs of the scripts that a page quotes, so that it can be read where no font has them."""

from __future__ import annotations

import base64
import io
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from folkways.toml_files import packaged_toml

FONTS = files("folkways.data").joinpath("fonts")

SCRIPTS, LETTERS = "folkways scripts", "folkways letters"
"""Font families of the page. SCRIPTS comes before the reader's fonts, so that words of other scripts are of
one font; LETTERS (Latin, Greek and Cyrillic ones) after them, so that single letters look like their word."""

MOST_OF_ITEMS = 2_000
"""Letters that only the browser of items shows, the most frequent first."""

JOINERS = (0x200C, 0x200D)
"""Control how letters of some scripts join, and have to be of the same font as these."""


@dataclass(frozen=True, slots=True)
class Font:
    """A font of the package. ranges: code points that are looked for in it, ends included."""

    name: str
    family: str
    ranges: tuple[tuple[int, int], ...]

    def of(self, codes: set[int]) -> set[int]:
        """Those of the code points that lie in its ranges."""
        return {code for code in codes if any(low <= code <= high for low, high in self.ranges)}


@cache
def fonts() -> tuple[Font, ...]:
    """The fonts in the order in which a letter is looked for."""
    return tuple(
        Font(name, LETTERS if font["last"] else SCRIPTS, tuple(map(_range, font["ranges"].split())))
        for name, font in packaged_toml("folkways.data", "fonts/fonts.toml").items()
    )


def _range(part: str) -> tuple[int, int]:
    low, _, high = part.partition("-")
    return int(low, 16), int(high or low, 16)


def faces(page: str, items: str = "") -> str:
    """``@font-face`` rules with the letters of a page.

    page: its text. items: distinct letters of the texts that its browser of items shows, the most frequent
    first. Letters that no font of the package has are left to the reader's fonts.
    """
    wanted = {ord(letter) for letter in set(page) if letter > "\xff"}
    further = [ord(letter) for letter in items if letter > "\xff" and ord(letter) not in wanted]
    wanted.update(further[:MOST_OF_ITEMS])
    rules = []
    for font in fonts():
        codes = font.of(wanted)
        wanted -= codes
        if codes:
            rules.append(_face(font, frozenset(codes)))
    return "".join(rules)


@lru_cache(maxsize=64)  # reports of one study have most letters in common
def _face(font: Font, codes: frozenset[int]) -> str:
    """The rule of some letters of a font; empty if it has none of them."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    packed = FONTS.joinpath(f"{font.name}.ttf.xz").read_bytes()
    cut = TTFont(io.BytesIO(lzma.decompress(packed)), lazy=True, recalcTimestamp=False)
    has = {*codes, *JOINERS} & cut.getBestCmap().keys()
    if not has & codes:
        return ""
    cutter = subset.Subsetter(subset.Options(flavor="woff2", recalc_timestamp=False))
    cutter.populate(unicodes=has)
    cutter.subset(cut)
    cut.flavor = "woff2"
    file = io.BytesIO()
    cut.save(file)
    shown = ",".join(_shown(sorted(has)))
    source = base64.b64encode(file.getvalue()).decode()
    return (
        f'@font-face{{font-family:"{font.family}";font-display:swap;unicode-range:{shown};'
        f'src:url(data:font/woff2;base64,{source})format("woff2")}}\n'
    )


def _shown(codes: list[int]) -> Iterator[str]:
    """Sorted code points as the parts of a ``unicode-range``."""
    start = codes[0]
    for code, following in zip(codes, [*codes[1:], -1], strict=True):
        if following != code + 1:
            yield f"U+{start:X}" if start == code else f"U+{start:X}-{code:X}"
            start = following

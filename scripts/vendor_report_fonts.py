#!/usr/bin/env python3
"""Copy the fonts of which reports embed glyphs out of their npm packages into the source tree, with their licence.

A font of each script that items are written in, in one weight, without hints. Reports cut out of it the letters
that they quote (folkways.reports.formats.glyphs). Fonts lie there as TrueType in xz: cutting a few letters out of
WOFF2 means unpacking all of its glyphs first, which takes seconds for Han. It takes npm and fonttools.

    python scripts/vendor_report_fonts.py
"""

from __future__ import annotations

import io
import lzma
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from fontTools import subset
from fontTools.ttLib import TTFont

FONTS = Path(__file__).resolve().parents[1] / "src" / "folkways" / "data" / "fonts"
VERSION = "5.3.0"
SIMPLE = (
    "arabic", "ethiopic", "bengali", "devanagari", "tamil", "telugu", "malayalam", "kannada", "gujarati", "gurmukhi", "oriya", "sinhala",
    "thai", "lao", "khmer", "myanmar", "hebrew", "georgian", "armenian",
)  # fmt: skip
"""Scripts with a package and a slice of their own name."""

LETTERS = ("latin-ext", "vietnamese", "greek", "greek-ext", "cyrillic", "cyrillic-ext")
"""Slices of Noto Sans: letters that nearly every machine has, and that are drawn in its font where it does."""

COMMON = ((0x0300, 0x036F), (0x2000, 0x2BFF), (0xFEFF, 0xFEFF), (0xFFFC, 0xFFFD))
"""What is of no script: a page takes it from the reader's fonts."""

WIDE = {
    "hangul": ((0x1100, 0x11FF), (0x3130, 0x318F), (0xAC00, 0xD7A3)),
    "han": ((0x2E80, 0x9FFF), (0xF900, 0xFAFF), (0xFF00, 0xFFEF)),
}
JOINERS = (0x200C, 0x200D)


def package_of(name: str) -> str:
    """The npm package of a font, without its version."""
    special = {"arabic": "noto-naskh-arabic", "hangul": "noto-sans-kr", "han": "noto-sans-sc"}
    return f"@fontsource/{'noto-sans' if name in LETTERS else special.get(name, f'noto-sans-{name}')}"


def slice_of(name: str) -> str:
    """The name of the slice that has a script whole."""
    return {"hangul": "korean", "han": "chinese-simplified"}.get(name, name)


def kept(name: str, codes: list[int]) -> list[int]:
    """The code points that are shipped. Of Hangul the syllables of KS X 1001, in which Korean is written: the other 8,800
    weigh three times as much."""
    if name == "hangul":
        return [code for code in codes if code < 0xAC00 or len(chr(code).encode("euc_kr", "ignore")) == 2]
    return codes


def ranges(codes: list[int]) -> list[tuple[int, int]]:
    """Code points as ranges."""
    found: list[tuple[int, int]] = []
    for code in sorted(codes):
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found


def cut(source: Path, name: str) -> tuple[bytes, list[tuple[int, int]]]:
    """The font as it is shipped, and the ranges whose letters are looked for in it."""
    font = TTFont(source, recalcTimestamp=False)
    first = 0x100 if name in LETTERS else 0x370
    own = [
        code
        for code in font.getBestCmap()
        if code >= first and not any(low <= code <= high for low, high in COMMON)
    ]
    if name in WIDE:
        own = kept(name, [code for code in own if any(low <= code <= high for low, high in WIDE[name])])
    options: dict[str, Any] = {
        "hinting": False,
        "recalc_timestamp": False,
        "notdef_outline": True,
        "name_IDs": [1, 2, 13, 14],
        "glyph_names": False,
    }
    if name in WIDE:
        options |= {
            "layout_features": [],
            "drop_tables": ["BASE", "STAT", "GDEF", "GPOS", "GSUB", "vhea", "vmtx"],
        }
    cutter = subset.Subsetter(subset.Options(**options))
    cutter.populate(unicodes=[*own, *JOINERS])
    cutter.subset(font)
    font.flavor = None
    file = io.BytesIO()
    font.save(file)
    return lzma.compress(file.getvalue(), preset=9 | lzma.PRESET_EXTREME), list(WIDE.get(name, ranges(own)))


def main() -> None:
    """Write the fonts, their ranges and their licence."""
    names = (*SIMPLE, *WIDE, *LETTERS)
    shutil.rmtree(FONTS, ignore_errors=True)
    FONTS.mkdir(parents=True)
    packages = sorted({package_of(name) for name in names})
    lines = [
        "# Written by scripts/vendor_report_fonts.py: fonts under the SIL Open Font License 1.1, in the order in which a letter is looked for."
    ]
    with tempfile.TemporaryDirectory() as temporary:
        quiet = ("--ignore-scripts", "--no-save", "--no-package-lock", "--no-audit", "--no-fund")
        wanted = [f"{package}@{VERSION}" for package in packages]
        subprocess.run(
            ["npm", "install", "--prefix", temporary, *quiet, *wanted], check=True, stdout=sys.stderr
        )
        notices: dict[str, str] = {}
        for name in names:
            folder = Path(temporary) / "node_modules" / package_of(name)
            words = (folder / "LICENSE").read_text(encoding="utf-8")
            if "SIL OPEN FONT LICENSE Version 1.1" not in words:
                raise SystemExit(
                    f"{package_of(name)} is not under the OFL: read its licence before shipping it"
                )
            holder, _, licence = words.partition("\n")
            notices[package_of(name)] = holder
            packed, parts = cut(
                folder / "files" / f"{package_of(name).rpartition('/')[2]}-{slice_of(name)}-400-normal.woff2",
                name,
            )
            (FONTS / f"{name}.ttf.xz").write_bytes(packed)
            shown = " ".join(f"{low:04X}" if low == high else f"{low:04X}-{high:04X}" for low, high in parts)
            lines += [
                "",
                f"[{name}]",
                f'package = "{package_of(name)}@{VERSION}"',
                f"last = {str(name in LETTERS).lower()}",
                f'ranges = "{shown}"',
            ]
            print(f"{len(packed):9,} {name}", file=sys.stderr)
    (FONTS / "fonts.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    holders = "".join(f"{package}: {holder}\n" for package, holder in sorted(notices.items()))
    (FONTS / "LICENSE.txt").write_text(
        f"{holders}\nEach is changed: cut down to one script, without hints.\n{licence}", encoding="utf-8"
    )


if __name__ == "__main__":
    main()

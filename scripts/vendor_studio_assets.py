#!/usr/bin/env python3
"""Copy the script and the fonts that the studio serves out of their npm packages into the source tree, with
their licences.

The studio loads nothing from a network, so what its pages need is shipped. Run this after changing a version
below, or when a test says that a translation has letters that no font has; it writes ``static/vendor`` and
``static/fonts`` anew, with two style sheets (that of Han and Hangul is long, and pages load it last), and
``VENDORED.toml`` with the origin and SHA-256 of every file, which a test holds against the files.

    python scripts/vendor_studio_assets.py
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

STATIC = Path(__file__).resolve().parents[1] / "studio" / "src" / "folkways_studio" / "web" / "static"


@dataclass(frozen=True)
class Font:
    """A font: the npm package, the family name pages use, and the slices of Unicode that are shipped.

    weight: ``wght`` for a variable font, or the one weight that is shipped (of the large ones; browsers
    embolden it). slices: their names; numbers of those into which Han and Hangul are cut.
    """

    package: str
    family: str
    slices: tuple[str, ...]
    weight: str = "wght"


def numbered(*parts: range) -> tuple[str, ...]:
    """Names of numbered slices."""
    return tuple(str(number) for part in parts for number in part)


HTMX = "htmx.org@2.0.11"  # 0BSD
FONTS = (  # all under the SIL Open Font License 1.1
    Font("@fontsource-variable/noto-sans@5.3.0", "Noto Sans", ("latin", "latin-ext", "greek")),
    Font("@fontsource-variable/source-serif-4@5.3.1", "Source Serif 4", ("latin", "latin-ext", "greek")),
    # One weight of these takes a third of the variable font.
    Font("@fontsource/noto-sans-bengali@5.3.0", "Noto Sans Bengali", ("bengali",), weight="400"),
    Font("@fontsource/noto-sans-ethiopic@5.3.0", "Noto Sans Ethiopic", ("ethiopic",), weight="400"),
    Font("@fontsource-variable/noto-naskh-arabic@5.3.0", "Noto Naskh Arabic", ("arabic",)),
    # The 1,400 most frequent syllables and the 3,000 most frequent Chinese characters: with all of them the
    # wheel would be too large to publish. Rarer ones are set in a font of the reader's system.
    Font("@fontsource/noto-sans-kr@5.3.0", "Noto Sans KR", numbered(range(100, 120)), weight="400"),
    Font("@fontsource/noto-sans-sc@5.3.0", "Noto Sans SC", numbered(range(104, 120)), weight="400"),
)
OWN = (
    ("ko", "noto-sans-kr-korean-400-normal.woff2"),
    ("zh", "noto-sans-sc-chinese-simplified-400-normal.woff2"),
)
"""Of the last two: the language whose translation they set, and the file that has all of their letters."""

WIDE = 0x2E80
"""From here on, letters are Han, Hangul and what belongs to them."""

NEAR = "ĞğİŞşƏəƁɓƊɗƘƙƳƴĀāĒēĪīŌōŪūʼ"
"""Letters of Azerbaijani, Hausa and transcriptions, cut out of the slice ``latin-ext``, all of which weighs
168 kB."""

FILE_AND_RANGE = re.compile(r"src: url\(([^)]+)\).*?unicode-range: ([^;]+);", re.DOTALL)
FACE = re.compile(r"@font-face \{.*?\}", re.DOTALL)


def install(folder: Path) -> None:
    """The packages, without running their scripts."""
    packages = [HTMX, *(font.package for font in FONTS)]
    options = [
        "--prefix",
        str(folder),
        "--ignore-scripts",
        "--no-save",
        "--no-package-lock",
        "--no-audit",
        "--no-fund",
    ]
    subprocess.run(["npm", "install", *options, *packages], check=True, stdout=sys.stderr)


def source(folder: Path, package: str) -> Path:
    """Where npm put a package."""
    return folder / "node_modules" / package.rpartition("@")[0]


def copy_font(folder: Path, font: Font) -> list[str]:
    """Copy a font's slices and licence, and return its ``@font-face`` rules with our file names."""
    origin = source(folder, font.package)
    stem = font.package.split("/")[1].rpartition("@")[0]
    shutil.copy(origin / "LICENSE", STATIC / "fonts" / f"{stem}-LICENSE.txt")
    rules = []
    named = re.compile(rf"url\(\./files/({stem}-([\w-]+)-{font.weight}-normal\.woff2)\)")
    for face in FACE.findall((origin / f"{font.weight}.css").read_text(encoding="utf-8")):
        found = named.search(face)
        if found is not None and found[2] in font.slices:
            shutil.copy(origin / "files" / found[1], STATIC / "fonts" / found[1])
            ours = re.sub(r"src: [^;]+;", f"src: url({found[1]}) format('woff2');", face)
            rules.append(re.sub(r"font-family: '[^']+'", f'font-family: "{font.family}"', ours))
    if len(rules) < len(font.slices):
        raise SystemExit(f"{font.package} has not the slices {', '.join(font.slices)}; see its files/ folder")
    return rules


def codes(part: str) -> range:
    """The code points of a part of a ``unicode-range``: ``U+ac00-ac0f``."""
    start, _, end = part.strip().removeprefix("U+").partition("-")
    return range(int(start, 16), int(end or start, 16) + 1)


def cut(font: Path, letters: set[str], target: str, options: dict[str, object]) -> set[str]:
    """Write a font of some letters alone, and return those that it has. Needs fonttools and brotli."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    found = TTFont(font, recalcTimestamp=False)
    has = {letter for letter in letters if ord(letter) in found.getBestCmap()}
    cutter = subset.Subsetter(subset.Options(flavor="woff2", recalc_timestamp=False, **options))
    cutter.populate(unicodes=map(ord, has))
    cutter.subset(found)
    found.flavor = "woff2"
    found.save(STATIC / "fonts" / target)
    return has


def rule(family: str, weights: str, file: str, letters: set[str]) -> str:
    """The ``@font-face`` rule of a slice."""
    lines = (
        f'font-family: "{family}"', "font-style: normal", "font-display: swap", f"font-weight: {weights}",
        f"src: url({file}) format('woff2')", "unicode-range: " f"{','.join(f'U+{ord(letter):04X}' for letter in sorted(letters))}",
    )  # fmt: skip
    return "@font-face {\n" + "".join(f"  {line};\n" for line in lines) + "}"


def cut_near(stem: str, family: str, weights: str) -> str:
    """A font of NEAR alone, and its ``@font-face`` rule, which has to follow that of latin-ext."""
    source, name = STATIC / "fonts" / f"{stem}-latin-ext-wght-normal.woff2", f"{stem}-near-wght-normal.woff2"
    options: dict[str, object] = {"layout_features": ["kern", "mark", "mkmk", "ccmp", "locl"]}
    return rule(family, weights, name, cut(source, set(NEAR), name, options))


def our_letters(locale: str) -> tuple[set[str], set[str]]:
    """Han and Hangul of the interface's texts in a language: those that people who answer are shown, and all
    others."""
    from babel import Locale

    from folkways.cultures import languages
    from folkways_studio.translation.catalogues import first, read_catalogue, texts
    from folkways_studio.translation.strings import appearances, template
    from folkways_studio.web.rendering.i18n import po_path

    shown = appearances(template())
    answering, others = (
        "",
        "".join(name for code, name in Locale.parse(locale).languages.items() if code in languages()),
    )
    for message in texts(read_catalogue(po_path(locale), locale)):
        words = "".join(message.string or "")
        place = shown.get(first(message.id))
        if place is not None and place.answering:
            answering += words
        else:
            others += words
    wide = {letter for letter in answering if ord(letter) >= WIDE}
    return wide, {letter for letter in others if ord(letter) >= WIDE} - wide


def cut_ours(folder: Path, font: Font, locale: str, complete: str) -> list[str]:
    """Cut slices of the interface's own letters, so that a page of ours takes one or two and not ten; return
    all rules of the font.

    complete: the file of the package that has all letters. What our slices have is taken out of the numbered
    ones.
    """
    stem = font.package.split("/")[1].rpartition("@")[0]
    options: dict[str, object] = {"layout_features": [], "hinting": False}
    rules, ours = [], set[str]()
    for name, letters in zip(("answering", "interface"), our_letters(locale), strict=True):
        file = f"{stem}-{name}-{font.weight}-normal.woff2"
        has = cut(source(folder, font.package) / "files" / complete, letters, file, options)
        if letters - has:
            raise SystemExit(
                f"{font.package} has no {''.join(sorted(letters - has))}, which the translation into "
                f"{locale} uses"
            )
        rules.append(rule(font.family, font.weight, file, has))
        ours |= has
    for numbered_rule in copy_font(folder, font):
        file, parts = FILE_AND_RANGE.findall(numbered_rule)[0]
        rest = {chr(code) for part in parts.split(",") for code in codes(part)} - ours
        rules.append(rule(font.family, font.weight, file, cut(STATIC / "fonts" / file, rest, file, options)))
    return rules


def main() -> None:
    """Write the vendored files and their record."""
    for name in ("vendor", "fonts"):
        shutil.rmtree(STATIC / name, ignore_errors=True)
        (STATIC / name).mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        install(folder)
        htmx = source(folder, HTMX)
        shutil.copy(htmx / "dist" / "htmx.min.js", STATIC / "vendor" / "htmx.min.js")
        shutil.copy(htmx / "LICENSE", STATIC / "vendor" / "htmx-LICENSE.txt")
        head = (
            "/* Written by scripts/vendor_studio_assets.py. A browser fetches a slice only when a page "
            "uses its characters. */\n"
        )
        for sheet, wanted in (
            ("fonts.css", [font for font in FONTS if not font.slices[0].isdigit()]),
            ("han-hangul.css", [font for font in FONTS if font.slices[0].isdigit()]),
        ):
            if sheet == "han-hangul.css":
                rules = [
                    each
                    for font, own in zip(wanted, OWN, strict=True)
                    for each in cut_ours(folder, font, *own)
                ]
            else:
                rules = [each for font in wanted for each in copy_font(folder, font)]
            if sheet == "fonts.css":
                rules.append(cut_near("noto-sans", "Noto Sans", "100 900"))
                rules.append(cut_near("source-serif-4", "Source Serif 4", "200 900"))
            (STATIC / "fonts" / sheet).write_text(head + "\n".join(rules) + "\n", encoding="utf-8")
        lines = [
            "# Written by scripts/vendor_studio_assets.py: what is shipped of others, from which npm "
            "package.",
            "",
        ]
        for package, licence in ((HTMX, "0BSD"), *((font.package, "OFL-1.1") for font in FONTS)):
            said = json.loads((source(folder, package) / "package.json").read_text(encoding="utf-8"))[
                "license"
            ]
            if said != licence:
                raise SystemExit(
                    f"{package} is under {said}, not {licence}: read its licence before shipping it"
                )
            lines += ["[[packages]]", f'name = "{package}"', f'licence = "{licence}"', ""]
    lines.append("[sha256]")
    for path in sorted((*(STATIC / "vendor").iterdir(), *(STATIC / "fonts").iterdir())):
        lines.append(
            f'"{path.relative_to(STATIC).as_posix()}" = "{hashlib.sha256(path.read_bytes()).hexdigest()}"'
        )
    (STATIC / "VENDORED.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

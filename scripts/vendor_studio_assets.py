#!/usr/bin/env python3
"""Copy the script and the fonts that the studio serves out of their npm packages into the source tree, with their licences.

The studio loads nothing from a network, so what its pages need is shipped. Run this after changing a version below; it writes
``static/vendor`` and ``static/fonts`` anew, with two style sheets (that of Han and Hangul is long, and pages load it last), and
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

STATIC = Path(__file__).resolve().parents[1] / "src" / "folkways" / "studio" / "web" / "static"


@dataclass(frozen=True)
class Font:
    """A font: the npm package, the family name pages use, and the slices of Unicode that are shipped.

    weight: ``wght`` for a variable font, or the one weight that is shipped (of the large ones; browsers embolden it).
    slices: their names; numbers of those into which Han and Hangul are cut.
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
    # The 1,400 most frequent syllables and the 3,000 most frequent Chinese characters: with all of them the wheel would be too
    # large to publish. Rarer ones are set in a font of the reader's system.
    Font("@fontsource/noto-sans-kr@5.3.0", "Noto Sans KR", numbered(range(100, 120)), weight="400"),
    Font("@fontsource/noto-sans-sc@5.3.0", "Noto Sans SC", numbered(range(104, 120)), weight="400"),
)
NEAR = "ĞğİŞşƏəƁɓƊɗƘƙƳƴĀāĒēĪīŌōŪūʼ"
"""Letters of Azerbaijani, Hausa and transcriptions, cut out of the slice ``latin-ext``, all of which weighs 168 kB."""

FACE = re.compile(r"@font-face \{.*?\}", re.DOTALL)


def install(folder: Path) -> None:
    """The packages, without running their scripts."""
    packages = [HTMX, *(font.package for font in FONTS)]
    options = ["--prefix", str(folder), "--ignore-scripts", "--no-save", "--no-package-lock", "--no-audit", "--no-fund"]
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
            rule = re.sub(r"src: [^;]+;", f"src: url({found[1]}) format('woff2');", face)
            rules.append(re.sub(r"font-family: '[^']+'", f'font-family: "{font.family}"', rule))
    if len(rules) < len(font.slices):
        raise SystemExit(f"{font.package} has not the slices {', '.join(font.slices)}; see its files/ folder")
    return rules


def cut_near(stem: str, family: str, weights: str) -> str:
    """A font of NEAR alone, and its ``@font-face`` rule, which has to follow that of latin-ext. Needs fonttools and brotli."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    name = f"{stem}-near-wght-normal.woff2"
    options = subset.Options(flavor="woff2", layout_features=["kern", "mark", "mkmk", "ccmp", "locl"], recalc_timestamp=False)
    font = TTFont(STATIC / "fonts" / f"{stem}-latin-ext-wght-normal.woff2", recalcTimestamp=False)
    letters = sorted(set(map(ord, NEAR)) & set(font.getBestCmap()))
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=letters)
    cutter.subset(font)
    font.flavor = "woff2"
    font.save(STATIC / "fonts" / name)
    lines = (
        f'font-family: "{family}"', "font-style: normal", "font-display: swap", f"font-weight: {weights}",
        f"src: url({name}) format('woff2')", f"unicode-range: {','.join(f'U+{letter:04X}' for letter in letters)}",
    )  # fmt: skip
    return "@font-face {\n" + "".join(f"  {line};\n" for line in lines) + "}"


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
        head = "/* Written by scripts/vendor_studio_assets.py. A browser fetches a slice only when a page uses its characters. */\n"
        for sheet, wanted in (
            ("fonts.css", [font for font in FONTS if not font.slices[0].isdigit()]),
            ("han-hangul.css", [font for font in FONTS if font.slices[0].isdigit()]),
        ):
            rules = [rule for font in wanted for rule in copy_font(folder, font)]
            if sheet == "fonts.css":
                rules.append(cut_near("noto-sans", "Noto Sans", "100 900"))
                rules.append(cut_near("source-serif-4", "Source Serif 4", "200 900"))
            (STATIC / "fonts" / sheet).write_text(head + "\n".join(rules) + "\n", encoding="utf-8")
        lines = ["# Written by scripts/vendor_studio_assets.py: what is shipped of others, from which npm package.", ""]
        for package, licence in ((HTMX, "0BSD"), *((font.package, "OFL-1.1") for font in FONTS)):
            said = json.loads((source(folder, package) / "package.json").read_text(encoding="utf-8"))["license"]
            if said != licence:
                raise SystemExit(f"{package} is under {said}, not {licence}: read its licence before shipping it")
            lines += ["[[packages]]", f'name = "{package}"', f'licence = "{licence}"', ""]
    lines.append("[sha256]")
    for path in sorted((*(STATIC / "vendor").iterdir(), *(STATIC / "fonts").iterdir())):
        lines.append(f'"{path.relative_to(STATIC).as_posix()}" = "{hashlib.sha256(path.read_bytes()).hexdigest()}"')
    (STATIC / "VENDORED.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

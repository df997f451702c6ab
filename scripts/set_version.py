#!/usr/bin/env python3
"""Give folkways and its studio a version, wherever it is written; a release also gets its date in both changelogs and
CITATION.cff.

python scripts/set_version.py 1.2.0
python scripts/set_version.py 1.3.0.dev0         # after the release
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
import tomllib
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
WRITTEN_IN = {
    "pyproject.toml": 3,
    "studio/pyproject.toml": 2,
    "src/folkways/__init__.py": 1,
    "docs/guides/trust.md": 1,
    "docs/tutorial.md": 1,
}
"""File -> how often it has the version."""


def set_version(root: Path, version: str, date: str) -> None:
    """Write ``version`` (``1.2.3`` or ``1.2.3.dev0``) into the files of ``root``, of a release with its ``date``.

    ValueError for a version of another form, and where a file does not have the present version as often as it
    should; nothing is written then.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+(\.dev\d+|rc\d+)?", version):
        raise ValueError(f"{version!r} is no version such as 1.2.3, 1.2.3rc1 or 1.2.3.dev0")
    present = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    texts = {name: (root / name).read_text("utf-8") for name in WRITTEN_IN}
    for name, often in WRITTEN_IN.items():
        texts[name], times = re.subn(rf"(?<![\d.]){re.escape(present)}(?![\w.]*\d)", version, texts[name])
        if times != often:
            raise ValueError(f"{name} has the version {present} {times} times, not {often}: see WRITTEN_IN")
    if re.fullmatch(r"[\d.]+", version):
        heading = f"## [Unreleased]\n\n## [{version}] - {date}\n"
        texts["CHANGELOG.md"] = _replaced(root, "CHANGELOG.md", r"## \[Unreleased\]\n", heading)
        texts["studio/CHANGELOG.md"] = _replaced(
            root,
            "studio/CHANGELOG.md",
            rf"## {re.escape(version)} \(not released\)\n",
            f"## {version} ({date})\n",
        )
        texts["CITATION.cff"] = _replaced(
            root,
            "CITATION.cff",
            r"version: .*\ndate-released: .*\n",
            f'version: {version}\ndate-released: "{date}"\n',
        )
    for name, text in texts.items():
        (root / name).write_text(text, encoding="utf-8")


def _replaced(root: Path, name: str, pattern: str, by: str) -> str:
    text, times = re.subn(pattern, lambda _: by, (root / name).read_text("utf-8"))
    if times != 1:
        raise ValueError(f"{name} has {times} places that look like {pattern!r}, not one")
    return text


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("version")
    parser.add_argument(
        "--date", default=datetime.datetime.now(datetime.UTC).date().isoformat(), help="of the release; today"
    )
    options = parser.parse_args()
    try:
        set_version(REPOSITORY, options.version, options.date)
    except ValueError as error:
        sys.exit(str(error))

"""What is shipped of others: the files that were recorded, with their licences, and every font that pages
name."""

from __future__ import annotations

import hashlib
import re
import tomllib

import pytest

from folkways_studio.web.rendering.pages import STATIC

RECORD = tomllib.loads((STATIC / "VENDORED.toml").read_text(encoding="utf-8"))


def test_every_vendored_file_is_as_it_was_recorded() -> None:
    found = {
        f"{folder}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
        for folder in ("vendor", "fonts")
        for path in (STATIC / folder).iterdir()
    }
    assert found == RECORD["sha256"], "run scripts/vendor_studio_assets.py"


@pytest.mark.parametrize("package", RECORD["packages"], ids=lambda package: package["name"])
def test_every_package_has_its_licence_beside_it(package: dict[str, str]) -> None:
    words = {"OFL-1.1": "SIL OPEN FONT LICENSE Version 1.1", "0BSD": "Zero-Clause BSD"}[package["licence"]]
    stem = package["name"].rpartition("@")[0].rpartition("/")[2].removesuffix(".org")
    (licence,) = [path for path in RECORD["sha256"] if path.endswith(f"/{stem}-LICENSE.txt")]
    assert words in (STATIC / licence).read_text(encoding="utf-8")


@pytest.mark.parametrize("sheet", ["fonts.css", "han-hangul.css"])
def test_fonts_are_loaded_from_here_alone(sheet: str) -> None:
    addresses = re.findall(r"url\(([^)]+)\)", (STATIC / "fonts" / sheet).read_text(encoding="utf-8"))
    assert addresses and all((STATIC / "fonts" / address).is_file() for address in addresses)

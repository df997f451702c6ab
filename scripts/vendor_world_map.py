#!/usr/bin/env python3
"""Copy the world map that reports draw out of the npm package ``world-atlas`` into the source tree.

The package holds Natural Earth's countries at 1:110 million (public domain) as TopoJSON (the package itself:
ISC). What is kept is smaller and speaks our codes: ISO 3166-1 alpha-2 as ids, no names, no Antarctica, and
only the lines that are left. It takes npm and the development package ``iso3166``.

    python scripts/vendor_world_map.py
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

import iso3166

PACKAGE = "world-atlas@2.0.2"
DATA = Path(__file__).resolve().parents[1] / "src" / "folkways" / "data"
ANTARCTICA = "010"
NOTICE = """world.topojson: Natural Earth, Admin 0 countries at 1:110 million, version 4.1.0 (public domain, naturalearthdata.com),
as TopoJSON from the npm package {package}, cut down by scripts/vendor_world_map.py. The package's own notice:

{licence}"""


def fetch(folder: Path) -> tuple[dict[str, Any], str]:
    """The package's topology and its licence."""
    done = subprocess.run(
        ["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, capture_output=True, text=True
    )
    with tarfile.open(folder / done.stdout.strip()) as archive:
        archive.extractall(folder, filter="data")
    package = folder / "package"
    topology = json.loads((package / "countries-110m.json").read_text(encoding="utf-8"))
    return topology, (package / "LICENSE").read_text(encoding="utf-8")


def renumbered(arcs: list[Any], numbers: dict[int, int]) -> list[Any]:
    """Arcs of a shape by their new numbers; ``~n`` is arc n backwards, as TopoJSON has it."""
    return [
        renumbered(arc, numbers) if isinstance(arc, list) else numbers[arc] if arc >= 0 else ~numbers[~arc]
        for arc in arcs
    ]


def used(arcs: list[Any]) -> list[int]:
    """The numbers of the arcs of a shape."""
    return [
        number
        for arc in arcs
        for number in (used(arc) if isinstance(arc, list) else [arc if arc >= 0 else ~arc])
    ]


def cut_down(topology: dict[str, Any]) -> dict[str, Any]:
    """The same topology with our ids and without what no report draws."""
    shapes = [
        shape for shape in topology["objects"]["countries"]["geometries"] if shape.get("id") != ANTARCTICA
    ]
    numbers: dict[int, int] = {}
    for shape in shapes:
        for number in used(shape["arcs"]):
            numbers.setdefault(number, len(numbers))
    kept = []
    for shape in shapes:
        country = iso3166.countries_by_numeric.get(
            str(shape.get("id", ""))
        )  # a few territories have no ISO code
        kept.append(
            {
                "type": shape["type"],
                **({"id": country.alpha2} if country else {}),
                "arcs": renumbered(shape["arcs"], numbers),
            }
        )
    return {
        "type": "Topology",
        "transform": topology["transform"],
        "objects": {"countries": {"type": "GeometryCollection", "geometries": kept}},
        "arcs": [topology["arcs"][number] for number in numbers],
    }


def main() -> int:
    """Write the map and its notice."""
    with tempfile.TemporaryDirectory() as temporary:
        topology, licence = fetch(Path(temporary))
    text = json.dumps(cut_down(topology), separators=(",", ":"))
    (DATA / "world.topojson").write_text(text + "\n", encoding="utf-8")
    (DATA / "world-NOTICE.txt").write_text(NOTICE.format(package=PACKAGE, licence=licence), encoding="utf-8")
    print(f"{DATA / 'world.topojson'}: {len(text):,} bytes", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())

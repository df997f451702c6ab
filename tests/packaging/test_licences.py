"""Nothing that folkways or an extra of it needs, itself or through others, is under the GPL or AGPL, or under
an unnamed licence.

torch is the one exception: its build for Linux brings NVIDIA's libraries, which are not free. Whoever
installs it there chooses that (its build for processors does without), so these are looked at for the GPL
alone.
"""

from __future__ import annotations

import platform
import re
import tomllib
from collections.abc import Callable, Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = tomllib.loads((Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
GPL = re.compile(
    r"(?<!L)(?<!Lesser )(?<!Library or Lesser )\bA?(GPL|General Public License)", flags=re.IGNORECASE
)
FREE = re.compile(
    r"\b(MIT|BSD|0BSD|ISC|PSF|MPL|CC0|Zlib|Unlicense|LGPL|HPND|CNRI|Apache|Python Software "
    r"Foundation|Mozilla|Lesser General)",
    flags=re.IGNORECASE,
)


def said(package: Distribution) -> list[str]:
    """The licence as the package's metadata have it: the expression, or classifiers, or the first line of a
    text."""
    about = package.metadata
    classifiers = [line for line in about.get_all("Classifier") or [] if line.startswith("License ::")]
    named = [about["License-Expression"], *classifiers, (about["License"] or "").strip().partition("\n")[0]]
    return (
        [text for text in named if text][:1]
        if about["License-Expression"]
        else [text for text in named if text]
    )


def needs(package: Distribution, extra: str) -> list[Requirement]:
    """What this distribution, with this extra of it, needs on this machine."""
    required = map(Requirement, package.requires or ())
    return [need for need in required if need.marker is None or need.marker.evaluate({"extra": extra})]


def of_platform(need: Requirement) -> bool:
    """Whether torch brings this on some platforms alone: its CUDA build for Linux needs NVIDIA's libraries
    and triton there."""
    return "platform_" in str(need.marker)


def reached(requirements: Iterable[Requirement]) -> dict[str, Distribution]:
    """Name -> what is installed of it, for these and all that they need, without what torch brings on a
    platform."""
    packages: dict[str, Distribution] = {}
    seen: set[tuple[str, str]] = set()
    to_visit = [(need, extra) for need in requirements for extra in ("", *need.extras)]
    while to_visit:
        need, extra = to_visit.pop()
        name = canonicalize_name(need.name)
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        try:
            packages[name] = distribution(name)
        except PackageNotFoundError:
            continue
        to_visit += [
            (inner, wanted)
            for inner in needs(packages[name], extra)
            if not (name == "torch" and of_platform(inner))
            for wanted in ("", *inner.extras)
        ]
    return packages


def unfit(requirements: Iterable[Requirement]) -> dict[str, list[str]]:
    """Name -> licence of each package under the GPL, and of each that is not free, unless torch alone brings
    it on a platform."""
    packages = reached(requirements)
    torch = packages.get("torch")
    brought = reached(need for need in needs(torch, "") if of_platform(need)) if torch else {}
    licences = {name: said(package) for name, package in {**brought, **packages}.items()}
    return {
        name: lines
        for name, lines in licences.items()
        if any(map(GPL.search, lines)) or (name in packages and not any(map(FREE.search, lines)))
    }


def declared() -> list[Requirement]:
    extras = PROJECT["optional-dependencies"].values()
    return [Requirement(text) for part in (PROJECT["dependencies"], *extras) for text in part]


def test_no_dependency_is_under_the_gpl() -> None:
    assert len(reached(declared())) > 60
    assert unfit(declared()) == {}


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Put made-up distributions, with a licence and requirements, before all that is installed."""

    def put(name: str, licence: str, *requirements: str) -> None:
        about = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        about.mkdir()
        lines = ["Metadata-Version: 2.4", f"Name: {name}", "Version: 1.0", f"License-Expression: {licence}"]
        lines += [f"Requires-Dist: {need}" for need in requirements]
        (about / "METADATA").write_text("\n".join(lines) + "\n", encoding="utf-8")

    monkeypatch.syspath_prepend(tmp_path)
    return put


HERE = f'platform_system == "{platform.system()}"'
ELSEWHERE = 'platform_system == "Plan 9"'


def test_a_gpl_package_is_named_however_far_away(install: Callable[..., None]) -> None:
    install("outer", "MIT", "middle[more]")
    install("middle", "MIT", 'inner; extra == "more"', 'other; extra == "never"', f"foreign; {ELSEWHERE}")
    for name in ("inner", "other", "foreign"):
        install(name, "GPL-3.0-only")
    assert unfit([Requirement("outer")]) == {"inner": ["GPL-3.0-only"]}
    assert unfit([*declared(), Requirement("outer")]) == {"inner": ["GPL-3.0-only"]}


def test_what_torch_brings_on_a_platform_may_be_unfree_but_not_gpl(install: Callable[..., None]) -> None:
    install("torch", "BSD-3-Clause", f"drivers[fast]; {HERE}", "helper")
    install("drivers", "LicenseRef-Proprietary", 'kernels; extra == "fast"', 'shaders; extra == "fast"')
    install("kernels", "LicenseRef-Proprietary")
    install("shaders", "GPL-2.0-only")
    install("helper", "LicenseRef-Proprietary")
    assert unfit([Requirement("torch")]) == {
        "shaders": ["GPL-2.0-only"],
        "helper": ["LicenseRef-Proprietary"],
    }


def test_what_others_need_on_a_platform_must_be_free(install: Callable[..., None]) -> None:
    install("torch", "BSD-3-Clause", f"drivers; {HERE}")
    install("other", "MIT", f"drivers; {HERE}")
    install("drivers", "LicenseRef-Proprietary")
    assert unfit([Requirement("torch")]) == {}
    assert unfit([Requirement("torch"), Requirement("other")]) == {"drivers": ["LicenseRef-Proprietary"]}


@pytest.mark.parametrize(
    "line",
    [
        "GPL-3.0-or-later",
        "AGPL-3.0-only",
        "GNU General Public License v3 (GPLv3)",
        "GPLv2",
        "MIT AND GPL-2.0-only",
    ],
)
def test_the_gpl_is_recognised(line: str) -> None:
    assert GPL.search(line)


@pytest.mark.parametrize(
    "line",
    [
        "LGPL-3.0-only",
        "GNU Lesser General Public License v3 (LGPLv3)",
        "GNU Library or Lesser General Public License (LGPL)",
    ],
)
def test_and_not_mistaken_for_the_lesser_one(line: str) -> None:
    assert not GPL.search(line)

#!/usr/bin/env python3
"""Find or install a headless Chromium and axe-core for the browser tests, and print the path of the Chromium
to launch.

Looks in this order, and stops at the first that starts: ``FOLKWAYS_CHROMIUM``, a Chromium or Chrome on PATH,
one installed by an earlier run of this script, and the npm package ``@sparticuz/chromium`` (a Chromium that
needs no root). Everything it installs goes into ``.tools/browser`` (ignored by git); running it again changes
nothing. It changes the machine itself only if asked, with ``--apt`` or ``FOLKWAYS_APT=1``: then Debian's
package is the last resort. If Chromium or axe-core is missing in the end, the exit code is 1 and standard
error says what to do.

    python scripts/install_chromium.py            # prints the path
    python scripts/install_chromium.py --check    # only looks, installs nothing
    python scripts/install_chromium.py --apt      # may run apt-get install, as root
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

TOOLS = Path(__file__).resolve().parents[1] / ".tools" / "browser"
INSTALLED = TOOLS / "chromium"
AXE = TOOLS / "node_modules" / "axe-core" / "axe.min.js"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM_PACKAGE = "@sparticuz/chromium@153"  # MIT
AXE_PACKAGE = "axe-core@4"  # MPL-2.0, for tests only, never shipped

SAFELY: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
"""Python knows this filter from 3.11.4 on."""

UNPACK = """
const zlib = require("zlib"), fs = require("fs");
const [source, target] = process.argv.slice(1);
fs.writeFileSync(target, zlib.brotliDecompressSync(fs.readFileSync(source)));
"""

LAUNCHER = """#!/bin/sh
here=$(cd "$(dirname "$0")" && pwd)
export LD_LIBRARY_PATH="$here{libraries}${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
exec "$here/chromium-bin" "$@"
"""


def log(text: str) -> None:
    """Progress goes to standard error: standard output is the path alone."""
    print(text, file=sys.stderr)


def starts(program: str | Path) -> bool:
    """Whether the browser runs here at all: it must print its version, so that a missing library counts as
    absent."""
    try:
        done = subprocess.run([str(program), "--version", "--no-sandbox"], capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def existing() -> Path | None:
    """A Chromium that is already here: the one that FOLKWAYS_CHROMIUM names, and no other, where it names
    one."""
    named = os.environ.get("FOLKWAYS_CHROMIUM")
    candidates = [named] if named else [*(shutil.which(name) for name in NAMES), str(INSTALLED / "chromium")]
    return next((Path(path) for path in candidates if path and Path(path).exists() and starts(path)), None)


def npm_install(package: str) -> None:
    """Install one npm package under .tools/browser, without running its scripts."""
    npm = shutil.which("npm")
    if npm is None:
        raise FileNotFoundError("npm is not on PATH")
    TOOLS.mkdir(parents=True, exist_ok=True)
    options = [
        "--prefix",
        str(TOOLS),
        "--ignore-scripts",
        "--no-save",
        "--no-package-lock",
        "--no-audit",
        "--no-fund",
    ]
    already = [path.parent.name for path in (AXE,) if path.is_file()]
    subprocess.run([npm, "install", *options, *already, package], check=True, stdout=sys.stderr)


def chromium_from_npm() -> None:
    """The Chromium of the npm package, unpacked; with the libraries that come with it where this system lacks
    them."""
    npm_install(CHROMIUM_PACKAGE)
    packed = TOOLS / "node_modules" / "@sparticuz" / "chromium" / "bin"
    INSTALLED.mkdir(exist_ok=True)
    for name, target in (
        ("chromium.br", "chromium-bin"),
        ("al2023.tar.br", "libs.tar"),
        ("swiftshader.tar.br", "gl.tar"),
    ):
        subprocess.run(["node", "-e", UNPACK, str(packed / name), str(INSTALLED / target)], check=True)
    for archive in ("libs.tar", "gl.tar"):
        with tarfile.open(INSTALLED / archive) as tar:
            tar.extractall(INSTALLED, **SAFELY)
        (INSTALLED / archive).unlink()
    (INSTALLED / "chromium-bin").chmod(0o755)
    launcher = INSTALLED / "chromium"
    for libraries in (
        "",
        ":$here/lib",
    ):  # the system's own libraries first: the packed ones are for systems that have none
        launcher.write_text(LAUNCHER.format(libraries=libraries))
        launcher.chmod(0o755)
        if starts(launcher):
            return
    raise OSError("the Chromium from npm does not start here")


def chromium_from_apt() -> None:
    """Debian's own package, which needs root."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise PermissionError("apt-get needs root")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update"],
        ["apt-get", "install", "-y", "--no-install-recommends", "chromium"],
    ):
        subprocess.run(command, env=environment, check=True, stdout=sys.stderr)


def tried(what: str, install: Callable[[], None]) -> None:
    """Install something; if that fails, the reason goes to standard error, and the end of the script says
    what is missing."""
    try:
        install()
    except (OSError, subprocess.CalledProcessError, tarfile.TarError) as error:
        log(f"{what}: {error}")


def missing(chromium: Path | None) -> list[str]:
    """What the browser tests would lack, each with what to do."""
    named = os.environ.get("FOLKWAYS_CHROMIUM")
    lacking = []
    if chromium is None and named:
        lacking.append(
            f"FOLKWAYS_CHROMIUM={named}: no Chromium starts from there. Correct the path, or unset the "
            "variable."
        )
    elif chromium is None:
        lacking.append(
            "No Chromium: install Node 20 with npm and run this script again, or install a Chromium "
            "yourself (on Debian as root: "
            "apt-get install chromium, or this script with --apt), or set FOLKWAYS_CHROMIUM to the path of "
            "one."
        )
    if not AXE.is_file():
        lacking.append("No axe-core: it comes from npm. Install Node 20 with npm and run this script again.")
    return lacking


def main() -> int:
    """Print the path of a Chromium that starts; exit code 1 if it or axe-core is missing."""
    parser = argparse.ArgumentParser(
        description="Find or install a headless Chromium and axe-core for the browser tests."
    )
    parser.add_argument("--check", action="store_true", help="only look, install nothing")
    parser.add_argument(
        "--apt",
        action="store_true",
        default=os.environ.get("FOLKWAYS_APT") == "1",
        help="if nothing else helps, install Debian's chromium with apt-get, as root (also: FOLKWAYS_APT=1)",
    )
    options = parser.parse_args()
    chromium = existing()
    if not options.check:
        if chromium is None and not os.environ.get("FOLKWAYS_CHROMIUM"):
            tried("no Chromium from npm", chromium_from_npm)
            chromium = existing()
            if chromium is None and options.apt:
                tried("no Chromium from apt-get", chromium_from_apt)
                chromium = existing()
        if not AXE.is_file():
            tried("no axe-core from npm", lambda: npm_install(AXE_PACKAGE))
    lacking = missing(chromium)
    for line in lacking:
        log(line)
    if lacking:
        log(
            "Only tests marked browser need these; to run all others: .venv/bin/python -m pytest -m 'not "
            "nightly and not browser'"
        )
        return 1
    print(chromium)
    return 0


if __name__ == "__main__":
    sys.exit(main())

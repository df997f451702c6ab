"""Compiles the studio's translations when the package is built or installed: the compiled files are in no
repository."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledTranslations(BuildHookInterface):
    """Puts a ``.mo`` beside every ``.po``."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and have the files packed though git ignores them."""
        studio = Path(self.root) / "src" / "folkways_studio"
        compile_all = runpy.run_path(str(studio / "translation" / "catalogues.py"))["compile_all"]
        compiled = compile_all(studio / "web" / "locale")
        build_data["artifacts"] += [f"/{path.relative_to(self.root).as_posix()}" for path in compiled]

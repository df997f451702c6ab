"""The authors' tools, asked in environments of their own, many texts at a time."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from perf.text.environments import cloned, ensure
from perf.text.parity import LookupTool

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
ENVIRONMENTS = {
    "fa": REPOSITORY / "perf" / "blend" / "requirements-hazm.txt",
    "id": REPOSITORY / "perf" / "blend" / "requirements-nlp-id.txt",
}
"""Tool -> its environment, where it cannot share one with the others."""
REPOSITORIES = {
    "az": ("https://github.com/aznlp-disc/stemmer", "39c1561c8f93e8adc6b928e0cf02d33b7860d6b6"),
    "su": ("https://github.com/setiawanirwan/SUSTEM", "67641703a0cdd1e5ec8fb9c1fbe44a6983248a67"),
}
"""Tool -> address and commit, where no registry has it."""


def ask(tool: str, texts: Iterable[str]) -> LookupTool:
    """The tokens of texts by a tool (``peers/tokens.py``)."""
    python = ensure(ENVIRONMENTS.get(tool, HERE / "requirements-authors.txt"))
    folder = [str(cloned(*REPOSITORIES[tool]))] if tool in REPOSITORIES else []
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}
    with tempfile.NamedTemporaryFile(suffix=".json") as answer:
        command = [str(python), str(HERE / "peers" / "tokens.py"), tool, answer.name, *folder]
        sent = json.dumps(sorted(set(texts)))
        done = subprocess.run(
            command, input=sent, text=True, capture_output=True, env=environment, check=False
        )
        if done.returncode:
            raise SystemExit(f"{tool}: the authors' tool failed\n{done.stderr[-2000:]}")
        return LookupTool(dict(json.loads(Path(answer.name).read_text(encoding="utf-8"))))

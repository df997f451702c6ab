"""Agreement with the authors' verdicts and speed, language by language.

python -m perf.text            # the table; installs the authors' tools into an environment of their own the first time
python -m perf.text --write    # and puts it into docs/reference/text-tools.md
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

from folkways.cultures import cultures_of, get_language
from folkways.releases.store import open_release
from folkways.text.tools import get_tool
from perf.text import parity
from perf.text.environments import ensure
from perf.text.made_replies import made_replies

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
PAGE = REPOSITORY / "docs" / "reference" / "text-tools.md"
BEGIN, END = "<!-- written by python -m perf.text --write -->\n", "<!-- end -->\n"
THEIRS = ("ar", "ha", "ko")
"""Languages of the reference whose tool the registry has and folkways has not."""
MADE = {
    "fa": REPOSITORY / "perf" / "blend" / "requirements-hazm.txt",
    "id": REPOSITORY / "perf" / "blend" / "requirements-nlp-id.txt",
}
"""Languages without a reference whose tool the registry has -> its environment."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m perf.text", description="Agreement and speed of the text tools.")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.relative_to(REPOSITORY)}")
    options = parser.parse_args()
    gold = parity.items()
    languages = sorted({culture.languages[0] for culture in cultures_of("blend")}, key=lambda code: get_language(code).name)
    speeds = {language: _speed(language, gold) for language in languages}  # first, while no tool has started
    agreement = _agreement(gold)
    rows = [[*speeds[language], *agreement.get(language, ("-", "-", "-"))] for language in languages]
    columns = ("language", "tool", "words per second", "start", "equal verdicts", "English aside", "with the authors' tool")
    head = f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|\n"
    table = head + "".join(f"| {' | '.join(row)} |\n" for row in rows)
    print(table)
    if options.write:
        text = PAGE.read_text(encoding="utf-8")
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}", encoding="utf-8")


def _agreement(gold: pl.DataFrame) -> dict[str, tuple[str, str, str]]:
    """Language -> share of equal verdicts with the default tools, where English does not matter, and with the authors' tools."""
    python = ensure(HERE / "requirements-authors.txt")
    found = {}
    for language in parity.FILES:
        responses, official = parity.replies(language)
        reference = official["official_binary"].cast(pl.Float64, strict=False)
        ours = parity.verdicts(gold, responses)
        aside = official["en_lemmatizer_sensitive"] == "0"
        local, english = parity.texts(gold, responses)
        swapped = {"en": parity.Looked(_asked(python, "en", english))}
        if language in THEIRS:
            swapped[language] = parity.Looked(_asked(python, language, local))
        with parity.tools(swapped):
            theirs = parity.verdicts(gold, responses)
        shares = [
            parity.equal(ours, reference),
            parity.equal(ours.filter(aside), reference.filter(aside)),
            parity.equal(theirs, reference),
        ]
        texts = [f"{100 * share:.1f} %" for share in shares]
        if language == "ar":  # their verdicts are not sound: compared with what the authors meant
            with parity.tools({"ar": parity.Looked(_asked(python, "ar-words", local))}):
                texts[1] = f"{100 * parity.equal(ours, parity.verdicts(gold, responses)):.1f} % (sound)"
        found[language] = (texts[0], texts[1], texts[2] if language in (*THEIRS, "en", "zh") else "-")
        print(language, *found[language], file=sys.stderr)
    return found | {language: _against_tool(language, gold, python) for language in MADE}


def _against_tool(language: str, gold: pl.DataFrame, python: Path) -> tuple[str, str, str]:
    """The share of equal verdicts on made replies between the default tools and the authors', where no reference says more."""
    release = open_release(str(parity.SHARED / "data" / "blend" / "24e7d73"), "blend")
    responses = made_replies(language, gold, release)
    local, english = parity.texts(gold, responses)
    spacy = parity.Looked(_asked(python, "en", english))
    authors = parity.Looked(_asked(ensure(MADE[language]), language, local))
    ours = parity.verdicts(gold, responses)
    with parity.tools({"en": spacy, language: authors}):
        theirs = parity.verdicts(gold, responses)
    with parity.tools({"en": spacy}):
        aside = parity.verdicts(gold, responses)
    told = (f"{100 * parity.equal(ours, theirs):.1f} % (made)", f"{100 * parity.equal(aside, theirs):.1f} % (made)", "-")
    print(language, *told, file=sys.stderr)
    return told


def _asked(python: Path, language: str, texts: list[str]) -> dict[str, list[str]]:
    """The tokens of texts by a tool in the authors' environment."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}
    with tempfile.NamedTemporaryFile(suffix=".json") as answer:
        command = [str(python), str(HERE / "peers" / "tokens.py"), language, answer.name]
        done = subprocess.run(command, input=json.dumps(texts), text=True, capture_output=True, env=environment, check=False)
        if done.returncode:
            raise SystemExit(f"{language}: the authors' tool failed\n{done.stderr[-2000:]}")
        return dict(json.loads(Path(answer.name).read_text(encoding="utf-8")))


def _speed(language: str, gold: pl.DataFrame) -> list[str]:
    """Name, tool, words per second on this language's own answers (each distinct one once), start."""
    code = [culture.code for culture in cultures_of("blend") if culture.languages[0] == language]
    answers = {
        answer
        for groups in gold.filter(pl.col("culture").is_in(code))["groups"].to_list()
        for group in groups
        for answer in group["en_answers" if language == "en" else "answers"]
    }
    tool = get_tool(language)
    began = time.process_time()
    tool.tokens("x")
    started = time.process_time()
    tokens = sum(len(tool.tokens(answer)) for answer in sorted(answers))
    rate = tokens / (time.process_time() - started)
    name = f"{tool.name} {tool.version}"
    return [get_language(language).name, name, f"{round(rate, -3):,.0f}", f"{started - began:.2f} s"]


if __name__ == "__main__":
    main()

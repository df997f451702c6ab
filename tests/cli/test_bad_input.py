"""What is wrong on the command line or in a file gives exit code 2 and one message that says what to do, and
loses nothing."""

from __future__ import annotations

import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from folkways.benchmarks.xcr.release import BASE_FILE
from tests.support.command_line import Folkways
from tests.support.xcr_data import write_small_corpus

FIRST = "--model baseline/first"
RUN = f"run demo/mcq {FIRST}"
JUDGE = "judge demo/mcq --out verdicts.csv --responses"
NOT_UTF8 = "\udcff"  # what Python makes of a byte that is not UTF-8 on a command line

WRONG = {
    # what is asked
    "run dmeo --model baseline/first": r"unknown task or benchmark 'dmeo'; did you mean 'demo'\?\nvalid: "
    r"demo, .*folkways tasks",
    f"{RUN} --cultures XX": r"unknown culture 'XX'\nvalid: CN, DE",
    "tables blendd": r"unknown benchmark with tables 'blendd'; did you mean 'blend'\?\nvalid: ",
    "run demo/mcq --model replay/replies.jsonl": r"write replay:FILE, for example replay:replies\.jsonl",
    f"{RUN} --cultures ,": r"separate names by commas",
    f"{RUN} --languages xx": r"unknown language 'xx'\nvalid: .*; folkways cultures lists them",
    f"{RUN} --languages ko": r"unknown language of demo/mcq: 'ko'\nvalid: en",
    f"run demo/saq {FIRST} --languages as": r"unknown language of demo/saq: 'as'\nvalid: am, de",
    f"{RUN} --variants nope": r"unknown variant of demo/mcq: 'nope'\nvalid: all, plain",
    f"{RUN} --profile nope": r"unknown profile of demo/mcq: 'nope'\nvalid: .*strict",
    f"{RUN} --strata topic": r"add --until POINTS, or leave --strata out",
    f"{RUN} --precision fp17": r"unknown precision 'fp17'; did you mean 'fp16'\?",
    f"{RUN} --limit 0": r"--limit': must be a whole number, 1 or more; got '0'",
    f"{RUN} --limit few": r"--limit': must be a whole number, 1 or more; got 'few'",
    f"{RUN} --workers 0": r"--workers': must be a whole number, 1 or more; got '0'",
    f"{RUN} --gpus -1": r"--gpus': must be a number, 0 or more; got '-1'",
    f"{RUN} --samples 0": r"--samples': must be a whole number, 1 or more; got '0'",
    f"{RUN} --seed x": r"--seed': must be a whole number; got 'x'",
    f"{RUN} --seed 99999999999999999999": r"seed must be a whole number of at most 64 bits",
    f"{RUN} --setting temprature=1": r"unknown setting 'temprature'; did you mean 'temperature'\?\nvalid: "
    r"max_tokens",
    f"{RUN} --setting temperature": r"written name=value, got 'temperature'; for example temperature=0.7",
    f"{RUN} --setting temperature=hot": r"setting temperature must be a number or none, got 'hot'",
    f"{RUN} --setting temperature=9": r"setting temperature must lie between 0 and 2, got 9",
    f"{RUN} --setting temperature=nan": r"setting temperature must lie between 0 and 2",
    f"{RUN} --setting max_tokens=0": r"setting max_tokens must lie between 1 and",
    f"{RUN} --setting seed=1.5": r"setting seed must be a whole number or none, got '1.5'",
    f"{RUN} --setting seed=99999999999999999999": r"setting seed must lie between",
    f"{RUN} --profile nope --system {'x' * 3000}": r"unknown profile of demo/mcq: 'nope'",
    f"{RUN} --temperature 0.7": r"it is a setting: --setting temperature=VALUE",
    f"{RUN} --reasoning-effort low": r"it is a setting: --setting reasoning_effort=VALUE",
    f"{RUN} --system good.csv": r"takes the text itself, and good.csv is a file: \"\$\(cat good.csv\)\"",
    f"{RUN} --nope": r"No such option:? .*--nope",
    f"run {FIRST}": r"Missing argument 'TASK",
    "rnu sample": r"unknown command 'rnu'; did you mean 'run'\?\nvalid: .*quickstart",
    "--nope": r"No such option:? .*--nope",
    # of whom
    "run demo": r"Missing option '--model'",
    "run demo --model gpt-4": r"unknown endpoint 'gpt-4'\nvalid: .*openai(.|\n)*a model without its provider(.|\n)*PROVIDER/MODEL(.|\n)*vllm-offline/NAME\[@REVISION\]  the same",
    "run demo --model opneai/gpt-4": r"unknown provider 'opneai'; did you mean 'openai'\?",
    "run demo --model openai/": r"'openai' names no model: write openai/MODEL",
    "run demo --model openai/gpt-4o-mini": r"needs a key: set the environment variable OPENAI_API_KEY",
    "run demo --model anthropic/claude-x": r"needs a key: set the environment variable ANTHROPIC_API_KEY",
    "run demo --model baseline/nope": r"unknown baseline 'nope'\nvalid: constant:TEXT, echo, first, random",
    "run demo --model http://localhost:9/v1": r"names no model: write http://localhost:9/v1#MODEL",
    "run demo --model http://": r"write http\(s\)://HOST",
    f"{RUN} {FIRST}": r"baseline/first is named twice",
    f"{RUN} --concurrency 0": r"--concurrency': must be a whole number, 1 to 1000; got '0'",
    f"{RUN} --timeout 0": r"--timeout': must be a number, 0.1 or more; got '0'",
    f"{RUN} --timeout nan": r"--timeout': must be a number, 0.1 or more; got 'nan'",
    "gate mine -w good.db --min demo/mcq=3 --coverage nan": r"--coverage': must be a number, 0 to 100; got 'nan'",
    "gate mine -w good.db --min demo/mcq:=3": r"has no culture after the colon; valid: TASK",
    "score mine -w good.db --text-tools papr": r"unknown set of text tools: 'papr'; did you mean 'paper'\?",
    "compare mine -w good.db": r"unknown model 'mine'(.|\n)*mine is a run; its models are compared with: "
    r"--run mine",
    "published --place tabel": r"unknown place of published figures: 'tabel'(.|\n)*valid: .*Table 10",
    "build mcq-agreement folder good.csv": r"there is no file folder/mc_questions_file.csv; give the "
    r"folder or the CSV file",
    f"{RUN} --budget lots": r"cannot read the budget 'lots'; valid: .*1000requests, 2Mtokens, 5usd",
    f"{RUN} --budget 5eur": r"cannot read the budget '5eur'",
    f"{RUN} --budget=-5usd": r"cannot read the budget '-5usd'",
    "run demo --model https://example.invalid/v1#m --budget 5usd": r"a budget in usd needs "
    r"prices.*--prices FILE",
    # replies made elsewhere, as a model
    "run demo --model replay:none.csv": r"there is no file none.csv; replay:FILE needs one with the "
    r"columns item and response",
    "run demo --model replay:replies.txt": r"valid endings: .jsonl",
    "run demo --model replay:wrong.csv": r"wrong.csv: no column item and no column response; found: id, text",
    "run demo --model replay:latin.csv": r"latin.csv: not readable as csv: invalid utf-8",
    "run demo --model replay:empty.csv": r"empty.csv: the file is empty",
    "run demo --model replay:header.csv": r"header.csv: has no rows",
    "run demo --model replay:broken.jsonl": r"broken.jsonl, row 2: is not JSON",
    "run demo --model replay:broken.parquet": r"broken.parquet: not readable as parquet",
    # data
    f"{RUN} --release nope": r"unknown release 'nope'\nvalid: .*; folkways data list lists them",
    f"{RUN} --release ./nowhere": r"no such folder: .*nowhere",
    f"{RUN} --release wrong.csv": r"wrong.csv is a file; give the folder",
    f"{RUN} --release blend=mcq": r"no task of the run reads it.*'blend'\nvalid: demo",
    f"run blend/mcq {FIRST}": r"is not on this disk(.|\n)*folkways data fetch blend-mcq",
    f"run blend/mcq {FIRST} --release folder": r"folder",
    f"run blend/mcq {FIRST} --release sample": r"is data of demo, but blend is needed\nvalid: blend-mcq",
    f"run blend/saq {FIRST} --release mcq": r"release dir:mcq has no annotations",
    f"run blend/mcq {FIRST} --release mcq --cultures DZ": r"unknown culture 'DZ'\nvalid: CN, ES",
    f"run blend/mcq {FIRST} --release mcq --languages ko": r"no item is left for these options .*languages "
    r"ko.*widen",
    # files of one's own
    f"{RUN} --prompts none.toml": r"there is no file none.toml, which should be a prompts file",
    f"{RUN} --prompts folder": r"folder: cannot be read: Is a directory",
    f"{RUN} --prompts broken.toml": r"broken.toml: is not valid TOML",
    f"{RUN} --prompts number.toml": r"number.toml: template 'mine' must be a text in quotes, got 3",
    f"{RUN} --prompts latin.toml": r"latin.toml: is not UTF-8 \(byte 11\); save it as UTF-8",
    f"{RUN} --prompts placeless.toml": r"'mine' has no place for the item; write \{question\}",
    f"{RUN} --prices none.toml": r"there is no file of prices none.toml",
    f"{RUN} --prices broken.toml": r"broken.toml: is not valid TOML",
    f"{RUN} --prices no-prices.toml": r"no-prices.toml: no table usd_per_million_tokens: write",
    f"{RUN} --prices odd-prices.toml": r"the price of 'a/b' needs two numbers of at least 0",
    "endpoints --prices none.toml": r"there is no file of prices none.toml",
    # the workspace
    f"{RUN} -w folder": r"the workspace folder is a folder; give a file, for example --workspace "
    r"folder/folkways.db",
    f"{RUN} -w text.db": r"cannot open the workspace text.db: the file is something else than a SQLite "
    r"database",
    f"{RUN} -w other.db": r"not a folkways workspace \(it has the tables recipes\); name another one",
    f"{RUN} -w newer.db": r"written by a newer folkways or another program \(schema 9999.*Nothing was "
    r"changed. Upgrade",
    f"{RUN} -w nowhere/w.db": r"the folder nowhere does not exist; create it first",
    f"{RUN} -w mysql://host/name": r"'mysql' are not supported; valid: a path \(SQLite\) or postgresql://",
    f"{RUN} -w sqlite:///x.db": r"give a SQLite workspace as a path.*--workspace x.db",
    f"{RUN} -w postgresql://me@127.0.0.1:9/x": r"the server does not answer; check host and port",
    f"{RUN} -w postgresql://127.0.0.1:9/x": r"the server does not answer; check host and port",
    f"{RUN} -w good.db --name mine --limit 3": r"has a run named 'mine' with limit none.*choose another "
    r"--name",
    f"{RUN} --name 7": r"'7' cannot be the name of a run: numbers and 'last' stand for runs",
    f"{RUN} --name {'x' * 200}": r"a run's name has 1 to 128 printable characters",
    "runs -w none.db": r"there is no workspace at none.db; make one with 'folkways run'",
    "runs -w newer.db": r"written by a newer folkways",
    "score -w none.db": r"there is no workspace at none.db",
    "score nope -w good.db": r"unknown run 'nope'\nvalid: mine\nworkspace: good.db",
    "score -w good.db --profile nope": r"unknown profile of demo/mcq: 'nope'",
    "score -w good.db --out scores.txt": r"cannot tell the format of scores.txt; end its name with one of "
    r".csv",
    "score -w good.db --out nowhere/scores.csv": r"the folder nowhere does not exist",
    # reports
    f"{RUN} --report wrong.csv": r"wrong.csv is a file; name another folder",
    "report -w none.db": r"there is no workspace at none.db",
    "report nope -w good.db": r"unknown run 'nope'\nvalid: mine",
    "report -w good.db --format pdf": r"unknown report format 'pdf'\nvalid: csv, html, latex, md, parquet",
    "report -w good.db --out wrong.csv": r"the folder wrong.csv cannot be made: File exists; name another place",
    "report -w good.db --profile nope": r"unknown profile of demo/mcq: 'nope'",
    "quickstart --out wrong.csv": r"cannot make the folder wrong.csv: File exists; name another",
    # single items, estimates
    "show nope -w good.db": r"no run of the workspace .* has an item 'nope'\nWrite an item as",
    "show nope:x": r"unknown task 'nope'\nvalid: .*; folkways tasks lists them",
    "show US/school-1 --run nope -w good.db": r"unknown run 'nope'\nvalid: mine",
    "show demo/mcq:US/school-1 --release nope -w none.db": r"unknown release 'nope'",
    f"estimate nope {FIRST}": r"unknown task or benchmark 'nope'",
    "estimate demo --model nope/x": r"unknown provider 'nope'",
    f"estimate demo {FIRST} -w text.db": r"something else than a SQLite database",
    # judging replies made elsewhere
    f"{JUDGE} none.csv": r"the file none.csv does not exist",
    f"{JUDGE} folder": r"the file folder is a folder",
    f"{JUDGE} wrong.csv": r"wrong.csv: has no column 'response'; its columns are: id, text",
    f"{JUDGE} latin.csv": r"latin.csv: is not UTF-8 \(after row 0: .*\); save it as UTF-8",
    f"{JUDGE} empty.csv": r"empty.csv: (is empty|has no rows)",
    f"{JUDGE} header.csv": r"header.csv: has no rows",
    f"{JUDGE} ragged.csv": r"ragged.csv, row 2: has 3 cells, the header names 2 columns; put a text "
    r"that holds a separator or a line break in double quotes",
    f"{JUDGE} broken.jsonl": r"broken.jsonl, row 2: is not JSON",
    f"{JUDGE} list.jsonl": r"list.jsonl, row 1: is not a JSON object; write one object per line",
    f"{JUDGE} broken.parquet": r"broken.parquet: cannot be read as PARQUET",
    f"{JUDGE} replies.txt": r"cannot tell the format of replies.txt; valid endings: .csv",
    f"{JUDGE} unknown-item.csv": r"unknown-item.csv, row 2: 1 of 2 ids are not in the release: 'nope'",
    f"{JUDGE} sample-words.csv": r"sample-words.csv, row 1: sample 'first' is not a whole number",
    f"{JUDGE} good.csv --by-position": r"has 1 rows, but the release has 18 items here",
    f"{JUDGE} unknown-item.csv --culture KR": r"not in the release for South Korea .*; its own look like "
    r"'KR/",
    f"{JUDGE} good.csv --release sample=xx": r"unknown release 'xx'",
    f"{JUDGE} good.csv --culture XX": r"unknown culture 'XX'",
    f"{JUDGE} good.csv --language xx": r"unknown language 'xx'",
    f"{JUDGE} good.csv --variant xx": r"unknown variant of demo/mcq: 'xx'",
    f"{JUDGE} good.csv --profile xx": r"unknown profile of demo/mcq: 'xx'",
    f"{JUDGE} good.csv --release xx": r"unknown release 'xx'",
    "judge demo --responses good.csv --out o.csv": r"unknown task 'demo'; did you mean 'demo/",
    "judge demo/mcq --responses good.csv": r"Missing option '--out'",
    "judge demo/mcq --responses good.csv --out o.txt": r"cannot tell the format of o.txt",
    "judge demo/mcq --responses good.csv --out nowhere/o.csv": r"the folder nowhere does not exist",
    # another encoding
    f"{RUN} --system {NOT_UTF8}": r"is not UTF-8; set the terminal to UTF-8",
    f"{RUN} -w {NOT_UTF8}.db": r"is not UTF-8; set the terminal to UTF-8, or rename the file",
}
"""Command line -> what the message says (a pattern)."""


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_command_gives_one_message_and_exit_code_2(folkways: Folkways, line: str) -> None:
    done = folkways(*line.split())
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert len(re.findall(r"(?mi)^error:", done.stderr)) == 1, done.stderr
    assert re.search(WRONG[line], done.stderr), done.stderr


def test_a_folder_that_lacks_what_a_task_asks_is_to_be_checked(folkways: Folkways, tmp_path: Path) -> None:
    """Of somebody's own copy of XCR-Bench, the base corpus alone."""
    base = write_small_corpus(tmp_path).path(BASE_FILE).read_bytes()
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / BASE_FILE).write_bytes(base)
    done = folkways("run", "xcr/adaptation", "--model", "baseline/first", "--release", tmp_path / "copy")
    assert done.returncode == 2 and f"folkways data check {tmp_path / 'copy'}" in done.stderr
    assert "there is no such file" in folkways("data", "check", tmp_path / "copy").stdout


def test_what_a_file_says_does_not_act_on_the_terminal(folkways: Folkways, tmp_path: Path) -> None:
    (tmp_path / "evil.csv").write_text("an\x1b[31mswer\x9b2J\u202e,b\nx,y\n", encoding="utf-8")
    done = folkways("judge", "demo/mcq", "--out", "verdicts.csv", "--responses", str(tmp_path / "evil.csv"))
    assert done.returncode == 2
    assert "an⟨U+001B⟩[31mswer⟨U+009B⟩2J⟨U+202E⟩, b" in done.stderr


def test_an_empty_argument_is_no_list_and_no_name(folkways: Folkways) -> None:
    for option in ("--cultures", "--languages", "--variants", "--name", "--budget", "--model"):
        done = folkways("run", "demo/mcq", "--model", "baseline/first", option, "")
        assert done.returncode == 2, done
        assert done.stdout == ""


def test_nothing_is_lost_by_what_was_wrong(folkways: Folkways, broken_files: Path) -> None:
    """The databases that were refused are byte for byte what they were, and the good one still gives its
    scores."""
    before = {name: (broken_files / name).read_bytes() for name in ("newer.db", "other.db", "text.db")}
    for name in before:
        assert folkways(*f"{RUN} -w {name}".split()).returncode == 2
        assert (broken_files / name).read_bytes() == before[name]
    with closing(sqlite3.connect(broken_files / "other.db")) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("recipes",)]
    done = folkways("score", "mine", "-w", "good.db")
    assert done.returncode == 0, done.stderr
    assert not (broken_files / "verdicts.csv").exists()


def test_wrong_input_leaves_no_run_behind(folkways: Folkways) -> None:
    for options in (
        "--limit 3 --cultures XX",
        "--variants nope",
        "--prompts placeless.toml",
        "--budget lots",
        "--release nope",
    ):
        assert folkways(*f"{RUN} -w fresh.db {options}".split()).returncode == 2
    assert folkways(*f"{RUN} -w fresh.db".split()).returncode == 0
    done = folkways("runs", "-w", "fresh.db", "--json")
    assert [run["run"] for run in json.loads(done.stdout)] == ["run-1"]

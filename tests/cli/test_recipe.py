"""A study in one file: ``folkways init``, ``folkways run study.toml``, ``folkways runs --recipe``, and the
published schema."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from folkways import api
from folkways.cli.init import EXAMPLES, recipe_text
from folkways.cli.recipe import keys, read
from folkways.cli.run import command as run_command
from folkways.errors import FolkwaysError
from folkways.runs.keywords import options_of
from folkways.runs.planning.plan import Plan
from folkways.runs.planning.recipe import KEYS, Recipe, recipe_of
from folkways.runs.scores.scoring_models import ScoringModels
from scripts.recipe_schema import json_schema
from tests.support.command_line import folkways, rows

SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "recipe.schema.json"

STUDY = """
tasks = ["demo/mcq", "demo/saq"]
models = ["baseline/random", { name = "baseline/first", temperature = 0.5 }]
cultures = ["KR", "Ethiopia"]
languages = "en"
limit = 3
samples = 2
seed = 5
system = "Say only the letter."
max-tokens = 20
profile = "paper"
budget = "500requests"
attempts = 2
max-failed = 20
[settings]
temperature = 1
seed = "none"
[prompts."demo/mcq"]
mine = "{question}\\n{options}"
"""


def run(folder: Path, *arguments: object) -> str:
    """What a command that ends well printed."""
    done = folkways(*arguments, "--workspace", folder / "w.db")
    assert done.returncode == 0, done.stderr
    return done.stdout


def signatures(folder: Path) -> list[Any]:
    """The signatures of all scores of a workspace."""
    return sorted(rows(folder / "w.db", "SELECT DISTINCT signature FROM scores"))


def test_the_recipe_of_a_run_asks_the_same_elsewhere_and_signs_the_same(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    (here / "study.toml").write_text(STUDY)
    run(here, "run", here / "study.toml")
    given_back = run(here, "runs", "--recipe", "last")
    (there / "again.toml").write_text(given_back)
    run(there, "run", there / "again.toml")
    assert signatures(here) == signatures(there) != []
    assert run(there, "runs", "--recipe", "last") == given_back
    told = tomllib.loads(given_back)
    assert told["models"] == ["baseline/random", "baseline/first?temperature=0.5"]
    assert (told["budget"], told["profile"], told["max-failed"]) == ("500requests", "paper", 20)
    jsonschema.validate(told, json_schema(run_command))


def test_a_sampled_run_keeps_until_and_strata(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(
        'tasks = ["demo/mcq"]\nmodels = "baseline/first"\nuntil = 30\nstrata = ["culture", "topic"]\n'
    )
    run(tmp_path, "run", tmp_path / "s.toml")
    told = tomllib.loads(run(tmp_path, "runs", "--recipe", "last"))
    assert (told["until"], told["strata"]) == (30, ["culture", "topic"])


def test_an_option_of_the_command_line_goes_before_the_recipe(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    run(tmp_path, "run", tmp_path / "study.toml", "--limit", 1, "--samples", 1, "--model", "baseline/first")
    assert rows(tmp_path / "w.db", "SELECT COUNT(*) FROM expected") == [(2,)]


def test_estimate_reads_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    told = json.loads(run(tmp_path, "estimate", tmp_path / "study.toml", "--json"))
    assert [(entry["task"], entry["requests"]) for entry in told] == [("demo/mcq", 6), ("demo/saq", 6)] * 2


def test_every_option_of_run_has_a_key_and_an_example_that_can_be_read(tmp_path: Path) -> None:
    assert set(EXAMPLES) == set(keys(run_command))
    whole = recipe_text("study.toml").replace("# ", "\0").splitlines()
    wanted = [
        line.removeprefix("\0") for line in whole if line.removeprefix("\0").split(" = ")[0] in EXAMPLES
    ]
    (tmp_path / "all.toml").write_text("\n".join(wanted))
    values = read(tmp_path / "all.toml", run_command)
    assert set(values) == {parameter.name for parameter in keys(run_command).values()}
    jsonschema.validate(tomllib.loads("\n".join(wanted)), json_schema(run_command))


def test_what_init_writes_runs_as_it_is_and_is_never_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert folkways("init").returncode == 0
    before = Path("study.toml").read_text()
    jsonschema.validate(tomllib.loads(before), json_schema(run_command))
    assert folkways("run", "study.toml", "--limit", "2", "--cultures", "KR").returncode == 0
    assert Path("report/report.html").exists()
    again = folkways("init")
    assert (again.returncode, "exists already" in again.stderr) == (2, True)
    assert Path("study.toml").read_text() == before


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ('models = ["baseline/first"]\ntask = ["demo"]', 2, "unknown key 'task'; did you mean 'tasks'"),
        ('tasks = ["demo"]\n\nlimit = 0', 3, "must be at least 1, got 0"),
        ('tasks = ["demo"]\nlimit = "10"', 2, "must be a whole number, got '10'"),
        ('tasks = ["demo"]\nsamples = true', 2, "must be a whole number, got True"),
        ("models = []\ntasks = [{name = 3}]", 2, "a task is a name in quotes, or a table with one"),
        ("tasks = [{limit = 3}]", 1, "a task is a name in quotes, or a table with one"),
        ("tasks = [3]", 1, "a task is a name in quotes, or a table with one"),
        ('tasks = ["demo", "blend/sqa"]', 1, "'blend/sqa'; did you mean 'blend/saq'?"),
        (
            'tasks = ["demo"]\n[settings]\ntemprature = 1',
            2,
            "unknown setting 'temprature'; did you mean 'temperature'",
        ),
        ('tasks = ["demo"]\n[settings]\ntemperature = 3', 2, "setting temperature must lie between 0 and 2"),
        ('tasks = ["demo"]\n[[models]]\ntemperature = 1', 2, "needs its name"),
        ('tasks = ["demo"]\nbudget = "5 pounds"', 2, "5 pounds"),
        ('tasks = ["demo"]\ncultures = ["KR", 4]', 2, "must be a text in quotes, got 4"),
        ('tasks = ["demo"]\n[prompts]\nmine = 3', 2, "template 'mine' must be a text in quotes"),
        ('tasks = ["demo"]\npermute-options = 25', 2, "must lie between 1 and 24, got 25"),
        ('tasks = ["demo"]\nconcurrency = 0', 2, "must lie between 1 and 1,000, got 0"),
        ('tasks = ["demo"]\ntimeout = nan', 2, "must be a finite number, got nan"),
        ('tasks = ["demo"]\nmax-failed = 101', 2, "must lie between 0 and 100, got 101"),
        ('tasks = ["demo"]\nafresh = "yes"', 2, "must be true or false, got 'yes'"),
        ('tasks = ["demo"]\nread = "loud"', 2, "must be 'loglik', got 'loud'"),
        ('tasks = ["demo"]\nprecision = "fp8"', 2, "unknown precision 'fp8' valid: bf16, fp16, fp32"),
        ('tasks = ["demo"]\ncultures = []', 2, "an empty list was given"),
        ('tasks = ["demo"]\nbert-models = ["zh"]', 2, "LANG=DIR|NAME, got 'zh'"),
        ('tasks = ["demo"]\nreport = "out.html"', 2, "is the name of a file, but several files are written"),
        (
            'tasks = ["demo"]\nmodels = [{ name = "baseline/first", gpus = -1 }]',
            2,
            "gpus must be a whole number, or a share",
        ),
        *(
            (f'tasks = ["demo"]\n{key} = 1', 2, f"unknown key '{key}'")
            for key in ("text-tools", "observer", "cluster", "max_tokens")
        ),
        ("tasks = [demo]", None, "is not valid TOML"),
    ],
)
def test_what_cannot_be_names_file_line_and_key(
    tmp_path: Path, text: str, line: int | None, told: str
) -> None:
    (tmp_path / "study.toml").write_text(text)
    done = folkways(
        "run", tmp_path / "study.toml", "--model", "baseline/first", "--workspace", tmp_path / "w.db"
    )
    printed = " ".join(done.stderr.split())
    assert done.returncode == 2
    assert told in printed
    assert "Traceback" not in printed
    if line is not None:
        assert f"study.toml: line {line}, key " in printed
    for ask in (api.run, api.estimate):
        with pytest.raises(FolkwaysError) as error:
            ask(tmp_path / "study.toml", "baseline/first", workspace=tmp_path / "w.db")
        assert " ".join(str(error.value).split()) == printed.removeprefix("error: ")
    assert not (tmp_path / "w.db").exists()


def test_python_and_the_command_line_ask_the_same(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(f"report = {json.dumps(str(tmp_path / 'out'))}\n{STUDY}")
    run(tmp_path, "run", tmp_path / "study.toml")
    there = tmp_path / "python"
    there.mkdir()
    shutil.rmtree(tmp_path / "out")
    api.run(tmp_path / "study.toml", workspace=there / "w.db")
    assert signatures(tmp_path) == signatures(there) != []
    assert rows(tmp_path / "w.db", "SELECT recipe FROM runs") == rows(
        there / "w.db", "SELECT recipe FROM runs"
    )
    assert (tmp_path / "out" / "report.html").exists()


def test_keys_of_models_data_scoring_and_asking_reach_python(tmp_path: Path) -> None:
    (tmp_path / "all.toml").write_text(
        'tasks = ["demo/mcq"]\nmodels = "baseline/first"\nprecision = "fp16"\ndevice = '
        '"cuda:0,cpu"\nread = "loglik"\n'
        'bert-models = { zh = "z" }\nembedding-model = "e"\nreleases = ["demo=demo@1"]\nmax-failed = '
        '20\nprices = "p.toml"\n'
        'settings = { seed = 3 }\nprofile = "strict"\nworkspace = "w.db"\nname = "n"\nreport = '
        '"r"\nbatch = true\n'
    )
    recipe = Recipe.of(tmp_path / "all.toml")
    assert (recipe.profile, recipe.workspace, recipe.name, recipe.report) == (
        "strict",
        "w.db",
        "n",
        Path("r"),
    )
    options, asking = options_of(recipe.tasks, recipe.under({}))
    assert options.scoring_models == {"embedding": "e", "bert-zh": "z"}
    assert (options.scoring_precision, options.releases) == ("fp16", {"demo": "demo@1"})
    assert options.settings == {"seed": 3, "read": "loglik"}
    assert (asking.max_failed, str(asking.prices), asking.batch) == (0.2, "p.toml", True)
    assert options_of(recipe.tasks, recipe.under({"settings": "seed=4"}))[0].settings == {
        "seed": 4,
        "read": "loglik",
    }
    scoring = recipe.scoring(None)
    assert scoring is not None and scoring.devices == ("cuda:0", "cpu")
    others = recipe.scoring(ScoringModels(devices=("cpu",)))
    assert others is not None and others.devices == ("cpu",)
    again = recipe_of(Plan(options, ()), asking, recipe.profile)
    assert again == {
        "tasks": ["demo/mcq"], "models": [], "releases": {}, "precision": "fp16", "bert-models": {"zh": "z"},
        "embedding-model": "e", "max-failed": 20, "prices": "p.toml", "settings": {"seed": 3, "read": "loglik"},
        "profile": "strict", "batch": True,
    }  # fmt: skip


def test_keys_are_those_of_the_options() -> None:
    assert set(KEYS) == set(keys(run_command))


def test_a_recipe_is_given_alone_and_must_be_there(tmp_path: Path) -> None:
    both = folkways(
        "run", "demo", "study.toml", "--model", "baseline/first", "--workspace", tmp_path / "w.db"
    )
    assert (both.returncode, "a recipe has its own tasks" in both.stderr) == (2, True)
    none = folkways("run", tmp_path / "no.toml", "--workspace", tmp_path / "w.db")
    assert (none.returncode, "there is no file" in none.stderr, "folkways init" in none.stderr) == (
        2,
        True,
        True,
    )


def test_a_run_of_earlier_versions_has_none(tmp_path: Path) -> None:
    run(tmp_path, "run", "demo/mcq", "--model", "baseline/first")
    with closing(sqlite3.connect(tmp_path / "w.db")) as database:
        database.execute("UPDATE runs SET recipe = NULL")
        database.commit()
    done = folkways("runs", "--recipe", "last", "--workspace", tmp_path / "w.db")
    assert (done.returncode, "has no recipe" in done.stderr) == (2, True)


def test_the_published_schema_is_that_of_the_program() -> None:
    assert json.loads(SCHEMA.read_text()) == json_schema(run_command), (
        "docs/reference/recipe.schema.json is old: run make cli-reference"
    )
    jsonschema.Draft202012Validator.check_schema(json_schema(run_command))
    for wrong in (
        {"limit": 0},
        {"limt": 1},
        {"tasks": 3},
        {"settings": {"heat": 1}},
        {"models": [{"temperature": 1}]},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, json_schema(run_command))


def test_the_schema_lists_the_words_of_a_setting_and_takes_numbers_of_tokens(tmp_path: Path) -> None:
    for effort in ("minimal", "low", "medium", "high", "off", "none", "xhigh", "2000", 2000):
        jsonschema.validate({"settings": {"reasoning_effort": effort}}, json_schema(run_command))
        file = tmp_path / "study.toml"
        file.write_text(f"settings = {{ reasoning_effort = {json.dumps(effort)} }}\n", encoding="utf-8")
        assert read(file, run_command) == {"settings": (f"reasoning_effort={effort}",)}
    effort = json_schema(run_command)["properties"]["settings"]["properties"]["reasoning_effort"]
    assert effort["anyOf"][0] == {"enum": ["minimal", "low", "medium", "high", "off", "none"]}
    for wrong in ({"reasoning_effort": "2k"}, {"reasoning_effort": 0.5}, {"read": "loud"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"settings": wrong}, json_schema(run_command))

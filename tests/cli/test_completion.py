"""Shell completion, in a real bash: commands without importing them, tasks, cultures and the runs of a
workspace."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import click
import pytest

from folkways.cli.main import COMMANDS, cli
from tests.cli.test_every_command import ALL
from tests.support.command_line import environment, folkways


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a workspace of two runs, and ``folkways`` as a program of its own."""
    folder = tmp_path_factory.mktemp("completion")
    for name in ("first-run", "second-run"):
        assert (
            folkways(
                "run", "demo/mcq", "-m", "baseline/first", "--name", name, "--seed", len(name), cwd=folder
            ).returncode
            == 0
        )
    program = folder / "bin" / "folkways"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom folkways.cli.main import main\nmain()\n")
    program.chmod(0o755)
    variables = environment(_FOLKWAYS_COMPLETE="bash_source")
    script = subprocess.run([program], env=variables, capture_output=True, text=True, check=True)
    (folder / "complete.sh").write_text(script.stdout)
    return folder


def complete(folder: Path, line: str, shell: str = "bash") -> list[str]:
    """What bash offers at the end of the line, by the script that click writes for it."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    script = f"""
        source complete.sh || exit 9
        COMP_WORDS=({line}{' ""' if line.endswith(" ") else ""}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
        _folkways_completion folkways
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    path = os.pathsep.join([str(folder / "bin"), os.environ["PATH"]])
    done = subprocess.run(
        [bash, "-c", script],
        cwd=folder,
        env=environment(PATH=path),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return [word for word in done.stdout.splitlines() if word]


def offered(folder: Path, line: str) -> list[str]:
    """What folkways itself answers at the end of the line, of which bash is tried with a few."""
    last = len(line.split()) - (not line.endswith(" "))
    variables = environment(_FOLKWAYS_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(last))
    with patch.object(
        sys.modules["__main__"], "__package__", ""
    ):  # the program is called folkways, and not pytest
        done = folkways(cwd=folder, env=variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return [answer.removeprefix("plain,") for answer in done.stdout.splitlines() if answer]


def test_every_command_is_offered(folder: Path) -> None:
    assert complete(folder, "folkways ") == [*COMMANDS, "studio"]
    assert complete(folder, "folkways ex") == ["export"]
    assert complete(folder, "folkways --v") == ["--version"]


def test_subcommands_and_options_of_a_command_are_offered(folder: Path) -> None:
    assert complete(folder, "folkways export ") == [
        "eval-results",
        "every-eval-ever",
        "hub",
        "inspect",
        "lm-eval",
    ]
    assert "--until" in complete(folder, "folkways run --")


def test_tasks_and_benchmarks_are_offered(folder: Path) -> None:
    assert offered(folder, "folkways run bl") == [
        *("blend", "blend/saq", "blend/mcq"),
        *("blend-vis", "blend-vis/original", "blend-vis/rephrased"),
    ]
    assert offered(folder, "folkways estimate demo blend/s") == ["blend/saq"]


def test_the_last_culture_of_a_list_is_completed(folder: Path) -> None:
    assert offered(folder, "folkways run demo --cultures US,kr") == ["US,KR"]


def test_runs_of_the_workspace_are_offered(folder: Path) -> None:
    assert offered(folder, "folkways score ") == ["last", "second-run", "first-run"]
    assert offered(folder, "folkways export every-eval-ever f") == ["first-run"]
    assert offered(folder, "folkways report -w none.db ") == []
    (folder / "text.db").write_text("no database")
    assert offered(folder, "folkways report -w text.db ") == []


NAMED = {
    "demo/mcq": ("task", "tasks"),
    "KR": ("culture", "cultures"),
    "second-run": ("run", "runs", "run_name", "recipe", "against"),
}
OF_A_FILE = {("build csi", "cultures")}
"""Cultures as a person's own table writes them."""


def test_every_run_task_and_culture_is_completed(folder: Path) -> None:
    groups = {"runs": cli.get_command(click.Context(cli), "runs")}
    completed = set()
    for name, command in (ALL | groups).items():
        context = click.Context(command)
        context.params = {"workspace": str(folder / "folkways.db")}
        for one in command.params:
            word = next((word for word, names in NAMED.items() if one.name in names), None)
            if word is None or name.startswith("studio") or (name, one.name) in OF_A_FILE:
                continue
            values = [item.value for item in one.shell_complete(context, word[:3])]
            assert word in values, f"{name}: {one.opts}"
            completed.add(word)
    assert completed == set(NAMED)


def test_names_of_runs_and_tasks_are_offered_for_options(folder: Path) -> None:
    for line in ("compare --run ", "show --run ", "runs --recipe ", "tables demo --run ", "published --run "):
        assert offered(folder, f"folkways {line}") == ["last", "second-run", "first-run"], line
    assert offered(folder, "folkways compare --task demo/mcq,demo/s") == ["demo/mcq,demo/saq"]
    assert (
        offered(folder, "folkways probe demo/m") == offered(folder, "folkways tasks demo/m") == ["demo/mcq"]
    )


def test_a_line_that_is_wrong_offers_nothing_and_says_nothing(folder: Path) -> None:
    assert offered(folder, "folkways nonsense --wh") == []
    assert offered(folder, "folkways run none.toml --na") == []


def test_commands_are_completed_without_importing_them(folder: Path) -> None:
    heavy = "sorted({'polars', 'sqlalchemy'} & set(sys.modules))"
    code = f"import sys; from folkways.cli.main import main\ntry: main()\nfinally: print({heavy})"
    env = environment(_FOLKWAYS_COMPLETE="bash_complete", COMP_WORDS="folkways ", COMP_CWORD="1")
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.splitlines()[-1] == "[]"

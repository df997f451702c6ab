"""What is printed is what was written: nothing in a name or a reply is markup or becomes a picture."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from folkways.cli.runs import counting
from tests.support.command_line import Folkways

SOURCES = Path(__file__).resolve().parents[2] / "src" / "folkways"


def test_a_name_stays_as_it_was_written(folkways: Folkways, tmp_path: Path) -> None:
    model, name = "baseline/constant:A", "[red]:smile: a:B:c"
    workspace = str(tmp_path / "w.db")
    ran = folkways("run", "demo/mcq", "--model", model, "--name", name, "-w", workspace)
    assert ran.returncode == 0, ran.stderr
    assert f"{model}: " in ran.stderr
    assert name in ran.stderr
    assert name in folkways("runs", "-w", workspace).stdout
    assert (
        "constant:A "
        in folkways("estimate", "demo/mcq", "--model", model, "-w", str(tmp_path / "new.db")).stdout
    )


def test_every_console_takes_text_as_it_is() -> None:
    """Where a text of the user, a model or a server could meet rich's markup or emoji."""
    made = {
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if re.search(r"\bConsole\(", path.read_text("utf-8"))
    }
    assert made == {"cli/out.py", "cli/table_output.py", "reports/formats/notebook.py"}
    plain = re.compile(r"markup=False,\s+emoji=False")
    assert all(plain.search((SOURCES / path).read_text("utf-8")) for path in made)


@pytest.mark.parametrize(
    ("terminal", "told"), [(True, "\r5 items written\r1,234 items written\n"), (False, "")]
)
def test_how_far_an_archive_is_stands_on_a_terminal_alone_and_never_among_the_output(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, terminal: bool, told: str
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    with counting("written") as tell:
        tell(5)
        tell(1234)
    assert (*capsys.readouterr(),) == ("", told)

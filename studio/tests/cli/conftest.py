"""The command line in an empty folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.command_line import Folkways, command_line_in


@pytest.fixture
def folkways(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folkways:
    """The command line inside ``tmp_path``."""
    return command_line_in(tmp_path, monkeypatch)


def check_assigning(run: Folkways, study: str, person: str) -> None:
    """Every command about assignments, in a study with the items q1 and q2 and a person who may answer them: the
    same on a workspace and on a server."""
    Path("who.csv").write_text(f"item,person\nq1,{person}\nq2,p-none\n")
    refused = run("studio", "assign", study, "who.csv")
    assert refused.returncode == 2 and "row 2: there is no person 'p-none' in this study" in refused.stderr
    assert "Traceback" not in refused.stderr
    Path("who.csv").write_text(f"item,person\nq1,{person}\n")
    assert run("studio", "assign", study, "who.csv", "--preview").stdout == "1 item would be assigned\n"
    assert run("studio", "assignments", study).stdout == ""
    assert run("studio", "assign", study, "who.csv").stdout == "1 item assigned\n"
    listed = run("studio", "assignments", study).stdout
    assert re.fullmatch(rf"verify q1 \(\d+, open\): {person}  stalled: few\n", listed)
    assert run("studio", "assignments", study, "--person", person).stdout == (
        "verify: 0 answered, 2 left, 1 assigned to them\n"
    )
    Path("who.csv").write_text("item,population\nq1,united-kingdom\n")
    run("studio", "assign", study, "who.csv", "--add")
    (row,) = json.loads(run("studio", "assignments", study, "--stalled", "--json").stdout)
    assert (row["people"], row["populations"], row["stalled"]) == ([person], ["united-kingdom"], "few")
    rule = ("studio", "assign-by-rule", study, "verify", "--each", "1", "--language")
    planned = run(*rule, "--preview")
    assert planned.stdout == f"1 item would be assigned\n  {person}: 1 + 1\n", planned.stderr
    misspelt = run(*rule, "--has", "expertise=law", "--preview")
    assert misspelt.returncode == 2 and "Nobody of this study was asked for expertise." in misspelt.stderr
    nobody = run(*rule, "--has", "language=Welsh", "--again", "--preview").stdout
    assert nobody == "0 items would be assigned\n2 items left as before: nobody fits who may answer it\n"
    done = json.loads(run(*rule, "--among", person, "--json").stdout)
    assert (done["assigned"], done["items"], done["taken_back"]) == (True, 1, 0)
    assert list(done["assignees"].values()) == [[person]]
    for more, why in (
        ((), "no item of verify is open and assigned to nobody; --again takes those that are assigned, too"),
        (("--population", "wales", "--again"), "no item of verify of wales is open"),
        (("--population", "wales", "--stalled"), "no item of verify of wales is stalled"),
    ):
        nothing = run(*rule, *more, "--preview").stdout.splitlines()
        assert (nothing[0], nothing[-1]) == ("0 items would be assigned", why)
    stalled = json.loads(run(*rule, "--stalled", "--preview", "--json").stdout)
    assert stalled["left_out"] == {"nobody fits who may answer it": [int(row["item"]), int(row["item"]) + 1]}
    wrong = run(*rule, "--has", "law")
    assert wrong.returncode == 2 and "give NAME=VALUE" in wrong.stderr
    wrong = run(*rule, "--among", "p-none")
    assert wrong.returncode == 2 and "is called p-none" in wrong.stderr and "Traceback" not in wrong.stderr

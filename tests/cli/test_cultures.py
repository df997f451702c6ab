"""``folkways cultures`` as a person runs it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import CliRunner

from folkways.cli.cultures import command
from folkways.cultures import cultures, cultures_of
from folkways.errors import UnknownNameError
from tests.support.command_line import folkways_process


def listed(*arguments: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(command, [*arguments, "--json"], catch_exceptions=False)
    entries: list[dict[str, Any]] = json.loads(result.output)
    return entries


def test_json_has_every_culture_with_its_languages_and_names() -> None:
    entries = listed()
    assert [entry["code"] for entry in entries] == list(cultures())
    west_java = next(entry for entry in entries if entry["code"] == "ID-JB")
    assert west_java["iso3166_2"] == "ID-JB"
    assert west_java["parent"] == "ID"
    assert west_java["names"] == {"blend": "West_Java"}
    assert west_java["languages"] == [
        {
            "code": "su",
            "name": "Sundanese",
            "endonym": "Basa Sunda",
            "iso639_3": "sun",
            "script": "Latn",
            "direction": "ltr",
            "also": [],
            "resource": 1,
        }
    ]


def test_a_benchmark_narrows_the_list_to_its_cultures_in_its_order() -> None:
    assert [entry["code"] for entry in listed("--benchmark", "blend")] == [
        culture.code for culture in cultures_of("blend")
    ]
    assert [entry["code"] for entry in listed("--benchmark", "culturalbench", "--region", "oceania")] == [
        "AU",
        "NZ",
    ]


def test_the_table_names_each_culture_as_the_benchmark_does() -> None:
    output = CliRunner().invoke(command, ["--benchmark", "blend"], catch_exceptions=False).output
    assert "name in blend" in output
    assert "16 cultures" in output
    row = next(line for line in output.splitlines() if line.startswith("NG-N"))
    assert row.split() == ["NG-N", "Northern", "Nigeria", "Africa", "Hausa", "(ha)", "Northern_Nigeria"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--benchmark", "mmlu"], "unknown benchmark 'mmlu'"),
        (["--region", "Nowhere"], "valid: Africa, East Asia"),
    ],
)
def test_a_wrong_name_is_answered_with_the_valid_ones(arguments: list[str], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        CliRunner().invoke(command, arguments, catch_exceptions=False)


def test_the_installed_command_exits_with_2_and_one_message_on_a_wrong_name() -> None:
    process = folkways_process("cultures", "--region", "Nowhere")
    assert process.returncode == 2
    assert process.stdout == ""
    assert process.stderr.startswith("error: unknown region 'Nowhere'\nvalid: Africa")
    assert "Traceback" not in process.stderr

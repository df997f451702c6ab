from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.endpoints.base import Completion, EndpointFailure
from folkways.endpoints.registry import open_name
from folkways.errors import DataError, FolkwaysError
from tests.support.endpoint_requests import request

COLUMNS = ("task", "item", "language", "variant", "sample", "response")
ROWS = [
    dict(zip(COLUMNS, row, strict=True))
    for row in (
        ("blend/saq", "KR/Al-en-01", "ko", "inst-4", 0, "밥"),
        ("blend/saq", "KR/Al-en-01", "en", "inst-4", 0, 'rice, "steamed"\nyes'),
        ("blend/saq", "KR/Al-en-01", "en", "inst-4", 1, "noodles"),
        ("blend/mcq", "KR/Al-en-01", "en", "inst-4", 0, "B"),
    )
]


def write(file: Path, rows: list[dict[str, Any]]) -> Path:
    if file.suffix in (".jsonl", ".ndjson"):
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif file.suffix == ".parquet":
        pl.DataFrame(rows).write_parquet(file)
    else:
        pl.DataFrame(rows).write_csv(file, separator="\t" if file.suffix == ".tsv" else ",")
    return file


def replay(file: Path, *requests) -> list[Completion]:
    endpoint = open_name(f"replay:{file}")

    async def run() -> list[Completion]:
        await endpoint.open(4)
        try:
            return [await endpoint.complete(asked) for asked in requests]
        finally:
            await endpoint.close()

    return asyncio.run(run())


@pytest.mark.parametrize("ending", ["jsonl", "ndjson", "csv", "tsv", "parquet"])
def test_every_format_matches_by_every_column(tmp_path, ending):
    file = write(tmp_path / f"answers.{ending}", ROWS)
    asked = [
        request("?", **{name: row[name] for name in ("task", "item", "language", "variant", "sample")})
        for row in ROWS
    ]
    assert [found.text for found in replay(file, *asked)] == [row["response"] for row in ROWS]


def test_columns_that_are_absent_do_not_matter(tmp_path):
    file = write(tmp_path / "a.csv", [{"item": "1", "response": "yes"}, {"item": "2", "response": "no"}])
    asked = [
        request("?", task="t", item="2", language=language, variant="v", sample=3)
        for language in ("en", "ko")
    ]
    assert [found.text for found in replay(file, *asked)] == ["no", "no"]


@pytest.mark.parametrize(
    "asked",
    [
        {"task": "blend/saq", "item": "KR/Al-en-02", "language": "en", "variant": "inst-4"},
        {"task": "blend/saq", "item": "KR/Al-en-01", "language": "en", "variant": "pers-3"},
        {"task": "blend/saq", "item": "KR/Al-en-01", "language": "en", "variant": "inst-4", "sample": 2},
    ],
)
def test_a_missing_row_is_a_failure_not_worth_a_retry(tmp_path, asked):
    file = write(tmp_path / "answers.jsonl", ROWS)
    with pytest.raises(EndpointFailure, match=f"no reply for item '{asked['item']}'") as caught:
        replay(file, request("?", **asked))
    assert not caught.value.retryable
    assert not caught.value.fatal


def test_states_of_folkways_own_responses(tmp_path):
    rows = [
        {"item": "1", "response": None, "state": "refused", "reason": "filter"},
        {"item": "2", "response": "kept", "state": "answered", "reason": None},
        {"item": "3", "response": None, "state": "failed", "reason": "500"},
        {"item": "4", "response": None, "state": None, "reason": None},
        {"item": "5", "response": "half of it", "state": "failed", "reason": "cut off"},
        {"item": "6", "response": "", "state": "missing", "reason": None},
        {"item": "7", "response": "I will not", "state": "refused", "reason": None},
    ]
    file = write(tmp_path / "a.parquet", rows)
    refused, kept = replay(file, request(item="1"), request(item="2"))
    assert (refused.refusal, kept.text, kept.refusal) == ("filter", "kept", None)
    (without,) = replay(file, request(item="7"))
    assert (without.refusal, without.text) == ("the file says refused", "I will not")
    for item in ("3", "4", "5", "6"):
        with pytest.raises(EndpointFailure, match="no reply"):
            replay(file, request(item=item))


def test_numbers_are_read_as_people_write_them(tmp_path):
    file = write(
        tmp_path / "a.jsonl",
        [{"item": 12, "response": 3, "sample": 1.0}, {"item": 13, "response": True, "sample": None}],
    )
    assert [found.text for found in replay(file, request(item="12", sample=1), request(item="13"))] == [
        "3",
        "True",
    ]


def test_spreadsheets_write_a_byte_order_mark(tmp_path):
    for ending, text in (("csv", "item,response\n1,밥\n"), ("jsonl", '{"item": "1", "response": "밥"}\n\n')):
        file = tmp_path / f"a.{ending}"
        file.write_text(text, encoding="utf-8-sig")
        assert replay(file, request(item="1"))[0].text == "밥"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"id,answer\n1,x\n", "found: id, answer"),
        ("a.jsonl", b'{"item": "1"}\n', "column response; found: item"),
        ("a.jsonl", b'{"item": "1", "response": "x"}\nnonsense\n', "row 2: "),
        ("a.jsonl", b'[1]\n', "row 1: "),
        ("a.jsonl", b'{"item": null, "response": "x"}\n', "row 1: no item"),
        ("a.jsonl", b"", "no column item"),
        ("a.csv", b"", "empty"),
        ("a.csv", b"item,response\n1,\xff\xfe\n", "a.csv"),
        ("a.parquet", b"not parquet", "parquet"),
        ("a.csv", b"item,response\n1,x\n1,x\n1,y\n", "row 3: another answer to 1 than in row 1; a column task"),
        ("a.csv", b"item,response\n1,x\n1,y\n", "row 2: another answer to 1 than in row 1; a column task, " "language"),
    ],
)  # fmt: skip
def test_wrong_files_say_what_is_wrong_and_where(tmp_path, name, content, message):
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(DataError) as caught:
        replay(file, request(item="1"))
    assert message in str(caught.value)
    assert str(file) in str(caught.value)


def test_an_answer_that_stands_there_twice_is_one_answer(tmp_path):
    file = write(tmp_path / "a.csv", [{"item": "1", "response": "x"}] * 2)
    assert replay(file, request(item="1"))[0].text == "x"


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(FolkwaysError, match="there is no file"):
        open_name(f"replay:{tmp_path / 'none.csv'}")
    with pytest.raises(FolkwaysError, match=r"valid endings: \.jsonl"):
        open_name(f"replay:{tmp_path / 'a.xlsx'}")


def test_identity_is_the_content(tmp_path):
    one = write(tmp_path / "one.csv", [{"item": "1", "response": "x"}])
    same = write(tmp_path / "same.csv", [{"item": "1", "response": "x"}])
    other = write(tmp_path / "other.csv", [{"item": "1", "response": "y"}])
    identity = open_name(f"replay:{one}").identity
    assert identity == open_name(f"replay:{same}").identity
    assert identity != open_name(f"replay:{other}").identity
    assert str(tmp_path) not in identity
    assert open_name(f"replay:{one}").item_addressed


def test_a_file_that_changes_before_it_is_opened_again_is_noticed(tmp_path):
    file = write(tmp_path / "a.csv", [{"item": "1", "response": "x"}])
    endpoint = open_name(f"replay:{file}")
    write(file, [{"item": "1", "response": "y"}])

    async def twice():
        await endpoint.open(1)  # answers as the file was when it was named
        await endpoint.close()
        await endpoint.open(1)

    with pytest.raises(DataError, match="changed"):
        asyncio.run(twice())


def test_a_broken_file_is_found_before_anything_is_planned(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"item": "1", "response": "x"}\n{"item": ', encoding="utf-8")
    with pytest.raises(DataError, match=r"a\.jsonl.*row 2"):
        open_name(f"replay:{file}")


@settings(deadline=None, max_examples=50)
@given(
    answers=st.dictionaries(
        st.text(st.characters(codec="utf-8"), min_size=1, max_size=8), st.text(st.characters(codec="utf-8"))
    )
)
def test_what_is_written_is_replayed(tmp_path_factory, answers):
    file = tmp_path_factory.mktemp("replay") / "a.jsonl"
    write(
        file,
        [{"item": item, "response": text} for item, text in answers.items()]
        or [{"item": "x", "response": ""}],
    )
    wanted = {item.replace("\0", "\ufffd"): text.replace("\0", "\ufffd") for item, text in answers.items()}
    if len(wanted) == len(answers):
        found = replay(file, *(request(item=item) for item in wanted))
        assert [one.text for one in found] == list(wanted.values())

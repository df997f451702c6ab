"""What numbers, texts and lists the API takes at their bounds, and what it does where a field is left out: it
is written down here, apart from the code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from folkways_studio.database.opening import open_workspace
from folkways_studio.people import accounts
from folkways_studio.programs import tokens
from folkways_studio.programs.records import Scope
from folkways_studio.records import Role
from folkways_studio.web.api.app import document
from folkways_studio.web.app import create_app
from folkways_studio.web.settings import WebSettings
from studio.tests.support.app_client import AppClient
from studio.tests.support.studies import open_study
from studio.tests.web.conftest import PLENTY

LARGEST_ID = 2_147_483_647
"""The largest number that a column of ids can hold."""

PARAMETERS: dict[str, tuple[int, int, int | None]] = {
    "cursor": (0, LARGEST_ID, 0),
    "limit": (1, 500, 100),
    **dict.fromkeys(
        ("account", "backend", "import", "invite", "item", "job", "judgement", "person", "webhook"),
        (1, LARGEST_ID, None),
    ),
}
"""A number in an address -> its least and its largest value, and what it is where it is left out."""

BODIES = {
    "Body_add_media": {"file": "1000 at most, needed"},
    "FilledRows": {"rows": "1 to 500, needed", "file": "1 to 256"},
    "NewAssignments": {
        "rows": "1 to 20000, needed",
        "add": "False",
        "take_back": "False",
        "preview": "False",
    },
    "NewBackend": {"stage": "1 to 64, needed", "model": "1 to 256, needed", "url": "1 to 2000, needed"},
    "NewBackendJob": {"work": "needed"},
    "NewDecision": {"reason": "1 to 2000, needed", "answer": "{}", "drop": "False"},
    "NewDraw": {
        "stage": "1 to 64, needed",
        "run": "1 to 128, needed",
        "per_culture": "1 to 10000, 120",
        "wrong_only": "True",
        "models": "100 at most",
        "seed": "-2147483648 to 2147483647, 0",
    },
    "NewAdmission": {"let_in": "needed"},
    "NewExclusion": {"reason": "1 to 1000, needed"},
    "NewInvite": {
        "role": "'annotator'",
        "population": "1 to 64",
        "uses": "1 to 100000",
        "days": "above 0 to 365, 30",
        "note": "200 at most, ''",
    },
    "NewItems": {
        "stage": "1 to 64, needed",
        "rows": "1 to 20000, needed",
        "population": "1 to 64",
        "annotations": "",
    },
    "NewMember": {"login": "1 to 256, needed", "role": "needed"},
    "NewRedaction": {"fields": "50 at most, [], each 1 to 64"},
    "NewRuleAssignments": {
        "stage": "1 to 64, needed",
        "population": "1 to 64",
        "language": "False",
        "has": "20 at most, {}, each 1 to 200, name 1 to 64",
        "matches": "20 at most, {}, each 1 to 200, name 1 to 64",
        "each": "1 to 1000",
        "most": "1 to 1000000",
        "among": "1000 at most, [], each 1 to 64",
        "active_days": "1 to 3650",
        "again": "False",
        "stalled": "False",
        "take_back": "False",
        "preview": "False",
        "digest": "64 at most",
    },
    "NewState": {"state": "needed"},
    "NewStudy": {"definition": "200000 at most, needed"},
    "NewSuggesting": {"stage": "1 to 64, needed"},
    "NewSuggestions": {"stage": "1 to 64, needed", "suggestions": "1 to 2000, needed"},
    "NewWaiver": {"reason": "1 to 2000, needed"},
    "NewWebhook": {"url": "1 to 2000, needed", "events": "50 at most, [], each 1 to 64"},
    "NewWorkbook": {"stage": "1 to 64, needed", "count": "1 to 500, 50", "hours": "0.1 to 2160, 72"},
}
"""A body -> its fields: how small and how large (long, many) each may be, and what it is where it is left out."""

SUGGESTION = {
    "item": "1 to 2147483647 or 128 at most, needed",
    "model": "1 to 256, needed",
    "version": "128 at most, ''",
    "score": "0 to 1",
    "answer": "needed",
}
"""The fields of one suggestion."""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppClient]:
    """A program of an owner of the study ``bounds``."""
    workspace = open_workspace(tmp_path_factory.mktemp("bounds") / "studio.db")
    owner = accounts.create_account(workspace, "owner", None).id
    study = open_study(workspace, [{"name": "verify", "kind": "vote"}], name="bounds")
    accounts.give_role(workspace, study.record.id, owner, Role.OWNER)
    _, token = tokens.create_token(workspace, owner, study_id=None, scope=Scope.WRITE)
    headers = {"Authorization": f"Bearer {token}"}
    with AppClient(create_app(workspace, WebSettings(rates=PLENTY)), headers=headers) as running:
        yield running
    workspace.close()


def numbers_in_addresses() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Method, path, name and schema of each number in a path or a query."""
    for path, operations in document()["paths"].items():
        for method, operation in operations.items():
            for each in operation.get("parameters", ()):
                if each["schema"].get("type") == "integer":
                    yield method, path, each["name"], each["schema"]


def test_every_number_in_an_address_has_the_bounds_of_its_name() -> None:
    names = set()
    for method, path, name, schema in numbers_in_addresses():
        bounds = (schema["minimum"], schema["maximum"], schema.get("default"))
        assert bounds == PARAMETERS[name], f"{method} {path} {name}"
        names.add(name)
    assert names == PARAMETERS.keys()


def test_a_number_in_an_address_is_refused_from_just_beyond_its_bounds(client: AppClient) -> None:
    operations = {name: (method, path) for method, path, name, _ in numbers_in_addresses()}
    for name, (method, path) in operations.items():
        least, most, _ = PARAMETERS[name]
        values = dict.fromkeys(PARAMETERS, "1") | {"study": "bounds", "stage": "verify", "role": "reviewer"}
        for number in (least - 1, least, most, most + 1):
            address = f"/api/v1{path.format(**values | {name: str(number)})}"
            query = {} if f"{{{name}}}" in path else {name: number}
            reply = client.request(method, address, params=query)
            problems = reply.json()["problems"] if reply.status_code == 422 else ()
            refused = {each["where"].rpartition(".")[2] for each in problems}
            assert (name in refused) == (not least <= number <= most), f"{method} {address} {query}"


def limits(schema: dict[str, Any]) -> str:
    """The bounds of a field in words."""
    if "anyOf" in schema:
        return " or ".join(filter(None, map(limits, schema["anyOf"])))
    low = next((schema[key] for key in ("minimum", "minLength", "minItems") if key in schema), None)
    high = next(
        (schema[key] for key in ("maximum", "maxLength", "maxItems", "maxProperties") if key in schema), None
    )
    if "exclusiveMinimum" in schema:
        return f"above {schema['exclusiveMinimum']:.12g} to {high:.12g}"
    return "" if high is None else f"{high:.12g} at most" if low is None else f"{low:.12g} to {high:.12g}"


def fields_of(body: dict[str, Any]) -> dict[str, str]:
    """The fields of a body as ``BODIES`` has them."""
    fields = {}
    for name, schema in body["properties"].items():
        default = repr(schema["default"]) if "default" in schema else ""
        each = limits(schema.get("items", schema.get("additionalProperties", {})))
        key = limits(schema.get("propertyNames", {}))
        words = (
            limits(schema),
            "needed" if name in body.get("required", ()) else default,
            each and f"each {each}",
            key and f"name {key}",
        )
        fields[name] = ", ".join(filter(None, words))
    return fields


def test_every_body_has_its_bounds_and_what_is_left_out_has_its_default() -> None:
    described = document()
    schemas = described["components"]["schemas"]
    names = {
        content["schema"]["$ref"].rpartition("/")[2]
        for operations in described["paths"].values()
        for operation in operations.values()
        for content in operation.get("requestBody", {}).get("content", {}).values()
    }
    assert {name: fields_of(schemas[name]) for name in names} == BODIES
    taken = {name for name in names if schemas[name].get("additionalProperties") is not False}
    assert taken == {"Body_add_media"}, "a field that is misspelt is refused, not passed over"
    assert fields_of(schemas["NewSuggestion"]) == SUGGESTION


def test_every_operation_stands_in_a_chapter_of_the_reference() -> None:
    operations = [
        each for path in document()["paths"].values() for each in path.values() if "responses" in each
    ]
    assert operations and all(each.get("tags") for each in operations)

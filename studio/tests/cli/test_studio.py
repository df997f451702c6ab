"""``folkways studio`` from a terminal: every command, and what is wrong in words with exit code 2."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import urllib.request
from contextlib import closing
from pathlib import Path

import pytest

from folkways.sdk.cli import Number
from folkways_studio.cli import serve
from folkways_studio.cli import study_data as studio_progress
from folkways_studio.database import schema
from folkways_studio.database.opening import open_workspace
from folkways_studio.items.table_files import read_workbook
from folkways_studio.people import accounts, invites, participants, password_links
from folkways_studio.studies import deletion
from folkways_studio.studies import service as studies
from folkways_studio.workflows.templates import TEMPLATES
from studio.tests.cli.conftest import check_assigning
from studio.tests.support.studies import PASSWORD, stored, trained
from tests.support.command_line import Folkways, command_line_in

QUESTIONS = "id,question,option_a,option_b,option_c,option_d\nq1,What?,a,b,c,d\nq2,Why?,a,b,c,d\n"


@pytest.fixture(scope="module")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a study of the template ``verification``, open, with two questions: to copy."""
    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        folkways = command_line_in(folder, patch)
        patch.setenv("FOLKWAYS_STUDIO_PASSWORD", "a password of the tests")
        made = folkways("studio", "create-study", "verification", "--owner", "me@example.org", "--open")
        assert made.returncode == 0, made.stderr
        (folder / "questions.csv").write_text(QUESTIONS)
        added = folkways(
            "studio", "import", "verification", "verify", "questions.csv", "--population", "united-kingdom"
        )
        assert added.stdout == "added 2 items to verify\n", added.stderr
    return folder


@pytest.fixture
def studio(
    study_folder: Path, folkways: Folkways, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Folkways:
    """The command line in a folder of its own with that study."""
    monkeypatch.setenv("FOLKWAYS_STUDIO_PASSWORD", "a password of the tests")
    shutil.copytree(study_folder, tmp_path, dirs_exist_ok=True)
    return folkways


def somebody() -> str:
    """The pseudonym of a new participant, who is let in by a waiver."""
    workspace = open_workspace("folkways.db")
    study = studies.get_study(workspace, "verification")
    _, token = invites.create_invite(workspace, study.id, population="united-kingdom")
    person = participants.join(workspace, token)
    participants.consent(workspace, person.id, study.consent_version)
    assert study.created_by is not None
    participants.waive_eligibility(workspace, study.id, person.id, "a test", by=study.created_by)
    trained(workspace, study.id, person.id, "verify")
    workspace.close()
    return person.pseudonym


def test_templates_are_listed_and_printed_as_files_that_check(folkways: Folkways, tmp_path: Path) -> None:
    listed = folkways("studio", "template").stdout
    assert [line.split()[0] for line in listed.splitlines()] == list(TEMPLATES)
    for name in TEMPLATES:
        path = tmp_path / f"{name}.yaml"
        path.write_text(folkways("studio", "template", name).stdout)
        assert f"describes the study {name}" in folkways("studio", "check", str(path)).stdout


def test_an_unknown_population_is_said_before_what_is_wrong_with_rows(studio: Folkways) -> None:
    Path("broken.csv").write_text("id,question\nq3,\n")
    done = studio("studio", "import", "verification", "verify", "broken.csv", "--population", "united-kindom")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "error: unknown population of this study: 'united-kindom'; did you mean 'united-kingdom'?\nvalid: "
    )


def test_an_import_says_how_far_it_is(studio: Folkways, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio_progress, "SECONDS_BETWEEN_LINES", 0.0)
    header, *_ = QUESTIONS.splitlines()
    Path("many.csv").write_text("\n".join([header, *(f"m{number},What?,a,b,c,d" for number in range(60))]))
    done = studio("studio", "import", "verification", "verify", "many.csv", "--population", "wales")
    assert done.stdout == "added 60 items to verify\n"
    assert done.stderr.startswith("importing into verify: 25 of 60 items were added\n")


def test_a_file_of_another_project_says_what_is_left_out(studio: Folkways) -> None:
    region = {"from_name": "choices", "to_name": "question", "type": "choices", "value": {"choices": ["a"]}}
    data = {"question": "What?", "options": ["a", "b"]}
    task = {"id": 1, "data": data, "annotations": [{"result": [region]}]}
    Path("tasks.json").write_text(json.dumps([task]))
    command = ("studio", "import", "verification", "verify", "tasks.json", "--population", "wales")
    refused = studio(*command)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("error: tasks.json: has answers of people elsewhere")
    done = studio(*command, "--annotations", "leave")
    assert done.stdout == "added 1 item to verify\nleft out: 1 × answers of people\n"


def test_exports_for_other_projects(studio: Folkways) -> None:
    for name in ("label-studio", "argilla"):
        done = studio("studio", "export", "verification", "--format", name, "--out", name)
        assert f"{name}/study.json" in done.stdout, done.stderr
    tasks = json.loads(Path("label-studio/verify.tasks.json").read_text())
    assert tasks[0]["data"]["options"][0].keys() == {"value"}
    assert Path("argilla/verify/.argilla/settings.json").is_file()
    refused = studio("studio", "export", "verification", "--format", "conll", "--out", "conll")
    assert refused.stderr.startswith("error: study verification has no marked spans")


def test_progress_agreement_and_studies(studio: Folkways) -> None:
    (row,) = json.loads(studio("studio", "progress", "verification", "--json").stdout)
    assert (row["stage"], row["open"], row["slots_open"]) == ("verify", 2, 10)
    assert (
        "verify united-kingdom: 0 items done, 2 open" in studio("studio", "progress", "verification").stdout
    )
    assert json.loads(studio("studio", "agreement", "verification", "--json").stdout) == []
    assert studio("studio", "studies").stdout.startswith("verification  open")


def test_an_invitation_is_a_link_that_works(studio: Folkways) -> None:
    printed = studio(
        "studio",
        "invite",
        "verification",
        "--population",
        "wales",
        "--address",
        "https://studio.example.org/",
    ).stdout
    link = re.fullmatch(r"https://studio\.example\.org/join/(\S+)\n", printed)
    assert link
    workspace = open_workspace("folkways.db")
    assert invites.find_invite(workspace, link[1]).uses_left is None, "anybody may come by it"
    workspace.close()


def test_pictures_lie_beside_the_workspace(studio: Folkways, tmp_path: Path) -> None:
    Path("a.gif").write_bytes(b"GIF89a and more")
    assert studio("studio", "media", "verification", "a.gif").stdout == "added 1 file to verification\n"
    assert studio("studio", "media", "verification", "a.gif").stdout == "added 0 files to verification\n"
    assert [path.read_bytes() for path in (tmp_path / "folkways.db-media").glob("*/*")] == [
        b"GIF89a and more"
    ]
    assert studio("studio", "media", "verification").stdout == "a.gif  image/gif  15 bytes\n"
    assert (
        studio("studio", "media", "verification", "--delete", "a.gif").stdout
        == "deleted a.gif from verification\n"
    )
    assert list((tmp_path / "folkways.db-media").glob("*/*")) == []
    assert "there is no such file" in studio("studio", "media", "verification", "--delete", "a.gif").stderr


def test_states_and_accounts(studio: Folkways) -> None:
    assert studio("studio", "set", "verification", "pause").stdout == "verification is paused\n"
    done = studio("studio", "account", "r@example.org", "--study", "verification", "--role", "expert")
    assert done.stdout == "r@example.org is expert of verification\n"


def test_work_goes_out_as_a_workbook_and_comes_back(studio: Folkways, tmp_path: Path) -> None:
    from openpyxl import load_workbook

    person = somebody()
    studio("studio", "hand-out", "verification", "verify", person, "--out", "work.xlsx")
    book = load_workbook(tmp_path / "work.xlsx")
    titles = [cell.value for cell in book.worksheets[0][1]]
    for row in (2, 3):
        book.worksheets[0].cell(row, titles.index("choices") + 1).value = "B"
    book.save(tmp_path / "work.xlsx")
    assert len(read_workbook((tmp_path / "work.xlsx").read_bytes())) == 2
    done = studio("studio", "take-in", "verification", person, "work.xlsx")
    assert done.stdout == "2 answers stored, 0 were there already, 0 rows are empty\n", done.stderr
    out = studio("studio", "export", "verification", "--out", "votes")
    assert "wrote votes/votes.csv" in out.stdout
    assert (tmp_path / "votes" / "votes.csv").read_text().count(person) == 2


def test_items_are_assigned(studio: Folkways) -> None:
    check_assigning(studio, "verification", somebody())


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet", "xlsx", "hub"])
def test_tables_of_everything(studio: Folkways, tmp_path: Path, kind: str) -> None:
    done = studio("studio", "export", "verification", "--out", "out", "--format", kind)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "study.json").is_file()
    names = {str(path.relative_to(tmp_path / "out")) for path in (tmp_path / "out").rglob("*")}
    tables = {
        "xlsx": {"verification.xlsx"},
        "hub": {f"{name}/test-00000-of-00001.parquet" for name in ("items", "judgements")},
    }
    assert tables.get(kind, {f"{name}.{kind}" for name in ("items", "judgements")}) <= names, names


WRONG = {
    "check nowhere.yaml": r"nowhere\.yaml: cannot be read",
    "create-study nowhere --owner a@b": r"unknown template 'nowhere'\nvalid: .*judging",
    "create-study verification --owner me@example.org": r"there is a study verification already",
    "create-study verification --owner me@example.org --name Bad": r"name: has to be small letters",
    "progress nope": r"unknown study 'nope'\nvalid: verification",
    "import verification nope questions.csv": r"there is no stage 'nope'; valid: verify",
    "import verification verify questions.csv": r"there is an item 'q1' already",
    "import verification verify nowhere.csv": r"there is no file nowhere\.csv",
    "invite verification": r"name the population that people come from; the study has: united-kingdom, wales",
    "export verification --out votes": r"nothing yet that a release is made of",
    "export verification --out questions.csv": r"cannot be a folder",
    "media verification nowhere.png": r"nothing was taken over:\n  nowhere\.png: cannot be read",
    "media verification questions.csv": r"questions\.csv: is neither a picture nor a recording .*valid: PNG",
    "draw verification verify nothing": r"run 'nothing'",
    "take-in verification p-nobody questions.csv": r"unknown participant 'p-nobody'",
    "hand-out verification verify p-nobody --out x.xlsx": r"unknown participant 'p-nobody'",
    "invite verification --population wales --days 1e9": r"must be a number, 0\.01 to 365; got '1e9'",
    "invite verification --population wales --uses 100001": r"must be a whole number, 1 to 100,?000",
    "--origin http://studio.example.org": r"in the clear",
}


@pytest.mark.parametrize("line", list(WRONG))
def test_what_is_wrong_is_said(studio: Folkways, line: str) -> None:
    done = studio("studio", *line.split())
    assert done.returncode == 2
    assert re.search(WRONG[line], done.stderr), done.stderr
    assert "Traceback" not in done.stderr


def test_every_time_that_a_command_takes_has_a_bound() -> None:
    """Beyond the year 9999, a date can be stored but not shown: a study's pages would fail until it is gone."""
    times = {
        f"{name} {option.opts[0]}": option.type
        for name, command in serve.command.commands.items()
        for option in command.params
        if isinstance(option.type, Number) and option.opts[0] in ("--days", "--hours")
    }
    assert len(times) >= 4
    assert [name for name, kind in times.items() if kind.max is None or kind.max > 24 * 366] == []


MODELS = {
    "nowhere.toml": (None, r"there is no file nowhere\.toml, which should be a list of models"),
    "broken.toml": ("[lab", r"broken\.toml: is not valid TOML"),
    "bare.toml": ('lab = "http://127.0.0.1:1/v1#m"', r"the model 'lab' needs a table \[lab\] with model"),
    "secret.toml": (
        '[lab]\nmodel = "openai/m"\napi_key = "s3cret"',
        r"key = \"NAME_OF_THE_ENVIRONMENT_VARIABLE\"",
    ),
}


PROVIDER = 'issuer = "https://login.example.org"\nclient_id = "studio"\nname = "Example University"\n'
PROVIDERS = {
    "nowhere.toml": (
        None,
        r"there is no file nowhere\.toml, which should be a description of an OpenID Connect provider",
    ),
    "bare.toml": ('name = "Example University"', r"bare\.toml: issuer and client_id must be given"),
    "pasted.toml": (
        PROVIDER + 'client_secret = "s3cret"',
        r"'client_secret' is unknown; valid: issuer, .*secret",
    ),
    "clear.toml": (
        PROVIDER.replace("https", "http"),
        r"the issuer 'http://login\.example\.org' cannot be used",
    ),
    "words.toml": (PROVIDER + 'passwords = "no"', r"passwords has to be true or false"),
    "letters.toml": (PROVIDER + 'domains = ["example.org", "stra\xdfe.example"]', r"as DNS has it"),
    "mail.toml": (PROVIDER + 'domains = ["@example.org"]', r"domains has to be a list of texts without"),
    "lists.toml": (PROVIDER + 'claims = {groups = ["a"]}', r"claims has to be a table of texts"),
    "unset.toml": (PROVIDER + 'secret = "NO_SUCH_SECRET"', r"set the environment variable NO_SUCH_SECRET"),
}


@pytest.mark.parametrize(
    ("option", "name", "text", "words"),
    [
        pytest.param(option, name, *found, id=f"{option} {name}")
        for option, files in (("--models", MODELS), ("--sso", PROVIDERS))
        for name, found in files.items()
    ],
)
def test_a_file_that_cannot_be_used_is_said_before_the_server_starts(
    folkways: Folkways,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    name: str,
    text: str | None,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / name).write_text(text)
    done = folkways("studio", option, name)
    assert done.returncode == 2
    assert re.search(words, done.stderr), done.stderr
    assert "s3cret" not in done.stderr


def test_a_description_is_printed_changed_and_refused_with_the_name_of_its_file(
    studio: Folkways, tmp_path: Path
) -> None:
    text = studio("studio", "edit", "verification").stdout
    mine = tmp_path / "mine.yaml"
    mine.write_text(text)
    same = studio("studio", "edit", "verification", "mine.yaml").stdout
    assert same == "nothing of verification has changed but the text\n"
    title = re.search(r"^title: (.*)$", text, re.MULTILINE)
    assert title
    mine.write_text(text.replace(title[0], "title: Another title"))
    changes = studio("studio", "edit", "verification", "mine.yaml").stdout
    assert changes.count("\n") == 1 and "title" in changes
    assert "title: Another title" in studio("studio", "edit", "verification").stdout
    for wrong, problem in (
        ("title: [", "mine.yaml"),
        ("nonsense: 1\n" + text, "nonsense"),
        (text.replace("- name: united-kingdom", "- name: elsewhere"), "united-kingdom"),
    ):
        assert wrong != text
        mine.write_text(wrong)
        refused = studio("studio", "edit", "verification", "mine.yaml")
        assert refused.returncode != 0 and refused.stdout == ""
        assert "mine.yaml" in refused.stderr and problem in refused.stderr
    assert "title: Another title" in studio("studio", "edit", "verification").stdout


def test_a_new_password_is_chosen_by_a_link_that_works_for_a_day(studio: Folkways) -> None:
    studio("studio", "account", "r@example.org", "--study", "verification", "--role", "expert")
    for options, hours in (((), 24.0), (("--hours", "2", "--address", "https://studio.example.org/"), 2.0)):
        printed = studio("studio", "reset-password", "r@example.org", *options).stdout
        address = "https://studio.example.org" if options else "http://127.0.0.1:8765"
        link = re.fullmatch(rf"{re.escape(address)}/password/(\S+)\n", printed)
        assert link
        workspace = open_workspace("folkways.db")
        (row,) = stored(workspace, schema.password_links)
        assert password_links.account_of_link(workspace, link[1]).login == "r@example.org"
        assert row["expires"] - row["created"] == pytest.approx(hours * 3600, abs=5)
        workspace.close()
    refused = studio("studio", "reset-password", "nobody@example.org")
    assert refused.returncode != 0
    assert "folkways studio account nobody@example.org" in refused.stderr


def test_an_account_is_disabled_and_let_in_again(studio: Folkways) -> None:
    studio("studio", "account", "r@example.org")

    def signs_in() -> bool:
        with closing(open_workspace("folkways.db")) as workspace:
            return accounts.verify_password(workspace, "r@example.org", PASSWORD) is not None

    assert studio("studio", "disable-account", "R@example.org").stdout == "r@example.org is disabled\n"
    assert not signs_in()
    assert "this account is disabled" in studio("studio", "reset-password", "r@example.org").stderr
    undone = studio("studio", "disable-account", "r@example.org", "--undo")
    assert undone.stdout == "r@example.org can sign in again\n" and signs_in()
    unknown = studio("studio", "disable-account", "nobody@example.org")
    assert unknown.returncode != 0 and "there is no account 'nobody@example.org'" in unknown.stderr


def test_the_log_of_the_server_and_of_a_study_says_who_did_what(studio: Folkways) -> None:
    for line in ("account r@example.org", "disable-account r@example.org", "disable-account r@example.org"):
        studio("studio", *line.split())
    studio("studio", "token", "me@example.org", "--scope", "write")
    logged = studio("studio", "log").stdout.splitlines()
    assert [re.sub(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  ", "", line) for line in logged] == [
        "-  token.created  token:1  account: 1, scope: write",
        "-  account.disabled  r@example.org",
        "-  account.created  r@example.org",
        "-  account.created  me@example.org",
    ]
    studio("studio", "account", "r@example.org", "--study", "verification", "--role", "expert")
    of_study = studio("studio", "log", "verification", "--limit", "3").stdout
    assert "-  role.given  r@example.org  role: expert" in of_study and len(of_study.splitlines()) == 3
    assert "me@example.org  study.created" in studio("studio", "log", "verification").stdout
    with closing(open_workspace("folkways.db")) as workspace:
        study = studies.get_study(workspace, "verification")
        deletion.delete_study(workspace, study.id, "verification", by=study.created_by)
    assert "me@example.org  study.deleted" in studio("studio", "log").stdout.splitlines()[0]
    assert "unknown study 'verification'" in studio("studio", "log", "verification").stderr


@pytest.mark.parametrize(
    "command", ["studies", "log", "tokens", "backup b.zip", "account x --study s", "set s open"]
)
def test_a_command_without_a_workspace_says_how_to_make_one_and_makes_none(
    folkways: Folkways, tmp_path: Path, command: str
) -> None:
    done = folkways("studio", *command.split())
    assert done.returncode == 2 and list(tmp_path.iterdir()) == []
    assert "make one with 'folkways studio create-study TEMPLATE --owner LOGIN'" in done.stderr


def test_an_unknown_study_makes_no_account(studio: Folkways) -> None:
    refused = studio("studio", "account", "new@example.org", "--study", "nowhere")
    assert "unknown study 'nowhere'" in refused.stderr
    with closing(open_workspace("folkways.db")) as workspace:
        assert accounts.find_account(workspace, "new@example.org") is None


def test_a_study_whose_models_are_not_listed_is_made_with_a_note(studio: Folkways, tmp_path: Path) -> None:
    text = studio("studio", "template", "red-teaming").stdout.replace(
        "models:\n", "models:\n  helper: small\n  verifier: lab\n"
    )
    (tmp_path / "mine.yaml").write_text(text)
    (tmp_path / "models.toml").write_text('[lab]\nmodel = "http://127.0.0.1:1/v1#m"\nkey = "NO_SUCH_KEY"\n')
    done = studio(
        "studio", "create-study", "mine.yaml", "--owner", "me@example.org", "--models", "models.toml"
    )
    assert done.returncode == 0, done.stderr
    assert (
        "the study asks the model small: start the server with a list that has it (--models FILE)"
        in done.stderr
    )
    assert (
        "the model lab cannot be asked" in done.stderr
        and "set the environment variable NO_SUCH_KEY" in done.stderr
    )
    (tmp_path / "mine.yaml").write_text(text.replace("verifier: lab", "verifier: http://127.0.0.1:9901/v1#x"))
    done = studio("studio", "check", "mine.yaml")
    assert done.returncode == 2
    assert (
        "models.verifier: has to be the name of a model of the server's list (folkways studio --models FILE)"
        in done.stderr
    )


def test_the_server_starts_says_where_it_is_and_stops(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "folkways.cli.main",
        "studio",
        "--port",
        "0",
        "-w",
        str(tmp_path / "w.db"),
    ]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = re.match(r"The studio is at (http://127\.0\.0\.1:\d+)", server.stdout.readline())
        assert address
        with urllib.request.urlopen(f"{address[1]}/healthz", timeout=30) as answer:
            assert answer.status == 200
    finally:
        server.terminate()
        assert server.wait(timeout=30) in (0, 143)


def test_a_port_that_is_taken_is_told(folkways: Folkways, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = folkways("studio", "--port", str(taken.getsockname()[1]), "-w", str(tmp_path / "w.db"))
    assert done.returncode == 2
    assert "choose another with --port" in done.stderr

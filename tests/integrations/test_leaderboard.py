"""A leaderboard of real runs: from a run, its archive and its records; what may be added to it; and its pages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from folkways.benchmarks.registry import get_task
from folkways.errors import DataError
from folkways.integrations.every_eval_ever.scores import read_contribution
from folkways.releases.stored_releases import locate
from tests.support.chat_server import ChatServer
from tests.support.command_line import folkways

ATOM = "{http://www.w3.org/2005/Atom}"


@dataclass(frozen=True)
class Sites:
    """A run of two models on two tasks, and the sites of it and of what it was written as."""

    folder: Path
    sites: dict[str, Path]

    @property
    def workspace(self) -> Path:
        return self.folder / "w.db"

    @property
    def records(self) -> list[Path]:
        return sorted((self.folder / "records").rglob("*.json"))


def right_replies() -> Iterator[dict[str, str]]:
    """The right reply to every item of two tasks of the demo."""
    for name in ("demo/saq", "demo/mcq"):
        task = get_task(name)
        for item in task.items(locate("demo")).iter_rows(named=True):
            option = task.options_of(item).right
            reply = next(iter(task.accepted_answers(item)))[0] if option is None else "ABCD"[option]
            yield {"task": name, "item": item["item"], "response": reply}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Sites:
    folder = tmp_path_factory.mktemp("leaderboard")
    where = ("-w", folder / "w.db")
    right = folder / "right.jsonl"
    right.write_text("".join(json.dumps(row) + "\n" for row in right_replies()))
    with ChatServer(mode="fixed:Who knows?") as server:
        models = ("-m", f"replay:{right}", "-m", f"{server.url}/v1#org/wrong", "-m", "baseline/first")
        done = folkways("run", "demo/saq", "demo/mcq", *models, *where, "--name", "asked")
        assert done.returncode == 0, done.stderr
    sites = {name: folder / f"site-{name}" for name in ("run", "records", "archive")}
    sources = {"run": "asked", "records": folder / "records", "archive": folder / "moved"}
    commands = (
        ("site", "asked", *where, "--out", sites["run"], "--url", "https://lab.example.org/board"),
        ("export", "every-eval-ever", "asked", *where, "--out", folder / "records"),
        ("site", "build", sources["records"], "--out", sites["records"]),
        ("runs", "archive", "asked", *where, "--out", sources["archive"]),
        ("site", "build", sources["archive"], "--out", sites["archive"]),
    )
    for command in commands:
        done = folkways(*command)
        assert done.returncode == 0, (command, done.stderr)
    return Sites(folder, sites)


def entries(site: Path) -> list[dict[str, Any]]:
    document = json.loads((site / "site.json").read_bytes())
    return sorted(document["entries"], key=lambda entry: (entry["task"], entry["model"]))


def test_a_run_its_archive_and_its_records_make_the_same_leaderboard(made: Sites) -> None:
    """Scores, intervals, counts, signatures, and the ranks on the pages."""
    of_run, of_records, of_archive = (entries(made.sites[name]) for name in ("run", "records", "archive"))
    assert [(entry["task"], entry["model"]) for entry in of_run] == [
        (task, model) for task in ("demo/mcq", "demo/saq") for model in ("org/wrong", "unknown/right")
    ]
    assert of_archive == of_run
    for one, other in zip(of_run, of_records, strict=True):
        numbers = ("score", "low", "high")
        assert [other.pop(name) for name in numbers] == pytest.approx([one.pop(name) for name in numbers])
        assert other.pop("source") != one.pop("source")
        assert other == one
    pages = [(site / "tasks/demo-mcq.html").read_text() for site in made.sites.values()]
    rows = [re.findall(r'<td class="num rank">(.*?)</td>', page) for page in pages]
    assert rows[0] == rows[1] == rows[2] == ["1", "2"]
    first = re.search(r'<tr class="model">.*?</tr>', pages[0], re.DOTALL)[0]
    assert ">right<" in first and "100.0" in first


class Links(HTMLParser):
    """The addresses and ids of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value for name, value in attrs if name in ("href", "src") and value]
        self.ids += [value for name, value in attrs if name == "id" and value]


def test_every_link_leads_to_a_page_of_the_site_or_where_additions_are_proposed(made: Sites) -> None:
    site = made.sites["run"]
    pages = {path: Links() for path in site.rglob("*.html")}
    for path, links in pages.items():
        links.feed(path.read_text())
        assert len(set(links.ids)) == len(links.ids)
    assert {path.relative_to(site).parts[0] for path in pages} == {
        "index.html",
        "tasks",
        "models",
        "cultures",
    }
    script = (site / "script.js").read_text()
    drawn = json.loads(re.search(r"const NAMES = (.*);\n", script)[1])
    addresses = [path for rows in drawn.values() for path, *_ in rows]
    assert addresses and all((site / path).is_file() for path in addresses)
    for path, links in pages.items():
        for address in links.addresses:
            file, _, anchor = address.partition("#")
            target = (path.parent / file).resolve() if file else path
            assert target.is_file(), (path, address)
            assert not anchor or anchor in pages[target].ids, (path, address)


def test_feeds_say_what_was_added_with_rank_and_interval(made: Sites) -> None:
    site = made.sites["run"]
    feed = ElementTree.parse(site / "feed.xml").getroot()
    assert feed.tag == f"{ATOM}feed"
    for name in ("id", "title", "updated"):  # RFC 4287, 4.1.1
        assert feed.findtext(f"{ATOM}{name}")
    assert feed.findtext(f"{ATOM}author/{ATOM}name") == feed.findtext(f"{ATOM}title")  # 4.1.1: one at least
    items = feed.findall(f"{ATOM}entry")
    assert {item.findtext(f"{ATOM}title") for item in items} == {"right: 2 tasks", "wrong: 2 tasks"}
    document = json.loads((site / "feed.json").read_bytes())
    assert document["version"] == "https://jsonfeed.org/version/1.1"
    assert len({item["id"] for item in document["items"]}) == 2
    for item, entry in zip(document["items"], items, strict=True):
        assert item["id"] == entry.findtext(f"{ATOM}id")
        assert item["content_text"] == entry.findtext(f"{ATOM}content")
        assert re.search(r"\d \(\d+\.\d to \d+\.\d\), rank [12] of 2 models", item["content_text"])
        assert item["url"].startswith("https://lab.example.org/board/models/")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", item["date_published"])


def test_the_address_of_a_server_is_nowhere(made: Sites) -> None:
    for path in made.sites["run"].rglob("*.*"):
        assert "127.0.0.1" not in path.read_text() and str(made.folder) not in path.read_text()


def test_a_site_made_again_is_the_same_and_old_pages_go(made: Sites, tmp_path: Path) -> None:
    for _ in range(2):
        assert folkways("site", made.folder / "records", "--out", tmp_path / "s").returncode == 0
        files = {path.relative_to(tmp_path): path.read_bytes() for path in (tmp_path / "s").rglob("*.*")}
    assert files == {
        Path("s") / path.relative_to(made.sites["records"]): path.read_bytes()
        for path in made.sites["records"].rglob("*.*")
    }
    (tmp_path / "s/models/mine.txt").write_text("mine")
    one = next(path for path in made.records if "right" in str(path))
    assert folkways("site", one, "--out", tmp_path / "s").returncode == 0
    assert {path.name for path in (tmp_path / "s/models").iterdir()} == {"right.html", "mine.txt"}


def checked(*arguments: object) -> tuple[int, str]:
    done = folkways("site", "check", *arguments)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_a_record_may_enter_once(made: Sites) -> None:
    """The first of a leaderboard, then another model of the same run; what is there already may not."""
    right, wrong = (next(path for path in made.records if name in str(path)) for name in ("right", "wrong"))
    assert checked(right)[0] == 0
    code, out = checked(wrong, "--against", right, "--strict")
    assert code == 0, out
    assert out.splitlines()[0].startswith("demo/org/wrong/") and out.splitlines()[0].endswith(": may enter")
    nine = "signature, release, setting, version, items, coverage, failed requests, judgements, duplicates"
    assert out.splitlines()[1:] == [f"  ok      org/wrong on demo/{task}: {nine}" for task in ("saq", "mcq")]
    code, out = checked(made.folder / "records", "--against", made.sites["run"], "--github")
    assert code == 1 and out.count(": may not enter") == 2
    assert out.count("FAILED  duplicates") == 4 and out.count("FAILED") == 4
    assert (
        "::error title=folkways site check%3A duplicates::unknown/right on demo/mcq: asked has this model"
        in out
    )


def change(folder: Path, record: Path, edit: Callable[[dict[str, Any], list[dict[str, Any]]], None]) -> Path:
    """A copy of a record and its instances after ``edit``, in another folder."""
    document = json.loads(record.read_bytes())
    samples = record.with_name(f"{record.stem}_samples.jsonl")
    rows = [json.loads(line) for line in samples.read_bytes().splitlines()]
    edit(document, rows)
    folder.mkdir()
    (folder / samples.name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / record.name).write_text(json.dumps(document))
    return folder / record.name


def raise_score(document: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    for result in document["evaluation_results"]:
        if result["evaluation_result_id"].endswith("all=all"):
            result["score_details"]["score"] = 0.5
            result["score_details"]["uncertainty"]["confidence_interval"] |= {"lower": 0.4, "upper": 0.6}
    document["detailed_evaluation_results"].pop("checksum")


def drop_rows(document: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    del rows[:3]
    document["detailed_evaluation_results"].pop("checksum")


def change_reply(document: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    rows[0]["output"]["raw"] = ["something else"]


def lose_instances(document: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    document["detailed_evaluation_results"]["file_path"] = "data/gone_samples.jsonl"


FAULTS = {
    raise_score: "the single judgements have the mean 0, and the score is 0.5",
    drop_rows: "single judgements came, and the score is of",
    change_reply: "another checksum than the record says",
    lose_instances: "gone_samples.jsonl, which has the single judgements, does not lie",
}


@pytest.mark.parametrize("edit", FAULTS, ids=lambda edit: edit.__name__)
def test_a_record_that_was_changed_may_not_enter(made: Sites, tmp_path: Path, edit: Any) -> None:
    record = change(tmp_path / "r", next(path for path in made.records if "wrong" in str(path)), edit)
    code, out = checked(record)
    assert code == 1 and ": may not enter" in out
    assert {line.split()[1] for line in out.splitlines() if "FAILED" in line} == {"judgements"}
    assert FAULTS[edit] in out
    done = folkways("site", made.folder / "records", record, "--out", tmp_path / "s")
    task = re.search(f"^org/wrong on demo/(...): no rank, .*{FAULTS[edit]}", done.stderr, re.MULTILINE)[1]
    page = (tmp_path / f"s/tasks/demo-{task}.html").read_text()
    assert "No model has a rank" in page
    assert page.count('<tr class="model">') == 2, "the record and its copy are one row"


def lose_reply(document: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """The first reply of each task never came: the score counts it, and comparisons leave it out."""
    for result in document["evaluation_results"]:
        if result["evaluation_result_id"].endswith("all=all"):
            of_result = [row for row in rows if row["evaluation_result_id"] == result["evaluation_result_id"]]
            first = next(row for row in of_result if row["evaluation"]["score"] == 1)
            first["evaluation"] = {"score": 0.0, "is_correct": False}
            first["output"]["raw"], first["metadata"]["state"] = [], "missing"
            scored, n = result["score_details"], len(of_result)
            scored["score"] = sum(row["evaluation"]["score"] for row in of_result) / n
            scored["details"] |= {"missing": "1", "answered": str(n - 1), "coverage": str((n - 1) / n)}
    document["detailed_evaluation_results"].pop("checksum")


def test_a_reply_that_never_came_counts_in_the_score_and_in_no_comparison(
    made: Sites, tmp_path: Path
) -> None:
    record = change(tmp_path / "r", next(path for path in made.records if "right" in str(path)), lose_reply)
    one = read_contribution(record)
    assert one.faults == {}
    assert [(entry.lost, entry.judged) for entry in one.entries()] == [
        (1, entry.n) for entry in one.entries()
    ]
    states = one.judgements.group_by("task", "state").len().sort("task", "state")
    assert states["len"].to_list() == [17, 1, 67, 1]
    lost = one.judgements.filter(state="missing")
    assert len(lost) == 2 and not lost["correct"].is_nan().any()


def test_a_record_of_which_no_reply_came_has_no_judgement(made: Sites, tmp_path: Path) -> None:
    def lose_all(document: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["output"]["raw"], row["metadata"]["state"] = [], "missing"
            row["evaluation"] = {"score": 0.0, "is_correct": False}
        for result in document["evaluation_results"]:
            scored = result["score_details"]
            scored["score"] = 0.0
            scored["uncertainty"]["confidence_interval"] |= {"lower": 0.0, "upper": 0.1}
            n = scored["uncertainty"]["num_samples"]
            scored["details"] |= {"missing": str(n), "answered": "0", "coverage": "0.0"}
        document["detailed_evaluation_results"].pop("checksum")

    one = read_contribution(
        change(tmp_path / "r", next(path for path in made.records if "wrong" in str(path)), lose_all)
    )
    assert len(one.faults) == 2 and all("has no judgement of demo/" in fault for fault in one.faults.values())


def test_an_interval_of_another_level_is_left_out(made: Sites, tmp_path: Path) -> None:
    def other_level(document: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        for result in document["evaluation_results"]:
            result["score_details"]["uncertainty"]["confidence_interval"]["confidence_level"] = 0.9
        document["detailed_evaluation_results"].pop("checksum")

    record = change(tmp_path / "r", made.records[0], other_level)
    assert {(entry.low, entry.high) for entry in read_contribution(record).entries()} == {(None, None)}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"score": 1.5}, "the score 150 does not lie between 0 and 100, as Accuracy does"),
        ({"score": -0.001}, "the score -0.1 does not lie"),
        ({"lower": -0.03}, "the lower end -3 does not lie"),
        ({"upper": 1.001}, "the upper end 100.1 does not lie"),
        ({"score": 1.0, "lower": 0.0, "upper": 1.0}, ""),
    ],
)
def test_a_score_beyond_the_ends_of_its_metric_is_of_no_record_of_ours(
    made: Sites, tmp_path: Path, changed: dict[str, float], words: str
) -> None:
    def edit(document: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        for result in document["evaluation_results"]:
            details = result["score_details"]
            ends = details["uncertainty"]["confidence_interval"]
            assert details["score"] <= result["metric_config"]["max_score"] == 1.0
            details["score"] = changed.get("score", details["score"])
            ends |= {name: changed.get(name, ends[name]) for name in ("lower", "upper")}

    record = change(tmp_path / "r", made.records[0], edit)
    if not words:
        assert {entry.score for entry in read_contribution(record).entries()} == {100.0}
        return
    with pytest.raises(DataError, match=re.escape(words)):
        read_contribution(record)
    done = folkways("site", "check", record, "--against", made.records[1])
    assert (done.returncode, words in done.stderr) == (2, True)


def test_nothing_outside_the_folder_is_deleted(made: Sites, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    for path in ("mine.txt", "s/old.html"):
        (tmp_path / path).write_text("mine")
    files = ["../mine.txt", str(tmp_path / "mine.txt"), "old.html"]
    (tmp_path / "s/site.json").write_text(json.dumps({"format": 1, "files": files}))
    assert folkways("site", made.records[0], "--out", tmp_path / "s").returncode == 0
    assert (tmp_path / "mine.txt").exists() and not (tmp_path / "s/old.html").exists()


def test_scores_of_another_setting_are_kept_apart_and_may_not_enter(made: Sites, tmp_path: Path) -> None:
    """On the site with the reason, without a rank among the others, and its cultures in no column."""

    def in_korean(document: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        document["model_info"]["id"] = "org/other"
        for result in document["evaluation_results"]:
            details = result["score_details"]["details"]
            details["signature"] = details["signature"].replace("|profile:", "|cultures:KR|profile:")

    record = change(tmp_path / "r", next(path for path in made.records if "right" in str(path)), in_korean)
    code, out = checked(record, "--against", made.folder / "records")
    assert code == 1
    assert (
        "setting  org/other on demo/mcq: not comparable with the 2 models there: cultures KR here, none there"
        in out
    )
    done = folkways("site", made.folder / "records", record, "--out", tmp_path / "s")
    assert re.search(r"org/other \(.+\) kept apart: cultures KR here, none there", done.stderr)
    page = (tmp_path / "s/tasks/demo-mcq.html").read_text()
    assert 'id="apart"' in page and "<h3>cultures KR here, none there</h3>" in page
    assert re.findall(r'<td class="num rank">(.*?)</td>', page) == ["1", "2"]
    index = (tmp_path / "s/index.html").read_text()
    assert "other" not in re.search(r"<table.*?</table>", index, re.DOTALL)[0]
    assert not (tmp_path / "s/models/other.html").exists()


def test_records_without_instances_have_scores_and_no_rank(made: Sites, tmp_path: Path) -> None:
    for number, path in enumerate(made.records):
        document = json.loads(path.read_bytes())
        document.pop("detailed_evaluation_results")
        (tmp_path / f"{number}.json").write_text(json.dumps(document))
    assert folkways("site", tmp_path, "--out", tmp_path / "s").returncode == 0
    page = (tmp_path / "s/tasks/demo-mcq.html").read_text()
    assert "No model has a rank" in page and ">right<" in page and "100.0" in page
    assert checked(tmp_path / "0.json", "--strict")[0] == 1 and checked(tmp_path / "0.json")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody"], "unknown run 'nobody'"),
        (["check", "empty"], "empty: has no record of Every Eval Ever, no run of HELM, no log of Inspect"),
        (["note.json"], "note.json: is not an aggregate of Every Eval Ever"),
        (["half.json"], "half.json: is not of the schema: it lacks 'evaluation_name'"),
        (["check", "RECORD", "--against", "old"], "site.json: is of format 0; this folkways reads 1"),
        (["asked", "--url", "lab.example.org"], "--url takes a web address, got 'lab.example.org'"),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else None,
)
def test_what_cannot_be_read_is_named(made: Sites, tmp_path: Path, arguments: list[str], words: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "old").mkdir()
    (tmp_path / "old/site.json").write_text('{"format": 0}')
    (tmp_path / "note.json").write_text('{"evaluation_results": []}')
    (tmp_path / "half.json").write_text(
        '{"schema_version": "0.3.0", "evaluation_results": [{}], "model_info": {"id": "a/b"}}'
    )
    arguments = [str(made.records[0]) if word == "RECORD" else word for word in arguments]
    out = [] if arguments[0] == "check" else ["--out", tmp_path / "s"]
    done = folkways("site", *arguments, "-w", made.workspace, *out, cwd=tmp_path)
    assert done.returncode == 2 and words in done.stderr, done.stderr


def test_records_of_other_programs_are_ranked_by_their_instances_and_may_not_enter_beside_ours(
    tmp_path: Path,
) -> None:
    """No result ids, no metadata, a score alone: intervals are made of the instances; what has none has
    neither interval nor rank."""
    common = {"schema_version": "0.3.0", "evaluation_name": "quiz"}
    for model, right in (("org/good", 50), ("org/bad", 20), ("org/bare", 35)):
        scores = [float(number < right) for number in range(60)]
        metric = {"metric_name": "Accuracy", "lower_is_better": False, "min_score": 0, "max_score": 1}
        result = {
            "evaluation_name": "quiz",
            "source_data": {"dataset_name": "quiz", "hf_repo": "a/quiz"},
            "metric_config": metric,
        }
        document = {
            "schema_version": "0.3.0", "evaluation_id": f"quiz/{model}/1", "retrieved_timestamp": "1767225600",
            "model_info": {"id": model, "name": model}, "eval_library": {"name": "a-harness", "version": "2"},
            "evaluation_results": [{**result, "score_details": {"score": right / 60}}],
        }  # fmt: skip
        rows = [
            {
                **common, "model_id": model, "sample_id": f"s{number}", "input": {"raw": f"Question {number}?", "reference": ["a"]},
                "output": {"raw": ["a"]}, "evaluation": {"score": score, "is_correct": score == 1},
            }
            for number, score in enumerate(scores)
        ]  # fmt: skip
        folder = tmp_path / "data" / model
        folder.mkdir(parents=True)
        if model != "org/bare":
            document["detailed_evaluation_results"] = {"file_path": "data/0_samples.jsonl"}
            (folder / "0_samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / "0.json").write_text(json.dumps(document))
    done = folkways("site", tmp_path / "data", "--out", tmp_path / "s")
    assert done.returncode == 0 and done.stderr == ""
    page = (tmp_path / "s/tasks/quiz.html").read_text()
    rows_of_page = re.findall(
        r'rank">([^<]*)</td>.*?score">([^<]*)</td>\n?<td class="range">(.*?)</td>', page, re.DOTALL
    )
    good, bare, bad = rows_of_page
    assert good[:2] == ("1", "83.3") and bad[:2] == ("2", "33.3")
    low, high = re.findall(r"[\d.]+", good[2])
    assert float(low) < 83.3 < float(high)
    assert bare == ("", "58.3", "–")
    assert "by:a-harness" in page
    code, out = checked(tmp_path / "data", "--strict")
    assert code == 1 and out.count("may not enter") == 3
    assert "signature  org/good on quiz: does not say how the score was made: it lacks lang, variant" in out
    assert "release  org/good on quiz: a/quiz is not known here" in out

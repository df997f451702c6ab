"""What those who run a study say of an item to one another: whose words they are, what stays of them, and
where they never go."""

from __future__ import annotations

import pytest

from folkways.errors import FolkwaysError
from folkways_studio.errors import ConflictError, NotAllowedError, NotFoundError, SubmissionError
from folkways_studio.exports import FORMATS
from folkways_studio.exports.archive import PLAIN, export_files
from folkways_studio.items import discussion
from folkways_studio.items.discussion import LONGEST, MOST, MOST_EDITS, CommentCounts
from folkways_studio.people import accounts
from folkways_studio.records import Role
from folkways_studio.work import redaction
from studio.tests.support.studies import ON_A_FILE, QUESTION, StudyFixture, open_study
from studio.tests.work.test_redaction import SECRET, everything
from tests.support.frozen_time import at_time

STAGES = [
    {"name": "write", "kind": "collect_question", "next": {"done": "choose"}},
    {"name": "choose", "kind": "curate", "role": "reviewer"},
    {"name": "verify", "kind": "vote"},
]
WRITTEN = {"category": "Food", "question": f"What does {SECRET} eat?", "english": "What do people eat?"}


def test_an_item_is_open_until_all_that_is_said_of_it_is_resolved(study: StudyFixture) -> None:
    about = (study.workspace, study.record.id)
    item, other = study.add("verify", [QUESTION, QUESTION])
    expert = study.person(role=Role.EXPERT).account_id
    first = at_time(10.0, discussion.add_comment, *about, item, expert, "  Is\r\nit meant?\0 ")
    assert (first.role, first.text, first.created) == ("expert", "Is\nit meant?�", 10.0)
    second = at_time(11.0, discussion.add_comment, *about, item, study.owner, "It is.")
    assert discussion.comment_counts(*about) == {item: CommentCounts(2, 2)}
    at_time(12.0, discussion.set_resolved, *about, item, True, by=study.owner)
    assert discussion.comment_counts(*about) == {item: CommentCounts(2, 0)}
    discussion.add_comment(*about, item, expert, "Then mend it.")
    assert discussion.comment_counts(*about) == {item: CommentCounts(3, 1)}
    discussion.set_resolved(*about, item, False)
    at_time(13.0, discussion.delete_comment, *about, second.id, study.owner)
    assert discussion.comment_counts(*about) == {item: CommentCounts(2, 2)}

    def name_of(account: int) -> str:
        return accounts.get_account(study.workspace, account).name

    assert [(each.text, name) for each, name in discussion.list_comments(study.workspace, item)] == [
        ("Is\nit meant?�", name_of(expert)),
        ("", name_of(study.owner)),
        ("Then mend it.", name_of(expert)),
    ]
    assert discussion.list_comments(study.workspace, other) == ()


def test_only_who_wrote_a_comment_changes_it_and_earlier_words_are_kept(study: StudyFixture) -> None:
    about = (study.workspace, study.record.id)
    (item,) = study.add("verify", [QUESTION])
    number = at_time(1.0, discussion.add_comment, *about, item, study.owner, "One").id
    changed = at_time(2.0, discussion.edit_comment, *about, number, study.owner, "Two")
    assert (changed.text, changed.edited, changed.history) == ("Two", 2.0, [{"text": "One", "until": 2.0}])
    assert at_time(3.0, discussion.edit_comment, *about, number, study.owner, "Two") == changed, (
        "nothing is changed by the same words"
    )
    reviewer = study.person(role=Role.REVIEWER).account_id
    for act in (discussion.edit_comment, lambda *given: discussion.delete_comment(*given[:-1])):
        with pytest.raises(NotAllowedError, match="only who wrote a comment"):
            act(*about, number, reviewer, "Mine")
    gone = at_time(4.0, discussion.delete_comment, *about, number, study.owner)
    assert gone.text == "" and [each["text"] for each in gone.history] == ["One", "Two"]
    with pytest.raises(ConflictError, match="deleted"):
        discussion.edit_comment(*about, number, study.owner, "Three")


@ON_A_FILE
def test_comments_of_other_items_and_studies_are_left_alone(study: StudyFixture) -> None:
    neighbour = open_study(study.workspace, STAGES, name="neighbour")
    one, other = study.add("verify", [QUESTION, QUESTION])
    (foreign,) = neighbour.add("verify", [QUESTION])

    def add(of: StudyFixture, item: int, at: float) -> int:
        return at_time(at, discussion.add_comment, of.workspace, of.record.id, item, of.owner, "Why?").id

    def resolved() -> list[float | None]:
        rows = [*discussion.comments_of_study(study.workspace, study.record.id)]
        rows += discussion.comments_of_study(study.workspace, neighbour.record.id)
        return [each.resolved for each in rows]

    mine, second, theirs = add(study, one, 1.0), add(study, other, 2.0), add(neighbour, foreign, 3.0)
    about = (study.workspace, neighbour.record.id)
    assert discussion.edit_comment(*about, theirs, neighbour.owner, "What for?").text == "What for?"
    for item, study_id, moment in ((one, study.record.id, 4.0), (foreign, neighbour.record.id, 5.0)):
        at_time(moment, discussion.set_resolved, study.workspace, study_id, item, True)
    assert resolved() == [4.0, None, 5.0]
    at_time(6.0, discussion.set_resolved, study.workspace, study.record.id, one, True)
    assert resolved() == [4.0, None, 5.0], "what is resolved already stays as it was"
    discussion.set_resolved(study.workspace, study.record.id, one, False)
    assert resolved() == [None, None, 5.0]
    assert [each.text for each in discussion.comments_of_study(*about)] == ["What for?"]
    assert discussion.comment_counts(*about) == {foreign: CommentCounts(1, 0)}
    assert discussion.delete_comment(*about, theirs, neighbour.owner).text == ""
    assert {each.id for each in discussion.comments_of_study(study.workspace, study.record.id)} == {
        mine,
        second,
    }


@ON_A_FILE
def test_who_answers_says_nothing_here_and_nothing_has_no_bounds(
    study: StudyFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = (study.workspace, study.record.id)
    (item,) = study.add("verify", [QUESTION])
    with pytest.raises(NotAllowedError, match="run or review the study"):
        discussion.add_comment(*about, item, study.person().account_id, "Let me in")
    for text in (" ", "x" * (LONGEST + 1)):
        with pytest.raises(SubmissionError):
            discussion.add_comment(*about, item, study.owner, text)
    assert (MOST, MOST_EDITS) == (200, 20)
    monkeypatch.setattr(discussion, "MOST", 1)
    monkeypatch.setattr(discussion, "MOST_EDITS", 1)
    number = discussion.add_comment(*about, item, study.owner, "One").id
    with pytest.raises(ConflictError, match="1 comments"):
        discussion.add_comment(*about, item, study.owner, "Two")
    discussion.edit_comment(*about, number, study.owner, "Two")
    with pytest.raises(ConflictError, match="1 times"):
        discussion.edit_comment(*about, number, study.owner, "Three")
    neighbour = open_study(study.workspace, STAGES, name="neighbour")
    for act in (
        lambda: discussion.add_comment(study.workspace, neighbour.record.id, item, neighbour.owner, "Hello"),
        lambda: discussion.set_resolved(study.workspace, neighbour.record.id, item, True),
        lambda: discussion.edit_comment(study.workspace, neighbour.record.id, number, study.owner, "Hello"),
        lambda: discussion.delete_comment(study.workspace, neighbour.record.id, number, study.owner),
    ):
        with pytest.raises(NotFoundError):
            act()


@ON_A_FILE
def test_it_leaves_in_no_export_unless_asked_for_and_what_is_redacted_goes_from_it_too(
    study: StudyFixture,
) -> None:
    about = (study.workspace, study.record.id)
    author = study.person()
    work = study.answer(author, WRITTEN, "write")
    reviewer = study.person(role=Role.REVIEWER)
    chosen = study.work(reviewer, "choose").item
    discussion.add_comment(*about, work.item.id, study.owner, "unsayable: of the question itself")
    words = discussion.add_comment(
        *about, chosen.id, reviewer.account_id, f"unsayable: {WRITTEN['question']}"
    ).id
    discussion.edit_comment(*about, words, reviewer.account_id, f"unsayable, again: {WRITTEN['question']}")
    seen = [each for each, _ in discussion.list_comments(study.workspace, chosen.id)]
    assert [each.item_id for each in seen] == [work.item.id, chosen.id], (
        "what is said of an item goes on with it"
    )
    for format in set(FORMATS) - {"release", "parquet", "xlsx", "spacy", "conll"}:
        for name, content in export_files(*about, format).items():
            assert b"unsayable" not in content and "comment" not in name
    table = export_files(*about, "csv", discussion=True)["comments.csv"].decode()
    assert (
        "researcher" not in table
        and "owner-1" in table
        and "reviewer-2" in table
        and "example.org" not in table
    )
    assert "comments.parquet" in export_files(*about, "parquet", discussion=True)
    for format in set(FORMATS) - set(PLAIN):
        with pytest.raises(FolkwaysError, match="valid formats: csv"):
            export_files(*about, format, discussion=True)
    with study.workspace.read() as connection:
        judgement = connection.exec_driver_sql("SELECT id FROM studio_judgements").scalar_one()
    redaction.redact(*about, judgement, ["question"])
    assert SECRET not in everything(study.workspace)

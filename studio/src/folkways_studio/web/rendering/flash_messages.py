"""What a page says once on top, after something was done on the page before. The browser is given the key
alone."""

from __future__ import annotations

from collections.abc import Mapping

from folkways_studio.errors import Message

FLASH_MESSAGES: Mapping[str, str] = {
    "saved": Message("Saved."),
    "answered": Message("Your answer has been saved."),
    "answered-before": Message(
        "You had answered this before, perhaps in another window. Your first answer stands."
    ),
    "corrected": Message("Your correction has been saved."),
    "given-back": Message("Given back. Somebody else will be asked."),
    "signed-out": Message("You have signed out."),
    "signed-out-everywhere": Message("All your other devices have been signed out."),
    "password-changed": Message("Your password has been changed. Sign in with the new one."),
    "study-made": Message("The study has been made. Nobody can work on it until you open it."),
    "study-open": Message("The study is open: people who have been invited can work on it."),
    "study-paused": Message(
        "The study is paused: nobody is given new work; what people are writing is kept."
    ),
    "study-deleted": Message("The study has been deleted."),
    "study-closed": Message("The study is closed."),
    "revoked": Message("The invitation lets nobody in any more."),
    "role-given": Message("The role has been given."),
    "role-taken": Message("The role has been taken away."),
    "waived": Message("The person has been let in."),
    "redacted": Message(
        "The words have been redacted. What has left the studio before cannot be called back."
    ),
    "comment-added": Message("Your comment has been added."),
    "comment-deleted": Message("Your comment has been deleted."),
    "settled": Message("Your decision has been saved."),
    "gold-made": Message("People are asked this now, and their answers are compared with the known one."),
    "imported": Message("The items have been imported."),
    "erased": Message("Personal details have been deleted."),
    "withdrawn": Message("You have left the study. Nothing you wrote will be used."),
}

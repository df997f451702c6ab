"""What a page says once on top, after something was done on the page before. The browser is given the key alone."""

from __future__ import annotations

from collections.abc import Mapping


def _(message: str) -> str:
    """Mark a string for translation; it is translated when it is shown."""
    return message


FLASH_MESSAGES: Mapping[str, str] = {
    "saved": _("Saved."),
    "answered": _("Your answer has been saved."),
    "answered-before": _("You had answered this before, perhaps in another window. Your first answer stands."),
    "given-back": _("Given back. Somebody else will be asked."),
    "signed-out": _("You have signed out."),
    "signed-out-everywhere": _("All your other devices have been signed out."),
    "password-changed": _("Your password has been changed. Sign in with the new one."),
    "study-made": _("The study has been made. Nobody can work on it until you open it."),
    "study-open": _("The study is open: people who have been invited can work on it."),
    "study-paused": _("The study is paused: nobody is given new work; what people are writing is kept."),
    "study-closed": _("The study is closed."),
    "revoked": _("The invitation lets nobody in any more."),
    "role-given": _("The role has been given."),
    "role-taken": _("The role has been taken away."),
    "waived": _("The person has been let in."),
    "redacted": _("The words have been redacted. What has left the studio before cannot be called back."),
    "settled": _("Your decision has been saved."),
    "imported": _("The items have been imported."),
    "erased": _("Personal details have been deleted."),
    "withdrawn": _("You have left the study. Nothing you wrote will be used."),
}

"""Requests to servers, bounded in bytes and time."""

from __future__ import annotations

from folkways.http import NoReplyError, Reply, ReplyTooLargeError, ask_once, new_session, open_reply

__all__ = ["NoReplyError", "Reply", "ReplyTooLargeError", "ask_once", "new_session", "open_reply"]

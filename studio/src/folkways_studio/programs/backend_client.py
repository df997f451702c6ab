"""Requests to a server in the shape of Label Studio's ML backend: bounded in bytes and time, and to no
address of the studio's own network unless that is allowed.

``GET /health``; ``POST /setup`` and ``/predict`` with the labeling configuration; ``POST /webhook`` with an
event for each answer, or ``/train`` with all of them, which servers had before Label Studio 1.4.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from folkways_studio.addresses import AddressError, public_connector
from folkways_studio.errors import StudioError
from folkways_studio.programs.webhooks import check_target

MOST_REPLY_BYTES = 20_000_000
MOST_BODY_BYTES = 50_000_000
SECONDS: Mapping[str, float] = {
    "health": 10.0,
    "setup": 30.0,
    "predict": 60.0,
    "train": 300.0,
    "webhook": 60.0,
}
MOST_WORDS = 200
"""Characters of a refusal that are passed on."""

MISSING = (404, 405)
"""Statuses of a server that has no such path."""


class BackendError(StudioError):
    """The server did not do what it was asked; the words are for the researcher. status: its HTTP status,
    None without a reply."""

    def __init__(self, message: str, status: int | None = None) -> None:
        self.http_status = status
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Predictions:
    """Of each task what the server suggests, the best first, and the version of its model."""

    of_tasks: tuple[tuple[Mapping[str, Any], ...], ...]
    version: str


@dataclass(frozen=True, slots=True)
class BackendClient:
    """One server. project: what it calls the study and stage. label_config: the labeling configuration.
    private: whether it may be in the studio's own network."""

    url: str
    project: str
    label_config: str
    private: bool

    def set_up(self) -> str:
        """Have the server load its model for this project; returns the model's version, empty if it says
        none. BackendError."""
        self._ask("GET", "health")
        body = {"project": self.project, "schema": self.label_config, "force_reload": False}
        body |= {"hostname": "", "access_token": "", "extra_params": ""}
        return _version(self._ask("POST", "setup", body))

    def predict(self, tasks: Sequence[Mapping[str, Any]]) -> Predictions:
        """What the server suggests for tasks. BackendError also for a reply of another shape."""
        body = {
            "tasks": list(tasks),
            "project": self.project,
            "label_config": self.label_config,
            "params": {"context": None},
        }
        reply = self._ask("POST", "predict", body)
        results = reply.get("results") if isinstance(reply, Mapping) else None
        if not isinstance(results, list) or len(results) != len(tasks):
            raise BackendError(
                f"/predict has to answer with “results”, one for each of the {len(tasks)} tasks"
                + (f"; it gave {len(results)}" if isinstance(results, list) else "")
            )
        return Predictions(tuple(_ranked(each) for each in results), _version(reply))

    def train(self, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Send all answers at once. BackendError."""
        body = {"annotations": list(tasks), "project": self.project, "label_config": self.label_config}
        self._ask("POST", "train", {**body, "params": {}})

    def send_event(self, action: str, **fields: Any) -> None:
        """Send one event, as Label Studio does when something was annotated or training is asked for. action:
        ``ANNOTATION_CREATED`` or ``START_TRAINING``. fields: of the event. BackendError."""
        project = {"id": self.project, "label_config": self.label_config}
        self._ask("POST", "webhook", {"action": action, "project": project, **fields})

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        from folkways.sdk.http import NoReplyError, ReplyTooLargeError, ask_once

        content = None if body is None else orjson.dumps(body, option=orjson.OPT_NON_STR_KEYS)
        if content is not None and len(content) > MOST_BODY_BYTES:
            raise BackendError(f"more than {MOST_BODY_BYTES // 1_000_000} MB would be sent to /{path}")
        try:
            target = check_target(self.url, private=self.private)  # this may have been forbidden since
            reply = ask_once(
                method,
                target / path,
                most_bytes=MOST_REPLY_BYTES,
                seconds=SECONDS[path],
                headers={"Content-Type": "application/json"} if content is not None else None,
                body=content,
                connector=None if self.private else public_connector,
            )
        except AddressError as error:
            raise BackendError(str(error)) from None
        except ReplyTooLargeError:
            most = MOST_REPLY_BYTES // 1_000_000
            raise BackendError(f"/{path} answered with more than {most} MB") from None
        except (NoReplyError, ValueError):
            raise BackendError(
                f"no server that can be trusted answered to /{path} within {SECONDS[path]:g} s, or it is of "
                "the studio's own network"
            ) from None
        if not reply.is_success:
            words = " ".join(reply.content[: 4 * MOST_WORDS].decode("utf-8", "replace").split())[:MOST_WORDS]
            raise BackendError(
                f"/{path} answered {reply.status}" + (f": {words}" if words else ""), reply.status
            )
        try:
            return orjson.loads(reply.content) if reply.content.strip() else {}
        except orjson.JSONDecodeError:
            raise BackendError(f"/{path} answered with something other than JSON") from None


def _version(reply: Any) -> str:
    version = reply.get("model_version") if isinstance(reply, Mapping) else None
    return str(version)[:128] if isinstance(version, str | int | float) else ""


def _ranked(result: Any) -> tuple[Mapping[str, Any], ...]:
    """The predictions for a task, one or a list, those with the highest scores first, without empty ones."""
    several = result if isinstance(result, list) else [result]
    usable = [each for each in several if isinstance(each, Mapping) and each.get("result")]
    return tuple(sorted(usable, key=lambda each: -_number(each.get("score"))))


def _number(score: Any) -> float:
    return float(score) if isinstance(score, int | float) and not isinstance(score, bool) else -1.0

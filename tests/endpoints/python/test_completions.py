"""What Python code may give back for a reply, and what its exceptions become."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from folkways.endpoints.base import Completion, EndpointFailure
from folkways.endpoints.python.completions import completion_of, failure_of

CHOICE = {"message": {"content": "A"}, "finish_reason": "length"}
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "completion_tokens_details": {"reasoning_tokens": 1}}
TEXTS = {
    "text": "A",
    "completion": Completion("A"),
    "list of one": ["A"],
    "pipeline": [{"generated_text": "A"}],
    "pipeline of a chat": [
        {"generated_text": [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]}
    ],
    "message": {"role": "assistant", "content": "A"},
    "ours": {"response": "A"},
    "chat completion": {"choices": [CHOICE], "usage": USAGE},
    "object with content": SimpleNamespace(content="A"),
    "object with completion": SimpleNamespace(completion="A"),
    "parts": {"choices": [{"message": {"content": [{"type": "reasoning"}, {"type": "text", "text": "A"}]}}]},
}


@pytest.mark.parametrize("value", TEXTS.values(), ids=TEXTS)
def test_texts(value):
    assert completion_of(value, "m").text == "A"


def test_a_chat_completion_keeps_its_end_and_counts():
    completion = completion_of({"model": "served", "choices": [CHOICE], "usage": USAGE}, "m")
    assert (completion.finish_reason, completion.model) == ("length", "served")
    assert (completion.input_tokens, completion.output_tokens, completion.reasoning_tokens) == (3, 2, 1)


def test_what_was_withheld_is_a_refusal():
    for message, finish in (
        ({"content": None, "refusal": "No."}, "stop"),
        ({"content": None}, "content_filter"),
    ):
        assert completion_of({"choices": [{"message": message, "finish_reason": finish}]}, "m").refusal


def test_unstorable_characters_are_replaced():
    assert completion_of("a\0\ud800b", "m").text == "a\ufffd\ufffdb"


@pytest.mark.parametrize(
    "value", [None, 3, True, [], ["A", "B"], {}, {"choices": []}, StopIteration, b"A"], ids=repr
)
def test_no_text_is_a_failed_request_and_not_an_answer(value):
    with pytest.raises(
        EndpointFailure, match=r"it returned .*a model returns the text of its reply"
    ) as failure:
        completion_of(value, "m")
    assert not failure.value.retryable


class StatusError(Exception):
    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status_code = status


@pytest.mark.parametrize(
    ("error", "retryable", "fatal"),
    [
        (ValueError("x"), False, False),
        (TimeoutError(), True, False),
        (ConnectionResetError("gone"), True, False),
        (StatusError(429), True, False),
        (StatusError(503), True, False),
        (StatusError(400), False, False),
        (StatusError(401), False, True),
        (StatusError(404), False, True),
    ],
    ids=str,
)
def test_which_exceptions_are_worth_another_try(error, retryable, fatal):
    failure = failure_of(error, "python/ask")
    assert (failure.retryable, failure.fatal) == (retryable, fatal)
    assert failure.message.startswith(f"python/ask raised {type(error).__name__}")


def test_the_message_is_one_safe_line():
    assert "\x1b" not in failure_of(ValueError("a\x1b[31m\nb" * 200), "m").message
    assert len(failure_of(ValueError("b" * 9999), "m").message) < 400

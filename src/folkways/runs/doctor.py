"""What is installed, reachable and sound on this machine: what a bug report needs, without keys, user names
and homes."""

from __future__ import annotations

import getpass
import locale
import os
import platform
import re
import sqlite3
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path
from typing import Any

import orjson

from folkways import __version__
from folkways.benchmarks.registry import benchmarks, published_figures
from folkways.cultures import languages
from folkways.display import plural
from folkways.endpoints.cards import load_cards
from folkways.endpoints.prices import load_prices
from folkways.endpoints.registry import forms
from folkways.endpoints.servers.providers import URL_KEY, URL_KEY_HOSTS, Provider, provider_address, providers
from folkways.errors import FolkwaysError
from folkways.http import NoReplyError, ReplyTooLargeError, ask_once
from folkways.releases.registry import known_releases
from folkways.releases.release_records import ReleaseRecord
from folkways.releases.stored_releases import root_of, state_of
from folkways.text.tools import EXTRAS, get_tool, has_tool
from folkways.text.versions import installed_version
from folkways.workspace.health import workspace_health
from folkways.workspace.schema import TABLES

SECONDS = 2.0
"""How long a local server may take to answer; all are asked at once."""

MOST_READ = 1_000_000
"""Bytes of a server's list of models that are read."""


def examine(workspace: str) -> dict[str, Any]:
    """Everything, as a document. ``problems`` says what is broken; it is empty where all is well.

    workspace: a path or URL. It need not be there, and is not changed. Only local servers are asked, for
    their lists of models.
    """
    problems: list[str] = []
    answer = {
        "folkways": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "platform": platform.platform(),
        "encoding": locale.getpreferredencoding(False),
        "sqlite": sqlite3.sqlite_version,
        "packages": _packages(),
        "plug-ins": _plugins(problems),
        "keys": _keys(),
        "servers": _servers(problems),
        "data": {record.name: _release(record, problems) for record in known_releases()},
        "workspace": _workspace(workspace, problems),
        "text tools": _text_tools(),
        "problems": problems,
    }
    hidden: dict[str, Any] = _private(answer)
    return hidden


def _packages() -> dict[str, dict[str, str]]:
    """Packages that folkways needs, and those of each extra -> their versions, ``none`` where one is not
    installed."""
    try:
        needed = requires("folkways") or []
    except PackageNotFoundError:  # run from a checkout that is not installed
        needed = []
    found: dict[str, dict[str, str]] = {}
    for line in needed:
        name = re.match(r"[\w.-]+", line)
        extra = re.search(r"extra\s*==\s*['\"]([\w-]+)", line)
        if name:
            found.setdefault(extra[1] if extra else "needed", {})[name[0]] = installed_version(name[0])
    return found


def _plugins(problems: list[str]) -> dict[str, list[str]]:
    """Benchmarks and ways to name a model; what cannot be loaded, or a table of the user's that cannot be
    read, is a problem."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plugins = {"benchmarks": list(benchmarks()), "endpoints": list(forms())}
        published_figures()
    problems += dict.fromkeys(str(warning.message) for warning in caught)
    for read in (load_prices, load_cards):
        _noting(problems, read)
    return plugins


def _noting(problems: list[str], do: Callable[[], Any]) -> Any:
    """What ``do`` gives; None, and a problem more, where it raises."""
    try:
        return do()
    except FolkwaysError as error:
        problems.append(str(error))
        return None


def _keys() -> dict[str, bool]:
    """Environment variable of a key -> whether it is set; never the key."""
    names = dict.fromkeys(
        [name for known in providers().values() for name in known.key_env]
        + [URL_KEY, URL_KEY_HOSTS, "HF_TOKEN"]
    )
    return {name: bool(os.environ.get(name, "").strip()) for name in names}


def _servers(problems: list[str]) -> dict[str, str]:
    """Server that people run themselves -> whether it answers, and with how many models."""
    local = [provider for provider in providers().values() if provider.start]
    with ThreadPoolExecutor(len(local)) as pool:
        return dict(pool.map(lambda provider: (provider.name, _answers(provider, problems)), local))


def _answers(provider: Provider, problems: list[str]) -> str:
    address = _noting(problems, lambda: provider_address(provider, "any", None, need_key=False))
    if address is None:
        return "its address cannot be read"
    url = address.base_url
    try:
        reply = ask_once(
            "GET", f"{url}/models", headers=address.headers, most_bytes=MOST_READ, seconds=SECONDS
        )
    except (NoReplyError, ReplyTooLargeError, ValueError):  # ValueError for a header that cannot be sent
        return f"does not answer at {url}"
    if not reply.is_success:
        return f"answers at {url} with status {reply.status}"
    try:
        return f"answers at {url} with {plural(len(orjson.loads(reply.content)['data']), 'model')}"
    except (ValueError, LookupError, TypeError):
        return f"answers at {url}, but not with a list of models"


def _release(record: ReleaseRecord, problems: list[str]) -> str:
    """Whether it is here, and its files as long as they were released. Their checksums are looked at whenever
    they are used."""
    state = state_of(record)
    lengths = [(root_of(record) / entry.path, entry.size) for entry in record.files if entry.size is not None]
    wrong = [path.name for path, size in lengths if path.is_file() and path.stat().st_size != size]
    if wrong:
        problems.append(
            f"release {record.name}: not as long as released: {', '.join(wrong)}; folkways data fetch "
            f"{record.name}"
        )
    return state


def _workspace(location: str, problems: list[str]) -> dict[str, Any]:
    if "://" not in location and not Path(location).expanduser().exists():
        return {"place": location, "state": "not there yet"}
    health = _noting(problems, lambda: workspace_health(location))
    if health is None and (user := re.search(r"://([^:/@]+)[:@]", location)):
        # as a server tells whom it does not let in
        problems[-1] = problems[-1].replace(f'"{user[1]}"', "USER")
    place = "a PostgreSQL server" if "://" in location else location
    if health is None:
        return {"place": place, "state": "cannot be read"}
    if health.integrity not in ("ok", None):
        problems.append(
            f"the workspace {location} is damaged: {health.integrity}; copy the file, then restore a backup"
        )
    newer = "" if health.revision == TABLES.head else f", brought to {TABLES.head} when it is next used"
    return {
        "place": place,
        "state": "sound" if health.integrity in ("ok", None) else "damaged",
        "schema": health.revision + newer,
        "runs": dict(sorted(health.runs.items())),
    }


def _text_tools() -> dict[str, str]:
    """Language -> what brings its words to base forms, and whether the authors' tool is here too."""
    tools = {}
    for language in languages():
        paper = ", and the authors' tool" if has_tool(language, "paper") else ""
        if has_tool(language):
            tool = get_tool(language)
            tools[language] = f"{tool.name} {tool.version}{paper}"
        else:
            tools[language] = f"not installed: pip install 'folkways[{EXTRAS[language][0]}]'{paper}"
    return tools


def _private(value: Any) -> Any:
    """The value with the home folder as ``~``, and without the user's name in paths and addresses."""
    if isinstance(value, dict):
        return {_private(key): _private(part) for key, part in value.items()}
    if isinstance(value, str):
        text = value
        for home in sorted({str(Path.home()), str(Path.home().resolve())}, key=len, reverse=True):
            text = re.sub(rf"{re.escape(home)}(?=$|[^\w.-])", "~", text) if len(home) > 1 else text
        text = re.sub(r"(://)[^/@\s]+@", r"\1", text)
        return re.sub(rf"(?<=[/\\]){re.escape(_user())}(?![\w.-])", "USER", text)
    if isinstance(value, Iterable):
        return [_private(part) for part in value]
    return value


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container without an entry for this user
        return "USER"

"""Pushes files to the Hugging Face hub with its own client: a data set, or a pull request to a model
repository."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from folkways.display import shorten, single_line
from folkways.errors import FolkwaysError, MissingExtraError
from folkways.integrations.hub.judgements import MARK
from folkways.releases.fetching.download_sources import hub_endpoint, hub_token

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_OURS = re.compile(r"[^/]+/test-\d{5}\.parquet")

_MEANINGS = {
    401: "the hub rejected the token in HF_TOKEN; make another with the right to write at "
    "{endpoint}/settings/tokens",
    403: "the token in HF_TOKEN may not write to {name}; push to a name of your own, or allow it at "
    "{endpoint}/settings/tokens",
    404: "there is no {name} that the token in HF_TOKEN can see",
    429: "the rate limit of the hub was reached; try again later",
}


def check_name(name: str, option: str) -> str:
    """The name, if it has the form OWNER/NAME; otherwise FolkwaysError."""
    if not _NAME.fullmatch(name):
        raise FolkwaysError(
            f"{option} takes OWNER/NAME as the hub writes it, got {name!r}; for example: "
            "our-lab/folkways-judgements"
        )
    return name


@dataclass(frozen=True)
class Hub:
    """The hub, with a token. client: the module ``huggingface_hub``; errors: its module ``errors``."""

    client: Any
    errors: Any
    endpoint: str
    token: str = field(repr=False)

    @property
    def api(self) -> Any:
        return self.client.HfApi(endpoint=self.endpoint, token=self.token, library_name="folkways")

    def push_data_set(
        self, name: str, folder: Path, files: Sequence[Path], *, public: bool, message: str
    ) -> str:
        """Commit files to a data set; returns its address and who can see it.

        name: OWNER/NAME of the data set. folder: the folder that paths in the data set are relative to.
        files: the files in it. public: whether everybody may see them; a new data set is private otherwise.
        message: of the commit. An existing data set keeps its visibility, must be empty or an exported run,
        and loses the Parquet files that this run does not have. FolkwaysError, with what to do, for any
        failure.
        """
        with self._errors(name):
            existing = self._existing("dataset", name)
            if existing is None:
                self.api.create_repo(name, repo_type="dataset", private=not public)
            published = [] if existing is None else [entry.rfilename for entry in existing.siblings or ()]
            if existing is not None:
                _check_replaceable(name, existing, published, public=public)
            new = {file.relative_to(folder).as_posix(): file for file in files}
            gone = [path for path in published if _OURS.fullmatch(path) and path not in new]
            commit = [self.client.CommitOperationDelete(path) for path in gone] + self._additions(new)
            self.api.create_commit(name, commit, commit_message=message, repo_type="dataset")
        seen = (
            ("public" if public else "private")
            if existing is None
            else "private as before"
            if existing.private
            else "public as before"
        )
        return f"{self.endpoint}/datasets/{name} ({seen})"

    def open_pull_request(self, name: str, files: Mapping[str, Path], *, title: str, text: str) -> str:
        """Open a pull request to a model repository; returns its address.

        name: OWNER/NAME of the model. files: path in the repository -> file. title, text: of the pull
        request. FolkwaysError if there is no such model, or it has the same files already.
        """
        with self._errors(name):
            if self._existing("model", name) is None:
                if self._existing("dataset", name) is not None:
                    raise FolkwaysError(
                        f"{name} is a data set on the hub, not a model; name the repository of the model"
                    )
                raise FolkwaysError(
                    f"there is no model {name} on the hub that the token in HF_TOKEN can see; check name "
                    "and token"
                )
            made = self.api.create_commit(
                name,
                self._additions(files),
                commit_message=title,
                commit_description=text,
                repo_type="model",
                create_pr=True,
            )
        if made.pr_url is None:
            raise FolkwaysError(
                f"{name} has these results already: there is nothing to open a pull request for"
            )
        return str(made.pr_url)

    def benchmark_tasks(self, data_set: str) -> list[str] | None:
        """The tasks in the ``eval.yaml`` of a data set; None if the file does not exist or is not visible.
        FolkwaysError for a file that cannot be read."""
        import yaml

        with self._errors(data_set), TemporaryDirectory() as cache:
            try:
                path = self.api.hf_hub_download(data_set, "eval.yaml", repo_type="dataset", cache_dir=cache)
            except (self.errors.EntryNotFoundError, self.errors.RepositoryNotFoundError):
                return None
            try:
                document = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
                return [str(task["id"]) for task in document["tasks"]]
            except (yaml.YAMLError, UnicodeDecodeError, KeyError, TypeError):
                raise FolkwaysError(
                    f"the eval.yaml of the data set {data_set} has no list of tasks; its owner has to "
                    "correct it"
                ) from None

    def _existing(self, kind: str, name: str) -> Any:
        """The hub's record of a repository; None if it does not exist or is not visible."""
        try:
            return self.api.repo_info(name, repo_type=kind)
        except self.errors.RepositoryNotFoundError as error:
            if _status(error) == 401:
                raise
            return None

    def _additions(self, files: Mapping[str, Path]) -> list[Any]:
        return [self.client.CommitOperationAdd(path, str(file)) for path, file in files.items()]

    @contextmanager
    def _errors(self, name: str) -> Iterator[None]:
        """Turn any error of the client into a FolkwaysError that says what to do, without the token."""
        try:
            yield
        except FolkwaysError:
            raise
        except Exception as error:  # noqa: BLE001 - the hub's client raises errors of half a dozen libraries
            message = self._explanation(error, name)
        else:
            return
        raise FolkwaysError(f"nothing was pushed to {name}: {message.replace(self.token, 'TOKEN')}")

    def _explanation(self, error: Exception, name: str) -> str:
        status = _status(error)
        answer = shorten(single_line(getattr(error, "server_message", None) or ""), 300)
        if status is None:
            reason = shorten(single_line(str(error)) or type(error).__name__, 300)
            if isinstance(error, OSError) or type(error).__module__.startswith("httpx"):
                return f"{self.endpoint} cannot be reached ({reason}); try again where there is a network"
            return f"the hub's client says: {reason}"
        meaning = _MEANINGS.get(
            status,
            "the hub cannot do it just now; try again later" if status >= 500 else "the hub refused it",
        )
        return (
            meaning.format(endpoint=self.endpoint, name=name) + f"\nThe hub said: {status} {answer}".rstrip()
        )


def open_hub() -> Hub:
    """The hub at HF_ENDPOINT with the token in HF_TOKEN. FolkwaysError without a token, MissingExtraError
    without the client."""
    endpoint, token = hub_endpoint(), hub_token()
    if token is None:
        raise FolkwaysError(
            "--push needs a token of the hub with the right to write, in the environment: export "
            "HF_TOKEN=...\n"
            f"Make one at {endpoint}/settings/tokens; after hf auth login: export HF_TOKEN=$(hf auth token)"
        )
    try:
        client = import_module("huggingface_hub")
        errors, utils = import_module("huggingface_hub.errors"), import_module("huggingface_hub.utils")
    except ImportError:
        raise MissingExtraError("--push", "hub", "huggingface_hub") from None
    utils.logging.set_verbosity_error()  # it warns of pushes without changes
    if not sys.stderr.isatty():
        utils.disable_progress_bars()
    return Hub(client, errors, endpoint, token)


def _check_replaceable(name: str, known: Any, there: Sequence[str], *, public: bool) -> None:
    if MARK not in (known.tags or ()) and set(there) - {".gitattributes"}:
        raise FolkwaysError(
            f"the data set {name} exists and is not an exported run; it was not changed. Push to another name"
        )
    if not known.private and not public:
        raise FolkwaysError(
            f"the data set {name} is public: everybody would see these files\n"
            "Add --public if they may, push to another name, or make it private in its settings"
        )


def _status(error: Exception) -> int | None:
    status = getattr(getattr(error, "response", None), "status_code", None)
    return int(status) if status is not None else None

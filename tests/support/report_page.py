"""What tests do again and again in a report that is open in a browser."""

from __future__ import annotations

from typing import Any

from folkways.reports.figures.drawings import Drawings
from folkways.reports.figures.figure import Figure
from folkways.reports.formats.html import render_html
from folkways.reports.views.leaderboard import Leaderboard
from folkways.reports.views.views import ReportView

SECTIONS = ("culture", "language", "facet", "map", "more")


def undrawn(view: ReportView) -> Drawings:
    """A report without figures, for tests of its other parts: to draw takes most of the time of a page."""
    sections = {task.task: {name: list[Figure]() for name in SECTIONS} for task in view.tasks}
    return Drawings(sections, Leaderboard(view), (), (), None, ())


def unfold(page: Any) -> None:
    """Open every folded task and analysis; tables stay as they are."""
    page.evaluate("document.querySelectorAll('details.folded').forEach(part => part.open = true)")


def page_without_figures(view: ReportView) -> str:
    return render_html(view, undrawn(view))


def keep_few_of_each(page: Any) -> None:
    """Of tables the first rows, of cultures the first: a browser looks at a page of 20,000 elements for seconds."""
    page.evaluate("""() => {
        const beyond = (parts, most) => [...parts].slice(most).forEach(part => part.remove());
        for (const table of document.querySelectorAll("table")) {
            beyond(table.tBodies, 3);
            for (const body of table.tBodies) beyond(body.rows, 3);
        }
        beyond(document.querySelectorAll("details.culture:not(#culture-KR)"), 1);
    }""")


def open_items(page: Any) -> None:
    """Open the browser of items and wait until it shows them."""
    page.locator("#open-items").click()
    page.locator("#browser").wait_for(state="visible")
    page.locator("#list [role=option]").first.wait_for(state="visible")

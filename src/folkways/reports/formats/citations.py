"""What to cite: the data of a report and folkways itself, as one BibTeX file."""

from __future__ import annotations

import re
from collections.abc import Sequence

from folkways import __version__
from folkways.releases.base import ReleaseRecord

SOFTWARE = f"""@software{{folkways,
  title = {{folkways}},
  author = {{{{The folkways developers}}}},
  version = {{{__version__}}},
  license = {{Apache-2.0}},
}}"""

_KEY = re.compile(r"@\w+\s*\{\s*([^,\s{}]+)\s*,")


def citation_key(release: ReleaseRecord) -> str | None:
    """The key of the release's entry; None where it has none that BibTeX could read."""
    found = _KEY.search(release.citation or "")
    return found[1] if found else None


def bibliography(releases: Sequence[ReleaseRecord]) -> str:
    """One entry for each work, folkways first; states of the same data share theirs."""
    entries = {"folkways": SOFTWARE}
    for release in releases:
        key = citation_key(release)
        if key is not None:
            entries.setdefault(key, release.citation.strip())
    return "\n\n".join(entries.values()) + "\n"

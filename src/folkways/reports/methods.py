"""The methods section: what a signature says, in words."""

from __future__ import annotations

PROFILES = {
    "paper": "judged as the authors’ own code does, its known defects included, so that published figures can be compared with",
    "strict": "judged by the authors’ rule with its known defects mended",
    "lenient": "judged by the first unambiguous label in a reply, wherever it stands",
}

SENTENCES = {
    ("data", "release"): ("Data", "the release {}"),
    ("revision", "rev"): ("Revision", "the source at revision {}"),
    ("fingerprint", "sha", "checksum"): ("Checksum", "the files that were read had the fingerprint {}"),
    ("items", "n"): ("Items", "{}"),
    ("cultures", "culture"): ("Cultures", "{}"),
    ("lang", "langs", "languages", "language"): ("Languages", "questions were put in: {}"),
    ("variants", "variant", "var"): ("Prompts", "wordings used: {}"),
    ("prompts", "prompt_source", "source"): ("Prompt text", "the wording came from: {}"),
    ("system",): ("System prompt", "{}"),
    ("settings", "sampling"): ("Sampling", "{}"),
    ("temperature", "temp"): ("Temperature", "{}"),
    ("samples",): ("Samples", "replies per prompt: {}"),
    ("text", "tools", "text_tools"): ("Text tools", "{}"),
    ("agg", "aggregation"): ("Aggregation", "{}"),
    ("interval", "ci"): ("Interval", "{}"),
    ("seed",): ("Seed", "random draws began from seed {}"),
    ("folkways", "version"): ("Software", "folkways {}"),
}

_BY_KEY = {key: sentence for keys, sentence in SENTENCES.items() for key in keys}


def parse_signature(text: str) -> dict[str, str]:
    """The parts of a one-line signature (``key:value|key:value``), in order. A value may contain colons."""
    pairs = (part.partition(":") for part in text.split("|") if part)
    return {key.strip(): value.strip() for key, _, value in pairs}


def explain(signature: str) -> list[tuple[str, str]]:
    """What each part of a signature says: (heading, words). Parts that have no words of their own are given as they are."""
    explained = []
    for key, value in parse_signature(signature).items():
        if key == "task":
            continue  # the section it stands in already says so
        if key == "profile":
            explained.append(("Judging", f"profile {value}: {PROFILES.get(value, 'a profile of this task’s own')}"))
            continue
        heading, words = _BY_KEY.get(key, (key.replace("_", " ").capitalize(), "{}"))
        explained.append((heading, words.replace("{}", value or "none")))
    return explained

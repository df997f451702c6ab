"""Replies to the adaptation prompt are taken apart in every layout, and left unreadable where that would be a
guess."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.xcr.adaptation_reader import (
    LONGEST,
    STRATEGIES,
    AdaptationReply,
    canonical_strategy,
    names_only_strategies,
    read_adaptation,
)
from folkways.benchmarks.xcr.release import is_bare_label

Layout = Callable[[str, str, str], str]
LAYOUTS: dict[str, Layout] = {
    "json": lambda a, b, m: json.dumps([a, b, m], ensure_ascii=False),
    "escaped json": lambda a, b, m: json.dumps([a, b, m]),
    "fenced json": lambda a, b, m: "```json\n" + json.dumps([a, b, m], indent=1) + "\n```",
    "json after words": lambda a, b, m: "Here you are:\n" + json.dumps([a, b, m]) + "\nI hope this helps.",
    "object": lambda a, b, m: json.dumps({"Intra-lingual": a, "Inter-lingual": b, "Method used": m}),
    "python": lambda a, b, m: repr([a, b, m]),
    "unescaped quotes": lambda a, b, m: f'["{a}", "{b}", "{m}"]',
    "curly quotes": lambda a, b, m: f"Output: [“{a}”, “{b}”, “{m}”]",
    "bare": lambda a, b, m: f"[{a}, {b}, {m}]",
    "bare, on lines": lambda a, b, m: f"[{a},\n{b},\n{m}]",
    "three brackets": lambda a, b, m: f"[{a}], [{b}], [{m}]",
    "labelled": lambda a, b, m: f"Intra-lingual adaptation: {a}\nInter-lingual adaptation: {b}\nMethod: {m}",
    "bold labels": lambda a, b, m: (
        f"1. **Intra-lingual adaptation:** {a}\n\n2. **Inter-lingual adaptation:** {b}\n\n3. **Adaptation "
        f"method used:** {m}"
    ),
    "labels on lines": lambda a, b, m: (
        f"**Intra-lingual:**\n{a}\n\n**Inter-lingual:**\n{b}\n\n**Method:**\n{m}"
    ),
    "three lines": lambda a, b, m: f"{a}\n{b}\n{m}",
    "spaced lines": lambda a, b, m: f"{a}\n\n{b}\n\n{m}\n",
    "numbered lines": lambda a, b, m: f"1. {a}\n2. {b}\n3. {m}",
    "numbers in parentheses": lambda a, b, m: f"(1) {a}\n(2) {b}\n(3) ({m})",
    "table": lambda a, b, m: f"| Intra | Inter | Method |\n|---|---|---|\n| {a} | {b} | {m} |",
    "semicolons": lambda a, b, m: f"[{a}; {b}; {m}]",
    "bars": lambda a, b, m: f"[{a} | {b} | {m}]",
    "Arabic commas": lambda a, b, m: f"[{a}، {b}، {m}]",
    "backticks": lambda a, b, m: f"[`{a}`, `{b}`, `{m}`]",
    "labels in brackets": lambda a, b, m: (
        f"[Intra-lingual adaptation: {a}, Inter-lingual adaptation: {b}, Adaptation method used: {m}]"
    ),
    "labels in quotes": lambda a, b, m: json.dumps(
        [f"Intra-lingual: {a}", f"Inter-lingual: {b}", f"Method: {m}"]
    ),
    "headings": lambda a, b, m: (
        f"**Intra-lingual adaptation**\n{a}\n\n**Inter-lingual adaptation**\n{b}\n\n**Adaptation method used**\n{m}"
    ),
    "wide brackets": lambda a, b, m: f"［{a}；{b}；{m}］".replace("；", ", "),
    "lenticular brackets": lambda a, b, m: f"【{a}, {b}, {m}】",
    "parentheses": lambda a, b, m: f"({a}; {b}; {m})\n",
    "wide parentheses": lambda a, b, m: f"**（{a}; {b}; {m}）**",
    "before an explanation": lambda a, b, m: (
        f"[{a}, {b}, {m}]\n\nNote: [dates] are an [Equivalent, Label] there."
    ),
    "bars before an explanation": lambda a, b, m: f"Thus:\n[{a} | {b} | {m}].\nI rewrote [cookies].",
    "after thinking": lambda a, b, m: f"<think>Maybe [x, y, z]?</think>\n{json.dumps([a, b, m])}",
}
english = st.lists(
    st.sampled_from(["She", "brought", "<CSI> dates </CSI>", "home", "'early'", "today"]),
    min_size=2,
    max_size=7,
).map(lambda words: "We said " + ", ".join([" ".join(words[:-1]), words[-1]]) + ".")
foreign = st.lists(
    st.sampled_from(["أحضرت", "<CSI> التمر </CSI>", "إلى البيت", "اليوم"]), min_size=1, max_size=6
).map(lambda words: "قلنا " + "، ".join([" ".join(words[:-1]) or "نعم", words[-1]]) + ".")
methods = st.sampled_from(
    [*STRATEGIES, "Couplet: Transference, Label", "2. Cultural Equivalent", "Couplet (Label + Deletion)"]
)


@given(intra=english, inter=foreign, method=methods)
def test_every_layout_is_taken_apart(intra: str, inter: str, method: str) -> None:
    for name, layout in LAYOUTS.items():
        reply = read_adaptation(layout(intra, inter, method))
        assert reply is not None, name
        assert (reply.intra, reply.inter) == (intra, inter), name
        assert canonical_strategy(reply.method) == canonical_strategy(method), name


@pytest.mark.parametrize("layout", LAYOUTS)
def test_labels_for_no_equivalent_are_read_in_every_layout(layout: str) -> None:
    found = read_adaptation(LAYOUTS[layout]("Non-transferable", "Non-transferable", "Deletion"))
    assert found is not None
    assert (found.intra, found.inter) == ("Non-transferable", "Non-transferable")
    assert canonical_strategy(found.method) == "Deletion"


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "In Arab culture one would rather speak of dates than of cookies, and the sentence would change "
        "accordingly.",
        "I'm sorry, I can't help with that.",
        '["", "", "Deletion"]',
        "Intra-lingual adaptation: \nInter-lingual adaptation: \nMethod: Label",
        "[They ate, drank, They ate, and drank, Label]",
        "[[[[[[[[",
        "{" * 5000,
        '["only one"]',
        "x" * 30_000,
    ],
)
def test_what_cannot_be_told_stays_unreadable(reply: str) -> None:
    assert read_adaptation(reply) is None


@pytest.mark.parametrize(
    "repeated",
    [
        "(",
        "[",
        "[]\n",
        "\n",
        " ",
        "-",
        "*\n",
        "1. ",
        "a, ",
        "'",
        "```\n",
        "|a|\n",
        "Label, ",
        "intra\n",
        "[a, b\n",
    ],
)
def test_a_model_that_repeats_itself_is_read_in_no_time(repeated: str) -> None:
    """Small models write one thing until they are cut."""
    begun = time.process_time()
    read_adaptation(repeated * (LONGEST // len(repeated)))
    assert time.process_time() - begun < 1.5


FORMAT = "[Intra-lingual adaptation, Inter-lingual adaptation, Adaptation method used]"
ATE, DRANK = "She ate.", "She drank."


@pytest.mark.parametrize(
    ("reply", "parts"),
    [
        # What stands around the answer.
        (f"<THINK>\nMaybe ['x', 'y', 'z']?\n</Thinking>['{ATE}', '{DRANK}', 'Label']", (ATE, DRANK, "Label")),
        (f"Thus:\n```json\n[\n'{ATE}', '{DRANK}', 'Label']\n```\nNot ['x', 'y', 'z']", (ATE, DRANK, "Label")),
        (f"{ATE}\n{DRANK}\nLabel\n\nNEXT INPUT: x\nShe sang.\nShe slept.\nGloss", (ATE, DRANK, "Label")),
        (f"Here:\noutput:\n{ATE}\n{DRANK}\nLabel\nOUTPUT: x\ny\nGloss", (ATE, DRANK, "Label")),
        (f"{FORMAT.lower()}\n{ATE}\n{DRANK}\nLabel", (ATE, DRANK, "Label")),
        (f"Thus:\n```\n{ATE}\n{DRANK}\nLabel\n```\nDone.", (ATE, DRANK, "Label")),
        ("[non-transferable]\n", ("[non-transferable]", "[non-transferable]", "")),
        # JSON with line breaks and escapes, of which Python knows nothing; behind something that begins like
        # it; with gaps.
        (f'["She\nate \\u0627.", "{DRANK}", "Label"]', ("She\nate ا.", DRANK, "Label")),
        (f'Sure [x]: {{"intra": "{ATE}", "inter": "{DRANK}", "method": null}}', (ATE, DRANK, "")),
        (
            f'Sure [1]: {{"INTRA": "{ATE}", "inter": "{DRANK}", "adaptation method": "Label", "n": null}}',
            (ATE, DRANK, "Label"),
        ),
        (f'{{"intra": "{ATE}", "outro": "{DRANK}", "method": "Label"}}', None),
        (f'{{"inter": "{ATE}", "outro": "{DRANK}", "method": "Label"}}', None),
        (f'["", "{DRANK}", "Label"]', ("", DRANK, "Label")),
        (f'["{ATE}", "", "Label"]', (ATE, "", "Label")),
        ('[" ", "\\n", "Label"]', None),
        # Python: each bracket is tried, and a list in a list.
        (f"See [it]: ('{ATE}', '{DRANK}', 'Label')", (ATE, DRANK, "Label")),
        (f"See [it] (or not): {{'intra': '{ATE}', 'inter': '{DRANK}'}}", (ATE, DRANK, "")),
        (f"[['{ATE}', '{DRANK}', 'Label', 'Deletion']]", (ATE, DRANK, "Label, Deletion")),
        (f"[['{ATE}'], ['{DRANK}'], ['Label']]", (ATE, DRANK, "Label")),
        (f"['{ATE}', '{DRANK}']", (ATE, DRANK, "")),
        (f"['{ATE}', '{DRANK}', 3]", None),
        (f"['{ATE}', 3, 'Label']", None),
        (f"{{['x']: 1, 'intra': '{ATE}', 'inter': '{DRANK}'}}", None),
        ("[" * 9000 + "]" * 9000, None),
        ("[" + "(" * 150 + "1" + ")" * 150 + "]", None),
        ("[" + "-" * 9000 + "1]", None),
        ("[" + "1+" * 3000 + "1]", None),
        ("[]", None),
        # Labels: the first of each, and both versions.
        (
            f"Intra-lingual: {ATE}\nINTER-LINGUAL: {DRANK}\nIntra-lingual: no\nMethod: Label\n\nNote: x",
            (ATE, DRANK, "Label"),
        ),
        (f"Intra-lingual: {ATE}\nMethod: Label", None),
        (f"Inter-lingual: {ATE}\nMethod: Label", None),
        (f'Intra-lingual:\n"{ATE}"\nInter-lingual:\n“Sie aß.”\nMethod: Label', (ATE, "Sie aß.", "Label")),
        (
            'Intra-lingual:\n"\nInter-lingual:\n"Tea" or "coffee"\nMethod: Label',
            ('"', '"Tea" or "coffee"', "Label"),
        ),
        (
            f'Intra-lingual:\n"Non-transferable"\nInter-lingual:\n{ATE}”\nMethod: Label',
            ('"Non-transferable"', f"{ATE}”", "Label"),
        ),
        # Tables: the last row of three, below the head.
        (f"| {ATE} | {DRANK} | Label |\n|---|---|---|", None),
        (
            f"| a | b | c |\n|---|---|---|\n| x | y | Gloss |\n| {ATE} | {DRANK} | Label |\nDone.",
            (ATE, DRANK, "Label"),
        ),
        (f"| a | b |\n|---|---|\n| {ATE} | {DRANK} |", None),
        (f"| a | b | c | d |\n|---|---|---|---|\n| {ATE} | {DRANK} | Label | x |", None),
        # Brackets and quotes.
        (f'["{ATE}", "{DRANK}", "Label".]', (f'"{ATE}"', f'"{DRANK}"', '"Label".')),
        (r'["She said \"hi\".", "She "drank".", "Label"]', ('She said "hi".', 'She "drank".', "Label")),
        (f"Here you are: [{ATE}], [{DRANK}], [Label]", (ATE, DRANK, "Label")),
        (
            "So: [She ate, then drank]，[She slept, then sang]; [Calquing]\nMore?",
            ("She ate, then drank", "She slept, then sang", "Calquing"),
        ),
        (
            "[Shy, but sings, a lot,\nShy, and sings, a lot,\nLabel]",
            ("Shy, but sings, a lot", "Shy, and sings, a lot", "Label"),
        ),
        (f"[{ATE}, {DRANK}, Label] or [{DRANK}, {ATE}, Label]", None),
        (f"[{ATE}, {DRANK}, Label]\nLabel means [a name].", (ATE, DRANK, "Label")),
        ("[Shy, but sings, a lot,\nEr ist shy, and sings, a lot, Label]", None),
        # Lines.
        (f"Answer:\n{ATE}\n\n\n{DRANK}\nLabel\n", (ATE, DRANK, "Label")),
        (f"ANSWER: {ATE}\n2) {DRANK}\nLabel", (ATE, DRANK, "Label")),
        (f"Result: 1. {ATE}\n- {DRANK}\nLabel", (ATE, DRANK, "Label")),
        (f"{ATE}\n{DRANK}\nSubstitution", None),
        ("Label", None),
    ],
)
def test_every_part_of_a_reply_in_detail(reply: str, parts: tuple[str, str, str] | None) -> None:
    assert read_adaptation(reply) == (None if parts is None else AdaptationReply(*parts))


def test_a_long_reply_is_read_as_json_alone() -> None:
    """20,000 characters are read in every layout; a character more, as JSON or not at all. Thinking does not
    count."""
    words = "x" * (20_000 - len(f"['', '{DRANK}', 'Label']"))
    assert read_adaptation(f"<think>y</think>['{words}', '{DRANK}', 'Label']") == AdaptationReply(
        words, DRANK, "Label"
    )
    assert read_adaptation(f"['{words}x', '{DRANK}', 'Label']") is None
    assert read_adaptation(json.dumps([f"{words}x", DRANK, "Label"])) == AdaptationReply(
        f"{words}x", DRANK, "Label"
    )


@pytest.mark.parametrize(
    ("reply", "versions"),
    [
        (
            "[She <CSI> queues </CSI>., She <CSI> waits </CSI>., Substitution]",
            ("She <CSI> queues </CSI>.", "She <CSI> waits </CSI>."),
        ),
        (
            "[He is shy, but sings., He is shy, and sings., Cultural adaptation]",
            ("He is shy, but sings.", "He is shy, and sings."),
        ),
        (
            "[He is shy, but sings, He is shy, but sings, Substitution]",
            ("He is shy, but sings", "He is shy, but sings"),
        ),
        (
            "[She queues for tea, She waits for tea, Substitution]",
            ("She queues for tea", "She waits for tea"),
        ),
        (
            "[He is shy, but sings., 他害羞，但是唱歌, Substitution]",
            ("He is shy, but sings.", "他害羞，但是唱歌"),
        ),
        ("[He is shy, but sings., 他害羞，但是唱歌]", ("He is shy, but sings.", "他害羞，但是唱歌")),
        (
            '["He said "hi", loudly.", "He said "yo", loudly.", "Substitution"]',
            ('He said "hi", loudly.', 'He said "yo", loudly.'),
        ),
        (
            f"{FORMAT}\n\nOutput: [She ate., She drank., Label]\n\nInput: x\nOutput: [One., Two., Label]",
            ("She ate.", "She drank."),
        ),
        (
            "1. The rewritten sentence in English: She ate.\n2. The rewritten sentence in Modern Standard "
            "Arabic:\nShe drank.\n"
            "3. The way you chose: Label\n\nSentence: She ate.",
            ("She ate.", "She drank."),
        ),
    ],
)
def test_layouts_that_small_models_answer_with(reply: str, versions: tuple[str, str]) -> None:
    found = read_adaptation(reply)
    assert found is not None
    assert (found.intra, found.inter) == versions


@pytest.mark.parametrize(
    "reply",
    [
        FORMAT,
        f"{FORMAT}\n\nOutput: She ate at home.",
        f"She ate at home.\n\nOutput:\n{FORMAT}\n\nOutput:\n[Non-transferable adaptation, Label "
        "adaptation]\n\nOutput:\n[Label",
        "[Non-transferable, Cultural Equivalent, Cultural Equivalence, Cultural Equivalence, Adaptation "
        "method used]",
        "[They ate, drank, laughed]",
    ],
)
def test_the_format_given_back_and_a_single_version_are_no_adaptation(reply: str) -> None:
    assert read_adaptation(reply) is None


def test_an_abbreviation_does_not_move_the_boundary_behind_it() -> None:
    found = read_adaptation("[He is <CSI> shy </CSI>, but sings., 他是KTV常客，但很<CSI>害羞</CSI>。, Label]")
    assert found == AdaptationReply(
        "He is <CSI> shy </CSI>, but sings.", "他是KTV常客，但很<CSI>害羞</CSI>。", "Label"
    )


def test_an_empty_version_in_brackets_of_its_own_is_empty() -> None:
    found = read_adaptation(
        "[She <CSI> helps </CSI> repeatedly, as one does., in two parts.], [], [Deletion]"
    )
    assert found == AdaptationReply(
        "She <CSI> helps </CSI> repeatedly, as one does., in two parts.", "", "Deletion"
    )


def test_the_bare_label_stands_for_both_versions() -> None:
    assert read_adaptation("'Non-transferable'.") == AdaptationReply(
        "'Non-transferable'.", "'Non-transferable'.", ""
    )


@given(st.text(alphabet=st.sampled_from("[]{}\"“”',:\n\\ aبNL<>CSI/|"), max_size=60))
def test_any_text_is_read_or_not_but_never_an_error(reply: str) -> None:
    found = read_adaptation(reply)
    assert found is None or found.intra or found.inter


TWELVE = (
    *(
        "bare",
        "json",
        "pyrepr",
        "dquote_unescaped",
        "bare_multiline",
        "dquote_multiline",
        "labelled",
        "fenced_json",
        "three_lines",
    ),
    *("three_brackets", "json_object", "curly_quotes"),
)


@pytest.fixture(scope="module")
def synthetic(xcr_systems: Path) -> list[dict[str, str]]:
    """The replies of the ten synthetic systems with the truth beside them."""
    rows = []
    for path in sorted((xcr_systems / "inputs" / "adaptation").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows += list(csv.DictReader(file))
    return rows


@pytest.mark.shared
@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("layout", [*TWELVE, "nt_only"])
def test_each_of_the_twelve_synthetic_layouts_is_read_right(
    layout: str, every: int, synthetic: list[dict[str, str]]
) -> None:
    rows = [row for row in synthetic if row["raw_format"] == layout][::every]
    assert len(rows) > (50 if layout == "nt_only" else 800) / every
    right = wrong = strategies = 0
    for row in rows:
        truth = AdaptationReply(row["Intra"].strip(), row["Inter"].strip(), row["Method"].strip())
        if layout == "nt_only":
            truth = AdaptationReply(row["Raw"], row["Raw"], "")
        found = read_adaptation(row["Raw"])
        right += found == truth
        wrong += found is not None and (found.intra, found.inter) != (truth.intra, truth.inter)
        strategies += found is not None and canonical_strategy(found.method) == canonical_strategy(
            truth.method
        )
    assert right / len(rows) > 0.99
    assert wrong <= 2  # what is not read right is called unreadable
    assert strategies / len(rows) > 0.99


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Transference", "Transference"),
        ("2. cultural equivalents", "Cultural Equivalent"),
        ("Labelling", "Label"),
        ("neutralisation", "Neutralization"),
        ("Paraphrase or Gloss", "Paraphrase or Gloss"),
        ("paraphrase", "Paraphrase or Gloss"),
        ("Couplet: Transference, Label", "Couplet (Label + Transference)"),
        ("Label + Transference", "Couplet (Label + Transference)"),
        ("Label, Deletion and Transference", "Combination (Deletion + Label + Transference)"),
        ("Couplet", "Couplet"),
        ("a guess", None),
        (", ".join(STRATEGIES), None),
    ],
)
def test_strategies_have_one_name_each(text: str, name: str | None) -> None:
    assert canonical_strategy(text) == name


def test_a_sentence_that_mentions_a_strategy_is_not_one() -> None:
    assert names_only_strategies("Adaptation method used: Cultural Equivalent (Method 2)")
    assert not names_only_strategies("She put a label on the jar")
    assert not names_only_strategies("")


LABEL, ENGLISH, BENGALI = (
    "Non-transferable",
    "At noon, she drank <CSI> tea </CSI>.",
    "তিনি <CSI> চা </CSI> পান করলেন।",
)
NO_STRATEGY = (
    "N/A",
    "n/a",
    "NA",
    "None",
    "-",
    "—",
    "Not applicable",
    "No method used",
    "no adaptation method was used",
)


@pytest.mark.parametrize("method", NO_STRATEGY)
@pytest.mark.parametrize(
    "layout", ["[{}, {}, {}]", "[{}; {}; {}]", "[‘{}’, ‘{}’, ‘{}’]", "{}\n{}\n{}", "[{}, {}, {}]\n\nNo more."]
)
@pytest.mark.parametrize(
    "versions",
    [(LABEL, LABEL), (ENGLISH, LABEL), (LABEL, BENGALI), (ENGLISH, BENGALI)],
    ids=["neither", "intra", "inter", "both"],
)
def test_what_stands_for_no_strategy_is_no_part_of_a_version(
    versions: tuple[str, str], layout: str, method: str
) -> None:
    found = read_adaptation(layout.format(*versions, method))
    assert found == AdaptationReply(*versions, method)
    assert canonical_strategy(found.method) is None


@pytest.mark.parametrize(
    "reply",
    [
        f"[{LABEL}, {LABEL}]",
        f"[{LABEL}, {LABEL}, {LABEL}]",
        f"{LABEL}, {LABEL}, N/A",
        f"{LABEL}\n{LABEL}\n{LABEL}",
        f"[{LABEL} | {LABEL} | N/A]",
        f"{LABEL}. There is no equivalent, as far as known.",
        f"**{LABEL}**\n\nExplanation: tailgating is unknown there.",
        f"{LABEL} (no cultural equivalent)",
        f"[{LABEL}] - no equivalent",
        "Non transferrable: they do not [usually] have it",
    ],
)
def test_the_label_several_times_or_with_an_explanation_is_of_both_versions(reply: str) -> None:
    found = read_adaptation(reply)
    assert found is not None and is_bare_label(found.intra) and is_bare_label(found.inter)
    assert found.method in ("", "N/A")


@pytest.mark.parametrize("versions", [(ENGLISH, LABEL), (LABEL, BENGALI), (LABEL, ENGLISH)])
def test_without_a_strategy_the_label_divides_a_list(versions: tuple[str, str]) -> None:
    assert read_adaptation("[{}, {}]".format(*versions)) == AdaptationReply(*versions, "")


@pytest.mark.parametrize("reply", [f"{LABEL}, because", f"[{LABEL}, Label]", f"{LABEL} <CSI> tea </CSI>"])
def test_the_label_with_something_else_is_not_guessed_at(reply: str) -> None:
    assert read_adaptation(reply) is None

"""The released data of XCR-Bench: the base corpus, its adaptations to four cultures, joined to it by
sentence, the authors' prompts, and what is odd about them.

The released files carry no ids and come in five different row orders, with small differences in spacing and
spelling. Sentences are therefore joined by steps of ``JOIN_STEPS``, from the exact text to a normal form, and
repeated sentences in order of occurrence. Checking drops and changes nothing; reading puts right what it can.
"""

from __future__ import annotations

import csv
import hashlib
import re
import unicodedata
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from folkways.metrics.spans import CLOSING, OPENING, tagged_spans
from folkways.metrics.strings import edit_similarity
from folkways.records import DataIssue, of_rows
from folkways.releases.once import read_once
from folkways.releases.release_records import Release
from folkways.text_tables import read_table

BASE_FILE = "xcr_bench_base_corpus.csv"
ADAPTATION_FILES: Mapping[str, str] = {
    "ARAB": "xcr_bench_arabic_adaptation.csv",
    "CN": "xcr_bench_chinese_adaptation.csv",
    "IN-WB": "xcr_bench_bengali_west_bengal_adaptation.csv",
    "BD": "xcr_bench_bengali_bangladesh_adaptation.csv",
}
"""Target culture -> file."""

PROMPT_FILES: Mapping[str, str] = {
    task: f"prompts/{task}_prompt.txt" for task in ("identification", "prediction", "adaptation")
}
"""Task -> file with the authors' wording (RTF behind the ending .txt)."""

BASE_COLUMNS = ("sentence", "cultural_context", "csi_category", "csi_hall_mapping", "hall_level")
ADAPTATION_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "sentence": ("Sentence",),
    "intra": ("Intra-lingual", "Intra-lingual Adaptation"),
    "inter": ("Inter-lingual", "Inter-lingual Adaptation"),
}
"""Our column -> the spellings of it in the released headers."""

MISSPELLINGS: Mapping[str, str] = {"hecitc": "hectic"}
_AFTER_LATIN = "\u0250"
_TAG = re.compile(r"</?CSI>")
_NON_TRANSFERABLE = re.compile(r"\W*non[\s-]*transferr?able\b", re.I)


def normal_form(sentence: str) -> str:
    """The sentence without tags, punctuation, case and known misspellings, words one space apart: the key of
    the joins."""
    text = unicodedata.normalize("NFKC", _without_punctuation(sentence)).lower()
    return " ".join(MISSPELLINGS.get(word, word) for word in text.split())


def _without_spaces_at_tags(sentence: str) -> str:
    return re.sub(r"\s*(</?CSI>)\s*", r"\1", sentence)


def _without_punctuation(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", _TAG.sub(" ", sentence)))


JOIN_STEPS: Mapping[str, Callable[[str], str]] = {
    "exact": str,
    "tag-spaces": _without_spaces_at_tags,
    "punctuation": _without_punctuation,
    "spelling": normal_form,
}
"""Name of a step -> the form of a sentence that it compares; each step takes what the earlier ones left
over."""


def is_non_transferable(text: str) -> bool:
    """Whether ``text`` begins with the label for "has no equivalent in the culture", spelt with one r or two,
    tagged or not."""
    return bool(_NON_TRANSFERABLE.match(_TAG.sub(" ", text)))


def is_bare_label(text: str) -> bool:
    """Whether ``text`` is that label and nothing else (one released cell goes on to explain itself)."""
    return bool(re.fullmatch(_NON_TRANSFERABLE.pattern + r"\W*", _TAG.sub(" ", text), re.I))


def read_base(release: Release) -> pl.DataFrame:
    """The base corpus as released: BASE_COLUMNS and ``row`` (1-based). Raises DataError for a missing column
    or a ragged row."""
    return read_table(release.path(BASE_FILE), {name: (name,) for name in BASE_COLUMNS})


def read_adaptation(release: Release, culture: str) -> pl.DataFrame:
    """One adaptation file as released, data issues included: ``row`` (1-based), ``sentence``, ``intra``,
    ``inter``."""
    return read_table(release.path(ADAPTATION_FILES[culture]), ADAPTATION_COLUMNS)


def read_prompt(release: Release, task: str) -> str | None:
    """The authors' prompt for ``identification``, ``prediction`` or ``adaptation`` as plain text; None if the
    release lacks it."""
    if not release.has(PROMPT_FILES[task]):
        return None
    text = release.path(PROMPT_FILES[task]).read_text(encoding="utf-8", errors="replace")
    if not text.lstrip().startswith("{\\rtf"):
        return text
    from striprtf.striprtf import rtf_to_text

    return str(rtf_to_text(text))


@read_once
def corpus(release: Release) -> pl.DataFrame:
    """The base corpus with ids, which do not depend on the order of the file.

    Columns: ``id`` (``xcr-`` and 8 hexadecimal digits of the normal form, ``-2`` for a repeat), ``row``
        and BASE_COLUMNS.
    """
    base = read_base(release)
    return base.select(pl.Series("id", sentence_ids(base["sentence"].to_list()), dtype=pl.String), pl.all())


def adaptations(release: Release, culture: str) -> pl.DataFrame:
    """The adaptations to ``culture`` that join to the base corpus, in its order.

    Columns: ``id``, ``row`` (of the adaptation file), ``intra``, ``inter`` (put right where the file has them
    swapped), ``swapped``, ``joined_by`` (a name of JOIN_STEPS). The released files join completely: 1,034
    rows in each culture.
    """
    base = corpus(release)
    table = read_adaptation(release, culture)
    matches = join_rows(base["sentence"].to_list(), table["sentence"].to_list())
    ids, released = base["id"].to_list(), table.rows()
    rows: list[tuple[object, ...]] = []
    for position, (base_position, step) in sorted(matches.items(), key=lambda match: match[1][0]):
        row, _, intra, inter = released[position]
        swapped = is_swapped(intra, inter)
        intra, inter = (inter, intra) if swapped else (intra, inter)
        rows.append((ids[base_position], row, intra, inter, swapped, step))
    schema = {"id": pl.String, "row": pl.Int64, "intra": pl.String, "inter": pl.String}
    return of_rows(rows, {**schema, "swapped": pl.Boolean, "joined_by": pl.String})


def join_rows(base: Sequence[str], sentences: Sequence[str]) -> dict[int, tuple[int, str]]:
    """Index in ``sentences`` -> index in ``base`` and the step that joined them; without sentences that join
    to nothing.

    Every index is used once at most; a repeated sentence is joined in order of occurrence.
    """
    matches: dict[int, tuple[int, str]] = {}
    taken: set[int] = set()
    for step, form in JOIN_STEPS.items():
        waiting: defaultdict[str, deque[int]] = defaultdict(deque)
        for position, sentence in enumerate(base):
            if position not in taken:
                waiting[form(sentence)].append(position)
        for position, sentence in enumerate(sentences):
            if position not in matches and (queue := waiting.get(form(sentence))):
                matches[position] = (queue.popleft(), step)
                taken.add(matches[position][0])
    return matches


def is_swapped(intra: str, inter: str) -> bool:
    """Whether the English version is mostly in another script than Latin and the other one mostly in
    Latin."""
    return _latin_share(intra) < 0.5 < _latin_share(inter) and not is_non_transferable(inter)


def looks_like(folder: Path) -> bool:
    """Whether ``folder`` holds the corpus: flat, under ``data/``, or under ``corpus/`` as in the authors'
    repository."""
    for name in (BASE_FILE, f"data/{BASE_FILE}", f"corpus/{BASE_FILE}"):
        path = folder / name
        if path.is_file():
            with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
                return set(BASE_COLUMNS) <= set(next(csv.reader(file), []))
    return False


def sentence_ids(sentences: Sequence[str]) -> list[str]:
    """Ids of sentences in order: ``xcr-`` and 8 hexadecimal digits of the normal form, ``-2`` and so on for
    repeats."""
    seen: Counter[str] = Counter()
    ids = []
    for sentence in sentences:
        digest = hashlib.sha256(normal_form(sentence).encode()).hexdigest()[:8]
        seen[digest] += 1
        ids.append(f"xcr-{digest}" if seen[digest] == 1 else f"xcr-{digest}-{seen[digest]}")
    return ids


def _latin_share(text: str) -> float:
    """Share of Latin letters among the letters outside tags; 0.5 without letters, which settles nothing."""
    letters = [*filter(str.isalpha, _TAG.sub("", text))]
    return sum(map(_AFTER_LATIN.__gt__, letters)) / len(letters) if letters else 0.5


# edit similarity from which a sentence counts as the example of a prompt: one reworded clitic stays above it
ALIKE = 0.85
SIDES = {"intra": "Intra-lingual", "inter": "Inter-lingual"}
_JOINED_BY = {
    "tag-spaces": "joins to the base corpus only when spaces at the tags are ignored",
    "punctuation": "joins to the base corpus only when tags, punctuation and the spaces around them are "
    "ignored",
    "spelling": "joins to the base corpus only when case and a known misspelling are ignored",
}
LINE_BREAK = r"\\"
_LATEX = re.compile(r"\\[A-Za-z]+\{")
_ENDS_SENTENCE = re.compile(r"[.!?。！？।؟…]['\"”’»)]*\s*$")


def check(release: Release) -> list[DataIssue]:
    """Every data issue of the release, file by file and row by row.

    Kinds: ``joined-by-tag-spaces``, ``joined-by-punctuation``, ``joined-by-spelling``, ``unmatched``,
    ``not-adapted``, ``non-transferable``, ``untagged``, ``unequal-csi-count``, ``unbalanced-tags``,
    ``cut-off``, ``latex``, ``not-nfc``, ``swapped-columns``, ``duplicate-sentence``, ``conflicting-labels``,
    ``prompt-example``, ``missing-file``. ``key`` names the column.
    """
    base = read_base(release)
    issues = list(_base(base))
    for culture, file in ADAPTATION_FILES.items():
        if release.has(file):
            issues += _adaptation(file, base, read_adaptation(release, culture))
        else:
            issues.append(
                DataIssue(
                    file,
                    "missing-file",
                    f"there is no such file: no adaptation to {culture} can be asked for",
                )
            )
    return issues + list(_prompt_examples(release, base))


def _base(base: pl.DataFrame) -> Iterator[DataIssue]:
    groups: defaultdict[str, list[dict[str, object]]] = defaultdict(list)
    for entry in base.iter_rows(named=True):
        groups[normal_form(entry["sentence"])].append(entry)
        yield from _text_issues(BASE_FILE, int(entry["row"]), "sentence", entry["sentence"])
    for first, *repeats in groups.values():
        for repeat in repeats:
            row = int(str(repeat["row"]))
            sentence = str(repeat["sentence"])
            yield DataIssue(
                BASE_FILE,
                "duplicate-sentence",
                f"the same sentence as row {first['row']}",
                row,
                "sentence",
                sentence,
            )
            labels = ("csi_category", "csi_hall_mapping", "hall_level")
            differing = [
                f"{name} {repeat[name]!r}, there {first[name]!r}"
                for name in labels
                if repeat[name] != first[name]
            ]
            if differing:
                message = f"other labels than the same sentence in row {first['row']}: {'; '.join(differing)}"
                yield DataIssue(BASE_FILE, "conflicting-labels", message, row, "sentence", sentence)


def _adaptation(file: str, base: pl.DataFrame, table: pl.DataFrame) -> Iterator[DataIssue]:
    matches = join_rows(base["sentence"].to_list(), table["sentence"].to_list())
    for position, (row, sentence, intra, inter) in enumerate(table.iter_rows()):
        _, step = matches.get(position, (None, None))
        if step is None:
            yield DataIssue(
                file,
                "unmatched",
                "joins to no sentence of the base corpus; it cannot be used",
                row,
                "Sentence",
                sentence,
            )
        elif step != next(iter(JOIN_STEPS)):
            yield DataIssue(file, f"joined-by-{step}", _JOINED_BY[step], row, "Sentence", sentence)
        if is_swapped(intra, inter):
            message = "the two versions stand in each other's column; they are read the right way round"
            yield DataIssue(file, "swapped-columns", message, row, SIDES["intra"], intra)
        for side, cell in (("intra", intra), ("inter", inter)):
            yield from _cell(file, row, SIDES[side], sentence, cell)
    adapted = {base_position for base_position, _ in matches.values()}
    for position, sentence in enumerate(base["sentence"]):
        if position not in adapted:
            yield DataIssue(
                BASE_FILE,
                "not-adapted",
                f"{file} has no adaptation of this sentence",
                position + 1,
                "sentence",
                sentence,
            )


def _cell(file: str, row: int, column: str, sentence: str, cell: str) -> Iterator[DataIssue]:
    label = is_non_transferable(cell)
    if label:
        yield DataIssue(
            file, "non-transferable", "said to have no equivalent; it has no adapted text", row, column, cell
        )
    elif OPENING not in cell and CLOSING not in cell:
        yield DataIssue(file, "untagged", "an adapted text without any tag", row, column, cell)
    expected, tagged = (len(tagged_spans(text, across_lines=True)) for text in (sentence, cell))
    if expected != tagged and not is_bare_label(cell):
        yield DataIssue(
            file, "unequal-csi-count", f"{tagged} tagged, {expected} in the sentence", row, column, cell
        )
    yield from _text_issues(file, row, column, cell)


def _text_issues(file: str, row: int, column: str, text: str) -> Iterator[DataIssue]:
    opened, closed = text.count(OPENING), text.count(CLOSING)
    if opened != closed:
        yield DataIssue(
            file, "unbalanced-tags", f"{opened} opening and {closed} closing tags", row, column, text
        )
    tail = text[text.rfind(OPENING) + len(OPENING) :] if text.rfind(OPENING) > text.rfind(CLOSING) else ""
    if tail.strip() and not _ENDS_SENTENCE.search(tail):
        yield DataIssue(file, "cut-off", "ends in the middle of a tagged item", row, column, text)
    if _LATEX.search(text):
        yield DataIssue(file, "latex", "carries LaTeX commands", row, column, text)
    if not unicodedata.is_normalized("NFC", text):
        yield DataIssue(
            file,
            "not-nfc",
            "not in Unicode normal form C; normalise before comparing or embedding",
            row,
            column,
            text,
        )


def _prompt_examples(release: Release, base: pl.DataFrame) -> Iterator[DataIssue]:
    for task, file in PROMPT_FILES.items():
        prompt = read_prompt(release, task)
        if prompt and LINE_BREAK in prompt:
            message = (
                f"carries LaTeX line breaks ({LINE_BREAK}), which models read as they are; the variant "
                "authors-cleaned goes without them, as the paper prints the prompt (Figures 11 and 12)"
            )
            yield DataIssue(file, "latex", message)
        for row in prompt_example_rows(prompt or "", base["sentence"].to_list()):
            message = (
                f"is the worked example of the authors' {task} prompt ({file}): look at scores with "
                "and without it"
            )
            yield DataIssue(BASE_FILE, "prompt-example", message, row, "sentence", base["sentence"][row - 1])


def prompt_example_rows(prompt: str, sentences: list[str]) -> list[int]:
    """1-based rows of the sentences that a prompt shows, solved, as its example: nearly equal to a tagged
    line without a mask."""
    shown = [
        normal_form(line)
        for line in prompt.splitlines()
        if tagged_spans(line, across_lines=False) and "[MASK]" not in line
    ]
    shown = [line.removeprefix("input ").removeprefix("output ") for line in shown]
    forms = [normal_form(sentence) for sentence in sentences]
    return [
        row
        for row, form in enumerate(forms, start=1)
        if any(edit_similarity(form, line) >= ALIKE for line in shown)
    ]

"""CoNLL: a token per line with its tag, an empty line after each text.

Read: the columns of CoNLL-2003, of Universal NER (IOB2 with ids and ``# text``), and CoNLL-U with the tag in
MISC. Written: CoNLL-2003, which has no place for the text, and Universal NER, which has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

from folkways_studio.formats.spans import TAG, UNSPACED, Span, Token, iob2, spans_of_tags, tokens_of

COMMENT = re.compile(r"#\s*([\w.]+)\s*=\s?(.*)")
IDS = ("sent_id", "id", "doc_id")
MISC_TAG = re.compile(r"(?:^|\|)(?:NER|NE|name)=([^|]+)", re.IGNORECASE)
NO_SPACE = re.compile(r"(?:^|\|)SpaceAfter=No(?:\||$)")
FIRST_ID = re.compile(r"1(-|$)|0\.")
"""What a text begins with: the first word, one that several make (1-2), or an empty node (0.1)."""
DOCUMENT = "-DOCSTART-"
COLUMNS_OF_CONLL_U = 10


class ConllError(ValueError):
    """A file that cannot be read as CoNLL; says where and why. line: its number, from 1."""

    def __init__(self, problem: str, line: int) -> None:
        self.line = line
        super().__init__(f"line {line}: {problem}")


@dataclass(frozen=True, slots=True)
class TaggedText:
    """A text with its spans. name: its id, "" for none."""

    name: str
    text: str
    spans: Sequence[Span]


def conll2003(texts: Iterable[TaggedText]) -> str:
    """The columns of CoNLL-2003, TOKEN -X- _ TAG, a document per text; the second
    and third column say nothing."""
    lines = []
    for each in texts:
        lines += [f"{DOCUMENT} -X- O O", ""]
        tokens = tokens_of(each.text, each.spans)
        tags = iob2(tokens, each.spans)
        lines += [
            f"{each.text[start:end]} -X- _ {tag}" for (start, end), tag in zip(tokens, tags, strict=True)
        ]
        lines.append("")
    return "\n".join(lines) + "\n"


def universal_ner(texts: Iterable[TaggedText]) -> str:
    """Universal NER's IOB2: ``# sent_id``, ``# text``, then ID, TOKEN, TAG and two columns that are not used.
    Line breaks of a text become spaces, one for one."""
    lines = []
    for each in texts:
        tokens = tokens_of(each.text, each.spans)
        tags = iob2(tokens, each.spans)
        lines += [f"# sent_id = {each.name}", f"# text = {one_line(each.text)}"]
        for number, ((start, end), tag) in enumerate(zip(tokens, tags, strict=True), 1):
            lines.append(f"{number}\t{each.text[start:end]}\t{tag}\t-\t-")
        lines.append("")
    return "\n".join(lines) + "\n"


def one_line(text: str) -> str:
    """A text with a space for every line break, so that no offset changes."""
    return re.sub(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", " ", text)


@dataclass
class _Block:
    """The lines of one text while they are read: (line number, columns) of each token."""

    comments: dict[str, str] = field(default_factory=dict)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)


def read_conll(content: str) -> tuple[list[TaggedText], bool]:
    """The texts of a file, and whether a text had to be put together from its tokens, with a space between
    them where nothing says otherwise. Raises ConllError."""
    blocks = [*_blocks(content)]
    if not blocks:
        raise ConllError("there is no token in the file", 1)
    tag_of, form = _layout(blocks)
    texts, joined = [], False
    for block in blocks:
        words, tags = _words(block, tag_of, form)
        text = block.comments.get("text")
        if text is None:
            text, tokens = _joined(words)
            joined = True
        else:
            tokens = _aligned(text, words)
        name = next((block.comments[key] for key in IDS if block.comments.get(key)), "")
        texts.append(TaggedText(name, text, spans_of_tags(tokens, tags)))
    return texts, joined


def _blocks(content: str) -> Iterator[_Block]:
    block = _Block()
    for number, line in enumerate(re.split(r"\r\n|\r|\n", content.removeprefix("\ufeff")), 1):
        columns = line.split("\t") if "\t" in line else line.split()
        comment = COMMENT.fullmatch(line)
        if not line.strip() or columns[0] == DOCUMENT:
            if block.rows:
                yield block
                block = _Block()
        elif comment or (line.startswith("#") and "\t" not in line and not TAG.fullmatch(columns[-1])):
            if comment:
                block.comments[comment[1]] = comment[2]
        else:
            block.rows.append((number, [each.strip() for each in columns]))
    if block.rows:
        yield block


def _layout(blocks: Sequence[_Block]) -> tuple[Callable[[Sequence[str]], str], int]:
    """How the tag of a line is read, and the column of its token."""
    rows = [row for block in blocks for row in block.rows]
    width = len(rows[0][1])
    for number, columns in rows:
        if len(columns) != width:
            raise ConllError(f"has {len(columns)} columns, and the lines before it have {width}", number)
    has_ids = width > 2 and all(FIRST_ID.match(block.rows[0][1][0]) for block in blocks)
    form = 1 if has_ids and all(re.fullmatch(r"\d+([-.]\d+)?", columns[0]) for _, columns in rows) else 0
    if width == COLUMNS_OF_CONLL_U and form == 1:
        if not any(MISC_TAG.search(columns[-1]) for _, columns in rows):
            raise ConllError(
                "is CoNLL-U without tags of entities; they are looked for in MISC: NER=B-PER", rows[0][0]
            )
        return _misc_tag, form
    for column in range(width - 1, form, -1):
        values = {columns[column] for _, columns in rows}
        if all(map(TAG.fullmatch, values)):
            return itemgetter(column), form
    raise ConllError(
        "there is no column of tags; one of them has to be O, or B-LABEL, I-LABEL, ... in every line",
        rows[0][0],
    )


def _misc_tag(columns: Sequence[str]) -> str:
    match = MISC_TAG.search(columns[-1])
    return match[1] if match and TAG.fullmatch(match[1]) else "O"


class _Word(NamedTuple):
    """A word as it is in the text, the number of its line, and whether a space comes after it."""

    form: str
    line: int
    spaced: bool


def _words(block: _Block, tag_of: Callable[[Sequence[str]], str], form: int) -> tuple[list[_Word], list[str]]:
    """The words of a text and their tags. A word of several tokens (3-4) has the first tag of them."""
    words: list[_Word] = []
    tags: list[str] = []
    covered = 0
    for number, columns in block.rows:
        identifier = columns[0] if form else ""
        tag = tag_of(columns)
        if "." in identifier:
            continue
        if identifier.isdecimal() and int(identifier) <= covered:
            if tags[-1] == "O":
                tags[-1] = tag
            continue
        if "-" in identifier:
            covered = int(identifier.split("-")[1])
        spaced = len(columns) < COLUMNS_OF_CONLL_U or not NO_SPACE.search(columns[-1])
        words.append(_Word(columns[form], number, spaced))
        tags.append(tag)
    return words, tags


def _joined(words: Sequence[_Word]) -> tuple[str, list[Token]]:
    """The text that the words make, and the place of each in it. Scripts without spaces get none."""
    text, tokens, space = "", [], False
    for form, _, spaced in words:
        if space and not (UNSPACED.match(text[-1]) and UNSPACED.match(form[:1])):
            text += " "
        tokens.append((len(text), len(text) + len(form)))
        text += form
        space = spaced
    return text, tokens


def _aligned(text: str, words: Sequence[_Word]) -> list[Token]:
    """The place of each word in the text, with nothing but white space between them."""
    tokens, position = [], 0
    for form, number, _ in words:
        start = text.find(form, position)
        if start < 0 or text[position:start].strip():
            raise ConllError(
                f"{form!r} does not come next in # text: {text[position : position + 40]!r}", number
            )
        tokens.append((start, start + len(form)))
        position = start + len(form)
    return tokens


def row_of(each: TaggedText) -> Mapping[str, Any]:
    """A text as spaCy's training data has it, with its id."""
    row = {"text": each.text, "entities": [list(span) for span in each.spans]}
    return {"id": each.name, **row} if each.name else row

"""Known answers of a kind of stage: read from a table, checked, compared with what people say. No input or
output happens here."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from folkways_studio.errors import SubmissionError
from folkways_studio.stages.fields import plain, raise_if, shared

Content = Mapping[str, Any]
Config = Mapping[str, Any]
Translate = Callable[..., str]


class HasKnownAnswers(ABC):
    """The part of a kind of stage that is about answers known beforehand. What a kind does not need stays as
    it is here."""

    known_fields: ClassVar[
        tuple[str, ...]
    ] = ()  # fields of the payload that may be known beforehand, the plainest first
    texts: ClassVar[
        tuple[str, ...]
    ] = ()  # fields of the payload in a person's own words, which can be redacted

    @abstractmethod
    def validate(self, submission: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """See ``StageKind``, as of the other two."""

    @abstractmethod
    def labels(self, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """Field -> what agreement is computed over: text, number, or a frozenset where several may be chosen.
        Empty for none."""

    @abstractmethod
    def describe(self, payload: Mapping[str, Any], content: Content, translate: Translate) -> Sequence[str]:
        """A judgement in words, for reviewers and researchers: one line per thing said."""

    def read_known(self, cell: Any) -> Mapping[str, Any]:
        """A known answer as a table of items gives it: its fields, or the value of the first of
        ``known_fields`` alone."""
        return dict(cell) if isinstance(cell, Mapping) else {self.known_fields[0]: cell}

    def check_known(self, known: Mapping[str, Any], content: Content, config: Config) -> Mapping[str, Any]:
        """A known answer as it is stored: some or all of ``known_fields``. SubmissionError where one is wrong
        or none is given."""
        valid = ", ".join(self.known_fields) or "(none)"
        raise_if(
            {
                name: f"cannot be known beforehand; valid: {valid}"
                for name in known
                if name not in self.known_fields
            }
        )
        raise_if({} if known else {"": f"says nothing; give at least one of: {valid}"})
        try:
            payload = self.validate(known, content, config)
        except (
            SubmissionError
        ) as error:  # of the fields that are not given, which a known answer need not have
            raise_if({name: problem for name, problem in error.problems.items() if name in known})
            payload = known
        return {name: payload[name] for name in known}

    def is_right(self, payload: Mapping[str, Any], known: Mapping[str, Any], overlap: float = 1.0) -> bool:
        """Whether a judgement says what is known, in every field of it: ``labels`` are compared as agreement
        does, marks by how much of them is shared, other texts without case, spacing and the ways of encoding
        a letter.
        """
        said, right = self.labels(payload), self.labels({**payload, **known})
        for name, value in known.items():
            if name == "spans":
                same = shared(payload["spans"], value) >= overlap
            elif name in right:
                same = said[name] == right[name]
            else:
                same = plain(payload.get(name)) == plain(value)
            if not same:
                return False
        return True

    def known_of(self, result: Mapping[str, Any]) -> Mapping[str, Any]:
        """The known answer that a decided item's result stands for; empty where it tells none."""
        return {name: result[name] for name in self.known_fields if name in result}

    def describe_known(
        self, known: Mapping[str, Any], content: Content, translate: Translate
    ) -> Sequence[str]:
        """A known answer in words, as ``describe`` puts a judgement."""
        empty: dict[str, Any] = dict.fromkeys((*self.known_fields, *self.texts), "")
        return [line for line in self.describe({**empty, **known}, content, translate) if line]

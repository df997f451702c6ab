"""Checks as text, JUnit XML and GitHub annotations. Names of models and messages of servers are untrusted
text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from folkways.display import single_line
from folkways.evidence.requirements import Check, Status

_WORDS = {Status.PASS: "ok", Status.UNSURE: "unsure", Status.FAIL: "FAILED"}


def as_lines(checks: Sequence[Check]) -> Iterator[str]:
    """A line for each check."""
    width = max((len(word) for word in _WORDS.values()), default=0)
    for check in checks:
        yield (
            f"{_WORDS[check.status]:<{width}}  {single_line(check.name)}  {single_line(check.model)}: "
            f"{single_line(check.message)}"
        )


def as_short_lines(checks: Sequence[Check]) -> Iterator[str]:
    """For each model a line with the names of what passes, then a line for each other check."""
    for model in dict.fromkeys(check.model for check in checks):
        of_model = [check for check in checks if check.model == model]
        if names := [check.name for check in of_model if check.status is Status.PASS]:
            word = f"{_WORDS[Status.PASS]:<{len(_WORDS[Status.FAIL])}}"
            yield f"{word}  {single_line(model)}: {', '.join(names)}"
        yield from as_lines([check for check in of_model if check.status is not Status.PASS])


def as_junit(checks: Sequence[Check], run: str) -> str:
    """JUnit XML with a test case for each check; an unsure one passes, with a message on standard output."""
    failures = sum(check.status is Status.FAIL for check in checks)
    suite = ElementTree.Element(
        "testsuite", name=f"folkways gate {single_line(run)}", tests=str(len(checks)), failures=str(failures)
    )
    suite.set("errors", "0")
    suite.set("skipped", "0")
    for check in checks:
        case = ElementTree.SubElement(
            suite, "testcase", classname=single_line(check.model), name=single_line(check.name)
        )
        if check.status is Status.FAIL:
            ElementTree.SubElement(case, "failure", message=single_line(check.message)).text = single_line(
                check.message
            )
        else:
            output = ElementTree.SubElement(case, "system-out")
            output.text = f"{_WORDS[check.status]}: {single_line(check.message)}"
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def as_annotations(checks: Sequence[Check], command: str = "folkways gate") -> Iterator[str]:
    """GitHub workflow commands: an error for each check that failed, a warning for each unsure one.

    command: what made the checks.
    """
    commands = {Status.FAIL: "error", Status.UNSURE: "warning"}
    for check in checks:
        if check.status in commands:
            title = _escaped(f"{command}: {check.name}", in_property=True)
            yield f"::{commands[check.status]} title={title}::{_escaped(f'{check.model}: {check.message}')}"


def _escaped(text: str, *, in_property: bool = False) -> str:
    """A line with GitHub's escapes for workflow commands, so that it cannot contain a command."""
    safe = single_line(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return safe.replace(":", "%3A").replace(",", "%2C") if in_property else safe

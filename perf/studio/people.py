"""What people do: they answer, now and then twice, in a second tab, too late or not at all."""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections import Counter
from dataclasses import dataclass, field, replace

from perf.studio.browser import Browser, Reply, TimeUpError
from perf.studio.scenario import Scenario

OPTIONS = 4


@dataclass
class Account:
    """What all people were told about what they sent: key of the form -> (address of the task, option
    chosen).

    stored: the server said that it has it. refused: it said that it does not take it. open: it said nothing
    before the time was up.
    """

    stored: dict[str, tuple[str, int]] = field(default_factory=dict)
    refused: dict[str, tuple[str, int]] = field(default_factory=dict)
    open: dict[str, tuple[str, int]] = field(default_factory=dict)
    did: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)


class Person:
    """Somebody who comes by an invitation and answers until there is nothing left.

    stays: they ask again when there is nothing to do at the moment; everybody else leaves.
    """

    def __init__(
        self, number: int, browser: Browser, scenario: Scenario, account: Account, over: asyncio.Event
    ) -> None:
        self.luck = random.Random(f"{scenario.seed}-{number}")
        self.stays = number < scenario.stayers
        self.browser = browser
        self.scenario = scenario
        self.account = account
        self.over = over
        self.csrf = ""

    async def live(self, invitation: str) -> None:
        """From the invitation to the end."""
        try:
            await self._wait(self.luck.uniform(0, self.scenario.arrival))
            await self._enter(invitation)
            while not self.over.is_set():
                page = await self._next()
                while page is not None and not self.over.is_set():
                    page = await self._answer(page)
                if not self.stays or self.over.is_set():
                    return
                await self._wait(self.luck.uniform(1, 3))
        except TimeUpError:
            self.account.did["time was up"] += 1
        finally:
            await self.browser.session.close()

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _enter(self, invitation: str) -> None:
        """Follow the invitation, again where a server that was killed meanwhile let nobody in, and agree."""
        place = f"/work/{self.scenario.study}"
        while True:
            shown = await self.browser.get(invitation, "entry")
            if "csrf" in shown.fields:
                await self.browser.post(invitation, "entry", {"csrf": shown.fields["csrf"]})
            consent = await self.browser.get(f"{place}/consent", "entry")
            if "version" in consent.fields:
                break
            self.account.did["followed the invitation again"] += 1
            await self._wait(0.2)
        self.csrf = consent.fields["csrf"]
        agreed = {"csrf": self.csrf, "version": consent.fields["version"], "agree": "yes"}
        await self.browser.post(f"{place}/consent", "entry", agreed)

    async def _next(self) -> Reply | None:
        return await self._follow(
            await self.browser.post(f"/work/{self.scenario.study}/next", "next", {"csrf": self.csrf})
        )

    async def _follow(self, reply: Reply) -> Reply | None:
        """The task that a reply leads to, as of the moment that it was asked for; None where it leads to
        none."""
        if "/tasks/" not in reply.place:
            return None
        page = await self.browser.get(reply.place, "page")
        return replace(page, began=reply.began) if page.address else None

    async def _answer(self, page: Reply) -> Reply | None:
        scenario = self.scenario
        await self._wait(self.luck.uniform(0.5, 1.5) * scenario.seconds)
        act = self.luck.random()
        if act < scenario.leave:
            self.account.did["left for good"] += 1
            self.stays = False
            return None
        if act < scenario.leave + scenario.late:
            self.account.did["came back late"] += 1
            await self._wait(scenario.lease * 1.5)
        elif act < scenario.leave + scenario.late + scenario.tabs:
            return await self._in_two_tabs(page)
        elif act < scenario.leave + scenario.late + scenario.tabs + scenario.twice:
            return await self._twice(page)
        if scenario.drafts:
            await self._draft(page)
        return await self._follow(await self._send(page, secrets.token_hex(8)))

    async def _in_two_tabs(self, page: Reply) -> Reply | None:
        """Ask for work again in a second tab, which has to be the same, and send both tabs at once with
        different answers."""
        self.account.did["two tabs"] += 1
        other = await self._next()
        if other is None or other.address != page.address:
            found = other.address if other else "nothing"
            if time.monotonic() - page.began < self.scenario.lease:
                self.account.problems.append(f"two tabs of one person: {page.address} and {found}")
            self.account.did["second tab after the lease"] += 1
            return other
        replies = await asyncio.gather(
            self._send(page, page.fields["key"]), self._send(other, other.fields["key"])
        )
        return await self._follow(replies[0])

    async def _twice(self, page: Reply) -> Reply | None:
        """Send the same form twice at once, as a double click or an impatient script does."""
        self.account.did["sent twice"] += 1
        key, choice = page.fields["key"], self.luck.randrange(OPTIONS)
        first, second = await asyncio.gather(self._send(page, key, choice), self._send(page, key, choice))
        if first.status != second.status:
            self.account.problems.append(
                f"one form sent twice at {page.address}: {first.status} and {second.status}"
            )
        return await self._follow(second)

    async def _draft(self, page: Reply) -> None:
        fields = {
            "csrf": self.csrf,
            "revision": page.fields["revision"],
            "choices": str(self.luck.randrange(OPTIONS)),
        }
        await self.browser.post(f"{page.address}/draft", "draft", fields)

    async def _send(self, page: Reply, key: str, choice: int | None = None) -> Reply:
        choice = self.luck.randrange(OPTIONS) if choice is None else choice
        said = (page.address, choice)
        self.account.open[key] = said
        reply = await self.browser.post(
            f"{page.address}/submit", "submit", {"csrf": self.csrf, "key": key, "choices": str(choice)}
        )
        self.account.open.pop(key, None)
        if reply.status == 303 and not reply.said:
            self.account.stored[key] = said
        elif reply.status in (303, 404, 409):
            self.account.refused[key] = said
        else:
            self.account.problems.append(f"{reply.status} for {page.address}/submit: {reply.text[:200]}")
        return reply

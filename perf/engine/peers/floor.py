"""The floor: what one would write by hand with aiohttp. One pooled session, some workers, parse the reply,
keep its text.

python floor.py BASE_URL MODEL PROMPTS.jsonl ANSWERS.jsonl CONCURRENCY
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import aiohttp


async def ask_all(url: str, model: str, prompts: list[str], concurrency: int) -> list[str]:
    """The reply to every prompt, in order."""
    answers = [""] * len(prompts)
    waiting: Iterator[tuple[int, str]] = iter(enumerate(prompts))

    async def work(session: aiohttp.ClientSession) -> None:
        for number, prompt in waiting:
            body = {
                "model": model,
                "messages": [{"role": "user", "content": prompt}],
                "temperature": 0,
                "max_tokens": 64,
            }
            async with session.post(f"{url}/chat/completions", json=body) as reply:
                reply.raise_for_status()
                answers[number] = (await reply.json())["choices"][0]["message"]["content"]

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=concurrency)) as session:
        await asyncio.gather(*(work(session) for _ in range(concurrency)))
    return answers


def main() -> None:
    url, model, source, target, concurrency = sys.argv[1:]
    with Path(source).open(encoding="utf-8") as lines:
        prompts = [json.loads(line)["prompt"] for line in lines]
    answers = asyncio.run(ask_all(url, model, prompts, int(concurrency)))
    with Path(target).open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"answer": answer}) + "\n" for answer in answers)


if __name__ == "__main__":
    main()

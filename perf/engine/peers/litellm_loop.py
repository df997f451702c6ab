"""litellm in a loop of workers, its answers written to a file; litellm has no command of its own for this.

python litellm_loop.py BASE_URL MODEL PROMPTS.jsonl ANSWERS.jsonl CONCURRENCY
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import litellm


async def ask_all(url: str, model: str, prompts: list[str], concurrency: int) -> list[str]:
    """The reply to every prompt, in order."""
    answers = [""] * len(prompts)
    waiting: Iterator[tuple[int, str]] = iter(enumerate(prompts))

    async def work() -> None:
        for number, prompt in waiting:
            reply = await litellm.acompletion(
                model=f"openai/{model}",
                api_base=url,
                api_key="none",
                messages=[{"role": "user", "content": prompt}],
                temperature=0,
                max_tokens=64,
            )
            answers[number] = reply.choices[0].message.content

    await asyncio.gather(*(work() for _ in range(concurrency)))
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

"""The floor's loop of workers with another HTTP client: what asking could cost in Python without aiohttp.

python other_clients.py pyreqwest|wreq|httptools BASE_URL MODEL PROMPTS.jsonl ANSWERS.jsonl CONCURRENCY

pyreqwest and wreq are Rust's reqwest and hyper under Python; httptools is a bare asyncio protocol with
nodejs' parser, without TLS, proxies, timeouts and limits.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

Post = Callable[[bytes], Awaitable[bytes]]
JSON = {"Content-Type": "application/json"}


@asynccontextmanager
async def pyreqwest(url: str, concurrency: int) -> AsyncIterator[list[Post]]:
    from pyreqwest.client import ClientBuilder

    async with ClientBuilder().build() as client:

        async def post(body: bytes) -> bytes:
            reply = await client.post(url).headers(JSON).body_bytes(body).build().send()
            return bytes(await reply.bytes())

        yield [post] * concurrency


@asynccontextmanager
async def wreq(url: str, concurrency: int) -> AsyncIterator[list[Post]]:
    import wreq as package

    client = package.Client()

    async def post(body: bytes) -> bytes:
        reply = await client.post(url, body=body, headers=JSON)
        return bytes(await reply.bytes())

    yield [post] * concurrency


@asynccontextmanager
async def httptools(url: str, concurrency: int) -> AsyncIterator[list[Post]]:
    import httptools as package

    address = urlsplit(url)
    head = (
        f"POST {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: "
        "application/json\r\nContent-Length: "
    ).encode()

    class Connection(asyncio.Protocol):
        def __init__(self) -> None:
            self.parser = package.HttpResponseParser(self)
            self.parts: list[bytes] = []
            self.reply: asyncio.Future[bytes]

        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport

        def data_received(self, data: bytes) -> None:
            self.parser.feed_data(data)

        def on_body(self, part: bytes) -> None:
            self.parts.append(part)

        def on_message_complete(self) -> None:
            self.reply.set_result(b"".join(self.parts))
            self.parts.clear()

        async def post(self, body: bytes) -> bytes:
            self.reply = asyncio.get_running_loop().create_future()
            self.transport.write(b"%b%d\r\n\r\n%b" % (head, len(body), body))  # type: ignore[attr-defined]
            return await self.reply

    loop = asyncio.get_running_loop()
    opened = [
        await loop.create_connection(Connection, address.hostname, address.port) for _ in range(concurrency)
    ]
    yield [connection.post for _, connection in opened]
    for transport, _ in opened:
        transport.close()


CLIENTS = {"pyreqwest": pyreqwest, "wreq": wreq, "httptools": httptools}


async def ask_all(name: str, url: str, model: str, prompts: list[str], concurrency: int) -> list[str]:
    """The reply to every prompt, in order."""
    answers = [""] * len(prompts)
    waiting = iter(enumerate(prompts))

    async def work(post: Post) -> None:
        for number, prompt in waiting:
            body = {
                "model": model,
                "messages": [{"role": "user", "content": prompt}],
                "temperature": 0,
                "max_tokens": 64,
            }
            reply = json.loads(await post(json.dumps(body).encode()))
            answers[number] = reply["choices"][0]["message"]["content"]

    async with CLIENTS[name](f"{url}/chat/completions", concurrency) as posts:
        await asyncio.gather(*map(work, posts))
    return answers


def main() -> None:
    name, url, model, source, target, concurrency = sys.argv[1:]
    with Path(source).open(encoding="utf-8") as lines:
        prompts = [json.loads(line)["prompt"] for line in lines]
    answers = asyncio.run(ask_all(name, url, model, prompts, int(concurrency)))
    with Path(target).open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps({"answer": answer}) + "\n" for answer in answers)


if __name__ == "__main__":
    main()

"""The real libraries on loopback: a FastAPI server that streams the output of a Writer, and the common client libraries."""

import asyncio
import contextlib
import io
import pathlib
import socket
import threading
import time
import urllib.error
import urllib.request
from typing import Any, AsyncIterator, Iterator

import aiohttp
import fastapi
import httpx
import pytest
import requests
import urllib3
import uvicorn
from fastapi.responses import StreamingResponse

import deltafold
from deltafold import _sources

WORDS = [f"word{number} \u00e9\U0001f600 " for number in range(200)]
TEXT = "".join(WORDS)

app = fastapi.FastAPI()


@app.post("/v1/responses")
async def create(request: fastapi.Request) -> StreamingResponse:
    body = await request.json()
    findings = deltafold.validate_request(body)
    if findings:
        raise fastapi.HTTPException(400, [str(finding) for finding in findings])

    async def stream() -> AsyncIterator[bytes]:
        writer = deltafold.Writer("resp_1", body["model"], 1_767_225_600, request=body)
        writer.message()
        for number, word in enumerate(WORDS):
            writer.text(word)
            # Chunks with one event and with two.
            if number % 2:
                yield writer.take()
                await asyncio.sleep(0)
        writer.now(1_767_225_601)
        writer.complete({"input_tokens": 3, "output_tokens": len(WORDS)})
        yield writer.take()

    return StreamingResponse(stream(), media_type="text/event-stream", headers={"x-ratelimit-remaining-tokens": "77"})


@app.get("/v1/responses")
async def stored() -> StreamingResponse:
    async def stream() -> AsyncIterator[bytes]:
        yield deltafold.Writer("resp_1", "m-1").take()
        writer = deltafold.Writer("resp_1", "m-1", 5)
        writer.message()
        writer.text(TEXT)
        writer.complete()
        yield writer.take()

    return StreamingResponse(stream(), media_type="text/event-stream")


@app.api_route("/v1/error/{status}", methods=["GET", "POST"])
async def error(status: int) -> fastapi.responses.Response:
    if status == 401:
        return fastapi.responses.JSONResponse({"error": {"type": "invalid_request_error", "code": "invalid_api_key", "message": "no"}}, 401)
    return fastapi.responses.HTMLResponse("<html>Bad Gateway</html>" if status == 502 else "", status)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    running.should_exit = True
    thread.join()


REQUEST: "dict[str, Any]" = {"model": "m-1", "input": "Hi", "stream": True}


def read_and_check(events: "deltafold.EventStream") -> None:
    texts = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert texts == WORDS or "".join(texts) == TEXT
    check_end(events)


def check_end(events: "deltafold.EventStream | deltafold.AsyncEventStream") -> None:
    assert events.outcome == "completed" and events.response.output_text == TEXT and events.findings == []


def test_httpx(server: str) -> None:
    with httpx.stream("POST", f"{server}/responses", json=REQUEST) as response:
        events = deltafold.events(response, layers="all", profile="open-responses")
        read_and_check(events)
        assert events.reader.rate_limits["headers"]["x-ratelimit-remaining-tokens"] == "77"
        assert events.response.usage == {**(events.response.usage or {}), "output_tokens": 200}


def test_httpx_async(server: str) -> None:
    async def read() -> None:
        async with httpx.AsyncClient() as client:
            async with client.stream("POST", f"{server}/responses", json=REQUEST) as response:
                events = deltafold.aevents(response)
                texts = [event.delta async for event in events if event.type == "response.output_text.delta"]
                assert texts == WORDS
                check_end(events)

    asyncio.run(read())


def test_requests(server: str) -> None:
    with requests.post(f"{server}/responses", json=REQUEST, stream=True) as response:
        read_and_check(deltafold.events(response))


def test_aiohttp(server: str) -> None:
    async def read() -> None:
        async with aiohttp.ClientSession() as session:
            async with session.post(f"{server}/responses", json=REQUEST) as response:
                events = deltafold.aevents(response)
                texts = [event.delta async for event in events if event.type == "response.output_text.delta"]
                assert texts == WORDS
                check_end(events)
                with pytest.raises(TypeError, match="use aevents"):
                    deltafold.events(response)

    asyncio.run(read())


def test_urllib3(server: str) -> None:
    response = urllib3.request("POST", f"{server}/responses", json=REQUEST, preload_content=False)
    read_and_check(deltafold.events(response))
    response.release_conn()


def test_the_standard_library(server: str) -> None:
    with urllib.request.urlopen(f"{server}/responses") as response:
        read_and_check(deltafold.events(response))


def test_events_arrive_while_the_connection_is_open() -> None:
    """A chunk's events must not wait for the next chunk, with any library."""
    first = deltafold.Writer("resp_1", "m-1")
    first.message()
    first.text("Hi")
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + first.take()
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"

    waited = []

    def serve(held: threading.Event) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(head)
            waited.append(held.wait(20))

    def opened(stack: contextlib.ExitStack, name: str) -> Any:
        if name == "httpx":
            return stack.enter_context(httpx.stream("GET", url))
        if name == "requests":
            return stack.enter_context(requests.get(url, stream=True))
        if name == "urllib3":
            return urllib3.PoolManager().request("GET", url, preload_content=False)
        return stack.enter_context(urllib.request.urlopen(url))

    for name in ("httpx", "requests", "urllib3", "urllib"):
        held = threading.Event()
        thread = threading.Thread(target=serve, args=(held,))
        thread.start()
        with contextlib.ExitStack() as stack:
            events = deltafold.events(opened(stack, name))
            seen = next(event for event in events if event.type == "response.output_text.delta")
            assert seen.delta == "Hi", name
            held.set()
        thread.join()
        assert waited.pop(), f"{name} waited for the end of the connection"
    listener.close()


def test_a_request_that_breaks_the_contract_is_refused_by_the_server(server: str) -> None:
    answer = httpx.post(f"{server}/responses", json={**REQUEST, "model": 7})
    assert answer.status_code == 400 and "/model" in answer.text


def test_the_output_of_the_server_passes_every_rule(server: str) -> None:
    with httpx.stream("POST", f"{server}/responses", json=REQUEST) as response:
        report = deltafold.check(response, request=REQUEST, headers=response.headers, status=response.status_code)
    assert report.ok, report


def test_openai_reads_a_stored_response(server: str) -> None:
    openai = pytest.importorskip("openai")
    with httpx.stream("GET", f"{server}/responses") as response:
        events = deltafold.events(response)
        list(events)
    made = events.response.to_openai()
    assert isinstance(made, openai.types.responses.Response) and made.output_text == TEXT and made.output[0].type == "message"


def test_openai(server: str) -> None:
    openai = pytest.importorskip("openai")
    client = openai.OpenAI(api_key="none", base_url=server)
    with client.responses.with_streaming_response.create(**REQUEST) as response:
        events = deltafold.events(response)
        read_and_check(events)
        assert events.reader.rate_limits["headers"]["x-ratelimit-remaining-tokens"] == "77"
    with client.responses.create(**REQUEST) as typed_stream:
        read_and_check(deltafold.events(typed_stream))


def test_openai_async(server: str) -> None:
    openai = pytest.importorskip("openai")

    async def read(source: Any) -> None:
        events = deltafold.aevents(source)
        texts = [event.delta async for event in events if event.type == "response.output_text.delta"]
        assert texts == WORDS and events.reader.rate_limits["headers"]["x-ratelimit-remaining-tokens"] == "77"
        check_end(events)
        with pytest.raises(TypeError, match="use aevents"):
            deltafold.events(source)
        await events.aclose()

    async def main() -> None:
        async with openai.AsyncOpenAI(api_key="none", base_url=server) as client:
            async with client.responses.with_streaming_response.create(**REQUEST) as response:
                await read(response)
            await read(await client.responses.create(**REQUEST))

    asyncio.run(main())


def named_sources() -> "list[str]":
    """The first column of the table in the documentation of the sources."""
    rows = [line.split("|")[1].strip() for line in (_sources.__doc__ or "").splitlines() if line.startswith("| ")]
    return rows[2:]


def sync_source(name: str, url: str, folder: pathlib.Path, stack: contextlib.ExitStack) -> "list[Any]":
    """The sources of a row of the table, for `events`; they are read by `aevents` as well."""
    data = httpx.get(url).content
    path = folder / "capture.sse"
    path.write_bytes(data)
    if name.startswith("`bytes`"):
        return [data, bytearray(data), memoryview(data)]
    if name.startswith("httpx"):
        return [stack.enter_context(httpx.stream("GET", url))]
    if name.startswith("openai"):
        client = stack.enter_context(pytest.importorskip("openai").OpenAI(api_key="none", base_url=url.rpartition("/")[0]))
        streaming = stack.enter_context(client.responses.with_streaming_response.create(**REQUEST))
        return [client.responses.create(**REQUEST), streaming, client.responses.with_raw_response.create(**REQUEST)]
    if name.startswith("requests"):
        return [stack.enter_context(requests.get(url, stream=True))]
    if name.startswith("urllib3"):
        return [urllib3.request("GET", url, preload_content=False)]
    if name.startswith("files"):
        return [stack.enter_context(path.open("rb")), io.BytesIO(data), stack.enter_context(urllib.request.urlopen(url))]
    if name.startswith("a path"):
        return [path, str(path)]
    return [[data[:700], data[700:]], (data[at : at + 9] for at in range(0, len(data), 9))]


@pytest.mark.parametrize("name", [name for name in named_sources() if not name.startswith("aiohttp")])
def test_every_named_source_is_read_by_events_and_by_aevents(name: str, server: str, tmp_path: pathlib.Path) -> None:
    async def aread(source: Any) -> None:
        events = deltafold.aevents(source)
        assert "".join([event.delta async for event in events if event.type == "response.output_text.delta"]) == TEXT
        check_end(events)
        await events.aclose()

    for read in (read_and_check, aread):
        with contextlib.ExitStack() as stack:
            for source in sync_source(name, f"{server}/responses", tmp_path, stack):
                if read is aread:
                    asyncio.run(aread(source))
                else:
                    with deltafold.events(source) as events:
                        read_and_check(events)


@pytest.mark.parametrize("name", ["httpx", "openai", "aiohttp", "anything else"])
def test_every_named_asynchronous_source_is_read_by_aevents_and_refused_by_events(name: str, server: str) -> None:
    assert any(row.startswith(name) for row in named_sources())

    async def chunks(data: bytes) -> AsyncIterator[bytes]:
        for at in range(0, len(data), 500):
            yield data[at : at + 500]

    async def sources(stack: contextlib.AsyncExitStack) -> "list[Any]":
        if name == "httpx":
            client = await stack.enter_async_context(httpx.AsyncClient())
            return [await stack.enter_async_context(client.stream("GET", f"{server}/responses"))]
        if name == "openai":
            openai = await stack.enter_async_context(pytest.importorskip("openai").AsyncOpenAI(api_key="none", base_url=server))
            streaming = await stack.enter_async_context(openai.responses.with_streaming_response.create(**REQUEST))
            return [await openai.responses.create(**REQUEST), streaming, await openai.responses.with_raw_response.create(**REQUEST)]
        if name == "aiohttp":
            session = await stack.enter_async_context(aiohttp.ClientSession())
            response = await stack.enter_async_context(session.get(f"{server}/responses"))
            return [response]
        return [chunks(httpx.get(f"{server}/responses").content)]

    async def main() -> None:
        async with contextlib.AsyncExitStack() as stack:
            for source in await sources(stack):
                with pytest.raises(TypeError, match="use aevents"):
                    deltafold.events(source)
                async with deltafold.aevents(source) as events:
                    texts = [event.delta async for event in events if event.type == "response.output_text.delta"]
                assert "".join(texts) == TEXT
                check_end(events)

    asyncio.run(main())


def test_the_body_of_an_aiohttp_response_is_a_source(server: str) -> None:
    async def main() -> None:
        async with aiohttp.ClientSession() as session, session.get(f"{server}/responses") as response:
            events = deltafold.aevents(response.content)
            assert "".join([event.delta async for event in events if event.type == "response.output_text.delta"]) == TEXT
            check_end(events)

    asyncio.run(main())


@pytest.mark.parametrize(("status", "message"), [(401, "no"), (429, "an empty body"), (502, "24 bytes of text/html")])
def test_http_errors_are_failed_outcomes_with_every_library(server: str, status: int, message: str) -> None:
    url = f"{server}/error/{status}"

    def check(outcome: "deltafold.Outcome | None") -> None:
        assert outcome is not None and outcome == "failed" and outcome.error is not None
        assert outcome.error.status == status and message in outcome.error.message

    def read(source: Any) -> None:
        events = deltafold.events(source)
        assert [event.type for event in events if event.type] == []
        check(events.outcome)
        with pytest.raises(deltafold.OutcomeError, match=str(status)):
            events.raise_for_outcome()

    async def aread(source: Any) -> None:
        events = deltafold.aevents(source)
        assert [event.type async for event in events if event.type] == []
        check(events.outcome)

    async def main() -> None:
        async with httpx.AsyncClient() as client, client.stream("GET", url) as response:
            await aread(response)
        async with aiohttp.ClientSession() as session, session.get(url) as answer:
            await aread(answer)

    with httpx.stream("GET", url) as response:
        read(response)
    with requests.get(url, stream=True) as answer:
        read(answer)
    read(urllib3.request("GET", url, preload_content=False))
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(url)
    read(raised.value)
    asyncio.run(main())

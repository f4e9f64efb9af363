"""A patched client of the openai package: the same events as without deltafold, from our reader."""

from __future__ import annotations

import asyncio
import glob
import os
from typing import Any, AsyncIterator, Iterator, List

import pytest

import deltafold
from streams import frame, stream

openai = pytest.importorskip("openai")
try:
    import httpx2 as httpx  # the client of newer versions of openai
except ImportError:
    import httpx  # type: ignore[no-redef]

import deltafold.openai  # noqa: E402

URL = "http://127.0.0.1/v1"


def valid() -> bytes:
    writer = deltafold.Writer("resp_1", "m-1", 5)
    writer.reasoning()
    writer.reasoning_summary("hm")
    writer.message()
    for word in ("Hello", " ", "\u00e9\U0001f600"):
        writer.text(word)
    writer.function_call(call_id="call_1", name="look")
    writer.arguments('{"at":')
    writer.arguments("1}")
    writer.complete({"input_tokens": 1, "output_tokens": 1})
    return writer.take()


DAMAGED = valid().replace(b'"output_index":1', b'"output_index":"x"')
EXTENDED = valid().replace(b"data: [DONE]", frame({"type": "acme:trace", "sequence_number": 99, "n": [1]}) + b"data: [DONE]")
STREAMS = {"valid": valid(), "incomplete": stream(), "damaged": DAMAGED, "extended": EXTENDED, "empty": b"", "cut": valid()[:1500]}
FAILED = frame({"type": "error", "error": {"type": "server_error", "message": "K4N4RY"}})
CHAT = b'data: {"id":"c1","object":"chat.completion.chunk","created":5,"model":"m","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n'


def chunks(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def client(data: bytes, size: int = 700, status: int = 200) -> Any:
    def answer(_: Any) -> Any:
        return httpx.Response(status, headers={"content-type": "text/event-stream"}, content=chunks(data, size))

    transport = httpx.Client(transport=httpx.MockTransport(answer))
    return openai.OpenAI(api_key="none", base_url=URL, max_retries=0, http_client=transport)


def async_client(data: bytes, size: int = 700) -> Any:
    async def later() -> AsyncIterator[bytes]:
        for chunk in chunks(data, size):
            yield chunk

    def answer(_: Any) -> Any:
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=later())

    transport = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    return openai.AsyncOpenAI(api_key="none", base_url=URL, max_retries=0, http_client=transport)


def raw(client: Any) -> List[Any]:
    """The events of `create(stream=True)`, and the error that ended them."""
    found: List[Any] = []
    try:
        found.extend(client.responses.create(model="m", input="x", stream=True))
    except Exception as error:
        found.append((type(error), str(error)))
    return found


def helped(client: Any) -> List[Any]:
    """The events of the helper `responses.stream()`, its final response, and the error that ended them."""
    found: List[Any] = []
    try:
        with client.responses.stream(model="m", input="x") as stream:
            found.extend(stream)
            found.append(stream.get_final_response())
    except Exception as error:
        found.append((type(error), str(error)))
    return found


def same(one: List[Any], two: List[Any]) -> bool:
    if len(one) != len(two):
        return False
    fields = [getattr(event, "model_fields_set", None) for event in one] == [getattr(event, "model_fields_set", None) for event in two]
    return fields and one == two and list(map(type, one)) == list(map(type, two))


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("read", [raw, helped])
def test_a_patched_client_has_the_events_of_the_package(name: str, read: Any) -> None:
    data = STREAMS[name]
    assert same(read(client(data)), read(deltafold.openai.patch(client(data))))


def test_an_asynchronous_client_has_the_events_of_the_package() -> None:
    async def read(client: Any) -> List[Any]:
        found = [event async for event in await client.responses.create(model="m", input="x", stream=True)]
        async with client.responses.stream(model="m", input="x") as stream:
            found.extend([event async for event in stream])
            found.append(await stream.get_final_response())
        return found

    async def both() -> None:
        expected = await read(async_client(valid()))
        assert len(expected) > 30 and same(expected, await read(deltafold.openai.patch(async_client(valid()))))

    asyncio.run(both())


@pytest.mark.skipif("DELTAFOLD_SHARED" not in os.environ, reason="DELTAFOLD_SHARED is not set")
def test_recordings_have_the_events_of_the_package() -> None:
    count = 0
    for file in sorted(glob.glob(os.path.join(os.environ["DELTAFOLD_SHARED"], "corpus", "responses", "*.sse")))[::4]:
        with open(file, "rb") as recording:
            data = recording.read()
        if len(data) > 200_000:
            continue
        for read in (raw, helped):
            expected = read(client(data))
            assert same(expected, read(deltafold.openai.patch(client(data)))), file
            count += len(expected)
    assert count > 5000


def test_the_reader_has_the_response_and_the_findings() -> None:
    patched = deltafold.openai.patch(client(valid()))
    events = patched.responses.create(model="m", input="x", stream=True)
    reader = deltafold.openai.reader_of(events)
    texts = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert "".join(texts) == reader.response.output_text == "Hello \u00e9\U0001f600"
    assert reader.outcome == "completed" and reader.findings == []
    events = deltafold.openai.patch(client(DAMAGED)).responses.create(model="m", input="x", stream=True)
    reader = deltafold.openai.reader_of(events)
    assert len(list(events)) == reader.event_count and reader.findings
    with patched.responses.stream(model="m", input="x") as helper:
        helper.until_done()
        assert deltafold.openai.reader_of(helper).outcome == "completed"
    with pytest.raises(TypeError, match="patch"):
        deltafold.openai.reader_of(client(valid()).responses.create(model="m", input="x", stream=True))


def test_errors_and_other_endpoints_are_those_of_the_package() -> None:
    for data, status in ((FAILED, 200), (b'{"error":{"message":"no","type":"x"}}', 401), (b"", 502)):
        expected = raw(client(data, status=status))
        assert len(expected) == 1 and issubclass(expected[0][0], openai.OpenAIError)
        assert raw(deltafold.openai.patch(client(data, status=status))) == expected

    def chat(client: Any) -> List[Any]:
        return list(client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}], stream=True))

    assert same(chat(client(CHAT)), chat(deltafold.openai.patch(client(CHAT)))) and len(chat(client(CHAT))) == 1


def test_patching_changes_one_client_and_can_be_repeated() -> None:
    one = client(valid())
    assert deltafold.openai.patch(deltafold.openai.patch(one)) is one
    assert same(raw(client(valid())), raw(one))

    class Other:
        pass

    with pytest.raises(RuntimeError, match="cannot patch"):
        deltafold.openai.patch(Other())  # type: ignore[type-var]

"""The `openai` package against the reference server.

DELTAFOLD_SERVER and DELTAFOLD_SERVER_OPENAI are the base URLs of a server in each dialect.
"""

import asyncio
import json
import os
import unittest

import openai
from pydantic import BaseModel

PLAIN = os.environ["DELTAFOLD_SERVER"]
OPENAI = os.environ["DELTAFOLD_SERVER_OPENAI"]
MODEL = "scripted"

WEATHER = {
    "type": "function",
    "name": "get_weather",
    "description": "Tells the weather of a place.",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"location": {"type": "string"}},
        "required": ["location"],
        "additionalProperties": False,
    },
}

TEXT_EVENTS = [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
]


class City(BaseModel):
    name: str
    size: int


def client(base_url=PLAIN):
    return openai.OpenAI(base_url=base_url, api_key="unused", max_retries=0)


class Answers(unittest.TestCase):
    def test_a_plain_answer_has_its_text_and_usage(self):
        response = client().responses.create(model=MODEL, input="Hello")
        self.assertEqual(response.output_text, "You said: Hello")
        self.assertEqual(response.status, "completed")
        self.assertEqual(response.usage.total_tokens, response.usage.input_tokens + response.usage.output_tokens)
        self.assertIsNone(response.error)

    def test_raw_iteration_gives_every_event_in_order(self):
        for base_url in (PLAIN, OPENAI):
            events = list(client(base_url).responses.create(model=MODEL, input="Hello", stream=True))
            self.assertEqual([event.type for event in events], TEXT_EVENTS)
            self.assertEqual([event.sequence_number for event in events], list(range(len(events))))
            deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
            self.assertEqual("".join(deltas), "You said: Hello")
            self.assertEqual(events[-1].response.output_text, "You said: Hello")

    def test_the_stream_helper_accumulates_and_gives_the_final_response(self):
        for base_url in (PLAIN, OPENAI):
            with client(base_url).responses.stream(model=MODEL, input="Hello") as stream:
                snapshots = [event.snapshot for event in stream if event.type == "response.output_text.delta"]
                final = stream.get_final_response()
            self.assertEqual(snapshots, ["You ", "You said: ", "You said: Hello"])
            self.assertEqual(final.output_text, "You said: Hello")

    def test_the_async_client_reads_the_same(self):
        async def main():
            async with openai.AsyncOpenAI(base_url=PLAIN, api_key="unused", max_retries=0) as one:
                stream = await one.responses.create(model=MODEL, input="Hello", stream=True)
                kinds = [event.type async for event in stream]
                async with one.responses.stream(model=MODEL, input="count to 5") as helper:
                    async for _ in helper:
                        pass
                    final = await helper.get_final_response()
                several = await asyncio.gather(
                    *(one.responses.create(model=MODEL, input=f"number {at}") for at in range(8))
                )
            return kinds, final.output_text, [response.output_text for response in several]

        kinds, counted, several = asyncio.run(main())
        self.assertEqual(kinds, TEXT_EVENTS)
        self.assertEqual(counted, "1 2 3 4 5")
        self.assertEqual(several, [f"You said: number {at}" for at in range(8)])

    def test_a_conversation_continues_by_its_id(self):
        one = client()
        first = one.responses.create(model=MODEL, input="My name is Ada.", instructions="Be brief.")
        second = one.responses.create(model=MODEL, input="What is my name?", previous_response_id=first.id)
        self.assertEqual(second.output_text, "Your name is Ada.")
        self.assertEqual(second.previous_response_id, first.id)

    def test_an_image_in_the_input_is_seen(self):
        content = [
            {"type": "input_text", "text": "Look"},
            {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo=", "detail": "auto"},
        ]
        message = {"type": "message", "role": "user", "content": content}
        response = client().responses.create(model=MODEL, input=[message])
        self.assertEqual(response.output_text, "I see 1 image(s). You said: Look")

    def test_messages_without_a_type_are_taken_in_the_openai_dialect(self):
        messages = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
        response = client(OPENAI).responses.create(model=MODEL, input=messages)
        self.assertEqual(response.output_text, "As told (Be brief.): You said: Hi")
        with self.assertRaises(openai.BadRequestError):
            client().responses.create(model=MODEL, input=messages)


class Tools(unittest.TestCase):
    def test_a_tool_call_makes_the_round_trip_by_id(self):
        one = client()
        first = one.responses.create(model=MODEL, input="What is the weather in Paris?", tools=[WEATHER])
        [call] = [item for item in first.output if item.type == "function_call"]
        self.assertEqual((call.name, json.loads(call.arguments)), ("get_weather", {"location": "Paris"}))
        output = {"type": "function_call_output", "call_id": call.call_id, "output": "18 degrees"}
        second = one.responses.create(model=MODEL, input=[output], tools=[WEATHER], previous_response_id=first.id)
        self.assertEqual(second.output_text, "The tool says: 18 degrees")

    def test_a_tool_call_makes_the_round_trip_by_sending_everything_back(self):
        one = client()
        history = [{"type": "message", "role": "user", "content": "What is the weather in Paris?"}]
        first = one.responses.create(model=MODEL, input=history, tools=[WEATHER])
        history += [item.model_dump(exclude_none=True) for item in first.output]
        history += [{"type": "function_call_output", "call_id": first.output[0].call_id, "output": "18 degrees"}]
        second = one.responses.create(model=MODEL, input=history, tools=[WEATHER])
        self.assertEqual(second.output_text, "The tool says: 18 degrees")

    def test_arguments_stream_and_parallel_calls_stay_apart(self):
        tools = [WEATHER, {**WEATHER, "name": "get_time"}]
        for base_url in (PLAIN, OPENAI):
            with client(base_url).responses.stream(model=MODEL, input="weather and time in Rome", tools=tools) as stream:
                grown = {}
                for event in stream:
                    if event.type == "response.function_call_arguments.delta":
                        grown[event.output_index] = event.snapshot
                final = stream.get_final_response()
            calls = [(item.name, item.arguments) for item in final.output]
            self.assertEqual(calls, [("get_weather", '{"location":"Rome"}'), ("get_time", '{"location":"Rome"}')])
            self.assertEqual(list(grown.values()), [arguments for _, arguments in calls])

    def test_structured_output_parses(self):
        response = client().responses.parse(model=MODEL, input="A city in France", text_format=City)
        self.assertEqual(response.output_parsed, City(name="France", size=1))
        with client().responses.stream(model=MODEL, input="A city in France", text_format=City) as stream:
            self.assertEqual(stream.get_final_response().output_parsed, City(name="France", size=1))


class Ends(unittest.TestCase):
    def test_a_refusal_is_a_part_of_its_own(self):
        response = client().responses.create(model=MODEL, input="please refuse")
        [part] = response.output[0].content
        self.assertEqual((part.type, part.refusal), ("refusal", "I am not able to help with that."))

    def test_a_cut_answer_is_incomplete(self):
        events = list(
            client().responses.create(model=MODEL, input="count to 40", max_output_tokens=16, stream=True)
        )
        last = events[-1]
        self.assertEqual((last.type, last.response.status), ("response.incomplete", "incomplete"))
        self.assertEqual(last.response.incomplete_details.reason, "max_output_tokens")
        self.assertEqual(last.response.output_text.split(), [str(at) for at in range(1, 17)])
        self.assertEqual(last.response.output[0].status, "incomplete")

    def test_reasoning_comes_before_the_answer(self):
        arguments = {"model": MODEL, "input": "think", "reasoning": {"effort": "low", "summary": "auto"}}
        for base_url, name in ((PLAIN, "response.reasoning.delta"), (OPENAI, "response.reasoning_text.delta")):
            with client(base_url).responses.stream(**arguments) as stream:
                kinds = {event.type for event in stream}
                final = stream.get_final_response()
            self.assertIn(name, kinds)
            self.assertIn("response.reasoning_summary_text.delta", kinds)
            reasoning, message = final.output
            self.assertEqual(reasoning.content[0].text, "The user wrote 1 words.")
            self.assertEqual(reasoning.summary[0].text, "Reading the request.")
            self.assertEqual(message.content[0].text, "You said: think")

    def test_annotations_and_log_probabilities_are_read(self):
        response = client().responses.create(
            model=MODEL, input="cite it", include=["message.output_text.logprobs"], top_logprobs=1
        )
        [part] = response.output[0].content
        self.assertEqual(part.annotations[0].url, "https://example.org/source")
        self.assertEqual("".join(one.token for one in part.logprobs), part.text)

    def test_a_running_response_can_be_cancelled(self):
        one = client()
        stream = one.responses.create(model=MODEL, input="wait until cancelled", stream=True)
        events = []
        for event in stream:
            events.append(event)
            if event.type == "response.output_text.delta" and event.delta == "waiting.":
                answer = one.responses.cancel(events[0].response.id)
                self.assertEqual(answer.incomplete_details.reason, "cancelled")
        self.assertEqual(events[-1].type, "response.incomplete")
        self.assertEqual(events[-1].response.output_text, "I am waiting.")


class Errors(unittest.TestCase):
    def test_refused_requests_raise_the_exception_of_their_status(self):
        cases = [
            (openai.NotFoundError, {"model": "gpt-9", "input": "a"}, "model_not_found"),
            (openai.BadRequestError, {"model": MODEL, "input": "a", "max_output_tokens": 1}, "invalid_value"),
            (openai.NotFoundError, {"model": MODEL, "input": "a", "previous_response_id": "resp_x"},
             "previous_response_not_found"),
            (openai.RateLimitError, {"model": MODEL, "input": "fail with too_many_requests"}, "scripted_failure"),
            (openai.InternalServerError, {"model": MODEL, "input": "fail with server_error"}, "scripted_failure"),
        ]
        for kind, arguments, code in cases:
            with self.assertRaises(kind) as caught:
                client().responses.create(**arguments)
            self.assertEqual(caught.exception.code, code)

    def test_a_failure_in_the_middle_of_a_stream_raises(self):
        stream = client().responses.create(model=MODEL, input="fail with server_error", stream=True)
        text = ""
        with self.assertRaises(openai.APIError) as caught:
            for event in stream:
                text += event.delta if event.type == "response.output_text.delta" else ""
        self.assertEqual(text, "One moment")
        self.assertIn("The script fails here on request.", caught.exception.message)


if __name__ == "__main__":
    unittest.main()

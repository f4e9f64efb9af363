"""Chat Completions: the OpenAI client reads the stream and its helper folds it."""

import openai
from cases import comparable, each, transport

FINISH = {"max_output_tokens": "length", "content_filter": "content_filter"}


def read(one, stream):
    client = openai.OpenAI(api_key="none", max_retries=0, http_client=transport(stream))
    try:
        with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "?"}]) as events:
            for _ in events:
                pass
            final = events.get_final_completion()
    except openai.LengthFinishReasonError as error:
        # The helper raises this; the completion is in the exception.
        assert one["reason"] == "max_output_tokens", one["reason"]
        final = error.completion
    except openai.ContentFilterFinishReasonError:
        assert one["reason"] == "content_filter", one["reason"]
        return
    except openai.APIError:
        assert one["outcome"] in ("failed", "truncated"), one["outcome"]
        return
    assert one["outcome"] not in ("failed", "truncated"), "no error was raised"
    choice = final.choices[0]
    calls = [[call.id, call.function.name, call.function.arguments] for call in choice.message.tool_calls or []]
    if comparable(one):
        assert calls == one["calls"], (calls, one["calls"])
        if not choice.message.refusal:
            assert (choice.message.content or "") == one["text"], (choice.message.content, one["text"])
    if one["outcome"] == "incomplete":
        assert choice.finish_reason == FINISH.get(one["reason"], "stop"), choice.finish_reason
    if one["outcome"] == "completed":
        assert choice.finish_reason in ("stop", "tool_calls"), choice.finish_reason


each("chat-completions", read)

"""The `openai` package against `deltafold serve`, which replays captures.

DELTAFOLD_REPLAY is the base URL of a server with examples/streams/tour.sse and items/message.sse, split at random.
"""

import os

from openai import OpenAI

client = OpenAI(base_url=f"{os.environ['DELTAFOLD_REPLAY']}/v1", api_key="none", max_retries=0)


def main():
    kinds, text = [], []
    for event in client.responses.create(model="tour", input="Plan a day", stream=True):
        kinds.append(event.type)
        if event.type == "response.output_text.delta":
            text.append(event.delta)
    assert len(kinds) == 40, len(kinds)
    assert kinds[0] == "response.created" and kinds[-1] == "response.completed", kinds
    assert "".join(text).startswith("The canal path from Écluse-Neuve"), text
    print("a capture is read event by event")

    with client.responses.stream(model="message", input="When?") as stream:
        response = stream.get_final_response()
    assert response.output_text == "The ferry leaves at 9:40, so take the early bus.", response
    print("the stream helper folds a capture")

    response = client.responses.create(model="tour", input="Plan a day")
    calls = [item.name for item in response.output if item.type == "function_call"]
    assert calls == ["get_forecast", "find_trains"], calls
    assert response.usage.total_tokens == 551, response.usage
    print("without streaming the folded response is returned")


if __name__ == "__main__":
    main()

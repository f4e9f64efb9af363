"""deltafold as contenders of the peer comparison: PYTHONPATH=…/benches/peers/python PY_EXTRA=deltafold_peers."""

import deltafold


def all_fields(chunks):
    """Every scalar field of a delta event is read."""
    reader = deltafold.Reader()
    feed = reader.feed
    count, parts = 0, {}
    for chunk in chunks:
        for event in feed(chunk):
            count += 1
            kind = event.type
            if kind == "response.output_text.delta":
                place = (event.output_index, event.content_index)
            elif kind == "response.function_call_arguments.delta":
                place = (event.output_index, 0)
            elif kind == "response.reasoning_summary_text.delta":
                place = (event.output_index, event.summary_index)
            else:
                continue
            event.sequence_number
            event.item_id
            part = parts.get(place)
            if part is None:
                part = parts[place] = []
            part.append(event.delta)
    return count, parts, reader


CONTENDERS = {"deltafold": all_fields}

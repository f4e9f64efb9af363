// A React hook: the response of a stream while it arrives. `output` items that did not change are the same objects, so a memoised
// component per item is drawn again only when its own item grows.

import { readEvents } from "deltafold";
import { useEffect, useState } from "react";

export function useResponse(url, init) {
  const [state, setState] = useState({ response: null, outcome: null, error: null });
  useEffect(() => {
    const abort = new AbortController();
    let frame = 0;
    (async () => {
      const events = readEvents(fetch(url, { ...init, signal: abort.signal }), { signal: abort.signal });
      const draw = () => {
        frame = 0;
        setState({ response: events.response, outcome: events.outcome, error: null });
      };
      // One look per frame of the screen, however many events came.
      for await (const event of events) if (event && frame === 0) frame = requestAnimationFrame(draw);
      cancelAnimationFrame(frame);
      draw();
    })().catch((error) => {
      if (!abort.signal.aborted) setState((state) => ({ ...state, error }));
    });
    return () => {
      cancelAnimationFrame(frame);
      abort.abort();
    };
  }, [url]);
  return state;
}

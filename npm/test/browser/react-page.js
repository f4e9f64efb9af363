// The page of react.test.mjs: the hook of deltafold/react, and useChat of the AI SDK with the transport of deltafold/ai.

import { useChat } from "@ai-sdk/react";
import { ResponseChatTransport } from "deltafold/ai";
import { useResponse } from "deltafold/react";
import { createElement, StrictMode, useState, version } from "react";
import { createRoot } from "react-dom/client";

const button = (label, onClick) => createElement("button", { id: label, onClick }, label);

function Hook() {
  const { status, response, outcome, error, send, stop, resume } = useResponse();
  const text = response?.output.flatMap((item) => (item.type === "message" ? item.content.map((part) => part.text) : [])).join("") ?? "";
  const get = (path) => (signal) => fetch(path, { signal });
  return createElement(
    "section",
    null,
    button("send", () => send(get("/stream"))),
    button("break", () => send(get("/broken"))),
    button("resume", () => resume((signal, last) => fetch(`/rest?after=${last}`, { signal }))),
    button("endless", () => send(get("/endless"))),
    button("stop", stop),
    createElement("output", { id: "hook" }, [status, text, outcome?.outcome ?? "-", error ? "error" : "-"].join("|")),
  );
}

function Chat() {
  const [transport] = useState(() => new ResponseChatTransport({ api: "/chat" }));
  const { messages, sendMessage, status, stop, error } = useChat({ transport });
  const parts = messages.map(({ role, parts }) => `${role}: ${parts.filter(({ type }) => type === "text").map(({ text }) => text).join("")}`);
  return createElement(
    "section",
    null,
    button("ask", () => sendMessage({ text: "hello" })),
    button("halt", stop),
    createElement("output", { id: "chat" }, [status, ...parts, error ? error.message : "-"].join("|")),
  );
}

document.title = version;
createRoot(document.getElementById("root")).render(createElement(StrictMode, null, createElement(Hook), createElement(Chat)));

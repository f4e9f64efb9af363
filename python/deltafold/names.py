"""Names that options take, and the keyword arguments of `Reader` and `check`.

With these types, a type checker refuses a misspelled name or keyword. At run time every option is checked again. `deltafold.options` has
the types of options that are objects.
"""

from __future__ import annotations

from typing import Iterable, Literal, Optional, TypedDict, Union

from .options import CustomProfile, ExtensionSchemas, Limits

__all__ = [
    "CheckOptions",
    "Edition",
    "Layer",
    "PolicyName",
    "ProfileName",
    "ReaderOptions",
    "SourceDialect",
    "TargetDialect",
]

ProfileName = Literal[
    "open-responses",
    "openai",
    "azure",
    "codex",
    "copilot",
    "xai",
    "deepseek",
    "lmstudio",
    "openrouter",
    "zen",
    "ollama",
    "llamacpp",
    "vllm",
    "litellm",
    "llama-stack",
    "any",
]
"""The names of the built-in profiles; `deltafold.profiles()` returns them."""

Edition = Literal["2026-01-15", "2026-04-24", "split", "split-2026-01", "openai"]
"""The editions of the specification."""

Layer = Literal["framing", "schema", "stream"]
"""The layers of validation."""

PolicyName = Literal[
    "stateless",
    "stateful",
    "openai",
    "openai-stateful",
    "azure",
    "codex",
    "copilot",
    "openrouter",
    "xai",
    "vllm",
    "ollama",
    "lmstudio",
    "llamacpp",
]
"""The names of the built-in policies for the next request of a conversation, in `deltafold.request`."""

SourceDialect = Literal[
    "open-responses",
    "anthropic",
    "chat-completions",
    "gemini",
    "blocks",
    "thread-events",
    "ollama",
    "mistral",
    "cohere",
    "bedrock",
]
"""The dialects that can be read; the first list of `deltafold.dialects()`."""

TargetDialect = Literal["open-responses", "anthropic", "chat-completions", "ag-ui", "ui-message-stream"]
"""The dialects that can be written; the second list of `deltafold.dialects()`."""


class _ReaderOptions(TypedDict, total=False):
    quote: Optional[bool]
    ignore_terminal_snapshot: Optional[bool]
    derive_item_ids: Optional[bool]
    edition: Optional[Edition]
    layers: Optional[Union[Literal["all", "none"], Iterable[Layer]]]
    images: Optional[Literal["keep-last", "keep", "drop"]]
    starting_after: Optional[int]
    limits: Optional[Limits]
    schemas: Optional[ExtensionSchemas]


class ReaderOptions(_ReaderOptions, total=False):
    """The options of `Reader`, `events` and `aevents`."""

    strict: Optional[bool]
    profile: Optional[Union[ProfileName, CustomProfile]]


class CheckOptions(_ReaderOptions, total=False):
    """The options of `check` and `acheck`."""

    profile: Optional[Union[ProfileName, CustomProfile, Literal["auto"]]]

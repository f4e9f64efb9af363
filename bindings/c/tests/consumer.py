"""A consumer in another language, over nothing but the header and the shared library:  python3 consumer.py PREFIX STREAM

Declares every struct and function from the text of the header, compares the layout of each struct with what a C compiler makes
of it, and then reads, writes and converts through them. A header that is wrong about a type shows as a wrong answer here.
"""

import ctypes
import pathlib
import re
import subprocess
import sys
import tempfile

PREFIX, STREAM = (pathlib.Path(argument) for argument in sys.argv[1:])

PLAIN = {
    "bool": ctypes.c_bool,
    "char": ctypes.c_char,
    "double": ctypes.c_double,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "size_t": ctypes.c_size_t,
    "uint8_t": ctypes.c_uint8,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "void": None,
}


def read_header():
    """The header's numbers, types and functions, read from its text."""
    text = (PREFIX / "include/deltafold.h").read_text(encoding="utf-8")
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    numbers = {name: int(number) for name, number in re.findall(r"^#define (DFOLD_\w+) (-?\d+)$", text, re.M)}
    # cbindgen writes the largest number as UINT32_MAX.
    numbers.update({name: 2**32 - 1 for name in re.findall(r"^#define (DFOLD_\w+) UINT32_MAX$", text, re.M)})
    numbers.update({name: int(number) for name, number in re.findall(r"^\s+(DFOLD_\w+) = (-?\d+),", text, re.M)})
    types = dict(PLAIN)
    for name in re.findall(r"^enum (\w+)", text, re.M):
        types[name] = ctypes.c_int32
    for name in re.findall(r"^typedef struct (\w+) \1;", text, re.M):
        types[name] = type(name, (ctypes.Structure,), {})
    for body, name in re.findall(r"^typedef struct(?: \w+)? \{(.*?)^\} (\w+);", text, re.M | re.S):
        fields = [field(line, types, numbers) for line in body.split(";") if line.strip()]
        types[name] = type(name, (ctypes.Structure,), {"_fields_": fields})
    functions = {}
    for result, name, arguments in re.findall(r"^([\w *]+?)\b(dfold_\w+)\(([^)]*)\);", text, re.M):
        taken = [] if arguments.strip() == "void" else [field(one, types, numbers)[1] for one in arguments.split(",")]
        functions[name] = (named(result, types), taken)
    return numbers, types, functions


def field(declaration, types, numbers):
    """Name and type of a member or a parameter."""
    found = re.fullmatch(r"\s*([\w\s]+?[\s*]+)(\w+)(?:\[(\w+)\])?\s*", declaration)
    kind = named(found[1], types)
    if found[3]:
        kind *= numbers.get(found[3]) or int(found[3])
    return found[2], kind


def named(words, types):
    words = words.replace("const ", "").replace("struct ", "")
    kind = types[words.replace("*", "").strip()]
    for _ in range(words.count("*")):
        kind = ctypes.c_void_p if kind is None else ctypes.c_char_p if kind is ctypes.c_char else ctypes.POINTER(kind)
    return kind


def compare_layouts(types):
    """Asks a C compiler for the size of each struct and the offset of each member."""
    structs = {name: kind for name, kind in types.items() if isinstance(kind, type(ctypes.Structure)) and hasattr(kind, "_fields_")}
    lines, expected = [], []
    for name, kind in structs.items():
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        expected.append((name, ctypes.sizeof(kind)))
        for member, _ in kind._fields_:
            lines.append(f'printf("%zu\\n", offsetof({name}, {member}));')
            expected.append((f"{name}.{member}", getattr(kind, member).offset))
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, "layout")
        program.with_suffix(".c").write_text("#include <deltafold.h>\n#include <stdio.h>\nint main(void) {" + "".join(lines) + "}\n")
        subprocess.run(["gcc", "-std=c11", f"-I{PREFIX}/include", f"{program}.c", "-o", program], check=True)
        made = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    wrong = [(what, ours, theirs) for (what, ours), theirs in zip(expected, map(int, made), strict=True) if ours != theirs]
    assert not wrong, wrong
    return len(structs)


NUMBERS, TYPES, FUNCTIONS = read_header()
library = ctypes.CDLL(str(PREFIX / "lib/libdeltafold.so"))
for function, (result, arguments) in FUNCTIONS.items():
    declared = getattr(library, function)
    declared.restype, declared.argtypes = result, arguments


def text(view):
    return ctypes.string_at(view.data, view.len).decode("utf-8")


def view(given):
    data = given.encode("utf-8")
    kept = (ctypes.c_uint8 * len(data)).from_buffer_copy(data)
    made = TYPES["dfold_bytes"](kept, len(data))
    made.kept = kept
    return made


def ask(function, handle, kind, *arguments):
    """Calls a function with an output of this type; None for nothing more."""
    out = TYPES[kind]()
    status = getattr(library, function)(handle, *arguments, ctypes.byref(out))
    assert status in (NUMBERS["DFOLD_OK"], NUMBERS["DFOLD_NO_MORE"]), (function, status)
    return out if status == NUMBERS["DFOLD_OK"] else None


def new(function, kind, *arguments):
    handle = ctypes.POINTER(TYPES[kind])()
    status = getattr(library, function)(*arguments, ctypes.byref(handle))
    assert status == NUMBERS["DFOLD_OK"], (function, status)
    return handle


def feed(function, handle, data):
    chunk = (ctypes.c_uint8 * len(data)).from_buffer_copy(data)
    assert getattr(library, function)(handle, chunk, len(data)) == NUMBERS["DFOLD_OK"]


def read(stream):
    options = TYPES["dfold_reader_options"]()
    assert library.dfold_reader_options_init(ctypes.byref(options), ctypes.sizeof(options)) == 0
    assert options.struct_size == ctypes.sizeof(options) and options.limits.depth == 128
    profile = view("open-responses")
    options.profile, options.layers, options.limits.findings = profile, NUMBERS["DFOLD_LAYER_ALL"], 5
    reader = new("dfold_reader_new", "dfold_reader", ctypes.byref(options))
    joined, last = "", None
    for start in range(0, len(stream), 41):
        feed("dfold_reader_feed", reader, stream[start : start + 41])
        while event := ask("dfold_reader_poll", reader, "dfold_event"):
            last = event.sequence_number if event.has & NUMBERS["DFOLD_HAS_SEQUENCE_NUMBER"] else last
            assert text(event.type) == text(library.dfold_kind_name(event.kind)) and text(event.raw)[0] == "{"
            if event.kind == NUMBERS["DFOLD_KIND_OUTPUT_TEXT_DELTA"]:
                joined += text(event.delta)
                assert text(ask("dfold_event_get", reader, "dfold_value", view("/delta")).text) == text(event.delta)
    outcome = ask("dfold_reader_finish", reader, "dfold_outcome")
    assert text(outcome.name) == "completed" and outcome.kind == NUMBERS["DFOLD_OUTCOME_COMPLETED"]
    assert text(ask("dfold_reader_output_text", reader, "dfold_bytes")) == joined and joined
    state = ask("dfold_reader_state", reader, "dfold_state")
    assert (state.last_sequence_number, state.saw_done, state.errors) == (last, True, 0)
    items = [ask("dfold_reader_item", reader, "dfold_item", at) for at in range(state.items)]
    calls = [text(item.name) for item in items if text(item.type) == "function_call"]
    assert ask("dfold_reader_item", reader, "dfold_item", state.items) is None
    usage = ask("dfold_reader_usage", reader, "dfold_usage")
    assert usage.input_tokens > 0 and usage.output_tokens > 0
    library.dfold_reader_free(reader)
    return calls


def write_and_check():
    options = TYPES["dfold_writer_options"]()
    assert library.dfold_writer_options_init(ctypes.byref(options), ctypes.sizeof(options)) == 0
    response_id = view("resp_1")
    options.id, options.created_at = response_id, 5
    writer = new("dfold_writer_new", "dfold_writer", ctypes.byref(options))
    item = ctypes.c_uint32()
    assert library.dfold_writer_message(writer, ctypes.byref(item)) == 0 and item.value == 0
    assert library.dfold_writer_text(writer, item, view("naïve 🚲")) == 0
    assert library.dfold_writer_complete(writer, ctypes.byref(TYPES["dfold_usage"](3, 2, 1, 0, 0, 0))) == 0
    stream = text(ask("dfold_writer_take", writer, "dfold_bytes")).encode("utf-8")
    library.dfold_writer_free(writer)
    chunk = (ctypes.c_uint8 * len(stream)).from_buffer_copy(stream)
    report = new("dfold_check", "dfold_report", chunk, len(stream), view(""), None)
    summary = ask("dfold_report_summary", report, "dfold_summary")
    assert (summary.errors, summary.warnings, text(summary.outcome)) == (0, 0, "completed"), text(ask("dfold_report_text", report, "dfold_bytes"))
    library.dfold_report_free(report)
    problem = TYPES["dfold_problem"]()
    made = ctypes.POINTER(TYPES["dfold_converter"])()
    status = library.dfold_converter_new(view('{"to":"nobody"}'), ctypes.byref(problem), ctypes.byref(made))
    assert status == problem.status == NUMBERS["DFOLD_MISUSE_UNKNOWN_NAME"] and b"nobody" in problem.message and not made


assert library.dfold_abi_version() == NUMBERS["DFOLD_ABI_VERSION"]
assert library.dfold_status_str(0) == b"the call succeeded"
structs = compare_layouts(TYPES)
calls = read(STREAM.read_bytes())
write_and_check()
print(f"{len(FUNCTIONS)} functions and {structs} structs match the header; calls: {' '.join(calls)}")

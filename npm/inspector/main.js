// The inspector's page: rendering, keys and clicks. All expensive work is in the worker.

const $ = (id) => document.getElementById(id);
const worker = new Worker(URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" })));
const waiting = new Map();
let calls = 0;
const ask = (call, given = {}) =>
  new Promise((resolve, reject) => {
    const id = ++calls;
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, call, given });
  });
worker.onmessage = ({ data }) => {
  if (data.id === undefined) return onProgress(data);
  const { resolve, reject } = waiting.get(data.id);
  waiting.delete(data.id);
  if (data.error === undefined) resolve(data.result);
  else reject(new Error(data.error));
};

const ROW = 22;
/** Browsers limit an element's height to some ten million pixels, so a long list is scrolled in proportion. */
const TALLEST = 8_000_000;
let count = 0;
let selected = -1;
let findings = [];
let saved = null;

const element = (tag, text, properties = {}) => Object.assign(document.createElement(tag), { textContent: text ?? "" }, properties);

function onProgress({ progress, count: events, live, text }) {
  count = events;
  if (progress !== undefined) {
    $("progress").value = progress;
    status(`Reading: ${Math.round(progress * 100)} %, ${events.toLocaleString("en")} events`);
  }
  if (live) {
    status(`Connected: ${events.toLocaleString("en")} events so far`);
    $("text").replaceChildren(element("pre", text));
  }
  layout();
}

const status = (text, kind = "") => Object.assign($("status"), { textContent: text, className: kind });

// The list: as tall as all rows, with elements only for the visible ones.

const height = () => Math.min(count * ROW, TALLEST);

function first() {
  const list = $("list");
  const most = Math.max(1, height() - list.clientHeight);
  return count * ROW <= TALLEST ? Math.floor(list.scrollTop / ROW) : Math.round((list.scrollTop / most) * Math.max(0, count - Math.floor(list.clientHeight / ROW)));
}

let drawing = false;
function layout() {
  $("spacer").style.height = `${height()}px`;
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(async () => {
    drawing = false;
    const list = $("list");
    const from = first();
    const to = from + Math.ceil(list.clientHeight / ROW) + 2;
    const rows = await ask("rows", { from, to });
    const top = count * ROW <= TALLEST ? from * ROW : list.scrollTop;
    $("rows").replaceChildren(...rows.map((row, at) => drawn(row, top + at * ROW)));
  });
}

function drawn({ index, type, number, preview, time, marks }, top) {
  const row = element("div", "", { className: "row", id: `row-${index}` });
  row.style.top = `${top}px`;
  row.setAttribute("role", "option");
  row.setAttribute("aria-selected", String(index === selected));
  row.append(element("i", `${number < 0 ? "–" : number}`.padStart(6)), " ");
  if (time !== undefined) row.append(element("i", `${Math.round(time)} ms`.padStart(8)), " ");
  row.append(element("b", type), " ", element("i", preview));
  if (marks > 0) row.prepend(element("span", `${marks}! `, { className: "bad" }));
  row.onclick = () => select(index);
  return row;
}

function select(index, quiet = false) {
  if (count === 0) return;
  selected = Math.max(0, Math.min(count - 1, index));
  $("slider").value = selected;
  $("at").textContent = `${selected + 1} of ${count}`;
  const list = $("list");
  if (!quiet) {
    const from = first();
    const seen = Math.floor(list.clientHeight / ROW);
    if (selected < from || selected >= from + seen - 1) {
      const wanted = selected < from ? selected : selected - seen + 2;
      list.scrollTop = count * ROW <= TALLEST ? wanted * ROW : (wanted / Math.max(1, count - seen)) * (height() - list.clientHeight);
    }
  }
  list.setAttribute("aria-activedescendant", `row-${selected}`);
  layout();
  show();
}

$("list").addEventListener("scroll", layout);
new ResizeObserver(layout).observe($("list"));
$("list").addEventListener("keydown", (event) => {
  const page = Math.floor($("list").clientHeight / ROW) - 1;
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
  if (!(event.key in steps)) return;
  event.preventDefault();
  select(selected + steps[event.key]);
});
$("slider").addEventListener("input", () => select(Number($("slider").value)));

// The panels. Only the visible one is filled; a newer query makes the answer to an older one obsolete.

const tab = () => document.querySelector('[role=tab][aria-selected=true]').dataset.tab;
for (const button of document.querySelectorAll("[role=tab]")) {
  button.onclick = () => {
    for (const other of document.querySelectorAll("[role=tab]")) {
      other.setAttribute("aria-selected", String(other === button));
      $(other.dataset.tab).hidden = other !== button;
    }
    show();
  };
}

let asked = 0;
let timer = 0;
function show() {
  clearTimeout(timer);
  const now = ++asked;
  timer = setTimeout(async () => {
    const name = tab();
    if (selected < 0) return;
    try {
      if (name === "event") {
        const { raw, offset, found } = await ask("event", { index: selected });
        if (now !== asked) return;
        $("event").replaceChildren(...found.map(card), element("p", `byte ${offset}`, { className: "note" }), element("pre", pretty(raw)));
      } else if (name === "response" || name === "text") {
        const { json, text, old } = await ask("at", { index: selected });
        if (now !== asked) return;
        if (name === "response") $("response").replaceChildren(tree("response", JSON.parse(json), true));
        else {
          const pre = element("pre", text.slice(0, old));
          pre.append(element("mark", text.slice(old)));
          $("text").replaceChildren(pre);
        }
      }
    } catch (error) {
      status(error.message, "error");
    }
  }, 30);
}

function pretty(raw) {
  try {
    const text = JSON.stringify(JSON.parse(raw), null, 2);
    return text.length > 200_000 ? `${text.slice(0, 200_000)}\n… ${text.length - 200_000} more characters` : text;
  } catch {
    return raw;
  }
}

function tree(name, value, open = false) {
  if (typeof value !== "object" || value === null) {
    const text = JSON.stringify(value);
    return element("div", `${name}: ${text.length > 5000 ? `${text.slice(0, 5000)}… (${text.length} characters)` : text}`, { className: "leaf" });
  }
  const entries = Object.entries(value);
  const details = element("details", "", { open });
  const summary = element("summary", name);
  summary.append(" ", element("span", Array.isArray(value) ? `[${entries.length}]` : `{${value.type ?? value.status ?? entries.length}}`));
  details.append(summary);
  // The children are created when the node is opened.
  const fill = () => {
    if (details.children.length === 1) details.append(...entries.slice(0, 1000).map(([key, inner]) => tree(key, inner, open && key === "output")));
  };
  details.addEventListener("toggle", fill);
  if (open) fill();
  return details;
}

function card(finding) {
  const box = element("div", "", { className: "finding" });
  const line = element("div", `${finding.severity} ${finding.rule}`, { className: finding.severity });
  const where = finding.event_index === null ? `byte ${finding.offset}` : `event ${finding.event_index + 1}`;
  const go = element("button", where, { onclick: () => finding.event_index !== null && select(finding.event_index) });
  const why = element("button", "why?", {
    onclick: async () => {
      const words = await ask("explain", { rule: finding.rule });
      why.replaceWith(element("p", `${words.says} ${words.why}`));
      if (words.right) box.append(element("pre", `right: ${words.right}`), element("pre", `wrong: ${words.wrong}`));
    },
  });
  line.append(" ", go, " ", why);
  box.append(line, element("div", `${finding.message}${finding.path ? ` at ${finding.path}` : ""}${finding.repair ? ` (${finding.repair})` : ""}`));
  return box;
}

function loaded(result) {
  ({ count, findings } = result);
  $("progress").hidden = true;
  const { outcome, counts, bytes, source, losses } = result;
  const from = source && source !== "open-responses" ? ` from ${source}` : "";
  status(`${count.toLocaleString("en")} events in ${bytes.toLocaleString("en")} bytes${from}: ${outcome.outcome}; ${counts.errors} errors, ${counts.warnings} warnings, ${counts.notes} notes${losses ? `; ${losses} losses in conversion` : ""}${result.error ? `; ended by: ${result.error}` : ""}`);
  $("count").textContent = findings.length ? `(${counts.errors + counts.warnings + counts.notes})` : "";
  $("findings").replaceChildren(...(findings.length ? findings.slice(0, 500).map(card) : [element("p", "Nothing is wrong with this stream.")]));
  Object.assign($("slider"), { max: Math.max(0, count - 1) });
  selected = -1;
  select(0);
  $("list").focus();
}

async function load(file) {
  $("progress").hidden = false;
  $("progress").value = 0;
  status("Reading…");
  try {
    loaded(await ask("load", { file, profile: $("profile").value }));
  } catch (error) {
    $("progress").hidden = true;
    status(error.message, "error");
  }
}

let last = null;
const take = (file) => load((last = file));
$("file").onchange = () => $("file").files[0] && take($("file").files[0]);
$("profile").onchange = () => last && load(last);
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) take(file);
});
addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text");
  // One line is a URL for the field; more lines are a capture.
  if (text.includes("\n")) {
    event.preventDefault();
    take(new Blob([text]));
  }
});
$("connect").onsubmit = async (event) => {
  event.preventDefault();
  document.querySelector('[data-tab="text"]').click();
  try {
    loaded(await ask("connect", { url: $("url").value, profile: $("profile").value }));
  } catch (error) {
    status(error.message, "error");
  }
};

$("run").onclick = async () => {
  try {
    const { bytes, report } = await ask("convert", { to: $("target").value });
    saved = { bytes, name: `${$("target").value}.sse` };
    $("save").disabled = false;
    $("losses").textContent = report.findings.length ? `${report.lost} lost: ${[...new Set(report.findings.map((loss) => loss.code))].join(", ")}` : "Nothing was lost.";
    $("converted").textContent = new TextDecoder().decode(bytes.subarray(0, 100_000));
  } catch (error) {
    $("losses").textContent = error.message;
  }
};
const download = ({ bytes, name }) => {
  const link = element("a", "", { href: URL.createObjectURL(new Blob([bytes])), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
};
$("save").onclick = () => download(saved);
$("repaired").onclick = async () => {
  try {
    const { bytes, left } = await ask("repaired");
    $("losses").textContent = left.length ? `left out: ${left.join("; ")}` : "";
    download({ bytes, name: "repaired.sse" });
  } catch (error) {
    $("losses").textContent = error.message;
  }
};

$("theme").onclick = () => {
  const dark = document.documentElement.classList.contains("dark") || (!document.documentElement.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.className = dark ? "light" : "dark";
};

const { profiles, targets } = await ask("start");
$("profile").append(...profiles.map((name) => element("option", name, { value: name, selected: name === "any" })));
$("target").append(...targets.map((name) => element("option", name, { value: name })));
document.body.dataset.ready = "yes";

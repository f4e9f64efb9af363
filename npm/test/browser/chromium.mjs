// Chromium for the tests, and a server of files on loopback.

import { createServer } from "node:http";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

const PATH = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));

/** Starts a browser with nothing in the background. */
export function launch() {
  if (!PATH) throw new Error("there is no Chromium: apt-get install chromium");
  return chromium.launch({
    executablePath: PATH,
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json", ".sse": "text/event-stream" };

/** Serves a folder; `routes` answers by itself where it has the path. Returns the address and a way to stop. */
export async function serve(folder, routes = {}) {
  const server = createServer(async (request, answer) => {
    const path = new URL(request.url, "http://x").pathname;
    if (routes[path]) return routes[path](request, answer);
    try {
      const body = await readFile(join(folder, normalize(path)));
      answer.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" }).end(body);
    } catch {
      answer.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** A page that fails the test when a script on it fails. */
export async function open(browser, url) {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error));
  await page.goto(url);
  return { page, errors };
}

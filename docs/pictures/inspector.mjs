// Makes docs/inspector.png: the inspector page with the tour in it.
//
//     (cd npm && npm ci && npm run build) && node docs/pictures/inspector.mjs [NPM_FOLDER] [CHROMIUM]
//
// NPM_FOLDER has node_modules and dist/inspector.html; without it, npm/ of the repository is meant.

import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const npm = resolve(process.argv[2] ?? `${root}/npm`);
const { chromium } = createRequire(`${npm}/package.json`)("playwright-core");

const browser = await chromium.launch({ executablePath: process.argv[3] ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1100, height: 620 }, deviceScaleFactor: 1.25, colorScheme: "dark" });
await page.goto(pathToFileURL(`${npm}/dist/inspector.html`).href);
await page.setInputFiles("#file", `${root}/examples/streams/broken/text-differs.sse`);
await page.waitForFunction(() => document.querySelectorAll("#rows > *").length > 10 && !document.querySelector("#slider").disabled);
await page.locator("#slider").evaluate((slider) => {
  slider.value = "22";
  slider.dispatchEvent(new Event("input", { bubbles: true }));
});
await page.click('[data-tab="response"]');
await page.waitForTimeout(500);
await page.screenshot({ path: `${root}/docs/inspector.png` });
await browser.close();

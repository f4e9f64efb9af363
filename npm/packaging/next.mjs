// Builds an app of Next with the package, by each of its bundlers, starts it, and asks the routes of each runtime: one that reads and
// checks, and those of examples/web/next.

import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { CHECKS } from "../../examples/web/test/checks.mjs";
import { startUpstream } from "../../examples/web/test/upstream.mjs";

const route = (runtime) => `import { readEvents, version } from "deltafold";
import { check, Writer } from "deltafold/full";
import { isOpenAIEvent } from "deltafold/openai";

export const runtime = "${runtime}";
export const dynamic = "force-dynamic";

export async function GET() {
  const writer = new Writer({ id: "resp_1" });
  writer.message();
  writer.text("Hi");
  writer.complete({ input_tokens: 1, output_tokens: 1 });
  const bytes = writer.take();
  let text = "";
  for await (const event of readEvents([bytes])) if (isOpenAIEvent(event) && event.type === "response.output_text.delta") text += event.delta;
  const report = await check([bytes]);
  return new Response([version(), text, report.outcome.outcome, report.findings.length].join(" "));
}
`;

/** A route of the Edge runtime with the slim entries: the wasm is an import, as in a worker of Cloudflare. */
const SLIM = `import { init, readEvents, version } from "deltafold/slim";
import core from "deltafold/core.wasm";
import { explain, initSync } from "deltafold/full/slim";
import full from "deltafold/full.wasm";

export const runtime = "edge";
export const dynamic = "force-dynamic";

export async function GET() {
  await init(core);
  initSync(full);
  const bytes = new TextEncoder().encode('data: {"type":"response.output_text.delta","sequence_number":0,"item_id":"m","output_index":0,"content_index":0,"delta":"Hi"}\\n\\n');
  let text = "";
  for await (const event of readEvents([bytes])) text += event.delta;
  return new Response([version(), text, explain("SEQ-03") !== null].join(" "));
}
`;

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Asks until the server answers. */
async function ask(url) {
  for (let left = 100; ; left--) {
    try {
      const answer = await fetch(url);
      return `${answer.status} ${await answer.text()}`;
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

export async function tryNext(project, run, modules) {
  if (!existsSync(join(modules, "next"))) return console.log("NOTE: next is not here, so the package was not tried in it");
  const folder = join(project, "next");
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  for (const name of ["next", "react", "react-dom"]) symlinkSync(join(modules, name), join(folder, "node_modules", name));
  cpSync(join(project, "node_modules/deltafold"), join(folder, "node_modules/deltafold"), { recursive: true });
  const write = (name, text) => {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write("package.json", '{ "private": true }');
  // The modules of Next are links to another folder.
  write("next.config.mjs", 'export default { distDir: process.env.DIST, outputFileTracingRoot: "/", turbopack: { root: "/" }, typescript: { ignoreBuildErrors: true } };\n');
  write("app/layout.js", "export default function Layout({ children }) {\n  return <html><body>{children}</body></html>;\n}\n");
  write("app/slim/route.js", SLIM);
  const runtimes = ["edge", "nodejs"];
  for (const runtime of runtimes) {
    write(`app/${runtime}/route.js`, route(runtime));
    for (const name of ["chat/route.js", "v1/responses/route.js"]) {
      const example = readFileSync(new URL(`../../examples/web/next/app/${name}`, import.meta.url), "utf8");
      write(`app/${runtime}/${name}`, `${example}\nexport const runtime = "${runtime}";\n`);
    }
  }
  const program = join(modules, "next/dist/bin/next");
  const upstream = await startUpstream();
  try {
    for (const bundler of ["turbopack", "webpack"]) {
      const env = { NEXT_TELEMETRY_DISABLED: "1", DIST: bundler, UPSTREAM: upstream.url };
      run(process.execPath, [program, "build", `--${bundler}`], folder, env);
      const port = await freePort();
      const server = spawn(process.execPath, [program, "start", "--port", String(port), "--hostname", "127.0.0.1"], { cwd: folder, stdio: "inherit", env: { ...process.env, ...env } });
      try {
        const slim = await ask(`http://127.0.0.1:${port}/slim`);
        if (!/^200 \d+\.\d+\.\d+ Hi true$/.test(slim)) throw new Error(`next by ${bundler}, slim entries: ${slim}`);
        console.log(`next by ${bundler}, slim entries: ok`);
        for (const runtime of runtimes) {
          const url = `http://127.0.0.1:${port}/${runtime}`;
          const answer = await ask(url);
          if (!/^200 \d+\.\d+\.\d+ Hi completed 0$/.test(answer)) throw new Error(`next by ${bundler}, ${runtime}: ${answer}`);
          for (const [what, check] of Object.entries(CHECKS)) {
            await check(url, upstream);
            console.log(`next by ${bundler}, ${runtime}: ${what}`);
          }
        }
      } finally {
        server.kill();
      }
    }
  } finally {
    upstream.stop();
  }
}

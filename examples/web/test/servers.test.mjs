// Runs each server as a process of its own, between a model and a client on the loopback address.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";

import { CHECKS } from "./checks.mjs";
import { startUpstream } from "./upstream.mjs";

for (const name of ["hono", "express"]) {
  describe(name, () => {
    let upstream, server, url;
    before(async () => {
      upstream = await startUpstream();
      const program = fileURLToPath(new URL(`../${name}.mjs`, import.meta.url));
      server = spawn(process.execPath, [program, "0"], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, UPSTREAM: upstream.url } });
      const [line] = await once(createInterface(server.stdout), "line");
      url = line.replace("listening on ", "");
    });
    after(() => {
      server.kill();
      upstream.stop();
    });
    for (const [what, check] of Object.entries(CHECKS)) test(what, () => check(url, upstream));
  });
}

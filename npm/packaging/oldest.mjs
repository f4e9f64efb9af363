// The packed package beside the oldest versions of its peers, which npm/oldest pins: the tests of the hook, of the transport and of the
// types, and a page for the browser tests. `npm test`, test/types and test/browser do the same with the newest versions.

import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const TESTS = ["react.test.mjs", "ai.test.mjs"];

export function tryOldest(project, run, { tsc, vite }) {
  const folder = join(project, "oldest");
  const link = (name, from) => {
    mkdirSync(join(folder, "node_modules", name, ".."), { recursive: true });
    symlinkSync(resolve(from, "node_modules", name), join(folder, "node_modules", name));
  };
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const { devDependencies } = JSON.parse(readFileSync("oldest/package.json", "utf8"));
  for (const [name, version] of Object.entries(devDependencies)) {
    const found = JSON.parse(readFileSync(join("oldest/node_modules", name, "package.json"), "utf8")).version;
    if (found !== version) throw new Error(`${name} is installed in version ${found} instead of ${version}`);
    link(name, "oldest");
  }
  for (const name of ["valibot", "zod"]) link(name, ".");
  cpSync(join(project, "node_modules/deltafold"), join(folder, "node_modules/deltafold"), { recursive: true });

  for (const name of TESTS) copyFileSync(join("test", name), join(folder, name));
  const told = run(process.execPath, ["--test", "--test-reporter=tap", ...TESTS], folder);
  const count = (what) => Number(new RegExp(`^# ${what} (\\d+)$`, "m").exec(told)?.[1]);
  if (count("pass") < 10 || count("fail") !== 0 || count("skipped") !== 0) throw new Error(`the tests with the oldest peers told:\n${told}`);
  console.log(`the oldest peers, ${TESTS.join(" and ")}: ${count("pass")} tests`);

  cpSync("test/types", join(folder, "types"), { recursive: true });
  for (const config of ["tsconfig", "tsconfig.react"]) run(tsc, ["--project", `types/${config}.json`], folder);
  console.log("the oldest peers, types: ok");

  mkdirSync(join(folder, "react"));
  writeFileSync(join(folder, "react/index.html"), '<!doctype html><title>react</title><div id="root"></div><script type="module" src="./main.js"></script>');
  copyFileSync("test/browser/react-page.js", join(folder, "react/main.js"));
  // npm installs packages that @ai-sdk/react needs in the folder above, beside the newest React.
  writeFileSync(join(folder, "react/vite.config.mjs"), 'export default { resolve: { dedupe: ["react", "react-dom"] } };\n');
  run(vite, ["build", "react", "--base", "./", "--logLevel", "error"], folder, { NODE_ENV: "production" });
  console.log("the oldest peers, vite build: ok");
}

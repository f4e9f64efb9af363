// The ranges of the optional peers are what is tested: npm/oldest pins the first version of each, package.json a version of the last major.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const versionIn = (folder, name) => JSON.parse(read(`${folder}node_modules/${name}/package.json`)).version;

test("the oldest and the newest version of each peer range is the one that the tests use, and README.md names it", () => {
  const { peerDependencies, devDependencies } = JSON.parse(read("package.json"));
  const oldest = JSON.parse(read("oldest/package.json")).devDependencies;
  const readme = read("README.md");
  assert.deepEqual(Object.keys(peerDependencies), ["ai", "openai", "react"]);
  for (const [name, range] of Object.entries(peerDependencies)) {
    const [, first, firstMajor, end] = /^>=((\d+)\.\d+\.\d+) <(\d+)$/.exec(range);
    assert.deepEqual([oldest[name], versionIn("oldest/", name)], [first, first], name);
    const [newest, last] = [devDependencies[name], String(end - 1)];
    assert.deepEqual([newest.split(".")[0], versionIn("", name)], [last, newest], name);
    const majors = firstMajor === last ? last : `${firstMajor} or ${last}`;
    assert.ok(readme.includes(`\`${name}\` ${majors}`), `README.md does not say: \`${name}\` ${majors}`);
  }
  for (const name of ["react-dom", "react-test-renderer"]) assert.deepEqual([oldest[name], devDependencies[name]], [oldest.react, devDependencies.react], name);
});

// The sizes of what is shipped, in kB:  node sizes.mjs [--write]
//
// Compares the table in README.md with dist and fails where a figure is off by more than a twentieth and 2 kB; with --write puts the
// table there. Not to the byte: another compiler gives another byte, and a page is not to be edited for that.

import { readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

const FILES = [
  ["`core.wasm`", "core.wasm"],
  ["`full.wasm`", "full.wasm"],
  ["`deltafold`", "index.js"],
  ["`deltafold/slim`", "slim.js"],
  ["`deltafold/full`", "full.js"],
  ["`deltafold/full/slim`", "full-slim.js"],
];
const kilo = (bytes) => Math.round(bytes.length / 1000);
const rows = FILES.map(([name, file]) => {
  const bytes = readFileSync(new URL(`dist/${file}`, import.meta.url));
  return [name, kilo(bytes), kilo(gzipSync(bytes, { level: 9 })), kilo(brotliCompressSync(bytes))];
});
const line = (cells) => `| ${cells.join(" | ")} |\n`;
const table = line(["file", "raw", "gzip", "brotli"]) + line(["---", "---", "---", "---"]) + rows.map(line).join("");

const page = new URL("README.md", import.meta.url);
const text = readFileSync(page, "utf8");
const found = /\| file \| raw \| gzip \| brotli \|\n(?:\|.*\|\n)+/.exec(text)?.[0];
if (found === undefined) throw new Error("README.md has no table of sizes");
if (process.argv[2] === "--write") {
  writeFileSync(page, text.replace(found, table));
} else {
  const told = found.trimEnd().split("\n").slice(2).map((row) => row.split("|").slice(1, -1).map((cell) => cell.trim()));
  const near = (a, b) => Math.abs(a - b) <= Math.max(2, b / 20);
  const same = told.length === rows.length && rows.every((row, at) => row.every((cell, i) => (i === 0 ? told[at][0] === cell : near(Number(told[at][i]), cell))));
  if (!same) throw new Error(`README.md tells other sizes; node sizes.mjs --write puts these there:\n${table}`);
}
console.log(table);

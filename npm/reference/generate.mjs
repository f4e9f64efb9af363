// Writes the API reference of the package, a page per entry, from the declarations in dist:  node generate.mjs [FOLDER]
//
// TypeDoc reads the declarations, its plugin for Markdown writes the pages. Fails if an exported symbol, or a member of one, has no comment.
// The types of the wire format are not on the pages: they are generated from the contract, like docs/coverage.md.

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { Application, ReflectionKind } from "typedoc";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const out = process.argv[2] ?? here("../../docs/javascript");
const ENTRIES = ["index", "full", "slim", "react", "ai", "openai"];
const HEAD = "<!-- Generated from the declarations of the npm package by npm/reference/generate.mjs with TypeDoc; do not edit. -->\n\n";

const INDEX = `# JavaScript API

Every class, function, type and option of the npm package, by entry. [npm/README.md](../../npm/README.md) is the introduction. The types of events,
items and other objects of the wire format are not repeated here: an editor shows them, and [coverage.md](../coverage.md) lists them.
`;

const app = await Application.bootstrapWithPlugins({
  plugin: ["typedoc-plugin-markdown"],
  entryPoints: ENTRIES.map((name) => here(`../dist/${name}.d.ts`)),
  tsconfig: here("tsconfig.json"),
  // The step `npm` has checked the types.
  skipErrorChecking: true,
  outputs: [{ name: "markdown", path: out }],
  readme: "none",
  exclude: ["**/contract.d.ts"],
  disableSources: true,
  excludeReferences: true,
  router: "module",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  excludeExternals: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  typeDeclarationFormat: "table",
});
const project = await app.convert();
if (project === undefined || app.logger.hasErrors()) process.exit(1);

const own = (member) => member.inheritedFrom === undefined;
/** The comment of a function or accessor is on its signature. What is inherited, and members of a type without a name, need none. */
const needsComment = ReflectionKind.SomeExport | ReflectionKind.ClassMember;
const isNamed = (reflection) => !reflection.getFullName().includes("__");
const hasComment = (reflection) => [reflection, reflection.getSignature, ...(reflection.signatures ?? [])].some((place) => place?.hasComment());
const bare = project.getReflectionsByKind(needsComment).filter((reflection) => own(reflection) && isNamed(reflection) && !hasComment(reflection));
for (const reflection of bare) console.error(`no comment: ${reflection.getFullName()}`);
if (bare.length > 0) process.exit(1);

// A member is described where its class declares it.
for (const owner of project.getReflectionsByKind(ReflectionKind.ClassOrInterface)) {
  owner.children = owner.children?.filter(own);
  for (const group of owner.groups ?? []) group.children = group.children.filter(own);
  owner.groups = owner.groups?.filter((group) => group.children.length > 0);
}
await app.generateOutputs(project);
const pages = (await readdir(out, { recursive: true })).filter((name) => name.endsWith(".md"));
for (const name of pages) {
  const text = await readFile(join(out, name), "utf8");
  await writeFile(join(out, name), `${HEAD}${name === "README.md" ? text.replace(/^# .*\n/, INDEX) : text}`);
}
console.log(`${pages.length} pages in ${out}`);

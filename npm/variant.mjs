// How an entry of the package gets its wasm, as a plugin of esbuild.

/**
 * An entry is the sources of src with one of two modules, `core` or `full`, and one of the ways to start it: `inline` embeds the wasm,
 * `compiled` imports the compiled module from a path, and `slim` leaves the loading to the user.
 */
export const variant = (module, start, path = "") => ({
  name: "variant",
  setup(build) {
    const here = (name) => new URL(name, import.meta.url).pathname;
    // All calls go to one module, so that there is one memory.
    build.onResolve({ filter: /gen\/core(-inline)?\.js$/ }, (args) => ({ path: here(`gen/${args.path.endsWith("-inline.js") ? `${module}-inline` : module}.js`) }));
    if (start !== "slim") build.onResolve({ filter: /^\.\/start\.js$/ }, () => ({ path: here(`src/start/${start}.ts`) }));
    build.onResolve({ filter: /^compiled\.wasm$/ }, () => ({ path, external: true }));
  },
});

// Bundles the page into the directory that the command line names. The interface of the WebAssembly
// module is expected in `generated`, where `cargo xtask web` writes it.

import { build } from "esbuild";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** Size of the compressed module at most. */
const MAX_COMPRESSED_BYTES = 2.5e6;

const page = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(page, "dist");

await rm(output, { recursive: true, force: true });
await mkdir(output, { recursive: true });
const { metafile } = await build({
  absWorkingDir: page,
  entryPoints: [
    { in: "src/main.ts", out: "main" },
    { in: "src/worker.ts", out: "worker" },
    { in: "style.css", out: "style" },
  ],
  outdir: output,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  metafile: true,
  loader: { ".vp": "text", ".fp": "text", ".tgsi": "text" },
  external: ["icon.svg"],
  logLevel: "warning",
});
for (const name of ["index.html", "icon.svg"]) {
  await copyFile(join(page, name), join(output, name));
}
// The licenses of the bundled packages require their texts beside the page.
const packages = new Set(
  Object.keys(metafile.inputs)
    .map((input) => input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1])
    .filter((name) => name !== undefined),
);
const licenses = [...packages].sort().map(async (name) => {
  const text = await readFile(join(page, "node_modules", name, "LICENSE"), "utf8");
  return `${name}\n\n${text.trim()}\n`;
});
await writeFile(join(output, "licenses.txt"), (await Promise.all(licenses)).join("\n\n"));
const module = await readFile(join(page, "generated", "glasm_bg.wasm"));
const compressed = gzipSync(module, { level: 9 });
await writeFile(join(output, "glasm.wasm"), module);
await writeFile(join(output, "glasm.wasm.gz"), compressed);
const format = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
console.log(`glasm.wasm: ${format(module.length)}, compressed ${format(compressed.length)}`);
if (compressed.length > MAX_COMPRESSED_BYTES) {
  console.error(`the compressed module has more than ${format(MAX_COMPRESSED_BYTES)}`);
  process.exit(1);
}

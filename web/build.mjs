// SPDX-License-Identifier: Apache-2.0
// Makes the page's files: node web/build.mjs FOLDER. Each is written as it is and compressed.
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2];
if (!folder) throw new Error("usage: node build.mjs FOLDER");

const shared = {
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: ["es2022"],
  legalComments: "none",
  logLevel: "warning",
};

const bundle = async (entry, options = {}) => {
  const result = await build({ ...shared, entryPoints: [join(here, "src", entry)], ...options });
  return Buffer.from(result.outputFiles[0].contents);
};
const plain = (name) => readFile(join(here, "src/static", name));

const files = {
  "app.js": await bundle("main.tsx", { jsx: "automatic", jsxImportSource: "preact" }),
  "app.css": await bundle("style/main.css"),
  "index.html": await plain("index.html"),
  "manifest.webmanifest": await plain("manifest.webmanifest"),
};
for (const name of ["icon.svg", "icon-192.png", "icon-512.png", "icon-maskable.png", "apple-touch-icon.png"])
  files[name] = await plain(name);
// The worker keeps the files of one version together.
const version = createHash("sha256");
for (const content of Object.values(files)) version.update(content);
files["sw.js"] = await bundle("worker/worker.ts", {
  define: { VERSION: JSON.stringify(version.digest("hex").slice(0, 16)) },
});

await mkdir(folder, { recursive: true });
for (const [name, content] of Object.entries(files)) {
  await writeFile(join(folder, name), content);
  await writeFile(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
}

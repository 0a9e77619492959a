// Builds the page into src/playhead/view/static: `npm ci && npm run build` in viewer/.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "src", "playhead", "view", "static");
mkdirSync(out, { recursive: true });

await build({
  absWorkingDir: here,
  entryPoints: ["src/page.tsx"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "none",
  jsx: "automatic",
  jsxImportSource: "preact",
  outfile: join(out, "page.js"),
});
await build({
  absWorkingDir: here,
  entryPoints: ["src/page.css"],
  bundle: true,
  minify: true,
  target: "es2022",
  legalComments: "none",
  outfile: join(out, "page.css"),
});
copyFileSync(join(here, "src", "index.html"), join(out, "index.html"));

// The licences of what is inside.
const licences = { "apache-arrow": "LICENSE.txt", flatbuffers: "LICENSE", preact: "LICENSE", tslib: "LICENSE.txt", uplot: "LICENSE" };
const texts = ["page.js and page.css contain the packages below, with these licences."];
for (const [name, file] of Object.entries(licences)) {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  texts.push(`${"=".repeat(78)}\n${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}`);
}
writeFileSync(join(out, "LICENSES.txt"), texts.join("\n\n") + "\n");

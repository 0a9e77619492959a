// Builds the page into src/playhead/view/static: `npm ci && npm run build` in viewer/.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "..", "src", "playhead", "view", "static");
mkdirSync(out, { recursive: true });

const frequent = readFileSync(join(here, "src", "frequent.ts"), "utf8").matchAll(/(\w+)_(\w+)/g);
const script = await build({
  absWorkingDir: here,
  entryPoints: ["src/page.tsx"],
  bundle: true,
  metafile: true,
  minify: true,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  preserveSymlinks: true, // packages are told by their paths, also where node_modules is a link
  legalComments: "none",
  tsconfigRaw: {}, // its way of JSX is for the type check
  jsx: "transform", // calls with children as arguments are some kilobytes shorter than those of "automatic"
  jsxFactory: "createElement",
  jsxFragment: "Fragment",
  inject: ["src/elements.ts", "src/frequent.ts"],
  define: Object.fromEntries([...frequent].map(([name, object, member]) => [`${object}.${member}`, name])),
  outfile: join(out, "page.js"),
});
const style = await build({
  absWorkingDir: here,
  entryPoints: ["src/page.css"],
  bundle: true,
  metafile: true,
  minify: true,
  target: "es2022",
  legalComments: "none",
  outfile: join(out, "page.css"),
});
copyFileSync(join(here, "src", "index.html"), join(out, "index.html"));

// The licences of the bundled packages, which esbuild lists.
const inputs = [script, style].flatMap(({ metafile }) => Object.keys(metafile.inputs));
const packages = inputs
  .map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1])
  .filter((name) => name !== undefined);
const texts = ["page.js and page.css contain the packages below, with these licences."];
for (const name of [...new Set(packages)].sort()) {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice)(\.|$)/i.test(file))
    .sort();
  if (!files.some((file) => /^licen/i.test(file))) throw new Error(`${name} has no licence file`);
  texts.push(
    `${"=".repeat(78)}\n${name} ${version} (${license})`,
    ...files.map((file) => readFileSync(join(folder, file), "utf8").trim()),
  );
}
texts.push(
  `${"=".repeat(78)}\nLucide 1.62.0 (ISC): some icons`,
  readFileSync(join(here, "src", "lucide", "LICENSE"), "utf8").trim(),
);
writeFileSync(join(out, "LICENSES.txt"), texts.join("\n\n") + "\n");

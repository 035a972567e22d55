// Sets formulas for `labml_txl.literate.math`: one JSON list of requests a line in, one
// JSON list of answers a line out. The program lives as long as the build.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";

const katex = createRequire(process.argv[2] + "/")("katex");

// Only the class that marks a symbol is allowed; a formula cannot bring in a link, an
// image or a style of its own.
const trust = (context) => context.command === "\\htmlClass";
const strict = (code) => (code === "htmlExtension" ? "ignore" : "error");

function set({ tex, display }) {
  try {
    const html = katex.renderToString(tex, {
      displayMode: display,
      output: "htmlAndMathml",
      strict,
      trust,
    });
    // The TeX source within the MathML would be a third copy of the formula.
    return { html: html.replace(/<semantics>|<\/semantics>|<annotation.*?<\/annotation>/g, "") };
  } catch (error) {
    return { error: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(JSON.parse(line).map(set)) + "\n");
}

// Renders formulas for `labml_txl.literate.equations.math`. Each line of the input is a
// JSON list of requests, and each line of the output a JSON list of answers.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(process.argv[2] + "/");
// `node.py` has checked the hashes of these two files.
const katex = require("./node_modules/katex/dist/katex.js");
const sheet = readFileSync(
  require.resolve("./node_modules/katex/dist/katex.min.css"),
  "utf8",
);
const styled = new Set(sheet.match(/\.[A-Za-z][\w-]*/g).map((name) => name.slice(1)));

// Commands of LaTeX that KaTeX does not have, and those of the project. A label is not
// shown, and a reference without its label on the page shows the name of the label.
const named = (before, after) => (context) => {
  const words = context
    .consumeArg()
    .tokens.reverse()
    .map((token) => token.text)
    .join("");
  return `\\text{${before}${words.replace(/[_&#%]/g, "\\$&")}${after}}`;
};
const macros = {
  "\\label": "\\@firstoftwo{}{#1}",
  "\\mbox": "\\text{#1}",
  "\\ref": named("", ""),
  "\\eqref": named("(", ")"),
  ...JSON.parse(process.argv[3] ?? "{}"),
};

// Only the command that marks a symbol is allowed, so a formula cannot contain links,
// images or styles.
const trust = ({ command }) => {
  if (command === "\\htmlClass") return true;
  throw new Error(`${command} is not allowed in a formula`);
};
const strict = (code) => (code === "htmlExtension" ? "ignore" : "error");

// KaTeX adds classes that its style sheet does not use, and renders an index with a dozen
// elements, so that it works in very old browsers. A page with many formulas becomes half
// as large if we remove elements without effect and render an index as one element. We
// keep the elements that the style sheet selects by their position below a list of lines.
function slim(node, depth = 0) {
  const keep = (name) => styled.has(name) || /^(sym|lit)-/.test(name);
  if (node.classes?.includes("msupsub")) scripts(node);
  node.classes = (node.classes ?? []).filter(keep);
  const places = ["vlist", "mfrac", "clap", "llap", "rlap"];
  const inner = node.classes.some((name) => places.includes(name)) ? 2 : depth - 1;
  node.children =
    node.children?.flatMap((child) => slim(child, inner)) ?? node.children;
  return depth > 0 || !isIdle(node) ? [node] : node.children;
}

// A colour that an author chose suits either a white or a black background, so the style
// sheet adjusts its contrast.
function inked(node) {
  if (node.style?.color) {
    node.classes.push("lit-ink");
    node.style = { ...node.style, color: "", "--lit-ink": node.style.color };
  }
  node.children?.forEach(inked);
}

function isIdle(node) {
  const { children, classes, style, attributes } = node;
  const bare = (object) => Object.values(object ?? {}).every((value) => !value);
  return children?.length > 0 && !classes.length && bare(style) && bare(attributes);
}

// Lengths to a hundredth of an `em`, a fifth of a pixel.
function round(node) {
  for (const [name, value] of Object.entries(node.style ?? {}))
    if (/^-?\d*\.\d{3,}em$/.test(value))
      node.style[name] = `${+parseFloat(value).toFixed(2)}em`;
  node.children?.forEach(round);
}

// The cells of a table in MathML have this style without saying so, and a comma and a
// bracket these roles.
function plain(node) {
  delete node.attributes?.separator;
  delete node.attributes?.fence;
  const [child] = node.type === "mtd" ? node.children : [];
  const { scriptlevel, displaystyle } = child?.attributes ?? {};
  if (child?.type === "mstyle" && scriptlevel === "0" && displaystyle === "false")
    node.children = child.children;
  node.children?.forEach(plain);
}

const SIZES = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.44, 1.728, 2.074, 2.488];

// An index or exponent: smaller text that is moved down or up by `top`. If there are both,
// they share one element. Lengths are in `em` of the smaller text.
function scripts(node) {
  const lines = node.children[0].children[0].children[0].children;
  node.classes = lines.length > 1 ? ["lit-scripts"] : [];
  node.children = lines.map((line) => {
    const {
      style,
      children: [strut, text],
    } = line;
    const size = (name) => SIZES[text.classes.join(" ").match(name)?.[1] - 1];
    const scale = size(/(?:^| )size(\d+)/) / size(/reset-size(\d+)/);
    // From the third level on, an index is not smaller than the one around it, and its
    // text has no box of its own.
    const [script, times] = scale ? [text, scale] : [line, 1];
    const em = (length) => `${+(parseFloat(length ?? 0) / times).toFixed(3)}em`;
    if (script === line) script.children = [text];
    script.classes = ["lit-script"];
    script.style = { top: em(parseFloat(strut.style.height) + parseFloat(style.top)) };
    if (times !== 0.7) script.style.fontSize = `${+times.toFixed(3)}em`;
    // The style sheet sets the size and the margin of an index of the first level.
    if (em(style.marginRight) !== "0.071em")
      script.style.marginRight = em(style.marginRight);
    if (style.marginLeft) script.style.marginLeft = em(style.marginLeft);
    return script;
  });
}

// In `em`: some hundred lines.
const HIGHEST = 300;

function set({ tex, display }) {
  try {
    // No readable formula reaches these limits.
    const limits = { maxSize: 40, maxExpand: 1000 };
    const output = "htmlAndMathml";
    // A formula may define commands, which the next one must not have.
    const own = { macros: { ...macros }, globalGroup: false };
    const options = { displayMode: display, output, strict, trust, ...own, ...limits };
    const tree = katex.__renderToDomTree(tex, options);
    const [mathml, html] = (display ? tree.children[0] : tree).children;
    // KaTeX bounds no negative size, which moves a part of the formula.
    const high = html.children.reduce(
      (sum, { height, depth }) => sum + height + depth,
      0,
    );
    if (high > HIGHEST)
      throw new Error(`a formula of ${Math.round(high)} em, which is too high`);
    slim(html);
    inked(html);
    round(html);
    // The MathML would contain the TeX as a third copy of the formula, so we replace
    // `semantics` by its first child, which is the formula itself.
    const [math] = mathml.children;
    math.children = [math.children[0].children[0]];
    plain(math);
    // HTML needs no namespaces.
    return { html: tree.toMarkup().replaceAll(/ xmlns="[^"]*"/g, "") };
  } catch (error) {
    return { error: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(JSON.parse(line).map(set)) + "\n");
}

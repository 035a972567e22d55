// Watch memory work: a trained model reads and writes in the page, in a worker.

const LONGEST = 3000; // characters
const ROOM = 4 * LONGEST; // characters of the text field: browsers need minutes to lay out longer lines
const HEADS = 1024,
  EXAMPLES = 16,
  LOOKS = 16; // most entries of a description
const BEST = 4; // heads that are listed below the four terms
const WINDOW = 48; // characters that a point of a curve is the mean of
const SOME = 200; // characters that are written at once
const PIECE = 80; // characters that are put on the page, or tinted, at once
const POINTS = 800; // points of a curve: more would not be visible
const SIGNS = { " ": "␣", "\n": "↵" }; // white space made visible
const TOP_P = 0.95; // only the most probable characters with this total are written
const WAITING = ".memory, .sampling, .below"; // parts that need a loaded model
const LEVELS = 12; // strengths of a tint
const MOST = 6; // bits at which the tint is strongest: about the cost without any prediction
const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
/** For each character except the first, the mean of the last bits up to its own. */
const means = (bits = []) => {
  let sum = 0;
  return Array.from({ length: Math.max(0, bits.length - 1) }, (_, i) => {
    sum += bits[i + 1] - (i >= WINDOW ? bits[i + 1 - WINDOW] : 0);
    return sum / Math.min(i + 1, WINDOW);
  });
};
/** The words of four letters and more that occur more than once, each with its places; the most frequent first. */
const returning = (text) => {
  const words = new Map();
  for (const { 0: word, index } of text.matchAll(/\p{L}{4,}/gu)) {
    const first = [...text.slice(0, index)].length,
      place = { word, first, end: first + [...word].length };
    words.set(word.toLowerCase(), [...(words.get(word.toLowerCase()) ?? []), place]);
  }
  return [...words.values()]
    .filter((places) => places.length > 1)
    .sort((one, other) => other.length - one.length);
};
/** The cost of the letters of a word except the first, which nothing can predict. */
const cost = (bits, { first, end }) =>
  bits.subarray(first + 1, end).reduce((sum, one) => sum + one, 0);
/** The description of a model from its file. Throws the first field that the figure
    cannot use. */
const described = (about) => {
  const need = (code, fits, given, wanted) => {
    if (!fits) throw { code, given, wanted };
  };
  const whole = (code, value, least, most = Infinity) =>
    need(
      code,
      Number.isInteger(value) && value >= least && value <= most,
      value,
      most < Infinity ? `${least} … ${most}` : `≥ ${least}`,
    );
  const finite = (code, value) => need(code, Number.isFinite(value), value, "0.0");
  const text = (code, value) =>
    need(
      code,
      typeof value === "string" && [...value].length <= LONGEST,
      value?.length ?? value,
      `≤ ${LONGEST}`,
    );
  const list = (code, value, least, most, each) => {
    need(
      code,
      Array.isArray(value) && value.length >= least && value.length <= most,
      value?.length ?? value,
      least === most ? most : `≤ ${most}`,
    );
    value.forEach((one, n) => {
      need(`${code}[${n}]`, one !== null, one, "{ }");
      each(`${code}[${n}]`, one);
    });
  };
  const { bytes, lengths, losses = {}, heads = [], examples = [] } = Object(about);
  whole("bytes", bytes, 1);
  for (const name of ["mem_len", "c_mem_len", "rate", "segment"])
    whole(`lengths.${name}`, lengths?.[name], name === "rate" ? 1 : 0);
  for (const name of ["bits_8", "bits_8_without_memory"])
    finite(`losses.${name}`, losses?.[name] ?? 0);
  list("heads", heads, 0, HEADS, (at, head) => {
    for (const name of ["layer", "head"]) whole(`${at}.${name}`, head[name], 0);
    for (const name of ["induction", "previous", "same", "far"])
      finite(`${at}.${name}`, head[name]);
  });
  list("examples", examples, 0, EXAMPLES, (at, example) => {
    text(`${at}.text`, example.text);
    const count = [...example.text].length,
      rest = Math.max(0, count - 1),
      { looks = [] } = example;
    for (const name of ["with", "without"])
      list(`${at}.${name}`, example[name], rest, rest, finite);
    list(`${at}.looks`, looks, 0, LOOKS, (place, look) => {
      whole(`${place}.at`, look.at, 0, count - 2);
      whole(`${place}.from`, look.from, 0, look.at);
      for (const name of ["c_mem", "mem", "own"])
        whole(`${place}.regions.${name}`, look.regions?.[name], 0, count);
      const keys = look.regions.c_mem + look.regions.mem + look.regions.own;
      list(`${place}.weights`, look.weights, keys, keys, finite);
      whole(`${place}.pair.key`, look.pair?.key, 0, keys - 1);
      for (const name of ["layer", "head"])
        whole(`${place}.pair.${name}`, look.pair[name], 0);
      for (const name of ["a", "b", "c", "d", "score", "weight"])
        finite(`${place}.pair.${name}`, look.pair[name]);
      list(`${place}.heads`, look.heads ?? [], 0, BEST, (spot, one) => {
        for (const name of ["layer", "head"]) whole(`${spot}.${name}`, one[name], 0);
        finite(`${spot}.weight`, one.weight);
      });
    });
  });
  return about;
};
/** An SVG element. */
const drawn = (name, options, ...children) => {
  const one = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(options)) one.setAttribute(key, value);
  one.append(...children);
  return one;
};
/** The host of a model, if it is not our own and the policy of the page allows requests
    to it. */
const allowed = async (src) => {
  const { origin } = new URL(src);
  if (origin === location.origin) return [];
  return fetch(src, { method: "HEAD", redirect: "error" }).then(
    () => [origin],
    () => [],
  );
};
/** Yield to the browser, so that the page is drawn and events are handled; the timeout
    is for hidden pages, which are not drawn. */
const turn = () =>
  new Promise((go) => {
    requestAnimationFrame(() => setTimeout(go));
    setTimeout(go, 100);
  });
// With the minus sign of formulas.
const decimal = (value) => `${value < 0 ? "−" : ""}${Math.abs(value).toFixed(2)}`;

define(class extends Figure {
  static style = css`
    :host {
      --c_mem: var(--lit-accent2);
      --mem: var(--accent);
      --own: var(--lit-shape);
    }
    .stage {
      max-width: none;
    }
    .lab {
      display: grid;
      grid-template-columns: minmax(0, 1fr) 23rem;
    }
    .answer {
      border-left: 1px solid var(--line);
      background: var(--panel);
    }
    .presets {
      display: flex;
      flex-wrap: wrap;
      gap: 0.3rem 0.4rem;
      align-items: center;
      padding: 0.5rem 0.8rem;
      border-bottom: 1px solid var(--line);
    }
    .presets {
      min-height: calc(2.5rem + 3px);
    }
    .none_known {
      display: none;
    }
    .presets button {
      padding: 0 0.7rem;
      line-height: 1.5rem;
      border: 1px solid var(--edge);
      border-radius: 1rem;
      background: var(--bg);
    }
    .presets [aria-pressed="true"] {
      color: var(--bg);
      background: var(--accent);
      border-color: transparent !important;
      box-shadow: none;
    }
    details {
      border-top: 1px solid var(--line);
    }
    summary {
      padding: 0.45rem 0.8rem;
      font-size: 0.72rem;
      font-weight: 600;
      cursor: pointer;
    }
    .own_text {
      display: grid;
      border-top: 1px solid var(--line);
    }
    @container (min-width: 40rem) {
      .own_text {
        grid-template: auto auto 1fr / minmax(0, 1fr) minmax(0, 1fr);
        min-height: 16rem; /* with all controls, which only a loaded model has */
      }
      .yours {
        display: flex;
        flex-direction: column;
      }
      .yours textarea {
        flex: 1;
      }
      .own_text > .yours {
        grid-row: 1 / span 3;
      }
      .own_text > :not(.yours) {
        grid-column: 2;
        border-bottom: 0;
      }
    }
    .arc {
      position: absolute;
      top: 0;
      left: 0;
      overflow: visible;
      pointer-events: none;
    }
    .arc path {
      fill: none;
      stroke: var(--accent);
      stroke-width: 2;
    }
    .arc .head {
      fill: var(--accent);
      stroke: none;
    }
    .arc text {
      font: 600 0.62rem var(--md-text-font-family, sans-serif);
      fill: var(--accent);
      paint-order: stroke;
      stroke: var(--bg);
      stroke-width: 4;
    }
    .costs {
      display: grid;
      grid-template-columns: max-content minmax(0, 1fr) max-content;
      gap: 0.2rem 0.5rem;
      align-items: center;
      margin: 0.4rem 0;
      font-size: 0.65rem;
    }
    .costs p {
      grid-column: 1 / -1;
    }
    .costs i {
      display: block;
      height: 0.8rem;
      width: calc(var(--share) * 100%);
      min-width: 2px;
      background: var(--mem);
      border-radius: 2px;
    }
    .costs .lost {
      background: var(--bg);
      border: 1.5px dashed var(--soft);
    }
    .part {
      padding: 0.6rem 0.8rem;
      border-bottom: 1px solid var(--line);
      min-width: 0;
    }
    .below .part,
    .shown > .part ~ .part {
      content-visibility: auto;
      contain-intrinsic-block-size: auto 10rem;
    }
    .title {
      display: flex;
      flex-wrap: wrap;
      gap: 0 0.6rem;
      justify-content: space-between;
      align-items: baseline;
    }
    .do,
    .run button {
      padding: 0 0.8rem;
      line-height: 1.8rem;
      border: 1px solid var(--edge);
      border-radius: 0.3rem;
      background: var(--bg);
    }
    .do {
      display: block;
      width: 100%;
      margin-top: 0.5rem;
      font-weight: 600;
      color: var(--bg);
      background: var(--accent);
      border-color: transparent;
    }
    [aria-disabled="true"] {
      color: var(--soft) !important;
      background: var(--bg) !important;
      border: 1px dashed var(--edge) !important;
      cursor: default;
    }
    progress {
      display: block;
      contain: strict;
      width: 100%;
      height: 0.25rem;
      margin: 0.4rem 0;
      appearance: none;
      border: 0;
      background: var(--line);
    }
    progress::-webkit-progress-bar {
      background: var(--line);
    }
    progress::-webkit-progress-value {
      background: var(--accent);
    }
    progress::-moz-progress-bar {
      background: var(--accent);
    }
    .status {
      min-height: 2.6rem;
      font-size: 0.62rem;
      line-height: 1.4;
      color: var(--soft);
    }
    .status .wrong {
      color: var(--c_mem);
      font-weight: 600;
    }
    .dial {
      flex: 1 1 100%;
    }
    .part .dial + .dial {
      margin-top: 0.3rem;
    }
    .dial .num {
      width: 100%;
      grid-column: auto;
      height: auto;
      cursor: auto;
    }
    .seed {
      display: flex;
      justify-content: space-between;
      align-items: center;
      margin-top: 0.4rem;
    }
    .seed input {
      width: 5rem;
      padding: 0.1rem 0.3rem;
      font: 0.7rem var(--mono);
      color: inherit;
      background: var(--bg);
      border: 1px solid var(--edge);
      border-radius: 0.3rem;
    }
    .stops {
      display: flex;
      justify-content: space-between;
      font: 0.6rem/1.2 var(--mono);
      color: var(--soft);
    }
    .stops b {
      color: var(--ink);
    }
    .check {
      display: flex;
      gap: 0.4rem;
      align-items: center;
      margin-top: 0.4rem;
      font-size: 0.65rem;
    }
    .check input {
      accent-color: var(--accent);
      margin: 0;
    }
    .check[hidden] {
      display: flex;
      visibility: hidden;
    }
    .memory {
      min-height: 5.7rem;
    }
    textarea {
      display: block;
      width: 100%;
      height: 7rem;
      padding: 0.4rem 0.5rem;
      margin: 0.2rem 0 0.4rem;
      resize: vertical;
      font: 0.6rem/1.5 var(--mono);
      color: inherit;
      background: var(--bg);
      border: 1px solid var(--edge);
      border-radius: 0.3rem;
    }
    .left {
      font-size: 0.62rem;
      line-height: 1.4;
      font-weight: 600;
      color: var(--c_mem);
      overflow-wrap: anywhere;
    }
    .left:not(:empty) {
      margin-bottom: 0.4rem;
    }
    .chips {
      display: flex;
      flex-wrap: wrap;
      gap: 0.3rem;
      min-height: calc(1.3rem + 2px);
    }
    .chips button {
      padding: 0 0.5rem;
      font-size: 0.6rem;
      line-height: 1.3rem;
      border: 1px solid var(--edge);
      border-radius: 1rem;
      background: var(--bg);
    }
    .run {
      display: flex;
      flex-wrap: wrap;
      gap: 0.3rem;
      margin-top: 0.5rem;
    }
    .run button {
      flex: 1 1 auto;
      padding: 0 0.5rem;
      font-size: 0.65rem;
    }
    .worth {
      display: flex;
      flex-wrap: wrap;
      gap: 0.3rem 1.6rem;
      align-items: center;
      min-height: 2.7rem;
    }
    .worth p {
      font-size: 0.62rem;
      line-height: 1.3;
      color: var(--soft);
    }
    .worth b {
      display: block;
      font-size: 1.3rem;
      line-height: 1.1;
      color: var(--ink);
    }
    .worth p:last-child {
      flex: 1 1 10rem;
      font-size: 0.68rem;
      color: var(--ink);
    }
    .worth i {
      display: inline-block;
      width: 1.4rem;
      margin-right: 0.3rem;
      vertical-align: 0.2rem;
      border-top: 2px solid var(--mem);
    }
    .worth .without i {
      border-top: 2px dashed var(--soft);
    }
    .curves {
      position: relative;
      contain: size layout;
      height: 6.5rem;
      margin: 0.5rem 0 0 1.2rem;
      border: solid var(--edge);
      border-width: 0 0 1px 1px;
    }
    .curves svg {
      position: absolute;
      inset: 0;
      width: 100%;
      height: 100%;
      overflow: visible;
    }
    .curves path {
      fill: none;
      stroke: var(--mem);
      stroke-width: 2;
      vector-effect: non-scaling-stroke;
    }
    .curves .without {
      stroke: var(--soft);
      stroke-dasharray: 4 3;
    }
    .curves line {
      stroke: var(--soft);
      vector-effect: non-scaling-stroke;
    }
    .curves span {
      position: absolute;
      right: calc(100% + 0.2rem);
      font: 0.55rem/1 var(--mono);
      color: var(--soft);
    }
    .curves .most {
      top: 0;
    }
    .curves .least {
      bottom: 0;
    }
    .axis {
      display: flex;
      justify-content: space-between;
      min-height: 1rem;
      margin-left: 1.2rem;
      font-size: 0.58rem;
      color: var(--soft);
    }
    .shown {
      display: flex;
      flex-direction: column;
      min-width: 0;
    }
    .shown > .part:last-child {
      border-bottom: 0;
    }
    .text {
      position: relative;
      flex: 1 0 24rem;
      contain: strict;
      padding: 0.5rem 1.4rem 0.5rem 0.8rem;
      overflow: hidden auto;
      white-space: pre-wrap;
      overflow-wrap: anywhere;
      font: 0.65rem/1.7 var(--mono);
      border-bottom: 1px solid var(--line);
      cursor: default;
      outline-offset: -2px;
      scrollbar-width: thin;
      scroll-margin-top: 3.2rem;
    }
    .text,
    .returns {
      --shade: color-mix(in srgb, var(--ink) 18%, transparent);
      background:
        linear-gradient(var(--bg) 50%, transparent) 0 0 / 100% 1.2rem no-repeat local,
        linear-gradient(0deg, var(--bg) 50%, transparent) 0 100% / 100% 1.2rem no-repeat
          local,
        linear-gradient(var(--shade), transparent) 0 0 / 100% 0.6rem no-repeat,
        linear-gradient(0deg, var(--shade), transparent) 0 100% / 100% 0.6rem no-repeat;
    }
    .text > div {
      contain: paint;
      overflow-clip-margin: 3px;
    }
    .text span {
      padding: 0.1rem 0 0.15rem;
    }
    .text :is(.own, .mem, .c_mem) {
      background:
        linear-gradient(
            90deg,
            color-mix(in srgb, var(--of) 45%, var(--bg)) var(--dash, 100%),
            transparent 0
          )
          0 100% / var(--step, 100%) 1px repeat-x,
        color-mix(in srgb, var(--of) var(--look, 0%), transparent);
    }
    ${Array.from({ length: LEVELS }, (_, n) => `.look${n + 1} { --look: ${((n + 1) * 45) / LEVELS}%; }`).join(" ")}
    .saved {
      --of: var(--mem);
      --line-at: 100%;
    }
    .cost_more {
      --of: var(--soft);
      --line-at: 0%;
    }
    :is(.saved, .cost_more) {
      --line: color-mix(in srgb, var(--of) calc(2.2 * var(--look)), transparent);
      background:
        linear-gradient(var(--line) 0 0) 0 var(--line-at) / 100% 2px no-repeat,
        color-mix(in srgb, var(--of) var(--look), transparent);
    }
    .text .wrote {
      font-weight: 600;
    }
    .text .edge {
      box-shadow: -1px 0 var(--soft);
    }
    .own {
      --of: var(--own);
      --dash: 50%;
      --step: 25%;
    }
    .mem {
      --of: var(--mem);
    }
    .c_mem {
      --of: var(--c_mem);
      --dash: 60%;
    }
    .text .at {
      color: var(--bg);
      background: var(--ink);
      border-radius: 2px;
    }
    .text .key {
      outline: 2px solid var(--lit-lit);
      border-radius: 2px;
    }
    .answer {
      display: flex;
      flex-direction: column;
    }
    .answer .part {
      border-bottom: 0;
    }
    .answer > :last-child {
      margin-top: auto;
    }
    .best {
      min-height: 6.6rem;
      padding-block: 0 !important;
    }
    .best :is(th, td) {
      white-space: nowrap;
    }
    .best td:nth-child(2) {
      width: 45%;
    }
    .best i {
      display: block;
      width: calc(var(--share) * 100%);
      min-width: 1px;
      height: 0.6rem;
      background: var(--accent);
    }
    .looked {
      min-height: 15.4rem;
    } /* keeps what is below in place when the choice changes */
    .looked p {
      font-size: 0.68rem;
    }
    .looked p.title {
      font-weight: 400;
    }
    .looked small {
      font-size: 0.62rem;
    }
    .looked code {
      padding: 0 0.2em;
      background: var(--panel);
      border-radius: 3px;
    }
    .looked code b {
      color: var(--lit-lit);
      background: var(--lit-lit-bg);
    }
    .regions {
      display: flex;
      align-items: end;
      gap: 0.5rem;
      margin: 0.4rem 0;
    }
    .regions > * {
      flex: 1.3;
    }
    .regions > .mem {
      flex: 2;
    }
    .regions p {
      font-size: 0.6rem;
      line-height: 1.3;
      color: var(--of);
    }
    .regions p b {
      font-family: var(--mono);
    }
    .strip {
      height: 1.1rem;
      border: 1px solid var(--line);
      border-bottom: 2px solid var(--of);
      border-radius: 2px;
    }
    .c_mem .strip {
      border-bottom-style: dashed;
    }
    .own .strip {
      border-bottom-style: dotted;
    }
    .keys {
      display: flex;
      flex-wrap: wrap;
      gap: 0.3rem;
    }
    .keys button {
      padding: 0 0.4rem;
      font-size: 0.62rem;
      line-height: 1.35rem;
      border: 1px solid var(--edge);
      border-radius: 0.3rem;
    }
    [aria-pressed="true"] {
      border-color: var(--lit-lit) !important;
      box-shadow: inset 0 0 0 1px var(--lit-lit);
    }
    .choice {
      font-size: 0.65rem;
    }
    .heads {
      display: grid;
      grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr));
      gap: 0.2rem 0.8rem;
      margin-top: 0.4rem;
      align-content: start;
      font-size: 0.62rem;
    }
    .heads button {
      position: relative;
      display: flex;
      width: 100%;
      justify-content: space-between;
      padding: 0 0.4rem;
      line-height: 1.35rem;
      border: 1px solid var(--line);
      border-radius: 0.2rem;
      background: linear-gradient(var(--lit-fill) 0 0) 0 / calc(var(--share) * 100%)
        100% no-repeat;
    }
    #heads_keys {
      margin-top: 0.3rem;
      font-size: 0.62rem;
      color: var(--soft);
      visibility: hidden;
    }
    .heads:has(:focus-visible) + #heads_keys {
      visibility: visible;
    }
    .terms {
      min-height: 10.6rem;
    }
    :is(.terms, .best) th {
      padding: 0.1rem 0.4rem 0.1rem 0;
      font-weight: 400;
      text-align: left;
    }
    :is(.terms, .best) td {
      padding: 0.1rem 0 0.1rem 0.3rem;
      text-align: right;
      font: 0.65rem var(--mono);
    }
    table {
      width: 100%;
      border-collapse: collapse;
      font-size: 0.65rem;
    }
    .terms tr.sum > * {
      border-top: 1px solid var(--edge);
      font-weight: 650;
    }
    .terms .a {
      --of: var(--lit-a);
      --line-of: solid;
    }
    .terms .b {
      --of: var(--lit-b);
      --line-of: dashed;
    }
    .terms .c {
      --of: var(--lit-c);
      --line-of: dotted;
    }
    .terms .d {
      --of: var(--lit-d);
      --line-of: double;
    }
    .terms th b {
      color: var(--of);
      text-decoration: underline var(--line-of) 2px;
      text-underline-offset: 0.2em;
    }
    .bar {
      display: block;
      position: relative;
      width: 6rem;
      height: 0.6rem;
      margin-left: auto;
      background: linear-gradient(var(--edge) 0 0) 50% / 1px 100% no-repeat;
    }
    .bar i {
      position: absolute;
      top: 0;
      bottom: 0;
      left: calc(50% + min(var(--share), 0) * 50%);
      width: calc(max(var(--share), -1 * var(--share)) * 50%);
      background: var(--of);
    }
    .legend {
      display: flex;
      flex-wrap: wrap;
      gap: 0.1rem 1rem;
      font-size: 0.6rem;
      color: var(--soft);
      padding: 0.3rem 0.8rem;
      border-bottom: 1px solid var(--line);
    }
    .legend i {
      display: inline-block;
      width: 1rem;
      margin-right: 0.3rem;
      vertical-align: 0.15rem;
      border-top: 2px solid var(--of);
    }
    .legend .own i {
      border-top-style: dotted;
    }
    .legend .c_mem i {
      border-top-style: dashed;
    }
    .waits {
      display: none;
    }
    .stage:not(.pointing) .regions_of,
    .pointing .signs {
      display: none;
    }
    .signs i {
      display: inline-block;
      width: auto;
      padding: 0 0.25rem;
      margin: 0 0.15rem 0 0.3rem;
      border: 0;
      font: normal 0.6rem/1.3 var(--mono);
      color: var(--ink);
      vertical-align: baseline;
    }
    p.of {
      padding: 0.6rem 0.8rem 0;
    }
    .returns {
      height: 12rem;
      margin-top: 0.4rem;
      overflow: auto;
      scrollbar-width: thin;
    }
    .returns th {
      padding: 0.1rem 0.4rem 0.1rem 0;
      font-weight: 400;
      text-align: left;
      vertical-align: bottom;
    }
    .returns td {
      padding: 0.1rem 0.4rem;
      text-align: right;
      font: 0.65rem var(--mono);
    }
    .returns tbody th {
      font: 0.65rem var(--mono);
    }
    .returns thead th {
      position: sticky;
      top: 0;
      background: var(--bg);
      color: var(--soft);
      line-height: 1.2;
    }
    .returns thead th + th {
      padding-left: 0.4rem;
      text-align: right;
    }
    .returns .new > * {
      border-top: 1px solid var(--line);
    }
    .heads .now {
      border-color: var(--lit-lit);
    }
    .refused .picture {
      display: block;
      padding: 0.6rem;
    }
    .refused .stage {
      border: 0;
    }
    /* Text, answer and the reason for it beside each other, on one screen. */
    @container (min-width: 54rem) {
      .lab {
        grid-template-columns: minmax(0, 1fr) 37rem;
      }
      .answer {
        display: grid;
        grid-template: auto auto 1fr / minmax(0, 18rem) minmax(0, 19rem);
      }
      .looked {
        grid-row: 1 / span 3;
        min-height: 20rem;
      }
      .status {
        min-height: 3.5rem;
      }
      .terms {
        min-height: 11.7rem;
      }
      .answer .bar {
        width: 4.5rem;
      }
      .answer > :not(.looked) {
        grid-column: 2;
      }
      .text {
        flex-basis: 21rem;
      }
    }
    @container (max-width: 40rem) {
      .regions_of b {
        display: none;
      }
      .lab {
        grid-template-columns: minmax(0, 1fr);
      }
      .answer {
        border-left: 0;
        border-top: 1px solid var(--line);
      }
      .text {
        flex-basis: 15rem;
      }
      .looked {
        min-height: 14.1rem;
      }
    }
    @container (max-width: 32rem) {
      .presets {
        flex-wrap: nowrap;
        padding-inline: 0.5rem;
        overflow-x: auto;
        scrollbar-width: none;
      }
      .presets button {
        flex: none;
        padding: 0 0.5rem;
        font-size: 0.65rem;
      }
      .looked {
        min-height: 20rem;
      }
      .terms {
        min-height: 13rem;
      }
      .returns :is(th, td) {
        padding-right: 0.1rem !important;
        padding-left: 0.1rem !important;
        font-size: 0.58rem !important;
      }
      .regions {
        display: grid;
        gap: 0.2rem;
      }
      .bar {
        width: 4rem;
      }
      .worth {
        min-height: 7rem;
        align-content: start;
      }
      .none {
        min-height: 0;
      }
    }
    @media (pointer: coarse) {
      .chips {
        min-height: calc(1.7rem + 2px);
      }
      .chips button,
      .keys button,
      .heads button,
      .choice span {
        line-height: 1.7rem;
      }
    }
  `;

  start() {
    // Browsers run no worker from `file:` URLs, so show the picture instead.
    if (location.protocol === "file:") {
      this.showFailure("from_disk");
      return;
    }
    const src = this.getAttribute("src");
    this.sources = src
      ? { own: new URL(src, document.baseURI).href }
      : {
          xl: this.asset("models/xl.web.json"),
          compressive: this.asset("models/compressive.web.json"),
        };
    Object.assign(this, {
      name: Object.keys(this.sources)[0],
      loaded: null,
      model: null,
      mem_len: 0,
      stops: [0],
      compressed: true,
      given: "",
      written: "",
      returning: [],
      at: -1,
      pair: -1,
      chosen: null,
      order: "induction",
      bits: {},
      known: new Map(),
      waiting: new Map(),
      asked: 0,
      tinted: new Map(),
      records: {},
    });
    this.button = (word, act, options = {}) => {
      const one = make("button", { type: "button", ...options }, this.say(word));
      one.addEventListener("click", () => {
        if (one.ariaDisabled !== "true") act();
      });
      return one;
    };
    // Only the models of this site have examples with places worth looking at.
    this.presets = make("div", {
      className: src ? "none_known" : "presets",
      role: "group",
      ariaLabel: this.text("presets"),
    });
    const [controls, shown, below] = [
      this.createControls(),
      this.createResults(),
      this.createDetails(),
    ];
    const fold = (word, part, kind = "") =>
      make("details", { className: kind }, make("summary", {}, this.say(word)), part);
    // The page of somebody's own model has no examples, so open the field for the
    // reader's text.
    const own = Object.assign(fold("fold_own", controls), { open: Boolean(src) });
    this.stage.append(
      this.presets,
      shown,
      own,
      fold("fold_along", this.along),
      fold("fold_heads", below, "below"),
    );
    // Until a model is loaded, show its recorded values.
    this.stage.classList.add("idle");
    for (const one of this.stage.querySelectorAll(WAITING)) one.classList.add("waits");
    this.chars = [];
    this.draw();
    this.explain();
    this.onChange();
    this.recall();
  }

  /** The settings, at the left. */
  createControls() {
    const part = (...children) => make("div", { className: "part" }, ...children);
    this.action = this.button(
      "load",
      () => (this.loaded === this.name ? this.read() : this.load()),
      { className: "do" },
    );
    this.bar = make("progress", { max: 1, value: 0, ariaLabel: this.text("progress") });
    this.status = make("p", { className: "status", role: "status" });
    this.memory = make("div");
    this.box = make("textarea", {
      spellcheck: false,
      maxLength: ROOM,
      ariaLabel: this.text("your_text"),
    });
    this.chips = make("div", { className: "chips" });
    this.box.addEventListener("input", () => {
      if (this.box.value.length > ROOM) this.box.value = this.box.value.slice(0, ROOM);
      this.onChange();
    });
    this.left = make("p", { className: "left", role: "status" });
    const check = make("input", { type: "checkbox", checked: true });
    check.addEventListener("change", () => {
      this.compressed = check.checked;
      this.readAgain();
    });
    this.compress = make(
      "label",
      { className: "check", hidden: true },
      check,
      make("span", {}),
    );
    const temperature = this.slider(this.say("temperature"), [0, 100, 80], (value) => {
      this.temperature = value / 100;
      temperature.querySelector("output").textContent = this.temperature.toFixed(2);
      temperature
        .querySelector("input")
        .setAttribute("aria-valuetext", this.temperature.toFixed(2));
    });
    temperature.querySelector("input").setAttribute("step", 5);
    temperature.querySelector("input").dispatchEvent(new Event("input"));
    this.seed = make("input", { type: "number", min: 0, max: 999999, value: 1 });
    const models = Object.keys(this.sources);
    const choice =
      models.length > 1
        ? [
            this.choice(
              this.text("model"),
              models.map((name) => [name, this.say(`model_${name}`)]),
              (name) => {
                this.name = name;
                this.onChange();
                this.recall();
              },
            ),
          ]
        : [];
    this.go = this.button("continue", () => this.generate(SOME));
    this.one = this.button("step", () => this.generate(1));
    this.halt = this.button("stop", () => this.postToWorker({ do: "stop" }));
    this.createMemorySlider();
    this.load_part = part(this.action, this.bar, this.status);
    return make(
      "div",
      { className: "own_text" },
      ...(choice.length ? [part(...choice)] : []),
      make("div", { className: "part memory" }, this.memory, this.compress),
      make(
        "div",
        { className: "part yours" },
        make("p", { className: "title" }, this.say("your_text")),
        this.box,
        this.left,
        this.chips,
      ),
      make(
        "div",
        { className: "part sampling" },
        temperature,
        make(
          "label",
          { className: "seed" },
          make("span", {}, this.say("seed")),
          this.seed,
        ),
        make("div", { className: "run" }, this.go, this.one, this.halt),
      ),
    );
  }

  /** The text with its predictions, at the right. */
  createResults() {
    // Create these elements once and change only their text, because they are drawn
    // often.
    this.figures = {
      with: make("b", { className: "num" }),
      without: make("b", { className: "num" }),
    };
    this.gain = make("p");
    this.worth = make(
      "div",
      { className: "worth" },
      ...Object.entries(this.figures).map(([kind, one]) =>
        make("p", { className: kind }, one, make("i"), this.say(kind)),
      ),
      this.gain,
    );
    this.lines = {
      without: drawn("path", { class: "without" }),
      with: drawn("path", { class: "with" }),
    };
    this.cursor = drawn("line", { y1: 0, y2: 100, visibility: "hidden" });
    this.chart = drawn(
      "svg",
      { preserveAspectRatio: "none", "aria-hidden": "true" },
      this.lines.without,
      this.lines.with,
      this.cursor,
    );
    this.most = make("span", { className: "most" });
    this.curves = make(
      "div",
      { className: "curves", role: "img", ariaLabel: this.text("curves") },
      this.chart,
      this.most,
      make("span", { className: "least" }, "0"),
    );
    this.length = make("span");
    this.axis = make(
      "p",
      { className: "axis" },
      make("span", {}, this.say("axis", { n: WINDOW })),
      this.length,
    );
    this.view = make("div", {
      className: "text",
      tabIndex: 0,
      role: "group",
      ariaLabel: this.text("text"),
    });
    this.looked = make("div", { className: "part looked" });
    const found = (event) => event.target.closest("[data-n]");
    this.view.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse" && found(event) && !this.pinned)
        this.look(+found(event).dataset.n);
    });
    this.view.addEventListener("click", (event) => {
      const n = +(found(event)?.dataset.n ?? -1);
      this.pinned = n >= 0 && !(this.pinned && n === this.at);
      if (n >= 0) this.look(n);
    });
    this.view.addEventListener("focus", () => {
      if (this.at < 0) this.look(this.chars.length - 1);
    });
    this.view.addEventListener("keydown", (event) => this.onTextKey(event));
    const key = (kind) =>
      make("span", { className: kind }, make("i"), this.say(`key_${kind}`));
    const [c_mem, mem, own] = ["c_mem", "mem", "own"].map(key);
    this.c_mem_key = c_mem;
    c_mem.hidden = true;
    const legend = make(
      "p",
      { className: "legend regions_of", ariaHidden: "true" },
      make("b", {}, this.say("key")),
      c_mem,
      mem,
      own,
    );
    const bits = [1, 3, MOST].map((n) => [n, `look${Math.round((LEVELS * n) / MOST)}`]);
    const sign = (kind) =>
      make(
        "span",
        {},
        this.say(kind),
        ...bits.map(([n, look]) =>
          make("i", { className: `${kind} ${look}` }, n === MOST ? `${n}+` : `${n}`),
        ),
        this.say("bits"),
      );
    const signs = make(
      "p",
      { className: "legend signs", ariaHidden: "true" },
      sign("saved"),
      sign("cost_more"),
    );
    this.view.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && !this.pinned) this.clearChoice();
    });
    this.table = make("div", {
      className: "returns",
      tabIndex: 0,
      role: "region",
      ariaLabel: this.text("returns"),
    });
    this.along = make(
      "div",
      { className: "along" },
      make("div", { className: "part" }, this.worth, this.curves, this.axis),
      make(
        "div",
        { className: "part" },
        make(
          "p",
          { className: "title" },
          make(
            "span",
            {},
            this.say("returns"),
            " ",
            make("small", {}, this.say("first_letter")),
          ),
        ),
        this.table,
      ),
    );
    this.terms = make("div", { className: "part terms", ariaLive: "polite" });
    this.best = make("div", { className: "part best" });
    this.arc = drawn("svg", { class: "arc", "aria-hidden": "true" });
    new ResizeObserver(() => this.show_arc()).observe(this.view);
    return make(
      "div",
      { className: "lab" },
      make("div", { className: "shown" }, this.view, signs, legend),
      make(
        "div",
        { className: "answer" },
        this.looked,
        this.terms,
        this.best,
        this.load_part,
      ),
    );
  }

  /** The list of heads, and the four terms of a pair. */
  createDetails() {
    this.heads = make("ol", { className: "heads", ariaLabel: this.text("heads") });
    this.heads.addEventListener("keydown", (event) => this.onHeadKey(event));
    const keys = make("p", { id: "heads_keys" }, this.say("heads_keys"));
    const kinds = ["induction", "previous", "same", "far"].map((kind) => [
      kind,
      this.say(`heads_${kind}`),
    ]);
    const order = this.choice(this.text("heads"), kinds, (kind) => {
      this.order = kind;
      this.rankHeads();
    });
    return make("div", { className: "part" }, order, this.heads, keys);
  }

  /** A button for each instructive place of the example. */
  showPlaces(examples) {
    if (this.presets.children.length) return;
    const [{ text = "", looks = [] } = {}] = examples;
    this.presets.append(
      ...looks.map(({ name, at }) => {
        const one = this.button(`preset_${name}`, () => this.show(text, at), {
          ariaPressed: "false",
        });
        one.dataset.at = at;
        return one;
      }),
    );
  }

  /** Choose a character of a text, which is read first if another one is shown. */
  async show(text, at) {
    if (this.given !== text) {
      this.box.value = text;
      this.onChange();
      await (this.loaded === this.name ? this.read() : this.recall());
    }
    this.pinned = true;
    this.look(at);
  }

  /** The recorded values of a character, for use before the model is loaded. */
  recordedAt(n) {
    const { examples = [], lengths } = this.records[this.name] ?? {};
    const { looks = [] } = examples.find(({ text }) => text === this.given) ?? {};
    const found = looks.find(({ at }) => at === n);
    return found && { ...found, rate: lengths.rate, recorded: true };
  }

  /** The slider of the memory, with its stops; the one that the model was trained with is among them. */
  createMemorySlider() {
    const set = (place) => {
      this.mem_len = this.stops[place];
      dial.querySelector("output").textContent = this.mem_len;
      dial
        .querySelector("input")
        .setAttribute("aria-valuetext", this.text("characters", { n: this.mem_len }));
      stops.replaceChildren(
        ...this.stops.map((stop) =>
          make(stop === this.mem_len ? "b" : "span", {}, `${stop}`),
        ),
      );
    };
    const stops = make("div", { className: "stops", ariaHidden: "true" });
    const dial = this.slider(
      this.say("memory"),
      [0, this.stops.length - 1, this.stops.indexOf(this.mem_len)],
      set,
    );
    dial.querySelector("input").addEventListener("change", () => this.readAgain());
    this.replaceIn(this.memory, dial, stops);
    set(this.stops.indexOf(this.mem_len));
  }

  /** Replace the children of a part, and keep the focus at the same position in it. */
  replaceIn(part, ...children) {
    const controls = () => [...part.querySelectorAll("button, input")];
    const place = controls().indexOf(this.shadowRoot.activeElement);
    part.replaceChildren(...children);
    if (place >= 0)
      (
        controls()
          .slice(0, place + 1)
          .at(-1) ?? this.view
      ).focus();
  }

  /** Enable what can be done now, and mark results that belong to another text. */
  updateControls() {
    const here = this.loaded === this.name,
      size = this.records[this.name]?.bytes;
    const label = here ? "read" : size ? "load_size" : "load";
    this.action.replaceChildren(this.say(label, { size: (size / 1e6).toFixed(1) }));
    for (const one of [this.go, this.one])
      one.setAttribute("aria-disabled", !here || this.busy === true);
    this.action.setAttribute("aria-disabled", this.busy === true);
    this.halt.setAttribute("aria-disabled", !this.busy);
    const legible = this.readableText();
    this.stale = here && this.given !== legible;
    const left = [
      this.unknown.length &&
        this.say("unknown", { letters: this.unknown.slice(0, 12).join(" ") }),
      this.box.value.length > LONGEST && this.say("cut", { n: LONGEST }),
    ];
    this.left.replaceChildren(...left.filter(Boolean).flatMap((one) => [one, " "]));
    this.stage.classList.toggle("stale", this.stale);
  }

  /** After a change by the reader, say what to do next. */
  onChange() {
    this.updateControls();
    if (!this.busy && (this.stale || this.loaded !== this.name))
      this.showStatus(
        this.stale ? "stale" : this.records[this.name] ? "recorded" : "first",
      );
  }

  showStatus(word, values = {}, wrong = false) {
    this.status.replaceChildren(
      make("span", { className: wrong ? "wrong" : "" }, this.say(word, values)),
    );
  }

  /** The reader's text, without the characters that the model does not know. */
  readableText() {
    const { value } = this.box,
      symbols = this.model?.symbols;
    if (this.typed?.value !== value || this.typed.symbols !== symbols) {
      const all = [...value.replace(/\r\n?/g, "\n")],
        known = (one) => !symbols || symbols.includes(one);
      this.unknown = [...new Set(all.filter((one) => !known(one)))];
      this.typed = {
        value,
        symbols,
        legible: all.filter(known).slice(0, LONGEST).join(""),
      };
    }
    return this.typed.legible;
  }

  // The worker

  postToWorker(message) {
    this.runner?.postMessage(message);
  }

  /** Send a request to the worker; `part` gets partial results. Errors have a `code`. */
  ask(message, part) {
    const id = ++this.asked;
    return new Promise((done, fail) => {
      this.waiting.set(id, { done, fail, part });
      this.postToWorker({ ...message, id });
    });
  }

  onWorkerMessage({ data: { id, done, error, ...part } }) {
    const one = this.waiting.get(id);
    if (!one) return;
    if (!done && !error) {
      one.part?.(part.part ?? part.progress);
      return;
    }
    this.waiting.delete(id);
    if (error) one.fail(error);
    else one.done(done);
  }

  /** Run one action at a time, and show an error as one sentence. */
  async run(act) {
    if (this.busy) return;
    this.busy = true;
    this.updateControls();
    this.bar.value = 0;
    try {
      await act();
    } catch (error) {
      this.showError(error);
    }
    this.busy = false;
    this.bar.value = 0;
    this.updateControls();
    if (this.stale) this.showStatus("stale");
    if (this.next >= 0) this.look(this.next);
  }

  showError(error) {
    const word = `error_${error.code}` in this.words ? `error_${error.code}` : "error";
    this.showStatus(
      word,
      {
        code: error.code ?? error.message,
        given: error.given ?? "",
        wanted: error.wanted ?? "",
      },
      true,
    );
  }

  showFailure(word) {
    this.classList.add("refused");
    this.style.minHeight = 0;
    this.shadowRoot.querySelector(".picture").style.display = "block";
    const held = this.shadowRoot.activeElement,
      told = make("p", { className: "says", tabIndex: -1 }, this.say(word));
    this.stage.replaceChildren(told, make("p", { className: "says" }));
    if (held) told.focus();
  }

  /** Lay out the parts one after another. */
  async reveal() {
    this.stage.classList.remove("idle");
    for (const one of this.stage.querySelectorAll(".waits")) {
      one.classList.remove("waits");
      await turn();
    }
  }

  load() {
    const revealed = this.reveal();
    return this.run(async () => {
      if (!this.runner) {
        this.runner = this.worker();
        if (!this.runner) {
          this.showFailure("no_worker");
          return;
        }
        this.runner.addEventListener("message", (event) => this.onWorkerMessage(event));
        this.runner.addEventListener("error", () => {
          for (const one of this.waiting.values()) one.fail({ code: "worker" });
          this.waiting.clear();
          this.runner = null;
        });
      }
      const { name } = this;
      this.showStatus("loading");
      const src = this.sources[name],
        trusted = await allowed(src);
      const { model } = await this.ask(
        { do: "load", src, trusted },
        ({ loaded, total }) => {
          this.bar.value = Math.min(1, loaded / total) || 0;
        },
      );
      described(model);
      await revealed;
      const { at, given } = this;
      Object.assign(this, {
        model,
        loaded: name,
        chosen: null,
        bits: {},
        written: "",
        seen: null,
      });
      this.showTexts(model.examples);
      const { mem_len, c_mem_len, rate } = model.lengths;
      this.stops = [0, 0.25, 0.5, 1, 2].map((part) =>
        Math.round(part * (mem_len || 128)),
      );
      this.mem_len = mem_len;
      this.createMemorySlider();
      this.compress.hidden = this.c_mem_key.hidden = !c_mem_len;
      this.compress
        .querySelector("span")
        .replaceChildren(this.say("compress", { n: c_mem_len, rate }));
      this.rankHeads();
      this.updateControls();
      await turn();
      await this.score();
      // Replace the recorded values of the chosen character by those of the model.
      if (at >= 0 && given === this.given) this.next = at;
    });
  }

  memoryLengths() {
    const c_mem_len =
      this.mem_len && this.compressed ? this.model.lengths.c_mem_len : 0;
    return { mem_len: this.mem_len, c_mem_len };
  }

  /** Load the recorded values of the chosen model: its size, and the cost of the
      examples. Before the reader asks for a model, only the page's own host gets
      requests. */
  async recall() {
    const { name } = this,
      src = this.sources[name];
    if (this.loaded === name) {
      this.readAgain();
      return;
    }
    if (new URL(src).origin !== location.origin) return;
    const about =
      this.records[name] ??
      (await fetch(src, { redirect: "error" })
        .then((answer) => answer.json())
        .catch(() => undefined));
    try {
      if (about !== undefined) this.records[name] = described(about);
    } catch (error) {
      this.opened = true;
      this.showError(error);
      return;
    }
    const { examples = [] } = this.records[name] ?? {};
    this.c_mem_key.hidden = !this.records[this.name]?.lengths.c_mem_len;
    this.showTexts(examples);
    this.showPlaces(examples);
    this.onChange();
    const found = examples.find((one) => one.text === this.box.value);
    this.opened ||= !found;
    if (!found || this.busy || this.name !== name || this.loaded === name) return;
    // The first character has no context.
    const [kept, lost] = [found.with, found.without].map((bits) =>
      Float32Array.from([NaN, ...bits]),
    );
    await this.adopt({ with: kept, without: lost });
    this.opened = true;
    if (this.bits.with !== kept) return;
    this.draw();
    const [first] = found.looks ?? [];
    if (first && this.at < 0) {
      this.pinned = true;
      this.look(first.at);
    }
  }

  /** Buttons for the example texts. The first one is chosen at the start. */
  showTexts(examples = []) {
    if (this.chips.children.length || !examples.length) return;
    this.box.value ||= examples[0].text;
    if (examples.length === 1) return;
    this.chips.append(
      ...examples.map(({ name, text }) =>
        this.button(`example_${name}`, () => {
          this.box.value = text;
          this.onChange();
          this.recall();
        }),
      ),
    );
  }

  /** Show the reader's text, piece by piece, and drop the generated text. */
  async adopt(bits = {}) {
    this.given = this.readableText();
    const chars = [],
      text = [...this.given];
    this.tinted.clear();
    this.returning = returning(this.given);
    Object.assign(this, {
      chars,
      line: null,
      written: "",
      at: -1,
      pair: -1,
      pinned: false,
      bits,
      next: -1,
    });
    this.view.replaceChildren();
    this.draw();
    this.explain();
    for (let from = 0; this.chars === chars && from < text.length; from += PIECE) {
      await turn();
      if (this.chars === chars) this.appendText(text.slice(from, from + PIECE), false);
    }
  }

  read() {
    return this.run(() => this.score());
  }

  readAgain() {
    if (this.loaded === this.name && !this.busy) this.read();
    else if (this.busy) {
      this.postToWorker({ do: "stop" });
      clearTimeout(this.retry);
      this.retry = setTimeout(() => this.readAgain(), 50);
    }
  }

  /** Compute the bits per character of the text, with memory and without. Returns why it stopped. */
  async score() {
    if (this.given !== this.readableText()) await this.adopt();
    const text = this.given,
      lengths = this.memoryLengths();
    this.bits = {};
    this.clearChoice();
    if (text.length < 2) {
      this.draw();
      this.showStatus("too_short");
      return "";
    }
    this.showStatus("reading");
    const runs = [
      ["without", { mem_len: 0, c_mem_len: 0 }],
      ["with", lengths],
    ];
    let speed = 0;
    for (const [index, [kind, sizes]] of runs.entries()) {
      const key = JSON.stringify([this.loaded, text, sizes]);
      const bits = this.known.get(key) ?? new Float32Array(text.length);
      if (!this.known.has(key)) {
        const done = await this.ask({ do: "score", text, ...sizes }, (part) => {
          bits.set(part.bits, part.from);
          this.bits[kind] = bits.subarray(0, part.from + part.bits.length);
          this.bar.value = (index + this.bits[kind].length / text.length) / 2;
          this.drawSoon();
        });
        if (done.stopped) {
          this.showStatus("stopped");
          return "stopped";
        }
        speed = done.tokens_per_second;
        this.known.set(key, bits);
      }
      this.bits[kind] = bits;
      this.drawSoon();
    }
    this.draw();
    this.explain();
    await turn();
    this.describe(speed);
    return "";
  }

  /** Describe the model and its speed. */
  describe(speed) {
    const { losses = {}, step, bytes } = this.model,
      said = [];
    const bits = (value) => value?.toFixed(2) ?? "?";
    if (speed) said.push(this.say("speed", { n: Math.round(speed) }));
    said.push(this.say("trained", { steps: step, size: (bytes / 1e6).toFixed(1) }));
    if (losses.bits_8)
      said.push(
        this.say("losses", {
          bits: bits(losses.bits_8),
          without: bits(losses.bits_8_without_memory),
        }),
      );
    this.status.replaceChildren(...said.flatMap((one) => [one, " "]));
  }

  generate(count) {
    return this.run(async () => {
      // Read the text before continuing it, so that the figures belong to it.
      if (this.given !== this.readableText() && (await this.score()) === "stopped")
        return;
      if (!this.given) return;
      const text = this.given + this.written;
      this.showStatus("writing");
      const seed = +this.seed.value || 0,
        { temperature } = this;
      let speed = 0;
      const settings = {
        text,
        count,
        ...this.memoryLengths(),
        temperature,
        top_p: TOP_P,
        seed,
        skip: this.written.length,
      };
      const done = await this.ask({ do: "write", ...settings }, (part) => {
        this.written += part.text;
        speed = part.tokens_per_second;
        this.appendText(part.text, true);
        this.view.scrollTop = this.view.scrollHeight;
        this.bar.value = (this.written.length - settings.skip) / count;
      });
      this.showStatus(done.stopped ? "stopped" : "wrote", {
        n: this.written.length,
        speed: Math.round(speed),
      });
      if (!this.pinned) this.next = this.chars.length - 1;
    });
  }

  // What is shown

  /** Append characters to the text, with an element for each line. */
  appendText(text, wrote) {
    const length = this.model?.config.seq_len ?? 64;
    for (const char of text) {
      const n = this.chars.length,
        edge = n && n % length === 0;
      const one = make(
        "span",
        { className: `${wrote ? "wrote" : ""} ${edge ? "edge" : ""}` },
        char === "\n" ? "↵\n" : char,
      );
      one.dataset.n = n;
      if (!this.line) this.view.append((this.line = make("div")));
      this.line.append(one);
      this.chars.push(one);
      if (char === "\n") this.line = null;
    }
  }

  /** Draw, at most ten times a second. */
  drawSoon() {
    this.waits ??= setTimeout(() => this.draw(), 100);
  }

  /** Two figures and two curves. The first character has no context and is not
      counted. */
  draw() {
    clearTimeout(this.waits);
    this.waits = undefined;
    const mean = (bits) =>
      bits?.length > 1
        ? bits.subarray(1).reduce((sum, one) => sum + one, 0) / (bits.length - 1)
        : null;
    const { with: kept, without: lost } = this.bits,
      [a, b] = [mean(kept), mean(lost)];
    const full = a !== null && kept.length === lost.length && this.given.length > 1;
    // The difference of the rounded figures, so that it agrees with them.
    const gain = full ? Number(b.toFixed(2)) - Number(a.toFixed(2)) : 0,
      values = {
        gain: Math.abs(gain).toFixed(2),
        percent: (Math.abs(gain / b) * 100).toFixed(0),
        n: this.given.length,
      };
    const word = !full
      ? ""
      : this.loaded && this.mem_len === 0
        ? "no_memory"
        : gain >= 0
          ? "gains"
          : "costs";
    const points = { without: means(lost), with: means(kept) };
    const most = Math.ceil(
        Math.max(4, ...points.with.slice(8), ...points.without.slice(8)),
      ),
      wide = Math.max(2, this.given.length - 1);
    const step = Math.ceil(wide / POINTS),
      place = (bits, i) =>
        `${i ? "L" : "M"}${i + 1} ${Math.max(0, 100 * (1 - bits / most)).toFixed(1)}`;
    for (const [kind, line] of Object.entries(this.lines)) {
      line.setAttribute(
        "d",
        points[kind]
          .map((bits, i, all) => (i % step && i < all.length - 1 ? "" : place(bits, i)))
          .join(""),
      );
    }
    this.chart.setAttribute("viewBox", `0 0 ${wide} 100`);
    this.curves.setAttribute(
      "aria-label",
      full
        ? this.text("curves_told", { with: a.toFixed(2), without: b.toFixed(2) })
        : this.text("curves"),
    );
    const texts = [
      [this.figures.with, a?.toFixed(2) ?? "–"],
      [this.figures.without, b?.toFixed(2) ?? "–"],
      [this.gain, word && this.text(word, values)],
      [this.most, `${most}`],
      [
        this.length,
        this.given.length ? this.text("characters", { n: this.given.length }) : "",
      ],
    ];
    for (const [one, text] of texts)
      if (one.textContent !== text) one.textContent = text;
    if (full || !a) this.fillWordTable(full);
    if (this.at < 0) this.tint(this.gains());
    this.placeCursor();
  }

  /** Fill the table with the cost of each occurrence of the repeated words. */
  fillWordTable(full) {
    const { with: kept, without: lost } = this.bits;
    const row = (place, time, places) => {
      const cells = [
        `${time + 1}`,
        time ? `${place.first - places[time - 1].first}` : "–",
        ...[kept, lost].map((bits) => (full ? cost(bits, place).toFixed(1) : "–")),
      ];
      return make(
        "tr",
        { className: time ? "" : "new" },
        make("th", { scope: "row" }, place.word),
        ...cells.map((cell) => make("td", {}, cell)),
      );
    };
    const heads = ["word", "time", "distance", "bits_with", "bits_without"].map(
      (name) => make("th", { scope: "col" }, this.say(name)),
    );
    this.table.replaceChildren(
      !this.returning.length
        ? make("p", {}, this.say("no_returns"))
        : make(
            "table",
            {},
            make("thead", {}, make("tr", {}, ...heads)),
            make("tbody", {}, ...this.returning.flatMap((places) => places.map(row))),
          ),
    );
  }

  /** The tint of each character: how much memory lowered or raised its cost. */
  gains() {
    const { with: kept = [], without: lost = [] } = this.bits,
      tints = new Map();
    for (let n = 1; n < Math.min(kept.length, lost.length, this.chars.length); n++) {
      const gain = lost[n] - kept[n],
        look = Math.floor(LEVELS * Math.min(1, Math.abs(gain) / MOST));
      if (look)
        tints.set(this.chars[n], [gain > 0 ? "saved" : "cost_more", `look${look}`]);
    }
    return tints;
  }

  // Where it looked

  /** Find out how much the model attends to each part of the context of a character. */
  async look(n) {
    this.at = n;
    this.markChosen();
    if (this.loaded !== this.name) {
      this.seen = this.recordedAt(n);
      this.pair = this.seen?.pair.key ?? -1;
      this.explain();
      return;
    }
    if (this.busy || this.looking) {
      this.next = n;
      return;
    }
    this.next = -1;
    this.looking = true;
    try {
      const seen = await this.ask({
        do: "look",
        text: this.given + this.written,
        position: n,
        ...this.memoryLengths(),
      });
      if (!seen.stopped) this.seen = { ...seen, at: n };
    } catch (error) {
      this.showError(error);
    }
    this.looking = false;
    if (this.next >= 0) {
      this.look(this.next);
      return;
    }
    this.pair = -1;
    this.explain();
  }

  /** Choose no character, and show the effect of the memory again. */
  clearChoice() {
    Object.assign(this, { at: -1, next: -1, pinned: false });
    this.markChosen();
    this.explain();
  }

  /** Mark the chosen character and scroll to it, also below the curves. */
  markChosen() {
    this.view.querySelector(".at")?.classList.remove("at");
    const one = this.chars[this.at],
      { view } = this;
    this.placeCursor();
    if (!one) return;
    one.classList.add("at");
    const { top } = this.positionOf(one);
    if (top < 0) view.scrollTop += top - 8;
    else if (top + 24 > view.clientHeight)
      view.scrollTop += top + 32 - view.clientHeight;
  }

  /** Mark the chosen character below the curves, which end before generated text. */
  placeCursor() {
    const inside = this.at >= 0 && this.at < this.given.length;
    this.cursor.setAttribute("visibility", inside ? "visible" : "hidden");
    for (const end of ["x1", "x2"]) this.cursor.setAttribute(end, this.at);
  }

  /** The text is a single tab stop; arrow keys move by character and by line. */
  onTextKey(event) {
    const last = this.chars.length - 1,
      line = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const goal = {
      ArrowLeft: this.at - 1,
      ArrowRight: this.at + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") this.clearChoice();
    else if (event.key === "Enter") this.pinned = !this.pinned;
    else if (this.at < 0 && (goal !== undefined || line)) this.look(last);
    else if (goal !== undefined) this.look(Math.max(0, Math.min(last, goal)));
    else if (line) this.look(this.characterBeside(line));
    else return;
    event.preventDefault();
  }

  /** The position of a character within the visible part of the text. */
  positionOf(one) {
    const [{ top, left }] = one.getClientRects(),
      { y, x } = this.view.getBoundingClientRect();
    return { top: top - y, left: left - x };
  }

  /** The character above or below the chosen one. */
  characterBeside(line) {
    const { top, left } = this.positionOf(this.chars[this.at]);
    let goal = -1,
      near = Infinity,
      row;
    for (let n = this.at + line; this.chars[n]; n += line) {
      const { top: y, left: x } = this.positionOf(this.chars[n]);
      if ((y - top) * line <= 4) continue;
      row ??= y;
      if ((y - row) * line > 4) break;
      if (Math.abs(x - left) < near) {
        near = Math.abs(x - left);
        goal = n;
      }
    }
    return goal < 0 ? this.at : goal;
  }

  /** The weights of a head; without one, the mean of all. */
  weightsOf(one) {
    if (this.seen.recorded) return this.seen.weights;
    if (one) return Array.from(this.seen.weights[one.layer][one.head]);
    const all = this.seen.weights.flat();
    return Array.from(
      all[0],
      (_, key) => all.reduce((sum, weights) => sum + weights[key], 0) / all.length,
    );
  }

  /** The head that copies at the chosen character: the one with the largest weight on what
   * followed an earlier occurrence of the same word. */
  copyingHead() {
    if (this.seen.recorded) {
      const { copies, pair } = this.seen;
      return copies ? { ...pair, place: this.charactersOf(pair.key).first } : null;
    }
    const places = this.returning.find((all) =>
      all.some(({ first, end }) => first <= this.at && this.at < end - 1),
    );
    const here = places?.find(({ end }) => this.at < end);
    const earlier = (places ?? [])
      .filter(({ first }) => first < here.first)
      .map(({ first }) => first + this.at - here.first + 1);
    let most = null;
    this.seen.weights.forEach((heads, layer) =>
      heads.forEach((weights, head) =>
        weights.forEach((weight, key) => {
          const { first, length } = this.charactersOf(key),
            place = earlier.find((one) => first <= one && one < first + length);
          if (place !== undefined && weight > (most?.weight ?? 0))
            most = { layer, head, key, weight, place };
        }),
      ),
    );
    return most;
  }

  /** The characters that a key represents, and the part of the context that it is in. */
  charactersOf(key) {
    const { regions, from, rate } = this.seen,
      slot = key - regions.c_mem;
    if (slot < 0) return { region: "c_mem", first: from + slot * rate, length: rate };
    return {
      region: slot < regions.mem ? "mem" : "own",
      first: from + slot,
      length: 1,
    };
  }

  characterAt(n) {
    return (this.given + this.written)[n];
  }

  /** A character with those around it. */
  quote(first, length = 1, before = 6, after = 4) {
    const text = this.given + this.written,
      shown = (part) => part.replace(/\n/g, "↵");
    return make(
      "code",
      {},
      shown(text.slice(Math.max(0, first - before), first)),
      make("b", {}, shown(text.slice(first, first + length))),
      shown(text.slice(first + length, first + length + after)),
    );
  }

  /** Tint some characters. The classes of each say which part of the context it is in
      and how much weight it has. Only changed characters are drawn again, piece by
      piece. */
  async tint(tints) {
    this.tints = tints;
    const other = [...new Set([...this.tinted.keys(), ...tints.keys()])].filter(
      (one) => `${this.tinted.get(one)}` !== `${tints.get(one)}`,
    );
    // Begin with those next to the chosen character.
    for (let from = other.length; from > 0; from -= PIECE) {
      await turn();
      if (this.tints !== tints) return;
      for (const one of other.slice(Math.max(0, from - PIECE), from)) {
        one.classList.remove(...(this.tinted.get(one) ?? []), "key");
        if (tints.has(one)) {
          one.classList.add(...tints.get(one));
          this.tinted.set(one, tints.get(one));
        } else this.tinted.delete(one);
      }
    }
    this.show_key();
  }

  /** Outline the characters that the chosen key represents. */
  show_key() {
    this.show_arc();
    for (const one of this.view.querySelectorAll(".key")) one.classList.remove("key");
    if (this.pair < 0 || this.seen?.at !== this.at) return;
    const { first, length } = this.charactersOf(this.pair);
    for (const one of this.chars.slice(first, first + length)) one.classList.add("key");
  }

  /** A line from the chosen character to the characters that it attends to, drawn
      between the lines of text. */
  show_arc() {
    const own = this.seen?.at === this.at && this.at >= 0 && this.pair >= 0;
    const from = this.chars[this.at],
      to = own && this.chars[this.charactersOf(this.pair).first];
    for (const one of this.presets.children)
      one.ariaPressed = `${+one.dataset.at === this.at}`;
    // On paper the figure is not shown, and its characters have no place.
    if (!from || !to || from === to || !from.getClientRects().length) {
      this.arc.replaceChildren();
      return;
    }
    const { view } = this,
      { x, y } = view.getBoundingClientRect(),
      gap = 1;
    const place = (one) => {
      const box = one.getClientRects()[0];
      return {
        x: box.x + Math.min(box.width, 8) / 2 - x,
        y: box.bottom - y + view.scrollTop + gap,
      };
    };
    const [a, b] = [place(from), place(to)],
      high = Math.abs(a.y - b.y);
    const weight = this.weightsOf(this.head)[this.pair],
      { layer, head } = this.head ?? {};
    const words = this.text(this.head ? "arc" : "arc_all", {
      layer: layer + 1,
      head: head + 1,
      share: percent(weight),
    });
    // The vertical part is to the right of the lines, where there are no letters.
    const lines = [...view.querySelectorAll(":scope > div > span:last-child")].map(
      (one) => one.getClientRects()[0],
    );
    const within = lines.filter(
      ({ bottom }) =>
        bottom - y + view.scrollTop > Math.min(a.y, b.y) - 12 &&
        bottom - y + view.scrollTop < Math.max(a.y, b.y) + 12,
    );
    const right = Math.min(
      Math.max(a.x, b.x, ...within.map((box) => box.right - x)) + 14,
      view.clientWidth - 10,
    );
    const round = 8,
      way = b.y > a.y ? 1 : -1;
    const d =
      high < 4
        ? `M${a.x} ${a.y}V${a.y + 3}H${b.x}V${b.y}`
        : `M${a.x} ${a.y}V${a.y + 3}H${right - round}q${round} 0 ${round} ${way * round}V${b.y + 3 - way * round}q0 ${way * round} ${-round} ${way * round}H${b.x}V${b.y}`;
    const arrow = drawn("path", { class: "head", d: `M${b.x} ${b.y - 3}l4 6h-8z` });
    this.arc.setAttribute("width", 1);
    this.arc.setAttribute("height", 1);
    this.arc.replaceChildren(drawn("path", { d }), arrow);
    if (!this.arc.isConnected) view.append(this.arc);
    if (high < 4) return;
    // The label is right of the vertical part, or else left of it, beside the shortest
    // line. If there is no space, a sentence beside the text says the same.
    const label = drawn("text", { x: right + 8, y: (a.y + b.y) / 2 + 4 }, words);
    this.arc.append(label);
    const wide = label.getBBox().width;
    if (right + 12 + wide <= view.clientWidth) return;
    const free = within
      .filter(({ bottom }) => Math.abs(bottom - y + view.scrollTop - b.y) > 4)
      .sort((one, other) => one.right - other.right)[0];
    const start = right - 6 - wide;
    if (!free || free.right - x + 6 > start) label.remove();
    else {
      label.setAttribute("x", start);
      label.setAttribute("y", free.bottom - y + view.scrollTop - 4);
    }
  }

  /** Two bars: the bits of a character, with memory and without. */
  costBars(n) {
    const bits = [this.bits.with?.[n], this.bits.without?.[n]];
    if (!n || bits.some((one) => one === undefined)) return [];
    const most = Math.max(4, ...bits),
      names = ["bits_with", "bits_without"];
    return [
      make(
        "div",
        { className: "costs" },
        make(
          "p",
          {},
          this.say("cost_of", {
            at: make(
              "code",
              {},
              make("b", {}, SIGNS[this.characterAt(n)] ?? this.characterAt(n)),
            ),
          }),
        ),
        ...bits.flatMap((one, index) => {
          const bar = make("i", { className: index ? "lost" : "" });
          bar.style.setProperty("--share", (one / most).toFixed(3));
          const value = make(
            "span",
            { className: "num" },
            make("b", {}, one.toFixed(1)),
            " ",
            this.say("bits"),
            ` · ${percent(2 ** -one)}`,
          );
          return [
            make("span", {}, this.say(names[index])),
            make("span", {}, bar),
            value,
          ];
        }),
      ),
    ];
  }

  explain() {
    if (!this.seen || this.seen.at !== this.at || this.at < 0) {
      this.tint(this.gains());
      // Reserve the space until the recording is loaded, which chooses a letter.
      this.stage.classList.toggle("pointing", this.opened !== true);
      for (const one of [this.looked, this.terms, this.best])
        one.classList.toggle("none", this.opened === true);
      const here = this.loaded === this.name,
        known = this.at >= 0 && this.costText();
      this.replaceIn(
        this.looked,
        make(
          "p",
          {},
          ...(known ? [this.quote(this.at), " ", ...known, " "] : []),
          this.say(here ? "point" : "point_first"),
        ),
        ...(here ? [make("p", { className: "soft" }, this.say("keys"))] : []),
      );
      this.terms.replaceChildren(make("p", {}, this.say("no_pair")));
      this.best.replaceChildren();
      return;
    }
    this.stage.classList.add("pointing");
    for (const one of [this.looked, this.terms, this.best])
      one.classList.remove("none");
    const copied = this.chosen ? null : this.copyingHead();
    this.head = this.chosen ?? copied;
    const weights = this.weightsOf(this.head),
      shares = { c_mem: 0, mem: 0, own: 0 },
      strips = { c_mem: [], mem: [], own: [] },
      tints = new Map();
    weights.forEach((weight, key) => {
      const { region, first, length } = this.charactersOf(key);
      shares[region] += weight;
      strips[region].push(weight);
      const look = Math.round(LEVELS * Math.min(1, 1.73 * Math.sqrt(weight / length)));
      for (const one of this.chars.slice(first, first + length))
        tints.set(one, [region, `look${look}`]);
    });
    this.tint(tints);
    const strip = (region) => {
      const all = strips[region],
        wide = 100 / Math.max(1, all.length);
      const stops = all.map(
        (weight, n) =>
          `color-mix(in srgb, var(--of) ${Math.min(100, 110 * Math.sqrt(weight)).toFixed(0)}%, transparent) ${(n * wide).toFixed(2)}% ${((n + 1) * wide).toFixed(2)}%`,
      );
      const bar = make("div", { className: "strip" });
      if (all.length) bar.style.background = `linear-gradient(90deg, ${stops})`;
      return make(
        "div",
        { className: region },
        make(
          "p",
          {},
          make("b", {}, percent(shares[region])),
          " ",
          this.say(`region_${region}`, { n: all.length }),
        ),
        bar,
      );
    };
    const best = weights
      .map((weight, key) => [weight, key])
      .sort((one, other) => other[0] - one[0])
      .slice(0, 4);
    const buttons = best.map(([weight, key]) => {
      const { first, length } = this.charactersOf(key);
      const one = make(
        "button",
        { type: "button", ariaPressed: "false" },
        this.quote(first, length),
        " ",
        this.say("back", { n: this.at - first }),
        ` · ${percent(weight)}`,
      );
      one.addEventListener("click", () => this.couple(key));
      one.dataset.key = key;
      return one;
    });
    const { layer, head } = this.head ?? {},
      values = { at: this.quote(this.at), layer: layer + 1, head: head + 1 };
    if (copied) {
      const { first, length } = this.charactersOf(copied.key),
        alone = (n) => this.quote(n, 1, 0, 0);
      Object.assign(values, {
        at: this.quote(this.at, 1, 6, 0),
        letter: alone(this.at),
        next: alone(this.at + 1),
        key: this.quote(first, length),
        n: this.at - first,
        share: percent(copied.weight),
      });
    }
    const word = copied ? "copies" : this.head ? "looked" : "looked_all";
    const told = [
      make("p", { className: "title" }, make("span", {}, this.say(word, values))),
      ...this.costBars(this.at + 1),
    ];
    this.replaceIn(
      this.looked,
      ...told,
      make(
        "div",
        { className: "regions" },
        ...((this.loaded === this.name ? this.model : this.records[this.name]).lengths
          .c_mem_len
          ? ["c_mem", "mem", "own"]
          : ["mem", "own"]
        ).map(strip),
      ),
      make(
        "div",
        { className: "keys", role: "group", ariaLabel: this.text("most") },
        ...buttons,
      ),
    );
    this.updateHeadButtons();
    this.couple(this.pair < 0 ? (copied?.key ?? best[0][1]) : this.pair);
  }

  /** The cost of a character as text, with memory and without. */
  costText(n = this.at, word = "cost") {
    const [kept, lost] = [this.bits.with?.[n], this.bits.without?.[n]];
    if (!n || kept === undefined || lost === undefined) return [];
    return [
      make(
        "small",
        {},
        this.say(word, {
          at: this.quote(n, 1, 0, 0),
          with: kept.toFixed(1),
          without: lost.toFixed(1),
        }),
      ),
    ];
  }

  /** The four terms of the chosen character and a key. Of several heads, the one that looks there most. */
  async couple(key) {
    this.pair = key;
    for (const one of this.looked.querySelectorAll("[data-key]"))
      one.ariaPressed = `${+one.dataset.key === key}`;
    this.show_key();
    const { first, length } = this.charactersOf(key),
      { at } = this;
    let { layer, head } = this.head ?? {},
      most = -1;
    if (!this.head && !this.seen.recorded)
      this.seen.weights.forEach((heads, l) =>
        heads.forEach((weights, h) => {
          if (weights[key] > most) [most, layer, head] = [weights[key], l, h];
        }),
      );
    const terms = this.seen.recorded
      ? key === this.seen.pair.key && this.seen.pair
      : await this.ask({ do: "terms", layer, head, key }).catch((error) => {
          this.showError(error);
          return null;
        });
    if (this.seen.recorded) ({ layer, head } = this.seen.pair);
    this.listBest(key);
    if (terms === false)
      this.terms.replaceChildren(make("p", {}, this.say("point_first")));
    if (!terms || terms.stopped || this.at !== at || this.pair !== key) return;
    const largest = Math.max(
      ...["a", "b", "c", "d"].map((one) => Math.abs(terms[one])),
      1e-6,
    );
    const row = (one) => {
      const bar = make("i");
      bar.style.setProperty("--share", (terms[one] / largest).toFixed(3));
      return make(
        "tr",
        { className: one },
        make(
          "th",
          { scope: "row" },
          make("b", {}, `(${one})`),
          " ",
          this.say(`term_${one}`),
        ),
        make("td", { ariaHidden: "true" }, make("span", { className: "bar" }, bar)),
        make("td", {}, decimal(terms[one])),
      );
    };
    const sum = (word, value) =>
      make(
        "tr",
        { className: "sum" },
        make("th", { scope: "row", colSpan: 2 }, this.say(word)),
        make("td", {}, value),
      );
    this.terms.replaceChildren(
      make("p", { className: "title" }, this.say("terms")),
      make(
        "p",
        {},
        this.say("pair", {
          at: this.quote(at),
          key: this.quote(first, length),
          layer: layer + 1,
          head: head + 1,
        }),
      ),
      make(
        "table",
        {},
        make(
          "tbody",
          {},
          ...["a", "b", "c", "d"].map(row),
          sum("score", decimal(terms.score)),
          sum("weight", percent(terms.weight)),
        ),
      ),
    );
  }

  /** The heads that attend most to a key, the largest weight first. */
  listBest(key) {
    const { recorded, pair, heads = [], weights } = this.seen;
    const all = recorded
      ? pair.key === key
        ? heads
        : []
      : weights.flatMap((layers, layer) =>
          layers.map((each, head) => ({ layer, head, weight: each[key] })),
        );
    const best = [...all]
      .sort((one, other) => other.weight - one.weight)
      .slice(0, BEST);
    const rows = best.map(({ layer, head, weight }) => {
      const bar = make("i");
      bar.style.setProperty("--share", weight.toFixed(3));
      return make(
        "tr",
        {},
        make(
          "th",
          { scope: "row" },
          this.say("layer_head", { layer: layer + 1, head: head + 1 }),
        ),
        make("td", { ariaHidden: "true" }, bar),
        make("td", {}, percent(weight)),
      );
    });
    this.best.replaceChildren(
      ...(rows.length
        ? [
            make("p", { className: "title" }, this.say("best_heads")),
            make("table", {}, make("tbody", {}, ...rows)),
          ]
        : []),
    );
  }

  /** Sort the heads by the chosen measure, the largest first. */
  rankHeads() {
    const heads = [...(this.model?.heads ?? [])].sort(
      (one, other) => (other[this.order] ?? 0) - (one[this.order] ?? 0),
    );
    this.replaceIn(
      this.heads,
      ...heads.map((one) => {
        const share = one[this.order] ?? 0;
        const button = make(
          "button",
          { type: "button" },
          make(
            "span",
            {},
            this.say("layer_head", { layer: one.layer + 1, head: one.head + 1 }),
          ),
          make("span", { className: "num" }, percent(share)),
        );
        button.style.setProperty("--share", share.toFixed(3));
        button.dataset.head = `${one.layer} ${one.head}`;
        button.addEventListener("click", () => {
          this.chosen =
            button.ariaPressed === "true" ? null : { layer: one.layer, head: one.head };
          this.updateHeadButtons();
          this.explain();
        });
        return make("li", {}, button);
      }),
    );
    this.updateHeadButtons();
  }

  /** Press the button of the chosen head and mark the shown one; one of them is a tab stop. */
  updateHeadButtons(stop = null) {
    const all = [...this.heads.querySelectorAll("button")],
      is = (head, one) => one.dataset.head === `${head?.layer} ${head?.head}`;
    for (const one of all) {
      one.ariaPressed = `${is(this.chosen, one)}`;
      one.classList.toggle("now", is(this.head, one));
    }
    const first =
      stop ??
      all.find((one) => one.ariaPressed === "true") ??
      all.find((one) => one.matches(":focus")) ??
      all[0];
    for (const one of all) {
      one.tabIndex = one === first ? 0 : -1;
      // Screen readers announce the keys when the list is entered, not at each head.
      if (one === first && !stop) one.setAttribute("aria-describedby", "heads_keys");
      else one.removeAttribute("aria-describedby");
    }
  }

  /** Move between the heads by arrow keys; a row has two. */
  onHeadKey(event) {
    const all = [...this.heads.querySelectorAll("button")],
      here = all.indexOf(event.target);
    const goal = {
      ArrowLeft: here - 1,
      ArrowRight: here + 1,
      ArrowUp: here - 2,
      ArrowDown: here + 2,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (goal === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const next = all[goal] ?? event.target;
    this.updateHeadButtons(next);
    next.focus();
  }
});

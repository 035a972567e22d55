// The four terms of a head as heat maps, with their sum and its softmax. The sum leaves
// out a term that is switched off.

const SIGNS = { "\n": "↵", " ": "␣" };
const NAMES = { weights: "", scores: "", a: "a", b: "b", c: "c", d: "d" };

define(class extends Figure {
  static style = css`
    .switch {
      position: relative;
      display: flex;
      gap: 0.35rem;
      align-items: center;
      padding: 0 0.5rem;
      line-height: 1.5rem;
      border: 1px solid var(--edge);
      border-radius: 0.3rem;
    }
    .choice .switch span {
      display: inline;
      padding: 0;
      border: 0;
      line-height: inherit;
    }
    .choice .switch :checked ~ span {
      color: inherit;
      background: none;
    }
    .choice .switch input:not(:checked) ~ span {
      color: var(--soft);
    }
    .switch:has(:focus-visible) {
      outline: 2px solid var(--accent);
      outline-offset: 2px;
    }
    .choice .switch :focus-visible ~ span {
      outline: 0;
    }
    .a {
      --t: var(--lit-a);
      --u: solid;
    }
    .b {
      --t: var(--lit-b);
      --u: dashed;
    }
    .c {
      --t: var(--lit-c);
      --u: dotted;
    }
    .d {
      --t: var(--lit-d);
      --u: double;
    }
    b.tag,
    .choice b.tag {
      display: inline-grid;
      place-items: center;
      width: 1rem;
      height: 1rem;
      font: 650 0.6rem/1 var(--mono);
      color: var(--t);
      border: 1px solid var(--t);
      border-radius: 3px;
      background: var(--bg);
    }
    .choice :checked ~ b.tag {
      color: var(--bg);
      background: var(--t);
    }
    .dials {
      display: grid;
      grid-template-columns: minmax(6rem, 1fr) 4fr;
    }
    .choice legend {
      position: absolute;
      clip-path: inset(50%);
    }
    .map.scores {
      grid-column: span 2;
    }
    .maps {
      display: grid;
      grid-template-columns: repeat(3, minmax(0, 1fr));
      gap: 0.2rem 1rem;
      padding: 0.1rem 0.8rem 0.5rem;
    }
    .wide {
      grid-column: 1 / -1;
    }
    .map .title {
      display: flex;
      flex-wrap: wrap;
      gap: 0 0.35rem;
      align-items: center;
    }
    .map.off .title {
      color: var(--soft);
    }
    .map small {
      margin-left: auto;
    }
    .plot {
      position: relative;
      display: grid;
      grid-template-columns: auto minmax(0, 1fr);
      margin-top: 0.1rem;
    }
    .field {
      position: relative;
      grid-column: 2;
      border: 1px solid var(--line);
      overflow: clip;
    }
    canvas {
      display: block;
      width: 100%;
      height: 2.1rem;
      image-rendering: pixelated;
      cursor: crosshair;
      touch-action: pan-y;
    }
    /* As tall as the labels of the queries beside it. */
    .weights canvas {
      height: 5.4rem;
    }
    .map.off canvas {
      opacity: 0.35;
    }
    .field::after {
      content: "";
      position: absolute;
      inset: 0 auto 0 var(--part);
      border-left: 1px dashed var(--soft);
      pointer-events: none;
    }
    .cross {
      position: absolute;
      z-index: 1;
      min-width: 5px;
      min-height: 5px;
      translate: -50% -50%;
      outline: 2px solid var(--lit-lit);
      box-shadow: 0 0 0 4px var(--bg);
      pointer-events: none;
    }
    .side {
      position: sticky;
      left: 0;
      z-index: 2;
      background: var(--bg);
    }
    .tokens,
    .side {
      display: none;
      font: 0.55rem/1 var(--mono);
      letter-spacing: -0.02em;
      color: var(--soft);
      text-align: center;
      user-select: none;
    }
    .weights :is(.tokens, .side) {
      display: flex;
    }
    .tokens {
      grid-column: 2;
      padding-top: 2px;
    }
    .tokens span {
      flex: 1 1 0;
      min-width: 0;
      overflow: visible;
    }
    .side {
      flex-direction: column;
      padding: 1px 3px 1px 0;
    }
    .side span {
      flex: 1 1 0;
      line-height: 0.45rem;
    }
    .lit {
      color: var(--lit-lit);
      font-weight: 700;
      box-shadow: none !important;
    }
    .parts {
      grid-column: 2;
      display: flex;
      font-size: 0.58rem;
      line-height: 0.9rem;
    }
    .parts span {
      flex: var(--n) 1 0;
      padding-left: 0.2rem;
      border-top: 2px solid;
      white-space: nowrap;
    }
    .parts .memory {
      color: var(--accent);
    }
    .parts .segment {
      color: var(--lit-shape);
    }
    .pair {
      grid-column: 1 / -1;
      min-height: 2.2rem;
    }
    .sum {
      display: flex;
      flex-wrap: wrap;
      gap: 0.1rem 0.5rem;
      align-items: baseline;
      font-size: 0.75rem;
    }
    .sum span {
      white-space: nowrap;
    }
    .sum .term {
      color: var(--t);
      border-bottom: 2px var(--u) var(--t);
    }
    .sum .term.d {
      border-bottom-width: 3px;
    }
    .sum .off {
      opacity: 0.5;
      border-color: transparent;
    }
    bdi {
      font-family: var(--mono);
      white-space: pre;
    }
    bdi mark {
      color: var(--lit-lit);
      background: var(--lit-lit-bg);
      border-radius: 2px;
      font-weight: 700;
    }
    .says {
      padding-top: 0;
      min-height: 3.4rem;
    }
    .says b.tag {
      translate: 0 0.15em;
    }
    @container (max-width: 44rem) {
      .map small {
        display: none;
      }
    }
    @container (max-width: 32rem) {
      .dials {
        grid-template-columns: minmax(0, 1fr);
      }
      /* All maps scroll together, and their texts stay in place. */
      .map.scores {
        grid-column: auto;
      }
      .maps {
        grid-template-columns: calc(${DATA.keys.length} * 0.5rem);
        gap: 0.4rem;
        padding-inline: 0;
        margin-inline: 0.8rem;
        overflow-x: auto;
        overscroll-behavior-x: contain;
      }
      canvas {
        touch-action: manipulation;
      }
      .map .title,
      .pair {
        position: sticky;
        left: 0;
        width: calc(100cqw - 1.8rem);
      }
      .parts span {
        width: 0;
      }
      /* The maps open at their end, where the border of the memory is seen. */
      .parts .memory {
        padding-inline-end: 0.2rem;
        text-align: end;
      }
      .pair {
        min-height: 5rem;
      }
      .says {
        min-height: 6.6rem;
      }
    }
  `;

  start() {
    this.head = 0;
    this.share = { a: 1, b: 1, c: 1, d: 1 };
    this.on = { ...this.share };
    this.chosen = [6, 86];
    const boxes = {},
      switches = make(
        "fieldset",
        { className: "choice" },
        make("legend", {}, this.say("terms")),
        ...TERMS.map((name) => {
          const input = (boxes[name] = make("input", {
            type: "checkbox",
            checked: true,
          }));
          input.addEventListener("change", () => {
            this.on[name] = input.checked ? 1 : 0;
            this.move();
          });
          return make(
            "label",
            { className: `switch ${name}` },
            input,
            this.tag(name),
            make("span", {}, this.say(`term_${name}`)),
          );
        }),
      );
    const dials = make(
      "div",
      { className: "dials sticks" },
      this.slider(this.say("head"), [1, DATA.heads.length, 1], (value) => {
        this.head = value - 1;
        this.read();
      }),
      switches,
    );
    this.pair = make("div", { className: "pair", ariaLive: "polite" });
    this.says = make("p", { className: "says", ariaLive: "polite" });
    this.maps = Object.fromEntries(
      Object.keys(NAMES).map((name) => [name, this.map(name)]),
    );
    const { weights: last, scores: sum, ...four } = this.maps;
    const maps = make(
      "div",
      { className: "maps" },
      last.box,
      this.pair,
      ...Object.values(four).map(({ box }) => box),
      sum.box,
    );
    const alone = (kept) => () => {
      for (const [name, box] of Object.entries(boxes))
        box.checked = kept.includes(name);
      for (const name of TERMS) this.on[name] = boxes[name].checked ? 1 : 0;
      this.move();
    };
    this.stage.append(
      this.opening(dials, {
        case_contents: alone("ac"),
        case_positions: alone("bd"),
        case_all: alone("abcd"),
      }),
      this.says,
      maps,
    );
    maps.scrollLeft = maps.scrollWidth;
    // A canvas does not follow the colours of the theme, so draw it again when they
    // change.
    new MutationObserver(() => this.draw()).observe(document.body, {
      attributeFilter: ["data-md-color-scheme"],
    });
    this.read();
  }

  tag(name) {
    return make("b", { className: `tag ${name}`, ariaHidden: "true" }, name);
  }

  map(name) {
    const { keys, queries, memory } = DATA,
      wide = !NAMES[name],
      words = this.say(wide ? name : `term_${name}`);
    const canvas = make("canvas", {
      width: keys.length,
      height: queries,
      role: "img",
      tabIndex: name === "weights" ? 0 : -1,
      "aria-label": this.text("map", { name: words.textContent }),
    });
    const cross = make("i", { className: "cross", ariaHidden: "true" }),
      range = make("small", { className: "num" });
    const row = (className, tokens) =>
      make(
        "div",
        { className, ariaHidden: "true" },
        ...tokens.map((token) => make("span", {}, SIGNS[token] ?? token)),
      );
    const tokens = row("tokens", keys),
      side = row("side", keys.slice(-queries));
    const part = (kind, n) =>
      make("span", { className: kind, style: `--n: ${n}` }, this.say(kind));
    const box = make(
      "div",
      { className: `map ${name}${name === "weights" ? " wide" : ""}` },
      make(
        "p",
        { className: "title" },
        wide ? "" : this.tag(name),
        make("span", {}, words),
        range,
      ),
      make(
        "div",
        { className: "plot", style: `--part: ${(100 * memory) / keys.length}%` },
        side,
        make("div", { className: "field" }, canvas, cross),
        tokens,
        ...(name === "weights"
          ? [
              make(
                "div",
                { className: "parts", ariaHidden: "true" },
                part("memory", memory),
                part("segment", keys.length - memory),
              ),
            ]
          : []),
      ),
    );
    const point = ({ offsetX, offsetY }) =>
      this.choose(
        Math.floor((offsetY / canvas.clientHeight) * queries),
        Math.floor((offsetX / canvas.clientWidth) * keys.length),
      );
    canvas.addEventListener("pointermove", point);
    canvas.addEventListener("pointerdown", point);
    canvas.addEventListener("keydown", (event) => {
      const by = {
        ArrowLeft: [0, -1],
        ArrowRight: [0, 1],
        ArrowUp: [-1, 0],
        ArrowDown: [1, 0],
      }[event.key];
      if (!by || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.choose(
        this.chosen[0] + by[0],
        this.chosen[1] + by[1] * (event.shiftKey ? 8 : 1),
      );
      cross.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
    return { box, canvas, cross, range, tokens, side };
  }

  read() {
    this.parts = terms(DATA, this.head);
    // All terms share one scale, so that a small term looks small. All sums share
    // another.
    const most = (tables) => Math.max(...tables.flat(2).map(Math.abs));
    const term = most(TERMS.map((name) => this.parts[name]));
    this.most = {
      a: term,
      b: term,
      c: term,
      d: term,
      scores: most([scores(this.parts, { a: 1, b: 1, c: 1, d: 1 })]),
    };
    for (const name of TERMS) {
      const found = this.parts[name].flat().filter((number) => number !== null);
      this.maps[name].range.textContent =
        `${this.short(Math.min(...found))} … ${this.short(Math.max(...found))}`;
    }
    this.looks = looks(DATA, weights(scores(this.parts, { a: 1, b: 1, c: 1, d: 1 })));
    this.least = smallest(this.parts);
    this.update();
  }

  /** Fade a term out or in, at once if the reader prefers no animations. */
  move() {
    cancelAnimationFrame(this.frame);
    const from = { ...this.share },
      start = performance.now();
    const step = (now) => {
      const done = still.matches ? 1 : Math.min(1, Math.max(0, (now - start) / 200));
      for (const name of TERMS)
        this.share[name] = from[name] + (this.on[name] - from[name]) * done;
      this.update();
      if (done < 1) this.frame = requestAnimationFrame(step);
    };
    step(start);
  }

  update() {
    const sum = scores(this.parts, this.share);
    this.shown = { ...this.parts, scores: sum, weights: weights(sum) };
    for (const name of TERMS)
      this.maps[name].box.classList.toggle("off", !this.on[name]);
    const { memory, distance: far } = means(DATA, this.shown.weights);
    const {
        looks: { kind, share, near },
        least: { term, most },
      } = this,
      head = this.head + 1;
    this.says.replaceChildren(
      make(
        "b",
        {},
        this.say(kind ? "looks" : "spreads", {
          head,
          kind: kind && this.say(`looks_${kind}`),
          share: `${Math.round(100 * share)} %`,
          near,
        }),
      ),
      " ",
      this.say("least", {
        term: this.tag(term),
        name: this.say(`term_${term}`),
        most: most.toFixed(1),
      }),
      " ",
      this.say("means", {
        memory: this.value(`${Math.round(100 * memory)} %`),
        distance: this.value(far.toFixed(1)),
      }),
    );
    this.draw();
    this.choose(...this.chosen);
  }

  draw() {
    const style = getComputedStyle(this.stage),
      colour = (name) => style.getPropertyValue(name);
    for (const [name, { canvas }] of Object.entries(this.maps)) {
      const pen = canvas.getContext("2d"),
        of = NAMES[name] ? colour(`--lit-${name}`) : colour("--accent");
      pen.clearRect(0, 0, canvas.width, canvas.height);
      this.shown[name].forEach((row, i) =>
        row.forEach((number, j) => {
          const hidden = distance(DATA, i, j) < 0;
          pen.fillStyle = hidden || number < 0 ? colour("--soft") : of;
          // A square-root scale, so that small weights are visible.
          pen.globalAlpha = hidden
            ? (i + j) % 4
              ? 0
              : 0.3
            : name === "weights"
              ? Math.sqrt(number)
              : Math.min(1, Math.abs(number) / this.most[name]);
          pen.fillRect(j, i, 1, 1);
        }),
      );
    }
  }

  short(number, digits = 1) {
    return number.toFixed(digits).replace("-", "−");
  }

  value(words) {
    return make("b", { className: "value num" }, words);
  }

  /** The tokens around one, in the order of the text. */
  around(at) {
    const near = (from, to) =>
      DATA.keys
        .slice(Math.max(0, from), to)
        .map((token) => SIGNS[token] ?? token)
        .join("");
    return make(
      "bdi",
      {},
      near(at - 7, at),
      make("mark", {}, near(at, at + 1)),
      near(at + 1, at + 4),
    );
  }

  /** Choose a pair of a query and a key: mark it in all maps, and show its terms. */
  choose(row, column) {
    const { keys, queries, memory } = DATA;
    const i = Math.max(0, Math.min(queries - 1, row)),
      j = Math.max(0, Math.min(keys.length - 1, column));
    this.chosen = [i, j];
    for (const { cross, tokens, side } of Object.values(this.maps)) {
      Object.assign(cross.style, {
        left: `${(100 * (j + 0.5)) / keys.length}%`,
        top: `${(100 * (i + 0.5)) / queries}%`,
        width: `${100 / keys.length}%`,
        height: `${100 / queries}%`,
      });
      for (const [labels, at] of [
        [tokens, j],
        [side, i],
      ]) {
        labels.querySelector(".lit")?.classList.remove("lit");
        labels.children[at].classList.add("lit");
      }
    }
    const far = distance(DATA, i, j),
      query = this.around(keys.length - queries + i),
      key = this.around(j);
    const told = make(
      "p",
      {},
      this.say(far < 0 ? "future" : j < memory ? "in_memory" : "in_segment", {
        query,
        key,
        distance: far,
      }),
    );
    if (far < 0) {
      this.pair.replaceChildren(told);
      return;
    }
    const part = (name, n) =>
      make(
        "span",
        {},
        n ? "+ " : "",
        make(
          "span",
          { className: `term ${name}${this.on[name] ? "" : " off"} num` },
          this.tag(name),
          ` ${this.short(this.parts[name][i][j], 2)}`,
        ),
      );
    const { scores: sum, weights: weight } = this.shown;
    this.pair.replaceChildren(
      told,
      make(
        "p",
        { className: "sum" },
        ...TERMS.map(part),
        make("span", {}, "= ", this.value(this.short(sum[i][j], 2))),
        make(
          "span",
          {},
          this.say("weight", {
            weight: this.value(`${(100 * weight[i][j]).toFixed(1)} %`),
          }),
        ),
      ),
    );
  }
});

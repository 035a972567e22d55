// The base of all interactive figures. A figure is a class that extends `Figure`, fills
// `this.stage`, and is passed to `define`. It takes its texts from its picture.

/** An element with these properties or attributes, and these children. */
const make = (tag, options = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(options)) {
    if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
};

/** A letter of a formula with an index, to be inserted into a text. */
const letter = (name, below = "") =>
  make("span", {}, make("var", {}, name), make("sub", {}, below));

/** A number with the minus sign that formulas use. */
const signed = (number) => (number < 0 ? `−${-number}` : `${number}`);

/** Whether the reader prefers no animations. */
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** The URL of this script, which is only available while it loads. */
const HERE = document.currentScript?.src ?? location.href;

/** The tag of style sheets, by which the formatter finds them. */
const css = String.raw;

class Figure extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    // Until it is less than a screen away, the picture stands for the figure, so that
    // the page is ready sooner.
    new IntersectionObserver(
      ([{ isIntersecting }], watch) => {
        if (!isIntersecting) return;
        watch.disconnect();
        this.replacePicture();
      },
      { rootMargin: "100%" },
    ).observe(this);
  }

  replacePicture() {
    const said = this.querySelectorAll("[data-word]");
    this.words = { ...OWN.words };
    for (const one of said) this.words[one.dataset.word] = one.textContent.trim();
    this.stage = make("div", { className: "stage" });
    const style = make(
      "style",
      {},
      OWN.style ?? "",
      STYLE,
      this.constructor.style ?? "",
    );
    const picture = make("div", { className: "picture" }, make("slot"));
    this.attachShadow({ mode: "open" }).append(style, this.stage, picture);
    const words =
      this.querySelector("svg")?.getAttribute("aria-label") ?? OWN.label ?? "";
    this.stage.setAttribute("role", "group");
    this.stage.setAttribute("aria-label", words);
    this.start();
    // Give up the reserved height once the figure is off the screen, where nothing
    // visible moves.
    new IntersectionObserver(([{ isIntersecting }], watch) => {
      if (isIntersecting) return;
      this.style.minHeight = 0;
      watch.disconnect();
    }).observe(this);
  }

  /** The text of this name, with its placeholders in braces filled in. */
  say(name, values = {}) {
    const said = document.createDocumentFragment();
    for (const part of (this.words[name] ?? name).split(/(\{\w+\})/)) {
      const value = values[part.slice(1, -1)];
      said.append(
        part.startsWith("{") && value !== undefined
          ? (value.cloneNode?.(true) ?? value)
          : part,
      );
    }
    return said;
  }

  /** The same as a string. */
  text(name, values) {
    return this.say(name, values).textContent;
  }

  /** The web worker; null if the browser refuses one, as for a `file:` URL. */
  worker() {
    if (location.protocol === "file:") return null;
    try {
      return new Worker(new URL(`${FILE}.worker.js`, HERE));
    } catch {
      return null;
    }
  }

  /** The absolute URL of a file that all languages share. */
  asset(path) {
    return new URL(ASSETS + path, HERE).href;
  }

  /** The top of a figure: title, a button for help, cases to try, and the controls. */
  opening(dials, cases = {}, values = {}) {
    const press = (words, act, options) => {
      const button = make("button", { type: "button", ...options }, words);
      button.addEventListener("click", act);
      return button;
    };
    const told = ["keys", "about"].filter((word) => this.words[word]);
    const hint = make(
      "p",
      { className: "hint", hidden: true },
      ...told.map((word) =>
        make("span", { className: word }, this.say(word, values), " "),
      ),
    );
    const help = press(
      "?",
      () => {
        hint.hidden = !hint.hidden;
        help.ariaExpanded = `${!hint.hidden}`;
      },
      {
        className: "help",
        ariaExpanded: "false",
        ariaLabel: this.text("help"),
        title: this.text("help"),
      },
    );
    const tries = Object.entries(cases).map(([word, act]) =>
      press(this.say(word), act),
    );
    return make(
      "div",
      { className: "head" },
      make(
        "div",
        { className: "top" },
        make("p", { className: "title" }, this.say("figure")),
        help,
      ),
      hint,
      tries.length
        ? make("p", { className: "tries" }, make("span", {}, this.say("try")), ...tries)
        : "",
      dials,
    );
  }

  /** A slider; `put` sets it. */
  slider(words, [least, most, value], change) {
    const output = make("output", {}, `${value}`);
    // The slider comes first, because a label names the first of its fields.
    const input = make("input", {
      type: "range",
      min: least,
      max: most,
      value,
      ariaLabel: words.textContent ?? words,
    });
    const changed = () => {
      output.textContent = input.value;
      change(+input.value);
    };
    input.addEventListener("input", changed);
    const put = (number) => {
      input.value = number;
      changed();
    };
    return Object.assign(
      make("label", { className: "dial" }, make("span", {}, words), output, input),
      { put },
    );
  }

  /** A choice between values, each with its label; `put` selects one, at first the first. */
  choice(words, values, change) {
    const group = make("fieldset", { className: "choice" }, make("legend", {}, words));
    for (const [index, [value, name]] of values.entries()) {
      const input = make("input", {
        type: "radio",
        name: words.textContent ?? words,
        checked: index === 0,
      });
      input.addEventListener("change", () => change(value));
      group.append(make("label", {}, input, make("span", {}, name)));
    }
    const put = (value) => {
      group.querySelectorAll("input")[
        values.findIndex(([one]) => one === value)
      ].checked = true;
      change(value);
    };
    return Object.assign(group, { put });
  }

  /** Controls to play, pause and select steps; `show` draws a step. */
  player(titles, show, wait = 2200) {
    let step = 0,
      timer = 0;
    const button = (name, act) => {
      const found = make("button", { type: "button", className: name }, this.say(name));
      found.addEventListener("click", act);
      return found;
    };
    const steps = titles.map((title, index) => {
      const one = make("button", { type: "button", title }, title);
      one.addEventListener("click", () => {
        stop();
        go(index);
      });
      return make("li", {}, one);
    });
    const stop = () => {
      clearInterval(timer);
      timer = 0;
      play.replaceChildren(this.say("play"));
    };
    const go = (next) => {
      step = Math.max(0, Math.min(titles.length - 1, next));
      for (const [index, one] of steps.entries()) {
        one.classList.toggle("done", index < step);
        if (index === step) one.setAttribute("aria-current", "step");
        else one.removeAttribute("aria-current");
      }
      // A button with `disabled` would lose the focus.
      back.setAttribute("aria-disabled", step === 0);
      ahead.setAttribute("aria-disabled", step === titles.length - 1);
      show(step);
    };
    const back = button("previous", () => {
      stop();
      go(step - 1);
    });
    const ahead = button("next", () => {
      stop();
      go(step + 1);
    });
    const play = button("play", () => {
      if (timer) {
        stop();
        return;
      }
      go(step === titles.length - 1 ? 0 : step + 1);
      timer = setInterval(() => {
        go(step + 1);
        if (step === titles.length - 1 || !this.isConnected) stop();
      }, wait);
      play.replaceChildren(this.say("pause"));
    });
    this.stage.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const by = { n: 1, p: -1 }[event.key.toLowerCase()];
      if (by || event.key === "Escape") stop();
      if (!by) return;
      // The theme would turn to the next page.
      event.stopPropagation();
      go(step + by);
    });
    const bar = make(
      "div",
      { className: "player" },
      make("ol", {}, ...steps),
      make("div", { className: "go" }, back, play, ahead),
    );
    return {
      bar,
      go,
      stop,
      get step() {
        return step;
      },
    };
  }

  /** Arrow keys in a table that is one tab stop; `at(row, column)` finds a cell. Its cells
      may be `narrow` on a phone. */
  walk(table, { at, choose, other, narrow }) {
    const cellOf = (event) => event.target.closest(".cell");
    for (const kind of ["pointerover", "focusin", "click"]) {
      table.addEventListener(kind, (event) => {
        if (cellOf(event)) choose(cellOf(event));
      });
    }
    // A finger is wider than a narrow cell, so it chooses the nearest one, and goes on
    // choosing while it moves along the row.
    const nearest = ({ clientX, clientY }) => {
      const away = (cell) => {
        const { left, top, width, height } = cell.getBoundingClientRect();
        return Math.hypot(clientX - left - width / 2, clientY - top - height / 2);
      };
      return [...table.querySelectorAll(".cell")].reduce((one, other) =>
        away(other) < away(one) ? other : one,
      );
    };
    for (const kind of narrow ? ["pointerdown", "pointermove"] : []) {
      table.style.touchAction = "pan-y";
      table.addEventListener(kind, (event) => {
        if (event.pointerType === "touch") choose(nearest(event));
      });
    }
    table.addEventListener("keydown", (event) => {
      const cell = cellOf(event),
        [row, column] = [+cell?.dataset.row, +cell?.dataset.column];
      const by = {
        ArrowLeft: [0, -1],
        ArrowRight: [0, 1],
        ArrowUp: [-1, 0],
        ArrowDown: [1, 0],
      }[event.key];
      const goal = by
        ? at(row + by[0], column + by[1])
        : event.key === "Enter" || event.key === " "
          ? other?.(cell)
          : null;
      if (!by && !goal) return;
      event.preventDefault();
      goal?.focus();
    });
  }
}

/** Define the custom element, once even if a page loads the script twice. */
const define = (figure) => {
  if (!customElements.get(NAME)) customElements.define(NAME, figure);
};

const STYLE = css`
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }
  :host {
    --ink: var(--md-default-fg-color);
    --bg: var(--md-default-bg-color);
    --panel: var(--md-code-bg-color);
    --soft: var(--lit-soft);
    --line: var(--lit-line);
    --accent: var(--lit-accent);
    --mono: var(--md-code-font-family), monospace;
    --edge: color-mix(in srgb, var(--soft) 60%, var(--bg));
    display: block;
    container-type: inline-size;
    color: var(--ink);
    text-align: left;
    font-size: 0.7rem;
    line-height: 1.5;
  }
  .picture {
    display: none;
  }
  .stage {
    height: fit-content;
    width: 100%;
    max-width: 48rem;
    margin-left: var(--lit-left, 0);
    border: 1px solid var(--line);
    border-radius: 0.5rem;
    overflow: clip;
  }
  .top {
    display: flex;
    gap: 0.5rem;
    justify-content: space-between;
    align-items: start;
    padding: 0.5rem 0.8rem 0;
  }
  .help {
    flex: none;
    width: 1.3rem;
    line-height: 1.2rem;
    color: var(--soft);
    border: 1px solid var(--edge);
    border-radius: 50%;
  }
  .tries {
    display: flex;
    flex-wrap: wrap;
    gap: 0.2rem 0.4rem;
    align-items: center;
    padding: 0.3rem 0.8rem 0;
  }
  .tries span {
    color: var(--soft);
  }
  .tries button {
    padding: 0 0.5rem;
    line-height: 1.3rem;
    color: var(--accent);
    border: 1px solid var(--edge);
    border-radius: 0.7rem;
  }
  [hidden] {
    display: none !important;
  }
  p,
  ol,
  ul,
  dl,
  dd,
  fieldset {
    padding: 0;
    margin: 0;
    border: 0;
    list-style: none;
    min-width: 0;
  }
  p,
  li,
  dt,
  legend,
  .dial span,
  .tries span {
    unicode-bidi: plaintext;
    text-align: start;
  }
  p.title {
    text-align: left;
    font-size: 0.75rem;
    font-weight: 650;
    line-height: 1.2rem;
    min-height: 0;
    margin: 0;
    color: inherit;
  }
  .title small {
    font-size: 0.7rem;
    font-weight: 400;
    color: var(--soft);
  }
  var {
    font:
      italic 1.1em/1 KaTeX_Math,
      "Times New Roman",
      serif;
  }
  sub {
    font-size: 0.7em;
    line-height: 0;
  }
  code {
    font-family: var(--mono);
  }
  button {
    touch-action: manipulation;
    padding: 0;
    font: inherit;
    color: inherit;
    background: none;
    border: 0;
    cursor: pointer;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
    border-radius: 3px;
  }
  .num {
    font-variant-numeric: tabular-nums;
  }
  /* Sliders share the width of a row, and a label in two lines would put them out of
     line. */
  .dials {
    display: flex;
    flex-wrap: wrap;
    gap: 0.3rem 0.6rem;
    align-items: end;
    padding: 0.3rem 0.8rem 0.35rem;
  }
  .dial {
    display: grid;
    grid-template-columns: 1fr auto;
    flex: 1 1 7rem;
    gap: 0 0.4rem;
    font-size: 0.65rem;
    line-height: 1.1rem;
    white-space: nowrap;
  }
  /* Where four fit in a row, five would become four and one, so show three and two. */
  @container (min-width: 31rem) and (max-width: 47rem) {
    .dials:has(> :nth-last-child(5 of .dial:not([hidden]))) > .dial {
      flex-basis: 30%;
    }
  }
  .dial output {
    font: 650 0.75rem/1.2rem var(--mono);
  }
  .dial input {
    grid-column: 1 / -1;
    width: 100%;
    height: 1.2rem;
    margin: 0;
    accent-color: var(--accent);
    cursor: pointer;
  }
  .choice {
    display: flex;
    flex-wrap: wrap;
    flex: 1 0 100%;
    gap: 0.2rem;
  }
  .choice legend {
    float: inline-start;
    padding: 0;
    margin-inline-end: 0.5rem;
    line-height: 1.5rem;
  }
  .choice label {
    position: relative;
  }
  .choice input {
    position: absolute;
    inset: 0;
    width: 100%;
    height: 100%;
    margin: 0;
    opacity: 0;
    cursor: pointer;
  }
  .choice span {
    display: block;
    padding: 0 0.5rem;
    line-height: 1.4rem;
    border: 1px solid var(--edge);
    border-radius: 0.3rem;
  }
  .choice :checked + span {
    color: var(--bg);
    background: var(--accent);
    border-color: transparent;
  }
  .choice :focus-visible + span {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
  }
  .player {
    display: flex;
    flex-wrap: wrap;
    gap: 0.4rem 1rem;
    align-items: center;
    padding: 0.4rem 0.8rem;
    background: var(--panel);
    border: 1px solid var(--line);
    border-width: 1px 0;
  }
  .player ol {
    display: flex;
    flex: 1 1 17.5rem;
    gap: 0.25rem;
    font-size: 0.65rem;
    align-self: stretch;
  }
  /* A longer label gets more space. */
  .player li {
    flex: 1 1 auto;
    min-width: min-content;
  }
  .player li button {
    display: block;
    width: 100%;
    min-height: 1.5rem;
    padding: 0.15rem 0.1rem;
    text-align: left;
    color: var(--soft);
    border-top: 3px solid var(--edge);
    line-height: 1.25;
    overflow-wrap: break-word;
  }
  .player li.done button {
    border-top-color: color-mix(in srgb, var(--accent) 45%, var(--line));
  }
  .player [aria-current] button {
    color: var(--ink);
    font-weight: 650;
    border-top-color: var(--accent);
  }
  .go {
    display: flex;
    flex: 0 1 auto;
    gap: 0.35rem;
  }
  .go button {
    flex: 1 0 auto;
    min-width: 3.2rem;
    padding: 0 0.6rem;
    line-height: 1.7rem;
    border: 1px solid var(--edge);
    border-radius: 0.3rem;
    background: var(--bg);
    white-space: nowrap;
  }
  .go .play {
    min-width: 4.4rem;
    color: var(--bg);
    background: var(--accent);
    border-color: transparent;
  }
  .go [aria-disabled="true"] {
    color: var(--soft);
    border-style: dashed;
    cursor: default;
  }
  .says {
    padding: 0.6rem 0.8rem 0;
    font-size: 0.72rem;
    line-height: 1.5;
  }
  .says b {
    font-weight: 650;
  }
  .cell {
    display: grid;
    place-items: center;
    padding: 0;
    font: 500 0.6rem/1 var(--mono);
    border-radius: 3px;
    user-select: none;
    touch-action: manipulation;
  }
  .lit {
    z-index: 3;
    box-shadow:
      0 0 0 2px var(--bg),
      0 0 0 4px var(--lit-lit) !important;
  }
  .cell:focus-visible {
    outline: 3px solid var(--lit-lit);
    outline-offset: 3px;
    z-index: 4;
  }
  .hint {
    padding: 0.2rem 0.8rem 0.4rem;
    font-size: 0.62rem;
    color: var(--soft);
  }
  @media (hover: none) {
    .hint .keys {
      display: none;
    }
  }
  .value {
    padding: 0 0.22em;
    color: var(--lit-lit);
    background: var(--lit-lit-bg);
    border-radius: 3px;
    font-weight: 400;
  }
  @container (max-width: 32rem) {
    .player ol {
      flex-basis: 100%;
    }
    .player li:not([aria-current]) button {
      font-size: 0;
    }
    .player li[aria-current] {
      flex: 0 0 auto;
    }
    .go {
      flex: 1 0 100%;
    }
  }
  /* On a phone, what one presses stays in sight while the picture scrolls. */
  @media (min-height: 36rem) {
    @container (max-width: 32rem) {
      :is(.player, .sticks) {
        position: sticky;
        top: var(--lit-top, 0);
        z-index: 5;
        background: var(--bg);
        border-bottom: 1px solid var(--line);
      }
      .head:has(.sticks) {
        display: contents;
      }
    }
  }
  @media (prefers-reduced-motion: reduce) {
    *,
    ::before,
    ::after {
      animation: none !important;
      transition: none !important;
    }
  }
  @media print {
    .stage {
      display: none;
    }
    .picture {
      display: block;
    }
  }
`;

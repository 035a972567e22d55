// The derivation of the relative score: four products, and what each change replaces.

const TERMS = "abcd";
/** The line of the code that computes a term. */
const CODE = {
  a: "content = q @ k.mT",
  b: "position = rel_shift(q @ r, k_len)",
  c: "content_bias = u @ k.mT",
  d: "position_bias = rel_shift(vr, k_len)",
};
/** The factors of a term in a step: [letter, index, transposed, step that introduced
    it]. */
const factors = (term, step) => {
  const content = "ac".includes(term);
  const query = "ab".includes(term)
    ? [
        ["E", "i", true, 2],
        ["W", "q", true, 2],
      ]
    : step < 4
      ? [
          ["U", "i", true, 2],
          ["W", "q", true, 2],
        ]
      : [[term === "c" ? "u" : "v", "", true, 4]];
  const last = content
    ? ["E", "j", false, 2]
    : step < 3
      ? ["U", "j", false, 2]
      : ["R", "i−j", false, 3];
  const projection =
    step < 5 ? ["W", "k", false, 2] : ["W", content ? "k,E" : "k,R", false, 5];
  return [...query, projection, last];
};

define(class extends Figure {
  static style = css`
    .whole {
      padding: 0.4rem 0.8rem 0;
      text-align: center;
    }
    .formula {
      font-family: "Times New Roman", Times, serif;
      font-size: 0.85rem;
      line-height: 1.3rem;
      white-space: nowrap;
    }
    .formula b {
      font-weight: 700;
    }
    .formula sub {
      font-size: 0.7em;
    }
    .formula sup {
      font-size: 0.7em;
      line-height: 0;
    }
    .terms {
      display: grid;
      grid-template-columns: repeat(2, minmax(0, 1fr));
      gap: 0.5rem;
      padding: 0.4rem 0.8rem 0.6rem;
    }
    .terms > div {
      display: grid;
      grid-template-columns: minmax(0, 1fr) auto;
      gap: 0 0.6rem;
      align-items: center;
      padding: 0.3rem 0.6rem;
      border: 1px solid var(--line);
      border-inline-start: 3px solid var(--t);
      border-radius: 0.3rem;
    }
    .terms > .waits {
      visibility: hidden;
    }
    .a {
      --t: var(--lit-a);
    }
    .b {
      --t: var(--lit-b);
    }
    .c {
      --t: var(--lit-c);
    }
    .d {
      --t: var(--lit-d);
    }
    .terms .name {
      color: var(--t);
      font-weight: 650;
    }
    .terms code {
      grid-column: 1 / -1;
      font-size: 0.6rem;
      color: var(--soft);
      overflow-wrap: anywhere;
    }
    .terms .final code {
      color: var(--t);
    }
    .new {
      padding: 0 0.1em;
      background: var(--lit-lit-bg);
      border-radius: 3px;
      animation: appear 0.5s both;
    }
    @keyframes appear {
      from {
        opacity: 0;
      }
    }
    .pattern {
      display: grid;
      grid-template-columns: repeat(8, 0.5rem);
      gap: 1px;
      padding: 2px;
      border: 1px solid var(--line);
    }
    .pattern i {
      height: 0.5rem;
      background: color-mix(in srgb, var(--t) var(--share), var(--bg));
    }
    .pattern i:nth-child(8n + 5) {
      box-shadow: -1px 0 var(--soft);
    }
    .pattern .later {
      background: var(--line);
    }
    .asks {
      display: block;
      min-height: 1.9rem;
      grid-column: 1;
      font-size: 0.62rem;
      line-height: 0.95rem;
      color: var(--soft);
    }
    .says {
      min-height: 3.4rem;
    }
    @container (max-width: 32rem) {
      .terms {
        grid-template-columns: minmax(0, 1fr);
        gap: 0.3rem;
      }
      .says {
        min-height: 5.6rem;
      }
      .whole .formula {
        font-size: 0.75rem;
      }
    }
  `;

  start() {
    const titles = Array.from(
      { length: STEPS },
      (_, n) => `${n + 1} ${this.words[`step${n + 1}`]}`,
    );
    this.steps = this.player(titles, (step) => this.show(step + 1), 3200);
    this.says = make("p", { className: "says", ariaLive: "polite" });
    this.whole = make("p", { className: "whole" });
    this.cards = [...TERMS].map((term) => {
      const card = {
        formula: make("span", { className: "formula" }),
        pattern: make("div", { className: "pattern", role: "img" }),
        asks: make("span", { className: "asks" }),
        code: make("code"),
      };
      card.box = make(
        "div",
        { className: term },
        make(
          "p",
          {},
          make("span", { className: "name" }, `(${term}) `),
          card.formula,
          card.asks,
        ),
        card.pattern,
        card.code,
      );
      return card;
    });
    this.stage.append(
      this.opening(this.steps.bar),
      this.says,
      this.whole,
      make("div", { className: "terms" }, ...this.cards.map(({ box }) => box)),
    );
    this.steps.go(1);
  }

  factor([name, below, transposed, since], step) {
    const kind = since === step && step > 2 ? "new" : "";
    const parts = [make("b", {}, name), make("sub", {}, below)];
    if (transposed) parts.push(make("sup", {}, "⊤"));
    return make("span", { className: kind }, ...parts);
  }

  show(step) {
    this.says.replaceChildren(
      make("b", {}, this.say(`title${step}`)),
      " ",
      this.say(`says${step}`),
    );
    const plus = (first, second, below) => [
      "(",
      this.factor([first, below], 0),
      " + ",
      this.factor([second, below], 0),
      ")",
    ];
    this.whole.replaceChildren(
      make(
        "span",
        { className: "formula" },
        ...plus("E", "U", "i"),
        make("sup", {}, "⊤ "),
        this.factor(["W", "q", true], 0),
        this.factor(["W", "k"], 0),
        " ",
        ...plus("E", "U", "j"),
      ),
    );
    for (const [n, { box, formula, asks, pattern, code }] of this.cards.entries()) {
      const term = TERMS[n];
      box.classList.toggle("waits", step === 1);
      box.classList.toggle("final", step === STEPS);
      formula.replaceChildren(
        ...factors(term, step).map((one) => this.factor(one, step)),
      );
      asks.replaceChildren(this.say(question(term, step)));
      pattern.setAttribute("aria-label", this.text("pattern", { name: term }));
      pattern.replaceChildren(
        ...Array.from({ length: 2 * LENGTH * LENGTH }, (_, at) => {
          const value = share(term, step, Math.floor(at / 8), at % 8);
          const cell = make("i", { className: value === null ? "later" : "" });
          cell.style.setProperty("--share", `${Math.round(100 * (value ?? 0))}%`);
          return cell;
        }),
      );
      code.textContent = step === STEPS ? CODE[term] : "\u00a0";
    }
  }
});

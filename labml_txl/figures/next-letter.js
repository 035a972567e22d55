// The next letter of a name, as a trained model expects it: with its memory, and without.

const SIGNS = { "\n": "↵", " ": "␣" }; // white space made visible
const sign = (letter_) => SIGNS[letter_] ?? letter_;
const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;

define(class extends Figure {
  static style = css`
    .choice {
      flex: none;
    }
    .choice legend {
      float: left;
      margin-inline-end: 0.5rem;
      line-height: 1.5rem;
    }
    .read {
      position: relative;
      display: flex;
      flex-wrap: wrap;
      gap: 2.4rem 0.9rem;
      padding: 1.9rem 0.8rem 0.4rem;
    }
    .group {
      position: relative;
      display: flex;
      gap: 2px;
      align-items: center;
    }
    .group > small {
      position: absolute;
      bottom: 100%;
      left: 0;
      font-size: 0.62rem;
      line-height: 1.1rem;
      white-space: nowrap;
    }
    .read b {
      display: grid;
      place-items: center;
      width: 1.45rem;
      height: 1.75rem;
      font: 500 0.75rem/1 var(--mono);
      border: 1px solid var(--of);
      border-radius: 3px;
      background: color-mix(in srgb, var(--of) 12%, var(--bg));
    }
    .read .gap {
      padding: 0 0.4rem;
      color: var(--soft);
      font-size: 0.62rem;
      text-align: center;
      text-wrap: balance;
    }
    .memory {
      --of: var(--accent);
    }
    .memory small {
      color: var(--accent);
    }
    .segment {
      --of: var(--lit-shape);
    }
    .segment small {
      color: var(--lit-shape);
    }
    .read .asked {
      border: 2px dashed var(--ink);
      background: var(--bg);
      font-weight: 700;
    }
    .off .memory {
      --of: var(--soft);
      color: var(--soft);
    }
    .off .memory small {
      color: var(--soft);
    }
    .off .memory b {
      background: var(--bg);
      border-style: dashed;
    }
    .read .found {
      outline: 3px solid var(--lit-lit);
      outline-offset: 1px;
    }
    .off .read .found {
      outline: 0;
    }
    .bars {
      display: grid;
      grid-template-columns: 1.6rem minmax(0, 1fr) 3.4rem;
      gap: 0.3rem 0.5rem;
      align-items: center;
      padding: 0.3rem 0.8rem 0.6rem;
    }
    .bars b {
      font: 500 0.75rem/1.2rem var(--mono);
      text-align: center;
    }
    .bars span:not(.share) {
      height: 0.9rem;
      background: linear-gradient(var(--line) 0 0) 0 100% / 100% 1px no-repeat;
    }
    .bars i {
      display: block;
      height: 100%;
      min-width: 1px;
      border-radius: 2px;
      background: var(--soft);
      transition: width 0.3s;
    }
    .bars .right {
      color: var(--lit-lit);
      font-weight: 700;
    }
    .bars .right + span i {
      background: var(--lit-lit);
    }
    .says {
      padding-top: 0.3rem;
      min-height: 3.6rem;
    }
    p.title {
      padding: 0.5rem 0.8rem 0.1rem;
    }
    @container (max-width: 32rem) {
      .read {
        gap: 1.6rem 0.5rem;
      }
      .read b {
        width: 1.1rem;
        font-size: 0.65rem;
      }
      .says {
        min-height: 5.8rem;
      }
    }
  `;

  start() {
    const letters = (text) => [...text].map((one) => make("b", {}, sign(one)));
    const { first, skipped, last, segment } = DATA;
    const early = letters(first);
    early[DATA.found].classList.add("found");
    const group = (name, ...children) =>
      make(
        "div",
        { className: `group ${name}` },
        make("small", {}, this.say(name)),
        ...children,
      );
    this.asked = make("b", { className: "asked" }, "?");
    const switched = this.choice(
      this.text("choose"),
      [
        ["with", this.say("on")],
        ["without", this.say("off")],
      ],
      (kind) => this.show(kind),
    );
    this.bars = make("div", { className: "bars", role: "img" });
    this.says = make("p", { className: "says", ariaLive: "polite" });
    this.read = make(
      "div",
      { className: "read", role: "img", ariaLabel: this.text("about") },
      group(
        "memory",
        ...early,
        make("span", { className: "gap" }, this.say("skipped", { n: skipped })),
        ...letters(last),
      ),
      group("segment", ...letters(segment), this.asked),
    );
    this.stage.append(
      make("div", { className: "dials" }, switched),
      this.read,
      make("p", { className: "title" }, this.say("next")),
      this.bars,
      this.says,
    );
    this.rows = DATA.with.letters.map(() => {
      const row = {
        letter: make("b"),
        bar: make("i"),
        share: make("span", { className: "num share" }),
      };
      this.bars.append(row.letter, make("span", {}, row.bar), row.share);
      return row;
    });
    this.show("with");
  }

  show(kind) {
    const { letters, right } = DATA[kind];
    this.stage.classList.toggle("off", kind === "without");
    this.rows.forEach(({ letter: name, bar, share }, n) => {
      const [one, part] = letters[n];
      name.textContent = sign(one);
      name.classList.toggle("right", one === DATA.right);
      bar.style.width = `${100 * part}%`;
      share.textContent = percent(part);
    });
    const all = letters
      .map(([one, part]) => `${sign(one)} ${percent(part)}`)
      .join(", ");
    this.bars.setAttribute("aria-label", all);
    const values = {
      right: this.value(DATA.right),
      share: this.value(percent(right)),
      n: DATA.back,
    };
    this.says.replaceChildren(
      this.say(kind === "with" ? "told_with" : "told_without", values),
    );
  }

  value(words) {
    return make("b", { className: "value" }, words);
  }
});

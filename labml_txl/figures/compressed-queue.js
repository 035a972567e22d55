// The memories of a layer as queues: what is read, what leaves them, what it is
// compressed to, and what is lost.

// The width of a compressed slot, which names several tokens, in slots of the memory.
const WIDE = 1.7;

define(class extends Figure {
  static style = css`
    /* A queue is a container too, and half as wide where two are side by side. */
    :host {
      container-name: figure;
    }
    .queue {
      padding: 0.4rem 0.8rem 0;
      container-type: inline-size;
      --cell: min(3.4rem, (100cqi - 4.2rem) / var(--slots));
    }
    .queue .title {
      margin-bottom: 0.2rem;
    }
    .slots {
      display: flex;
      gap: 0.35rem;
      overflow: auto hidden;
      padding: 4px;
      margin: -4px;
      scrollbar-width: thin;
      min-height: 4.05rem;
    }
    .region {
      flex: 0 0 auto;
      border-top: 3px solid var(--of);
      padding-top: 0.15rem;
      font-size: 0.58rem;
      line-height: 0.9rem;
      color: var(--of);
    }
    .region > div {
      display: flex;
      gap: 3px;
      margin-top: 0.15rem;
    }
    .region > span {
      display: block;
      padding-inline-end: 0.3rem;
      white-space: nowrap;
    }
    .compressed {
      --of: var(--lit-accent2);
    }
    .memory {
      --of: var(--accent);
    }
    .segment {
      --of: var(--lit-shape);
    }
    .gone {
      --of: var(--soft);
    }
    .cell {
      position: relative;
      width: var(--cell);
      height: 2.1rem;
      padding-bottom: 0.3rem;
      align-content: center;
      gap: 0.12rem;
      font-size: 0.65rem;
      color: var(--ink);
      border: 1px solid var(--of);
      background: color-mix(in srgb, var(--of) 10%, var(--bg));
      cursor: pointer;
    }
    :is(.compressed, .gone) .cell {
      width: calc(${WIDE} * var(--cell));
    }
    .gone .cell {
      border-style: dashed;
      background: var(--bg);
      color: var(--soft);
    }
    .cell small {
      font-size: 0.55rem;
      font-weight: 400;
      color: var(--soft);
    }
    .cell.falls {
      border-style: dashed;
      border-width: 2px;
    }
    .cell.dropped {
      color: var(--soft);
      text-decoration: line-through;
    }
    .uses .cell {
      height: 2.7rem;
    }
    .uses .cell:has(.use) {
      padding-bottom: 1rem;
    }
    .cell .use {
      position: absolute;
      bottom: 0.45rem;
      letter-spacing: -0.06em;
      white-space: nowrap;
      color: var(--lit-lit);
    }
    .cell.waits {
      border-style: dotted;
      border-width: 2px;
    }
    .arrived .cell {
      animation: arrive 0.16s ease-out both;
    }
    @keyframes arrive {
      from {
        transform: translateX(0.6rem);
      }
    }
    .made {
      padding: 0.3rem 0.8rem;
      margin: 0.3rem 0 0;
      background: var(--panel);
      border: 1px solid var(--line);
      border-width: 1px 0;
      min-height: 2rem;
    }
    .made li {
      font: 0.65rem/1.3rem var(--mono);
    }
    .made .none {
      font: inherit;
      color: var(--soft);
    }
    .about {
      padding: 0.5rem 0.8rem;
      min-height: 2.1rem;
      line-height: 1.1rem;
    }
    .says {
      min-height: 2.8rem;
    }
    /* Side by side, what was computed is below both. */
    @container figure (min-width: 54rem) {
      .queues {
        display: grid;
        grid-template-columns: 1fr 1fr;
        row-gap: 0.3rem;
      }
      .queue {
        --cell: calc((100cqi - 2.7rem) / var(--slots));
      }
      .queue + .made + .queue {
        border-inline-start: 1px solid var(--line);
      }
      .made {
        grid-area: 2 / 1 / auto / -1;
        margin: 0;
      }
    }
    @container figure (max-width: 32rem) {
      .about {
        min-height: 4.3rem;
      }
      .says {
        min-height: 4.6rem;
      }
      .queue {
        --cell: min(1.25rem, (100cqi - 2.7rem) / var(--slots));
      }
      .slots {
        flex-wrap: wrap;
        align-content: start;
      }
      .cell {
        min-width: max-content;
        padding-inline: 0;
        font-size: 0.55rem;
        letter-spacing: -0.06em;
        white-space: nowrap;
      }
      .uses .cell {
        min-width: 1.25rem;
      }
    }
  `;

  start() {
    this.size = { segment: 3, mem_len: 6, c_mem_len: 4, rate: 3, name: FUNCTIONS[0] };
    this.turn = 6; // the picture without scripts shows the same
    this.chosen = null;
    const change = (name) => (value) => {
      this.size[name] = value;
      this.build();
    };
    const rate = this.slider(
      this.say("rate", { c: letter("c") }),
      [1, 4, 3],
      change("rate"),
    );
    const kind = this.choice(
      this.text("function"),
      FUNCTIONS.map((name) => [name, this.say(name)]),
      change("name"),
    );
    const dials = make(
      "div",
      { className: "dials" },
      this.slider(
        this.say("segment", { n: letter("n", "s") }),
        [2, 4, 3],
        change("segment"),
      ),
      this.slider(
        this.say("memory", { n: letter("n", "m") }),
        [2, 6, 6],
        change("mem_len"),
      ),
      this.slider(
        this.say("compressed", { n: letter("n", "cm") }),
        [1, 4, 4],
        change("c_mem_len"),
      ),
      rate,
      kind,
    );
    const titles = Array.from({ length: SEGMENTS }, (_, n) => `${n + 1}`);
    this.steps = this.player(
      titles,
      (turn) => {
        this.turn = turn;
        this.show();
      },
      2600,
    );
    this.steps.bar
      .querySelector("ol")
      .setAttribute("aria-label", this.text("segments"));
    this.says = make("p", { className: "says", ariaLive: "polite" });
    this.before = this.queue("before");
    this.after = this.queue("after");
    this.made = make("ul", { className: "made" });
    this.told = make("p", { className: "about", ariaLive: "polite" });
    const cases = {
      case_first: () => this.steps.go(0),
      case_two: () => rate.put(2),
      case_used: () => kind.put("most_used"),
    };
    this.stage.append(
      this.opening(dials, cases),
      this.steps.bar,
      this.says,
      make("div", { className: "queues" }, this.before.box, this.made, this.after.box),
      this.told,
    );
    this.build();
  }

  queue(name) {
    const slots = make("div", {
      className: "slots",
      role: "group",
      ariaLabel: this.text(name),
    });
    const at = (row, column) => slots.querySelectorAll(".cell")[column];
    this.walk(slots, {
      at: (row, column) => at(row, column),
      choose: (cell) => this.choose(cell.slot_, slots),
      other: (cell) =>
        this.twin(
          cell.slot_,
          slots === this.before.slots ? this.after.slots : this.before.slots,
        ),
    });
    return {
      slots,
      box: make(
        "div",
        { className: "queue" },
        make("p", { className: "title" }, this.say(name)),
        slots,
      ),
    };
  }

  build() {
    this.history = history(this.size);
    const wide = ({ before, read, lost, after }) =>
      Math.max(
        WIDE * before.c_mem.length + before.mem.length + read.length,
        WIDE * (lost.length + after.c_mem.length) + after.mem.length,
      );
    this.stage.style.setProperty("--slots", Math.max(...this.history.map(wide)));
    this.steps.go(this.turn);
  }

  /** A number with at most two decimal places. */
  number(value) {
    return `${Math.round(value * 100) / 100}`;
  }

  tokens({ first, last }) {
    return first === last ? `${first}` : `${first}–${last}`;
  }

  region(kind, name, slots, { fall = [], drop = [], wait = [], uses = false } = {}) {
    if (!slots.length) return "";
    const cells = slots.map((slot) => {
      const told = [
        this.text("slot", {
          region: this.words[name],
          tokens: this.tokens(slot),
          value: this.number(slot.value),
        }),
      ];
      if (uses) told.push(this.text("received", slot));
      if (drop.includes(slot)) told.push(this.words.no_slot);
      const cell = make(
        "button",
        { type: "button", className: "cell", tabIndex: -1, ariaLabel: told.join(", ") },
        this.number(slot.value),
        " ",
        make("small", {}, this.tokens(slot)),
        ...(uses ? [make("small", { className: "use" }, `${slot.use} %`)] : []),
      );
      cell.classList.toggle("falls", fall.includes(slot));
      cell.classList.toggle("dropped", drop.includes(slot));
      cell.classList.toggle("waits", wait.includes(slot));
      cell.slot_ = slot;
      cell.kind = kind;
      return cell;
    });
    return make(
      "div",
      { className: `region ${kind}` },
      make("span", {}, this.say(name)),
      make("div", {}, ...cells),
    );
  }

  show() {
    const {
      before,
      read,
      old,
      made,
      dropped: drop,
      lost,
      waiting: wait,
      after,
    } = this.history[this.turn];
    const { name, rate } = this.size,
      of = { fall: old, drop, uses: name === "most_used" };
    this.stage.classList.toggle("uses", of.uses);
    this.before.slots.replaceChildren(
      ...[
        this.region("compressed", "region_compressed", before.c_mem),
        this.region("memory", "region_memory", before.mem, of),
        this.region("segment", "region_segment", read, of),
      ].filter(Boolean),
    );
    this.after.slots.replaceChildren(
      ...[
        this.region("gone", "region_lost", lost),
        this.region("compressed", "region_compressed", after.c_mem),
        this.region("memory", "region_memory", after.mem, { wait }),
      ].filter(Boolean),
    );
    this.after.slots.classList.remove("arrived");
    this.after.slots.getBoundingClientRect();
    this.after.slots.classList.add("arrived");
    for (const { slots } of [this.before, this.after]) {
      for (const [column, cell] of slots.querySelectorAll(".cell").entries())
        Object.assign(cell.dataset, { row: 0, column });
      const first = slots.querySelector(".cell");
      if (first) first.tabIndex = 0;
    }
    const value = (slot) => make("b", { className: "value" }, this.number(slot.value));
    const sum = (slot) =>
      of.uses
        ? [this.say("kept", { ...slot.parts[0], value: value(slot) })]
        : [`${told(name, slot.parts, rate)} = `, value(slot)];
    const line = (kind, ...words) => make("li", { className: kind }, ...words);
    this.made.replaceChildren(
      ...(made.length
        ? made.map((slot) => line(of.uses ? "none" : "", ...sum(slot)))
        : [line("none", this.say("nothing_made", { rate }))]),
      ...(drop.length
        ? [
            line(
              "none",
              this.say(`dropped_${name}`, {
                n: drop.length,
                tokens: drop.map((one) => one.first).join(", "),
              }),
            ),
          ]
        : []),
    );
    const slots = before.c_mem.length + before.mem.length + read.length;
    const first = (before.c_mem[0] ?? before.mem[0] ?? read[0]).first;
    const reach = read.at(-1).last + 1 - first;
    this.says.replaceChildren(
      make(
        "b",
        {},
        this.say("turn", {
          turn: this.turn + 1,
          tokens: `${read[0].first}–${read.at(-1).last}`,
        }),
      ),
      " ",
      this.say("moves", { old: old.length, made: made.length, lost: lost.length }),
      " ",
      ...(wait.length ? [this.say("waits", { rate, waiting: wait.length }), " "] : []),
      this.say("reach", { slots, reach }),
    );
    this.choose(null);
  }

  twin(slot, slots) {
    return [...slots.querySelectorAll(".cell")].find((cell) =>
      cell.slot_.tokens.some((token) => slot.tokens.includes(token)),
    );
  }

  choose(slot, slots) {
    for (const cell of this.stage.querySelectorAll(".cell")) {
      const lit =
        Boolean(slot) && cell.slot_.tokens.some((token) => slot.tokens.includes(token));
      cell.classList.toggle("lit", lit);
      if (slots?.contains(cell)) cell.tabIndex = cell.slot_ === slot ? 0 : -1;
    }
    if (!slot) {
      this.told.replaceChildren(this.say("choose"));
      return;
    }
    const made =
      slot.parts && this.size.name === "most_used"
        ? this.say("of_kept", { ...slot.parts[0], value: this.number(slot.value) })
        : slot.parts
          ? this.say("of_slot", {
              tokens: slot.tokens.join(", "),
              sum: make("code", {}, told(this.size.name, slot.parts, this.size.rate)),
              value: this.number(slot.value),
            })
          : this.say("of_state", {
              tokens: this.tokens(slot),
              value: this.number(slot.value),
              use: slot.use,
            });
    this.told.replaceChildren(made);
  }
});

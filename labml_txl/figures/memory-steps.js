// The memory of a layer: what it keeps after each segment, and the lines of code that
// do it.

define(class extends Figure {
  static style = css`
    .queue {
      padding: 0.4rem 0.8rem 0.2rem;
    }
    .states {
      display: flex;
      flex-wrap: wrap;
      gap: 0.5rem 0.3rem;
      min-height: 3.1rem;
      padding-top: 0.2rem;
    }
    .region {
      color: var(--of);
      font-size: 0.58rem;
      line-height: 0.95rem;
      border-top: 3px solid var(--of);
    }
    .region > div {
      display: flex;
      gap: 3px;
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
      width: 1.5rem;
      height: 1.6rem;
      font-size: 0.65rem;
      color: var(--ink);
      cursor: pointer;
      border: 1px solid var(--of);
      background: color-mix(in srgb, var(--of) 12%, var(--bg));
    }
    .gone .cell {
      color: var(--soft);
      background: var(--bg);
      border-style: dashed;
    }
    .cut {
      align-self: end;
      font-size: 0.9rem;
      line-height: 1.7rem;
      color: var(--soft);
    }
    .arrived .cell {
      animation: arrive 0.3s ease-out both;
    }
    @keyframes arrive {
      from {
        transform: translateX(1.5rem);
      }
    }
    .code {
      padding: 0.4rem 0.8rem;
      margin-top: 0.4rem;
      background: var(--panel);
      border-top: 1px solid var(--line);
    }
    .code li {
      padding: 0.1rem 0.3rem;
      margin: 0 -0.3rem;
      font: 0.6rem/1.5 var(--mono);
      color: var(--soft);
      border-radius: 3px;
    }
    .code code {
      display: block;
      white-space: pre-wrap;
      overflow-wrap: anywhere;
    }
    .code .acts {
      color: var(--lit-lit);
      background: var(--lit-lit-bg);
      font-weight: 650;
    }
    .says {
      min-height: 3.4rem;
    }
    .told {
      padding: 0 0.8rem;
      min-height: 1.2rem;
      color: var(--soft);
    }
    @container (max-width: 32rem) {
      .cell {
        width: 1.15rem;
      }
      .says {
        min-height: 5.6rem;
      }
      .told {
        min-height: 2.3rem;
      }
    }
  `;

  start() {
    this.L = 3;
    this.M = 4;
    this.turn = 1;
    const change = (name) => (value) => {
      this[name] = value;
      this.build();
    };
    const segment = this.slider(
      this.say("long", { L: letter("L") }),
      [2, 5, 3],
      change("L"),
    );
    const memory = this.slider(
      this.say("length", { M: letter("M") }),
      [0, 6, 4],
      change("M"),
    );
    const dials = make("div", { className: "dials" }, segment, memory);
    const size = (L, M) => () => {
      segment.put(L);
      memory.put(M);
    };
    const titles = Array.from({ length: SEGMENTS }, (_, n) =>
      this.text("turn", { n: n + 1 }),
    );
    this.steps = this.player(titles, (turn) => {
      this.turn = turn;
      this.show();
    });
    this.says = make("p", { className: "says", ariaLive: "polite" });
    this.told = make("p", { className: "told", ariaLive: "polite" });
    this.now = this.queue("now");
    this.next_ = this.queue("kept");
    this.code = make("ol");
    this.stage.append(
      this.opening(dials, {
        case_short: size(4, 2),
        case_long: size(2, 6),
        case_none: size(3, 0),
      }),
      this.steps.bar,
      this.says,
      this.now.box,
      this.next_.box,
      this.told,
      make(
        "div",
        { className: "code" },
        make("p", { className: "title" }, this.say("code")),
        this.code,
      ),
    );
    this.build();
  }

  queue(name) {
    const states = make("div", {
      className: "slots states",
      role: "group",
      ariaLabel: this.text(name),
    });
    const cells = () => [...states.querySelectorAll(".cell")];
    this.walk(states, {
      at: (row, column) => cells()[column],
      choose: (cell) => this.choose(+cell.dataset.state),
      other: ({ dataset }) => {
        const there = states === this.now.states ? this.next_.states : this.now.states;
        return there.querySelector(`[data-state="${dataset.state}"]`);
      },
    });
    return {
      states,
      box: make(
        "div",
        { className: "queue" },
        make("p", { className: "title" }, this.say(name)),
        states,
      ),
    };
  }

  build() {
    this.history = history(this.L, this.M);
    this.steps.go(this.turn);
  }

  region(kind, states) {
    const cells = states.map((state) => {
      const cell = make(
        "button",
        {
          type: "button",
          className: "cell",
          tabIndex: -1,
          ariaLabel: this.text("state", { n: state }),
        },
        `${state}`,
      );
      cell.dataset.state = state;
      return cell;
    });
    return states.length
      ? [
          make(
            "div",
            { className: `region ${kind}` },
            this.say(kind),
            make("div", {}, ...cells),
          ),
        ]
      : [];
  }

  show() {
    const { mem, states, kept, from, after, dropped } = this.history[this.turn];
    const { L, M } = this;
    const cut = mem.length
      ? [make("span", { className: "cut", title: this.text("cut") }, "✂")]
      : [];
    this.now.states.replaceChildren(
      ...this.region("memory", mem),
      ...cut,
      ...this.region("segment", states),
    );
    this.next_.states.replaceChildren(
      ...this.region("gone", dropped),
      ...this.region("memory", after),
    );
    this.next_.states.classList.remove("arrived");
    this.next_.states.getBoundingClientRect();
    this.next_.states.classList.add("arrived");
    for (const queue of [this.now.states, this.next_.states]) {
      for (const [column, cell] of queue.querySelectorAll(".cell").entries())
        Object.assign(cell.dataset, { row: 0, column });
    }
    const values = {
      turn: this.turn + 1,
      first: states[0],
      last: states.at(-1),
      keys: mem.length + L,
      old: mem.length,
      n: dropped.length,
      from: after[0],
      to: after.at(-1),
    };
    const fate = !M ? "keeps_none" : dropped.length ? "keeps_drops" : "keeps_all";
    this.says.replaceChildren(
      make("b", {}, this.say("title", values)),
      " ",
      this.say(mem.length ? "reads" : "reads_alone", values),
      " ",
      this.say(fate, values),
    );
    const list = (these) => `[${these.join(" ")}]`;
    const lines = [
      ["context = torch.cat((mem.detach(), x))", list([...mem, ...states]), mem.length],
      ["if not mem_len: return []", M ? "" : "[]", !M],
      ["kept = max(mem_len - len(new), 0)", `max(${M} - ${L}, 0) = ${kept}`, false],
      [
        "kept_old = old[max(len(old) - kept, 0) :]",
        `old[${from} :] = ${list(mem.slice(from))}`,
        M && mem.slice(from).length,
      ],
      ["torch.cat((kept_old, new[-mem_len:]))", list(after), M],
    ];
    this.code.replaceChildren(
      ...lines.map(([words, value, acts], n) =>
        make(
          "li",
          { className: acts ? "acts" : "" },
          make("code", {}, value && (M || n < 2) ? `${words}  # ${value}` : words),
        ),
      ),
    );
    this.choose(states[0]);
  }

  /** A state, in both queues. */
  choose(state) {
    for (const queue of [this.now.states, this.next_.states]) {
      const cells = [...queue.querySelectorAll(".cell")];
      const mine = cells.find((cell) => +cell.dataset.state === state);
      for (const cell of cells) {
        cell.classList.toggle("lit", cell === mine);
        cell.tabIndex = cell === (mine ?? cells[0]) ? 0 : -1;
      }
    }
    const gone = this.history.findIndex(({ dropped }) => dropped.includes(state));
    this.told.replaceChildren(
      this.say(gone < 0 ? "stays" : "leaves", { n: state, turn: gone + 1 }),
    );
  }
});

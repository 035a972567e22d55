// Absolute positions: two tokens with the same number, and the distances that tell them apart.

define(class extends Figure {
  static style = css`
    .net {
      display: grid;
      gap: 0.35rem;
      padding: 0.8rem 0.8rem 0.4rem;
    }
    .net > div {
      display: grid;
      grid-template-columns: 5.4rem repeat(${TOKENS}, minmax(0, 1fr));
      align-items: end;
    }
    .net [role="rowheader"],
    .above span {
      padding-inline-end: 0.3rem;
      font-size: 0.58rem;
      line-height: 0.8rem;
      color: var(--soft);
    }
    .regions b {
      padding: 0.1rem 0 0 0.1rem;
      margin-right: 2px;
      overflow: hidden;
      font-size: 0.56rem;
      font-weight: 400;
      line-height: 0.9rem;
      color: var(--of);
      white-space: nowrap;
      border-top: 3px solid var(--of);
    }
    .above {
      padding-bottom: 0;
    }
    .tokens i {
      font: 0.55rem/0.8rem var(--mono);
      text-align: center;
      color: var(--soft);
    }
    .above + .net {
      padding-top: 0.2rem;
    }
    .memory {
      --of: var(--accent);
    }
    .segment {
      --of: var(--lit-shape);
    }
    .net .cell {
      height: 2.2rem;
      margin-right: 2px;
      align-content: end;
      padding-bottom: 0.25rem;
      font-size: 0.58rem;
      color: var(--ink);
      cursor: pointer;
      border: 1px solid var(--edge);
      background: linear-gradient(
        to top,
        color-mix(in srgb, var(--soft) 26%, var(--bg)) var(--high),
        var(--bg) 0
      );
    }
    .net .cell.beyond {
      color: var(--soft);
      border-style: dashed;
      background: var(--bg);
    }
    .net .cell.query {
      font-weight: 700;
      border: 2px solid var(--ink);
    }
    .net .cell.twin {
      outline: 2px dashed var(--lit-lit);
      outline-offset: 1px;
      z-index: 2;
    }
    .says {
      min-height: 3.9rem;
    }
    @container (max-width: 32rem) {
      .net > div {
        grid-template-columns: repeat(${TOKENS}, minmax(0, 1fr));
      }
      .net [role="rowheader"],
      .above span {
        grid-column: 1 / -1;
      }
      .regions span {
        display: none;
      }
      .net .cell {
        margin-right: 1px;
        font-size: 0.55rem;
      }
      .says {
        min-height: 6.6rem;
      }
    }
  `;

  start() {
    this.size = { segment: 4, mem_len: 4, start: 8 };
    this.query = 2;
    this.token = 5;
    const change = (name) => (value) => {
      this.size[name] = value;
      this.build();
    };
    const segment = this.slider(
      this.say("segment", { L: letter("L") }),
      [2, 6, 4],
      change("segment"),
    );
    const memory = this.slider(
      this.say("memory", { M: letter("M") }),
      [0, 6, 4],
      change("mem_len"),
    );
    const dials = make(
      "div",
      { className: "dials" },
      segment,
      memory,
      this.slider(this.say("start"), [0, 10, 8], change("start")),
      this.slider(this.say("query"), [1, 6, 3], (value) => {
        this.query = value - 1;
        this.build();
      }),
    );
    const size = (long, mem_len, token) => () => {
      this.token = token;
      segment.put(long);
      memory.put(mem_len);
    };
    const cases = {
      case_collide: size(4, 4, 5),
      case_longer: size(2, 6, 4),
      case_none: size(4, 0, 8),
    };
    this.net = make("div", {
      className: "net",
      role: "grid",
      ariaLabel: this.text("net"),
    });
    this.regions = make("div", { className: "regions" });
    this.rows = ["absolute", "distance"].map((name) => {
      const cells = Array.from({ length: TOKENS }, (_, column) => {
        const cell = make("button", {
          type: "button",
          className: "cell",
          role: "gridcell",
          tabIndex: -1,
        });
        Object.assign(cell.dataset, { row: name === "absolute" ? 0 : 1, column });
        return cell;
      });
      this.net.append(
        make(
          "div",
          { className: name, role: "row" },
          make("span", { role: "rowheader" }, this.say(`row_${name}`)),
          ...cells,
        ),
      );
      return cells;
    });
    this.walk(this.net, {
      narrow: true,
      at: (row, column) => this.rows[row]?.[column],
      choose: (cell) => {
        this.token = +cell.dataset.column;
        this.row = +cell.dataset.row;
        this.light();
      },
      other: (cell) => this.rows[1 - cell.dataset.row][cell.dataset.column],
    });
    this.row = 0;
    this.says = make("p", { className: "says", ariaLive: "polite" });
    const tokens = make(
      "div",
      { className: "tokens" },
      make("span", {}, this.say("row_token")),
      ...Array.from({ length: TOKENS }, (_, n) => make("i", {}, `${n}`)),
    );
    const head = make(
      "div",
      { className: "net above", ariaHidden: "true" },
      this.regions,
      tokens,
    );
    this.stage.append(this.opening(dials, cases), this.says, head, this.net);
    this.build();
  }

  build() {
    const { start, segment, mem_len } = this.size,
      first = Math.max(0, start - mem_len),
      last = Math.min(TOKENS, start + segment);
    this.at = Math.min(last - 1, start + Math.min(this.query, segment - 1));
    const region = (name, from, to) =>
      to > from
        ? make(
            "b",
            { className: name, style: `grid-column: span ${to - from}` },
            this.say(name === "memory" ? "region_memory" : "region_segment"),
          )
        : "";
    const gap = first ? [make("i", { style: `grid-column: span ${first}` })] : [];
    this.regions.replaceChildren(
      make("span"),
      ...gap,
      ...[region("memory", first, start), region("segment", start, last)].filter(
        Boolean,
      ),
    );
    const visible = seen(this.size, this.at);
    for (const [row, cells] of this.rows.entries()) {
      for (const [token, cell] of cells.entries()) {
        const inside = visible.includes(token),
          number = row ? this.at - token : position(this.size, token);
        const like = row
          ? relative(this.at, token)
          : absolute(this.size, this.at, token);
        cell.replaceChildren(inside ? `${number}` : "·");
        cell.style.setProperty("--high", `${Math.max(0, like) * 100}%`);
        cell.classList.toggle("beyond", !inside);
        cell.classList.toggle("query", token === this.at);
        cell.setAttribute(
          "aria-label",
          `${cell.textContent}: ${this.text(inside ? (row ? "cell_distance" : "cell_absolute") : "cell_beyond", { token })}`,
        );
      }
    }
    if (!visible.includes(this.token)) this.token = visible[0];
    this.light();
  }

  light() {
    const visible = seen(this.size, this.at),
      inside = visible.includes(this.token);
    const twins = inside ? collisions(this.size, this.at, this.token) : [];
    for (const [row, cells] of this.rows.entries()) {
      for (const [token, cell] of cells.entries()) {
        cell.classList.toggle("lit", token === this.token);
        cell.classList.toggle("twin", twins.includes(token));
        cell.tabIndex = token === this.token && row === this.row ? 0 : -1;
      }
    }
    const told = (token) => ({
      token,
      query: this.at,
      position: position(this.size, token),
      distance: this.at - token,
      twins: twins.join(", "),
      distances: twins.map((one) => this.at - one).join(", "),
    });
    const name = !inside
      ? "beyond"
      : (["alone", "collide"][twins.length] ?? "collide_many");
    this.says.replaceChildren(
      make("b", {}, this.say(`${name}_title`, told(this.token))),
      " ",
      this.say(name, told(this.token)),
    );
  }
});

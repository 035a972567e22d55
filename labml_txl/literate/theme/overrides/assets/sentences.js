// The translators' panel. Data of the page say which line of which file has each
// translated sentence. Pointing at a sentence, or touching it, shows a link to edit it,
// and the panel shows the original beside it. The data come from contributors, so they
// only become text, never HTML.
(async () => {
  "use strict";

  const config = JSON.parse(document.getElementById("__labels").textContent);
  const answer = await fetch(config.sentences).catch(() => null);
  const {
    edit,
    labels,
    original,
    sentences = [],
  } = answer?.ok ? await answer.json() : {};

  const make = (tag, options = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), options);
    element.append(...children);
    return element;
  };

  // --- Finding the sentence of a block ----------------------------------------------

  const BLOCKS = "p, h1, h2, h3, h4, h5, h6, li, td, th, dt, dd, figcaption";
  const ADDED = ".katex, .headerlink, .lit-mark, .lit-card, .lit-code";

  /** The letters and digits of a block, without formulas and nested blocks. */
  const lettersOf = (block) => {
    const copy = block.cloneNode(true);
    for (const part of copy.querySelectorAll(`${BLOCKS}, ul, ol, pre, table, ${ADDED}`))
      part.remove();
    return copy.textContent.replace(/[^\p{L}\p{N}]/gu, "");
  };

  const known = new Map(sentences.map((sentence) => [sentence[1], sentence]));
  const found = new Map();
  for (const block of document.querySelectorAll(`.md-content :is(${BLOCKS})`)) {
    const sentence = known.get(lettersOf(block));
    if (sentence) found.set(block, sentence);
  }
  const blocks = [...found.keys()];
  if (!blocks.length) return;

  // --- The link to edit a sentence ------------------------------------------------------

  let current = blocks[0];
  const offer = make("button", {
    type: "button",
    className: "lit-offer-edit",
    textContent: labels.sentence_edit,
  });
  const choose = ({ target }) => {
    const block = target.closest?.(BLOCKS);
    if (!found.has(block) || panel.contains(target)) return;
    select(block);
    offer.classList.add("lit-shown");
  };
  offer.addEventListener("click", () => open());

  // --- The panel -----------------------------------------------------------------------

  const { lang } = document.documentElement;
  const { direction } = getComputedStyle(document.querySelector(".md-content"));
  const english = make("p", original);
  const words = make("p", { lang, dir: direction });
  const link = make("a", { textContent: labels.sentence_edit, rel: "edit" });
  const button = (label, sign, act) => {
    const made = make("button", { type: "button", title: label, textContent: sign });
    made.setAttribute("aria-label", label);
    made.addEventListener("click", act);
    return made;
  };
  const step = (by) => {
    select(blocks[(blocks.indexOf(current) + by + blocks.length) % blocks.length]);
    current.scrollIntoView({ block: "center" });
  };
  const close = () => {
    panel.hidden = true;
    offer.hidden = false;
    current.classList.remove("lit-edited");
    offer.focus({ preventScroll: true });
  };
  const panel = make(
    "aside",
    { className: "lit-sentences", hidden: true },
    make("div", { className: "lit-both" }, english, words),
    make(
      "p",
      { className: "lit-ways" },
      link,
      button(labels.sentence_previous, "\u2191", () => step(-1)),
      button(labels.sentence_next, "\u2193", () => step(1)),
      button(labels.close, "\u00d7", close),
    ),
  );
  panel.setAttribute("aria-label", labels.sentences);
  english.setAttribute("aria-live", "polite");
  panel.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") close();
  });

  const select = (block) => {
    current.classList.remove("lit-edited");
    current = block;
    if (panel.hidden) return;
    const [line, , original, translation] = found.get(block);
    english.textContent = original;
    words.textContent = translation;
    link.href = `${edit}#L${line}`;
    block.classList.add("lit-edited");
  };
  const open = () => {
    panel.hidden = false;
    offer.hidden = true;
    select(current);
    link.focus({ preventScroll: true });
  };

  document.querySelector(".md-content").append(offer, panel);
  for (const event of ["pointerover", "focusin"])
    document.addEventListener(event, choose);
  choose({ target: [...document.querySelectorAll(":hover")].at(-1) ?? document });
  document.addEventListener("pointerover", ({ target }) => {
    if (!target.closest?.(".md-content")) offer.classList.remove("lit-shown");
  });
})();

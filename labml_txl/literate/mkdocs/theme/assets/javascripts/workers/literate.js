// What a reader types, in words that the index knows, and the pages that answer in the
// order of their worth. The searching is Material's: its own worker, named after `#`.
"use strict";

let search; // what Material's worker does with a message
let index; // its configuration
let sought = []; // the words of the last question
const titles = new Map(); // of pages, as words
const { postMessage: answer } = self;

self.addEventListener = (_, listener) => { search = listener; };
self.postMessage = (told) => {
  if (told.data?.items) told.data.items = ranked(told.data.items);
  answer.call(self, told);
};
importScripts(location.hash.slice(1));

self.onmessage = ({ data: { type, data } }) => {
  if (data.docs) prepare(data);
  search({ data: { type, data: typeof data === "string" ? reworded(data) : data } });
};

const words = (text) => text.toLowerCase().replace(/<[^>]*>/g, "").split(new RegExp(index.separator)).filter(Boolean);

function prepare({ config, docs }) {
  index = config;
  for (const { location: place, title } of docs) if (!place.includes("#")) titles.set(place, words(title));
}

/** A question without its little words, unless it has no others. Whoever uses signs, as
    quotation marks, means what is written. */
function reworded(question) {
  const all = words(question);
  const filters = ["en", ...index.lang].map((lang) => (lang === "en" ? lunr : lunr[lang])?.stopWordFilter);
  const telling = all.filter((word) => filters.every((keeps) => !keeps || keeps(word)));
  sought = telling.length ? telling : all;
  return whole(/["*^~]|(^|\s)[+-]\S/.test(question) ? question : sought.join(" "));
}

/** Material divides a run of Chinese into words of the index and leaves out its last sign:
    so it gets one more, which is no word. */
const whole = (question) => (index.lang.includes("zh") ? question.replace(/\p{sc=Han}{3,}/gu, "$&〇") : question);

/** Whether a word of a title is asked for. Chinese is typed without spaces. */
const meets = (one, word) => one.startsWith(word) || (/^\p{sc=Han}{2,}$/u.test(one) && word.includes(one));

/** What the place of a page takes from its worth. The page of equations repeats the others.
    A page in no folder tells of many things, and a title that says much else too
    is hardly an answer. */
function weight(place, named, full) {
  if (place === "equations/") return 0.7;
  return /^[^/]*\/?$/.test(place) && named && full < 0.5 ? 0.15 : 1;
}

/** A page is worth what its best part is worth and some of the others, and more, the more
    of the words it has, and has in its own title, and the less else that title says. */
function ranked(pages) {
  const worth = (parts) => {
    const [place] = parts[0].location.split("#");
    const title = titles.get(place) ?? [];
    const share = (has) => sought.filter(has).length / sought.length;
    const held = share((word) => parts.some(({ terms }) => terms[word]));
    const named = share((word) => title.some((one) => meets(one, word)));
    const full = title.filter((one) => sought.some((word) => meets(one, word))).length / (title.length || 1);
    const scores = parts.map(({ score }) => score);
    const all = scores.reduce((sum, score) => sum + score);
    const told = weight(place, named, full);
    const best = Math.max(...scores);
    // What was divided into other words is worth what Material says.
    if (!held) return best * told;
    return (best + all / 20) * told * held ** 3 * (1 + named) * (1 + named * full) ** 2;
  };
  return pages.map((parts) => [worth(parts), parts]).sort(([a], [b]) => b - a).map(([, parts]) => parts);
}

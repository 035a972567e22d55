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
  return /["*^~]|(^|\s)[+-]\S/.test(question) ? question : sought.join(" ");
}

/** A page is worth what its best part is worth and some of the others, and more, the more
    of the words it has, and has in its own title. */
function ranked(pages) {
  const worth = (parts) => {
    const title = titles.get(parts[0].location.split("#")[0]) ?? [];
    const share = (has) => sought.filter(has).length / sought.length;
    const held = share((word) => parts.some(({ terms }) => terms[word]));
    const named = share((word) => title.some((one) => one.startsWith(word)));
    const scores = parts.map(({ score }) => score);
    const all = scores.reduce((sum, score) => sum + score);
    return (Math.max(...scores) + all / 20) * held ** 3 * (1 + named) ** 2;
  };
  return pages.map((parts) => [worth(parts), parts]).sort(([a], [b]) => b - a).map(([, parts]) => parts);
}

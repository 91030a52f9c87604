// Scores of Sphinx's search, which reads this before its own: guides come before the reference, and
// attributes last. An entry of the index or the glossary that is the query has 100.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score: ([page, title, anchor, description, score, file, kind]) => {
    if (/^Python method/.test(description)) return score - 5;
    if (/^Python (attribute|property)/.test(description)) return score - 15;
    if (kind === "object") return score;
    return score + (page.startsWith("reference/objects/") ? 0 : score >= 7 ? 10 : 1);
  },
};

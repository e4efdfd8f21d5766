// The index without this script is whole: it only hides rows, and keeps in the address
// what was asked.
"use strict";
const NAMES = ["paper", "status", "topic", "grade", "words"];
const fields = NAMES.map(name => document.getElementById(name));
const words = document.getElementById("words");
const rows = [...document.querySelectorAll("tr[data-status]")];
const bodies = [...document.querySelectorAll("table.index tbody")];
const shown = document.getElementById("shown");
const hits = document.getElementById("hits");
const about = document.getElementById("about");

const GREEK = {α: "alpha", β: "beta", γ: "gamma", δ: "delta", ε: "epsilon", ζ: "zeta",
  η: "eta", θ: "theta", κ: "kappa", λ: "lambda", μ: "mu", ν: "nu", ξ: "xi", π: "pi",
  ρ: "rho", σ: "sigma", τ: "tau", φ: "phi", χ: "chi", ψ: "psi", ω: "omega"};
const KINDS = {eq: "equations?|eqn?s?|formulae?|formulas", theorem: "theorems?|thms?",
  proposition: "propositions?|props?", lemma: "lemmas?|lemmata",
  definition: "definitions?|defs?", figure: "figures?|figs?", table: "tables?|tabs?",
  footnote: "footnotes?", section: "sections?|secs?|appendix|appendices|app"};
const NUMBER = "(?:[a-z]\\.)?\\d+(?:\\.\\d+)*";
const NAMED = Object.entries(KINDS).map(([kind, spellings]) =>
  [new RegExp(`\\b(?:${spellings})\\.?\\s*\\(?(${NUMBER})\\)?`, "g"), `${kind} $1`]);

// One spelling for all: letters without marks, Greek in words, British as American.
function fold(text) {
  text = text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "")
    .replace(/[α-ω]/g, letter => " " + (GREEK[letter] ?? letter) + " ")
    .replace(/[−–—]/g, "-").replace(/[·×]/g, "*").replace(/≤/g, "<=").replace(/≥/g, ">=")
    .replace(/\\(left|right)/g, "").replace(/[\\{}$]/g, "").replace(/\s+/g, " ");
  for (const [spelling, kind] of NAMED) text = text.replace(spelling, kind);
  return text.replace(/\s*([-+*/=^_<>|])\s*/g, "$1").replace(/([([]) /g, "$1")
    .replace(/ ([)\]])/g, "$1").replace(/z/g, "s").replace(/([a-z]{2})our/g, "$1or")
    .replace(/ll/g, "l").replace(/parameteri/g, "parametri").replace(/centre/g, "center")
    .replace(/grey/g, "gray").replace(/lambda/g, "lam").trim();
}

const quoted = text => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const alone = text => new RegExp(`(?<![\\w.])${quoted(text)}(?![\\w]|\\.\\d)`);

// What is asked, as tests of a row: each says whether it fits, by its number (4), by its
// paper (2), or by anything else.
function tests(asked) {
  const kinds = Object.keys(KINDS).map(fold).join("|");
  const words = new RegExp(`(?:${kinds}) ${NUMBER}|\\S+`, "g");
  const parts = fold(asked).replace(/[,;]( |$)/g, " ").match(words) ?? [];
  return parts.map(part => {
    const named = part.match(new RegExp(`^(?:${kinds}) ${NUMBER}$`));
    const bare = part.match(new RegExp(`^\\(?(${NUMBER})\\)?$`));
    if (!named && !bare)
      return row => row.id === part ? 4
        : row.text.includes(part) && (row.paper.includes(part) ? 2 : 1);
    const number = named ? part : bare[1], whole = alone(number);
    return row => (named ? row.label === number : row.label.endsWith(" " + number)) ? 4
      : whole.test(row.text) && 1;
  });
}

const papers = Object.fromEntries([...fields[0].options].map(
  option => [option.value, fold(`${option.value} ${option.text}`)]));
const read = rows.map(element => ({
  element, data: element.dataset, label: fold(element.dataset.label),
  id: fold(element.querySelector(".id").textContent),
  paper: papers[element.dataset.paper], text: ""}));

function filter() {
  const [paper, status, topic, grade, asked] = fields.map(field => field.value.trim());
  const fits = tests(asked);
  const found = [];
  for (const row of read) {
    const {data} = row;
    let good = (!paper || data.paper === paper) && (!status || data.status === status)
      && (!topic || data.topic === topic) && (!grade || data.grade === grade);
    let best = 0, least = 4;
    if (good && fits.length) {
      row.text ||= fold(row.element.id + " " + data.words);
      for (const one of fits) {
        const worth = one(row);
        good &&= Boolean(worth);
        best = Math.max(best, worth);
        least = Math.min(least, worth);
      }
    }
    row.element.hidden = !good;
    if (good) found.push([best === 4 && least > 1, row]);
  }
  for (const body of bodies)
    body.hidden = !body.querySelector("tr[data-status]:not([hidden])");
  const direct = found.filter(([isNamed]) => isNamed).slice(0, 12);
  hits.replaceChildren(...direct.map(([, row]) => {
    const item = document.createElement("li");
    item.append(row.element.querySelector(".named").cloneNode(true),
      row.element.querySelector(".badge").cloneNode(true));
    return item;
  }));
  hits.hidden = !direct.length;
  about.hidden = Boolean(asked || paper || status || topic || grade);
  shown.textContent = `${found.length} of ${rows.length} rows`;
}

// The address has what is asked, as #status=refuted&words=59; a row's is #zucchet-59.
function keep() {
  const state = new URLSearchParams();
  NAMES.forEach((name, at) => fields[at].value && state.set(name, fields[at].value));
  history.replaceState(null, "", `${state}` ? `#${state}` : location.pathname);
}

function follow() {
  const hash = location.hash.slice(1);
  if (hash.includes("=") || !hash) {
    const state = new URLSearchParams(hash || location.search);
    NAMES.forEach((name, at) => { fields[at].value = state.get(name) ?? ""; });
    return filter();
  }
  const row = document.getElementById(decodeURIComponent(hash));
  if (!row?.hidden) return;
  for (const field of fields) field.value = "";
  filter();
  row.scrollIntoView();
  row.querySelector("a").focus();
}

const form = document.getElementById("filters");
form.hidden = false;
for (const field of fields)
  field.addEventListener("input", () => { filter(); keep(); });
form.addEventListener("submit", event => {
  event.preventDefault();
  (hits.querySelector("a") ?? document.querySelector("tr[data-status]:not([hidden]) a"))
    ?.click();
});
addEventListener("keydown", event => {
  if (event.key !== "/" || event.target.matches("input, select")) return;
  event.preventDefault();
  words.focus();
});
addEventListener("hashchange", follow);
filter();
follow();

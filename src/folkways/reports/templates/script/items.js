/* Items. Columns come either as values or as codes into distinct values. */
const columns = JSON.parse(byId("sample").textContent);
const cell = (name, row) => {
  const column = columns[name];
  return Array.isArray(column) ? column[row] : column.values[column.codes[row]];
};
const size = Array.isArray(columns.item) ? columns.item.length : columns.item.codes.length;
const PAGE = 25;
const searched = ["item", "text", "gold", "response", "answer", "reason", "culture_name"];
let haystack = null;
const hay = () => {
  haystack ??= Array.from({ length: size }, (_, row) => searched.map((name) => cell(name, row) ?? "").join("\n").toLocaleLowerCase());
  return haystack;
};
const selects = [...document.querySelectorAll("#filters select")];
const box = byId("search");
const list = byId("list");
let rows = [];
let page = 0;

for (const select of selects) {
  const column = columns[select.dataset.column];
  const values = [...new Set(Array.isArray(column) ? column : column.values)].filter((value) => value);
  select.append(new Option("all", ""), ...values.sort((a, b) => a.localeCompare(b)).map((value) => new Option(value, value)));
  select.closest(".field").hidden = values.length < 2;
}

const part = (title, content, language) => {
  const value = make("dd");
  const words = make("span", "words", content);
  words.dir = "auto";
  if (language) words.lang = language;
  value.append(words);
  const pair = make("div");
  pair.append(make("dt", "", title), value);
  return pair;
};

const entry = (row) => {
  const outcome = cell("outcome", row) || cell("state", row);
  const details = make("details", "item");
  const summary = make("summary");
  const question = make("span", "question", cell("text", row) ?? cell("item", row));
  question.dir = "auto";
  const where = [cell("culture_name", row), cell("language_name", row), cell("variant", row)].filter((value) => value).join(" · ");
  const verdict = make("span", `verdict ${outcome.replaceAll(" ", "-")}`, outcome);
  summary.append(verdict, question, make("span", "where", `${where} · ${cell("endpoint", row)}`));
  details.append(summary);
  details.addEventListener("toggle", () => {
    if (!details.open || details.childElementCount > 1) return;
    const language = cell("language", row);
    const parts = make("dl", "method");
    if (cell("response", row) !== null) parts.append(part("Reply", cell("response", row), language));
    if (cell("answer", row) !== null) parts.append(part("Read as", cell("answer", row), language));
    if (cell("gold", row) !== null) parts.append(part("Accepted", cell("gold", row)));
    if (cell("reason", row) !== null) parts.append(part("Why", cell("reason", row)));
    parts.append(part("State", cell("state", row)));
    if (cell("details", row)) parts.append(part("Measured", cell("details", row)));
    parts.append(part("Item", `${cell("task", row)}  ${cell("item", row)}`));
    details.append(parts);
  });
  const element = make("li");
  element.append(details);
  return element;
};

const show = () => {
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  page = Math.min(Math.max(page, 0), pages - 1);
  list.replaceChildren(...rows.slice(page * PAGE, (page + 1) * PAGE).map(entry));
  list.start = page * PAGE + 1;
  byId("page").textContent = `${page + 1} of ${pages}`;
  byId("pages").hidden = pages < 2;
  byId("back").disabled = page === 0;
  byId("on").disabled = page === pages - 1;
};

const filter = () => {
  const wanted = box.value.trim().toLocaleLowerCase().split(/\s+/u).filter((word) => word);
  const chosen = selects.filter((select) => select.value).map((select) => [select.dataset.column, select.value]);
  rows = [];
  for (let row = 0; row < size; row += 1) {
    if (!chosen.every(([name, value]) => cell(name, row) === value)) continue;
    if (wanted.length && !wanted.every((word) => hay()[row].includes(word))) continue;
    rows.push(row);
  }
  page = 0;
  byId("found").textContent = `${rows.length} of ${size} items`;
  show();
};

const turn = (step) => {
  page += step;
  show();
  byId("found").textContent = `${rows.length} of ${size} items, page ${page + 1}`;
  list.querySelector("summary")?.focus();
};

let waiting = 0;
const soon = () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); };
const form = byId("filters");
form.hidden = false;
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(filter));
box.addEventListener("input", soon);
for (const select of selects) select.addEventListener("change", filter);
byId("back").addEventListener("click", () => turn(-1));
byId("on").addEventListener("click", () => turn(1));
filter();

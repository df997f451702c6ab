/* The browser of items. Its data are unpacked when it is opened; columns are distinct values and codes into them, so that words are
   looked for once per distinct text, and only the rows in sight are in the document. */
const opener = byId("open-items");
const SEARCHED = ["item", "text", "gold", "response", "answer", "reason", "culture_name"];
const list = byId("list");
const box = byId("search");
const form = byId("filters");
const selects = [...form.querySelectorAll("select")];
const spacer = make("div", "spacer");
let columns = {};
let size = 0;
let found = new Uint32Array(0);
let active = -1;

const unpack = async () => {
  const bytes = Uint8Array.from(atob(byId("items-data").textContent), (letter) => letter.charCodeAt(0));
  const packed = JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
  size = Math.max(...Object.values(packed).map((column) => (column.codes ?? column.values).length));
  for (const [name, { values, codes }] of Object.entries(packed)) {
    columns[name] = { values, codes: codes ? Uint32Array.from(codes) : Uint32Array.from({ length: size }, (_, row) => row) };
  }
};
const cell = (name, row) => columns[name].values[columns[name].codes[row]];

const lowered = (name) => {
  columns[name].lowered ??= columns[name].values.map((value) => (value ?? "").toLocaleLowerCase());
  return columns[name].lowered;
};

/* Rows in which a word stands in some column. */
const rowsWith = (word) => {
  const rows = new Uint8Array(size);
  for (const name of SEARCHED) {
    const { codes } = columns[name];
    const hits = Uint8Array.from(lowered(name), (value) => value.includes(word));
    for (let row = 0; row < size; row += 1) rows[row] |= hits[codes[row]];
  }
  return rows;
};

const filter = () => {
  const words = box.value.trim().toLocaleLowerCase().split(/\s+/u).filter((word) => word);
  const tests = selects.filter((select) => select.value).map((select) => {
    const { values, codes } = columns[select.dataset.column];
    return [codes, values.indexOf(select.value)];
  });
  const hits = words.map(rowsWith);
  const rows = new Uint32Array(size);
  let amount = 0;
  for (let row = 0; row < size; row += 1) {
    if (tests.every(([codes, code]) => codes[row] === code) && hits.every((matching) => matching[row])) {
      rows[amount] = row;
      amount += 1;
    }
  }
  found = rows.subarray(0, amount);
  active = -1;
  list.scrollTop = 0;
  list.hidden = amount === 0;
  byId("found").textContent = `${count(amount)} of ${count(size)} items`;
  byId("item").replaceChildren(make("p", "note", amount ? "Choose an item to read it." : "Nothing matches. Take a filter away, or search for less."));
  draw();
};

const rowHeight = () => Number.parseFloat(getComputedStyle(list).getPropertyValue("--row")) * Number.parseFloat(getComputedStyle(document.documentElement).fontSize);

const option = (at, height) => {
  const row = found[at];
  const outcome = cell("outcome", row) || cell("state", row);
  const line = make("div", "option");
  line.setAttribute("role", "option");
  line.id = `option-${at}`;
  line.setAttribute("aria-setsize", found.length);
  line.setAttribute("aria-posinset", at + 1);
  line.setAttribute("aria-selected", at === active);
  line.style.setProperty("top", `${at * height}px`);
  const question = make("span", "question", cell("text", row) ?? cell("item", row));
  question.dir = "auto";
  const where = [cell("culture_name", row), cell("language_name", row), cell("endpoint", row)].filter((value) => value).join(" · ");
  line.append(make("span", `verdict ${outcome.replaceAll(" ", "-")}`, outcome), question, make("span", "where", where));
  return line;
};

/* The rows in sight and some above and below them. */
const draw = () => {
  const height = rowHeight();
  spacer.style.setProperty("height", `${found.length * height}px`);
  const first = Math.max(0, Math.floor(list.scrollTop / height) - 5);
  const last = Math.min(found.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + 5);
  spacer.replaceChildren(...Array.from({ length: Math.max(0, last - first) }, (_, step) => option(first + step, height)));
  if (active >= first && active < last) list.setAttribute("aria-activedescendant", `option-${active}`);
  else list.removeAttribute("aria-activedescendant");
};

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

/* A button to the same question about every culture, where several are asked it: "KR/Al-en-06" and "ET/Al-en-06". */
const everywhere = (row) => {
  const { values, codes } = columns.item;
  const key = cell("item", row).split("/").slice(-1)[0];
  const same = Uint8Array.from(values, (item) => item === key || item.endsWith(`/${key}`));
  const cultures = new Set(Array.from(codes).flatMap((code, each) => (same[code] ? [cell("culture", each)] : [])));
  if (cultures.size < 2) return [];
  const button = make("button", "quiet", "This question in every culture");
  button.type = "button";
  button.addEventListener("click", () => {
    const task = cell("task", row);
    for (const select of selects) select.value = select.dataset.column === "task" ? task : "";
    box.value = key;
    filter();
  });
  return [button];
};

/* Where the report was given an address: the same link as in the pages of cultures. */
const dispute = (row) => {
  const address = byId("browser").dataset.dispute;
  if (!address) return [];
  const link = make("a", "", "Dispute this");
  link.href = address.replace(/\{(item|culture|task)\}/gu, (_, name) => encodeURIComponent(cell(name, row)));
  link.rel = "noopener noreferrer";
  return [link];
};

const read = (row) => {
  const outcome = cell("outcome", row) || cell("state", row);
  const question = make("p", "question", cell("text", row) ?? cell("item", row));
  question.dir = "auto";
  const where = [cell("culture_name", row), cell("language_name", row), cell("variant", row), cell("endpoint", row)].filter((value) => value);
  const parts = make("dl", "method");
  const told = [["Reply", "response"], ["Read as", "answer"], ["Accepted", "gold"], ["Why", "reason"], ["State", "state"], ["Profile", "profile"], ["Measured", "details"]];
  for (const [title, name] of told) if (cell(name, row)) parts.append(part(title, cell(name, row), ["response", "answer"].includes(name) ? cell("language", row) : ""));
  parts.append(part("Item", `${cell("task", row)}  ${cell("item", row)}`));
  byId("item").replaceChildren(make("p", `verdict ${outcome.replaceAll(" ", "-")}`, outcome), question, make("p", "where", where.join(" · ")), parts, ...everywhere(row), ...dispute(row));
};

const choose = (at) => {
  if (!found.length) return;
  active = Math.min(Math.max(at, 0), found.length - 1);
  const height = rowHeight();
  if (active * height < list.scrollTop) list.scrollTop = active * height;
  if ((active + 1) * height > list.scrollTop + list.clientHeight) list.scrollTop = (active + 1) * height - list.clientHeight;
  draw();
  read(found[active]);
};

const STEPS = { ArrowDown: () => active + 1, ArrowUp: () => active - 1, PageDown: () => active + 8, PageUp: () => active - 8, Home: () => 0, End: () => found.length - 1 };
list.addEventListener("keydown", (event) => {
  if (!(event.key in STEPS) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  choose(STEPS[event.key]());
});
list.addEventListener("click", (event) => {
  const line = event.target.closest("[role=option]");
  if (line) choose(Number(line.id.slice("option-".length)));
});
let drawing = 0;
list.addEventListener("scroll", () => { cancelAnimationFrame(drawing); drawing = requestAnimationFrame(draw); });

let waiting = 0;
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(filter));
box.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
for (const select of selects) select.addEventListener("change", filter);

const open = async () => {
  if (opener.disabled) return;
  opener.disabled = true;
  try {
    await unpack();
  } catch (error) {
    byId("items").append(make("p", "note", `The items cannot be unpacked by this browser (${error.message}). They are in judgements.parquet.`));
    return;
  }
  for (const select of selects) {
    const values = columns[select.dataset.column].values.filter((value) => value);
    select.append(new Option("all", ""), ...values.sort((a, b) => a.localeCompare(b)).map((value) => new Option(value, value)));
    select.closest(".field").hidden = values.length < 2;
  }
  byId("browser").hidden = false;
  opener.closest("p").hidden = true;
  list.append(spacer);
  filter();
};
opener.hidden = false;
opener.addEventListener("click", async () => {
  await open();
  box.focus();
});

/* A score in a matrix leads to what it was made of: the browser with this task, model and culture. */
const select = (name, value) => {
  const choice = byId(`filter-${name}`);
  choice.value = [...choice.options].some((one) => one.value === value) ? value : "";
};
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.(".matrix td a[href='#items']");
  if (!link || !size && opener.closest("[hidden]")) return;
  const [row, table] = [link.closest("tr"), link.closest("table")];
  const head = table.tHead.rows[0].cells[link.closest("td").cellIndex];
  await open();
  form.reset();
  select("task", table.dataset.task ?? head.dataset.task);
  select("endpoint", row.cells[0].dataset.endpoint ?? head.dataset.endpoint);
  select("culture_name", row.cells[0].dataset.culture ?? "");
});

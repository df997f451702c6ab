/* Figures as SVG and PNG, tables as CSV: made of what stands in the page, in the colours of the theme that is seen. */
const FORMULA = /^[=+\-@\t\r]/u;
const slug = (words) => words.toLocaleLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/gu, "").slice(0, 80);

const save = (blob, name) => {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  say(`Saved ${name}.`);
};

/* A drawing that needs nothing of the page: its size, its font, its background, and colours in place of variables. */
const standalone = (drawing) => {
  const copy = drawing.cloneNode(true);
  const [, , width, height] = copy.getAttribute("viewBox").split(" ");
  const style = getComputedStyle(document.documentElement);
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of [["width", "100%"], ["height", "100%"], ["fill", "var(--paper)"]]) paper.setAttribute(name, value);
  copy.prepend(paper);
  for (const hidden of copy.querySelectorAll('[opacity="0"]')) hidden.remove();
  for (const [name, value] of [["width", width], ["height", height], ["xmlns", "http://www.w3.org/2000/svg"]]) copy.setAttribute(name, value);
  for (const name of ["aria-hidden", "focusable"]) copy.removeAttribute(name);
  const text = new XMLSerializer().serializeToString(copy).replaceAll(/var\(--([a-z0-9-]+)\)/gu, (_, name) => style.getPropertyValue(`--${name}`).trim());
  return { text, width: Number(width), height: Number(height) };
};

const asPicture = async (drawing, name) => {
  const { text, width, height } = standalone(drawing);
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await picture.decode();
  const canvas = make("canvas");
  canvas.width = width * 2;
  canvas.height = height * 2;
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  pen.drawImage(picture, 0, 0, width, height);
  canvas.toBlob((blob) => save(blob, name), "image/png");
};

/* A cell as the columns it fills: an interval is two. */
const plain = (words) => {
  const text = words.replaceAll("\u00ad", "").replaceAll(/\s+/gu, " ").trim();
  const number = text.replaceAll(/(?<=\d) (?=\d{3})/gu, "").replace("−", "-");
  if (text === "–") return "";
  return /^-?\d+(\.\d+)?( ?%)?$/u.test(number) ? number.replace(/ ?%$/u, "") : FORMULA.test(text) ? `'${text}` : text;
};
const ends = (words) => (/ to |–/u.test(words) ? words.split(/ to |–/u) : [words, ""]);
const parts = (cell) => {
  if (cell.matches("th.range")) return ["low (95 %)", "high (95 %)"];
  if (cell.matches(".range")) return ends(cell.textContent).map(plain);
  const [name, full] = [cell.querySelector(cell.matches("th") ? ".name, a" : ".name"), cell.querySelector(".full")];
  if (name) return [plain(full ? `${name.textContent} (${full.textContent})` : name.textContent)];
  const small = cell.querySelector("small");
  if (!small) return [plain(cell.textContent)];
  return [plain(cell.firstChild.textContent), ...ends(small.textContent).map(plain)];
};

const records = (table) => {
  const lines = [];
  const held = [];
  for (const row of table.rows) {
    const line = [];
    const cells = [...row.cells].filter((cell) => cell.ariaHidden !== "true");
    for (let at = 0; cells.length || held[at]?.left; at += 1) {
      if (held[at]?.left) held[at].left -= 1;
      else held[at] = { cell: cells.shift(), left: 0 };
      if (!held[at].left && held[at].cell.rowSpan > 1 && held[at].cell.parentElement === row) held[at].left = held[at].cell.rowSpan - 1;
      line.push(parts(held[at].cell));
    }
    lines.push(line);
  }
  const widths = lines[0].map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 1)));
  return lines.map((line, number) => line.flatMap((cell, at) => {
    const names = number === 0 && cell.length < widths[at] ? [cell[0], `${cell[0]} low`, `${cell[0]} high`] : cell;
    return [...names, ...Array(widths[at] - names.length).fill("")];
  }));
};

const asTable = (tables, name) => {
  const lines = tables.flatMap((table, number) => {
    const [head, ...rows] = records(table);
    const named = tables.length > 1 ? rows.map((row) => [plain(table.caption.textContent), ...row]) : rows;
    return number ? named : [tables.length > 1 ? ["table", ...head] : head, ...named];
  });
  const quoted = (value) => (/[",\n]/u.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  save(new Blob([`\ufeff${lines.map((line) => line.map(quoted).join(",")).join("\r\n")}\r\n`], { type: "text/csv" }), name);
};

const offered = (kind, what, act) => {
  const button = make("button", "quiet export", kind);
  button.type = "button";
  button.append(make("span", "unseen", ` of ${what}`));
  button.addEventListener("click", act);
  return button;
};

for (const figure of document.querySelectorAll("figure[data-file]")) {
  const drawing = () => figure.querySelector(".wide svg");
  const title = () => figure.querySelector("figcaption b").textContent.replace(/\.$/u, "");
  const name = () => (figure.id === "figure-world" ? slug(`world ${title()}`) : figure.dataset.file);
  const bar = make("p", "exports");
  bar.append(
    offered("SVG", title(), () => save(new Blob([standalone(drawing()).text], { type: "image/svg+xml" }), `${name()}.svg`)),
    offered("PNG", title(), () => asPicture(drawing(), `${name()}.png`)),
  );
  const source = figure.dataset.table && byId(figure.dataset.table);
  const tables = () => (source.matches("table") ? [source] : [...source.querySelectorAll("table")]);
  if (source && tables().length) bar.append(offered("CSV", `the numbers of ${title()}`, () => asTable(tables(), `${name()}.csv`)));
  figure.append(bar);
}

for (const frame of document.querySelectorAll(".scroll")) {
  const table = frame.querySelector("table");
  if (!table?.caption) continue;
  const title = frame.ariaLabel ?? table.caption.textContent.trim();
  const bar = make("p", "exports");
  bar.append(offered("CSV", title, () => asTable([table], `${slug(title) || "table"}.csv`)));
  frame.after(bar);
}

/* The table of a page, which the page packs: a line for each row, cells separated by commas. */
const packed = byId("packed");
if (packed) {
  const data = JSON.parse(packed.textContent);
  const tasks = data.tasks.map((at) => NAMES.tasks[at]);
  const link = (text, path) => {
    const element = make("a", "", text);
    element.href = `../${path}`;
    return element;
  };
  const scale = (value, [, , , lowest, highest]) => {
    const number = Number.parseFloat(value.replace("−", "-"));
    return Math.min(1, Math.max(0, (number - lowest) / (highest - lowest)));
  };
  const step = (share) => Math.round(50 * share);
  const filled = (cell, text, task) => {
    if (!text) return cell;
    const few = text.startsWith("~");
    const [score, low, high] = text.slice(few ? 1 : 0).split("|");
    cell.append(score);
    if (low === undefined) return cell;
    const at = scale(score, task);
    if (!few) cell.className = `h${Math.min(9, Math.floor(10 * at))}`;
    let marks = `s${step(at)}`;
    if (low !== "–") {
      const from = step(scale(low, task));
      cell.append(" ", make("small", "", `${low}–${high}`));
      marks += ` l${from} w${step(scale(high, task)) - from}`;
    }
    cell.append(make("i", `bar ${marks}`));
    return cell;
  };
  const table = make("table", `matrix heat sortable${tasks.length > 4 ? " dense" : ""}`);
  table.append(make("caption", "", data.caption));
  const heads = table.createTHead().insertRow();
  const corner = make("th", "", data.corner);
  corner.scope = "col";
  heads.append(corner);
  for (const [path, title, metric] of tasks) {
    const head = make("th");
    head.scope = "col";
    head.append(link(title, path), make("span", "full", metric));
    heads.append(head);
  }
  const named = (row, content) => {
    const head = make("th");
    head.scope = "row";
    head.append(content);
    row.append(head);
  };
  const body = table.createTBody();
  for (const [number, line] of data.cells.entries()) {
    const [path, name] = NAMES[data.rows][data.at[number]];
    const row = body.insertRow();
    named(row, link(name, path));
    for (const [at, text] of line.split(",").entries()) row.append(filled(make("td"), text, tasks[at]));
  }
  const below = table.createTBody();
  for (const [name, ...cells] of data.below) {
    const row = below.insertRow();
    row.className = "baseline";
    named(row, name);
    for (const text of cells) row.append(make("td", "", text.split("|")[0]));
  }
  if (!data.below.length) below.remove();
  packed.previousElementSibling.replaceChildren(table);
}

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
  const share = (value, [, , , lowest, highest]) => Math.min(1, Math.max(0, (value - lowest) / (highest - lowest)));
  const step = (part) => Math.round(50 * part);
  const written = (value, decimals) => value.toFixed(decimals).replace("-", "−");
  const filled = (cell, text, task) => {
    if (!text) return cell;
    const few = text.startsWith("~");
    const [tenths, low, high] = text.slice(few ? 1 : 0).split("|").map(Number);
    const at = share(tenths / 10, task);
    let marks = `s${step(at)}`;
    cell.append(written(tenths / 10, 1));
    if (!few) cell.className = `h${Math.min(9, Math.floor(10 * at))}`;
    if (low !== undefined) {
      const from = step(share(low, task));
      cell.append(" ", make("small", "", `${written(low, 0)}–${written(high, 0)}`));
      marks += ` l${from} w${step(share(high, task)) - from}`;
    }
    cell.append(make("i", `bar ${marks}`));
    return cell;
  };
  const table = make("table", `matrix heat sortable${tasks.length > 4 ? " dense" : ""}`);
  table.append(make("caption", "", data.caption));
  const heads = table.createTHead().insertRow();
  const corner = make("th", "", data.rows === "models" ? "Model" : "Culture");
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
    for (const text of cells) row.append(make("td", "", text));
  }
  if (!data.below.length) below.remove();
  packed.previousElementSibling.replaceChildren(table);
}

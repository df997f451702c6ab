/* Theme: the reader's system decides until the reader does. */
const root = document.documentElement;
const themeButton = byId("theme");
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
const remembered = () => { try { return localStorage.getItem("folkways-theme"); } catch { return null; } };
const remember = (theme) => { try { localStorage.setItem("folkways-theme", theme); } catch { /* a file may have no storage */ } };
const label = () => { themeButton.textContent = isDark() ? "Light theme" : "Dark theme"; };
if (["dark", "light"].includes(remembered())) root.dataset.theme = remembered();
themeButton.hidden = false;
label();
systemDark.addEventListener("change", label);
themeButton.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  remember(root.dataset.theme);
  label();
});

/* Copying: where the clipboard is closed to files, the text is selected instead. */
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const source = byId(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(source.textContent);
      say("Copied.");
      button.classList.add("done");
      setTimeout(() => button.classList.remove("done"), 1500);
    } catch {
      getSelection().selectAllChildren(source);
      say("Selected; copy it with your keyboard.");
    }
  });
}

/* A link into a folded part opens it; what is folded is printed all the same. */
const reveal = () => {
  const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  for (let part = target; part; part = part.parentElement) if (part.matches("details")) part.open = true;
  for (const part of target.querySelectorAll(":scope > details.folded")) part.open = true;
  target.scrollIntoView();
};
addEventListener("hashchange", reveal);
document.addEventListener("click", (event) => {
  if (event.target.closest?.("a[href^='#']")?.hash === location.hash) reveal();
});
reveal();
const unfolded = [];
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details.folded:not([open])")) {
    part.open = true;
    unfolded.push(part);
  }
});
addEventListener("afterprint", () => { for (const part of unfolded.splice(0)) part.open = false; });

/* Sorting: models by a score or by name; baselines and people stay below in bodies of their own. */
const sortable = (table) => {
  if (table.tBodies[0].rows.length < 2) return;
  for (const head of table.tHead.rows[0].cells) {
    const button = make("button", "sort");
    button.type = "button";
    button.setAttribute("aria-label", `Sort by ${head.textContent.trim()}`);
    button.addEventListener("click", () => {
      const at = head.cellIndex;
      const down = at ? head.ariaSort !== "descending" : head.ariaSort === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const value = (row) => Number.parseFloat(row.cells[at].textContent.replaceAll("\u202f", "").replace("−", "-"));
      const order = (one, other) => {
        if (!at) return (down ? -1 : 1) * one.cells[0].textContent.localeCompare(other.cells[0].textContent);
        const [first, second] = [value(one), value(other)];
        if (Number.isNaN(first) || Number.isNaN(second)) return Number.isNaN(first) - Number.isNaN(second);
        return down ? second - first : first - second;
      };
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort(order));
      say(`Sorted by ${head.textContent.trim()}, ${down ? "from high to low" : "from low to high"}.`);
    });
    (head.querySelector(".full") ?? head).append(button);
  }
};
for (const table of document.querySelectorAll("table.sortable")) sortable(table);

/* The heat map of a task that is drawn when it is chosen. Links and sorting are those of the others. */
const heatCell = (packed, leads) => {
  const cell = make("td");
  if (!packed) return cell;
  const [score, ends, n, heat, home, marks] = packed.split("|");
  if (heat !== "-") cell.className = heat;
  if (leads) {
    const link = make("a", "", score);
    link.href = "#items";
    link.title = `n ${n}`;
    cell.append(link);
  } else cell.append(score);
  if (ends) cell.append(" ", make("small", "", ends));
  if (home !== "-") {
    const mark = make("abbr", "home", "⌂");
    mark.title = "home of the model’s maker";
    cell.append(mark);
  }
  if (marks) cell.append(make("i", `bar ${marks}`));
  return cell;
};
const drawLate = (part) => {
  const source = part.querySelector("script.late");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const table = make("table", `matrix heat sortable${data.models.length > 4 ? " dense" : ""}`);
  table.id = data.id;
  table.dataset.task = data.task;
  table.append(make("caption", "", `${data.title}: ${data.metric} by culture`));
  const heads = table.createTHead().insertRow();
  for (const [at, name] of ["Culture", ...data.models, ...(data.people ? ["People"] : [])].entries()) {
    const head = make("th", "", name);
    head.scope = "col";
    if (at && at <= data.models.length) head.dataset.endpoint = name;
    heads.append(head);
  }
  const body = table.createTBody();
  for (const [name, code, ...cells] of data.rows) {
    const row = body.insertRow();
    const head = make("th");
    head.scope = "row";
    head.dataset.culture = name;
    if (code) {
      const link = make("a", "", name);
      link.href = `#culture-${code}`;
      head.append(link);
    } else head.append(name);
    row.append(head, ...cells.map((cell, at) => heatCell(cell, at < data.models.length)));
  }
  const scroll = make("div", "scroll");
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", `${data.title} by culture`);
  scroll.tabIndex = 0;
  scroll.append(table);
  source.replaceWith(scroll);
  sortable(table);
};

/* Of parts that show the same of several models or tasks one is seen, and the reader chooses which. */
for (const [number, group] of document.querySelectorAll(".one-of").entries()) {
  const shown = [...group.querySelectorAll(":scope > [data-of]")];
  const field = make("p", "field chooser");
  const name = make("label", "", group.dataset.what);
  const choice = make("select");
  name.htmlFor = choice.id = `choice-${number}`;
  for (const part of shown) choice.append(make("option", "", part.dataset.of));
  const show = () => {
    drawLate(shown[choice.selectedIndex]);
    for (const [at, part] of shown.entries()) part.hidden = at !== choice.selectedIndex;
  };
  choice.autocomplete = "off";
  choice.addEventListener("change", show);
  field.append(name, choice);
  group.prepend(field);
  show();
}

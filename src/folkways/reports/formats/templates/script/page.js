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

/* Of parts that show the same of several models or tasks one is seen, and the reader chooses which. */
for (const [number, group] of document.querySelectorAll(".one-of").entries()) {
  const shown = [...group.querySelectorAll(":scope > [data-of]")];
  const field = make("p", "field chooser");
  const name = make("label", "", group.dataset.what);
  const choice = make("select");
  name.htmlFor = choice.id = `choice-${number}`;
  for (const part of shown) choice.append(make("option", "", part.dataset.of));
  const show = () => { for (const [at, part] of shown.entries()) part.hidden = at !== choice.selectedIndex; };
  choice.autocomplete = "off";
  choice.addEventListener("change", show);
  field.append(name, choice);
  group.prepend(field);
  show();
}

/* Sorting: models by a score or by name; baselines and people stay below in bodies of their own. */
for (const table of document.querySelectorAll("table.sortable")) {
  if (table.tBodies[0].rows.length < 2) continue;
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
}

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

/* Of figures that draw the same of several models one is seen, and the reader chooses which. */
for (const [number, group] of document.querySelectorAll(".one-of").entries()) {
  const figures = [...group.querySelectorAll(":scope > figure")];
  const field = make("p", "field chooser");
  const name = make("label", "", group.dataset.what);
  const choice = make("select");
  name.htmlFor = choice.id = `choice-${number}`;
  for (const figure of figures) choice.append(make("option", "", figure.dataset.of));
  const show = () => { for (const [at, figure] of figures.entries()) figure.hidden = at !== choice.selectedIndex; };
  choice.autocomplete = "off";
  choice.addEventListener("change", show);
  field.append(name, choice);
  group.prepend(field);
  show();
}

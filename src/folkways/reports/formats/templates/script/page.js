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

// The table of items: what is chosen stays chosen from page to page (in this tab), and J, K, X and Enter work as in a list of mail.

const CHOSEN = "folkways/chosen/";

function read(study) {
  try { return new Set(JSON.parse(sessionStorage.getItem(CHOSEN + study)) || []); } catch { return new Set(); }
}

function write(study, chosen) {
  try { sessionStorage.setItem(CHOSEN + study, JSON.stringify([...chosen])); } catch { /* the boxes of this page are what there is */ }
}

function setUp() {
  const form = document.querySelector("form[data-chosen]:not([data-done])");
  if (!form) return;
  const study = form.dataset.chosen;
  const boxes = [...form.querySelectorAll("[name=item]")];
  const all = form.querySelector("[data-page]");
  const none = form.querySelector("[data-none]");
  const count = form.querySelector("output");
  const show = () => {
    const chosen = read(study);
    for (const box of boxes) box.checked = chosen.has(box.value);
    const here = boxes.filter((box) => box.checked).length;
    all.checked = here === boxes.length;
    all.indeterminate = here > 0 && here < boxes.length;
    count.textContent = `: ${chosen.size.toLocaleString(document.documentElement.lang)}`;
    count.hidden = none.hidden = !chosen.size;
  };
  const choose = (some, on) => {
    const chosen = read(study);
    for (const box of some) chosen[on ? "add" : "delete"](box.value);
    write(study, chosen);
    show();
  };
  let last = null;
  all.hidden = false;
  all.addEventListener("change", () => choose(boxes, all.checked));
  none.addEventListener("click", () => { write(study, []); show(); });
  for (const box of boxes) box.addEventListener("click", (event) => {
    const range = event.shiftKey && last ? [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b) : null;
    choose(range ? boxes.slice(range[0], range[1] + 1) : [box], box.checked);
    last = box;
  });
  form.addEventListener("submit", () => {
    for (const stale of form.querySelectorAll("[data-elsewhere]")) stale.remove();
    const here = new Set(boxes.map((box) => box.value));
    for (const id of read(study)) if (!here.has(id)) {
      const field = Object.assign(document.createElement("input"), { type: "hidden", name: "item", value: id });
      field.dataset.elsewhere = "";
      form.append(field);
    }
  });
  show();
}

// A key is a command only outside of fields that take text; the row it means is the one that has the focus.
document.addEventListener("keydown", (event) => {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target.closest("select, textarea, input:not([type=checkbox])")) return;
  const rows = [...document.querySelectorAll("table.items tbody tr")];
  const at = rows.indexOf(event.target.closest("tr"));
  const link = (row) => row.querySelector("th a");
  const step = { KeyJ: 1, KeyK: -1 }[event.code];
  if (step && rows.length) link(rows[Math.min(Math.max(at + step, 0), rows.length - 1)]).focus();
  else if (event.code === "KeyX" && at >= 0) rows[at].querySelector("[name=item]")?.click();
  else if (event.key === "Enter" && at >= 0 && event.target.matches("[name=item]")) link(rows[at]).click();
  else return;
  event.preventDefault();
});

for (const done of document.querySelectorAll("form[data-chosen][data-done]")) done.addEventListener("submit", () => write(done.dataset.chosen, []));
document.addEventListener("htmx:afterSwap", setUp);
addEventListener("pageshow", setUp);

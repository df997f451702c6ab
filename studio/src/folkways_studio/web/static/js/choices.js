// Answers that exclude one another: an abstention ([data-alone]) unchecks everything else of its group, and the other way round.

export function choices(form) {
  form.addEventListener("change", (event) => {
    const changed = event.target;
    if (!changed.matches("[data-group]") || (changed.type === "checkbox" && !changed.checked)) return;
    const text = changed.type !== "checkbox" && changed.type !== "radio";
    if (text && !changed.value.trim()) return;
    for (const other of form.querySelectorAll(`[data-group="${CSS.escape(changed.dataset.group)}"]`)) {
      if (other === changed || !(changed.hasAttribute("data-alone") || other.hasAttribute("data-alone"))) continue;
      if (other.type === "checkbox" || other.type === "radio") other.checked = false;
    }
  });
  reveal(form);
  form.addEventListener("change", () => reveal(form));
  form.addEventListener("filled", () => reveal(form));
}

// [data-when="name=value"] is shown while that answer (name=one|other: any of these) is chosen; what is hidden is not sent.
function reveal(form) {
  for (const part of form.querySelectorAll("[data-when]")) {
    const [name, wanted] = part.dataset.when.split("=");
    const fields = [...form.querySelectorAll(`[name="${CSS.escape(name)}"]`)];
    const values = wanted.split("|");
    const shown = fields.some((field) => values.includes(field.value) && !field.disabled && (field.checked || field.tagName === "SELECT"));
    part.hidden = !shown;
    for (const field of part.querySelectorAll("input, select, textarea")) field.disabled = !shown;
  }
}

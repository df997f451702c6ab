// Deciding between versions: "Take this one" fills the form with a version, and what stood there can be put back.

import { delivered, fill } from "./autosave.js";
import { fieldsOf } from "./send.js";

const FIELDS = "input, select, textarea";

export function versions(form) {
  const back = form.querySelector("[data-put-back]");
  if (!back) return;
  const heading = form.querySelector(".taken h2");
  const status = form.querySelector(".taken [role=status]");
  let before = null;

  const put = (fields) => {
    fill(form, fields);
    form.dispatchEvent(new Event("change")); // so that it is saved as a draft
    heading.focus();
  };

  form.addEventListener("click", ({ target }) => {
    const button = target.closest("[data-take]");
    if (!button) return;
    // The version as the form would have come with it; the other fields, such as the reason, stay.
    const elements = [...button.parentElement.querySelector("template").content.querySelectorAll(FIELDS)];
    const names = new Set(elements.map((field) => field.name));
    before = fieldsOf(form);
    put([...before.filter(([name]) => !names.has(name)), ...delivered(elements)]);
    status.textContent = button.dataset.take;
    back.hidden = false;
  });

  back.addEventListener("click", () => {
    put(before);
    back.hidden = true;
    status.textContent = "";
  });
}

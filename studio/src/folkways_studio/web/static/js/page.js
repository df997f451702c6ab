// Every page: forms that ask before they act, links that can be copied, and what is kept here forgotten at sign-out.

import { startOutbox } from "./outbox.js";
import { forgetEveryone, queue } from "./store.js";

document.addEventListener("submit", (event) => {
  const asked = event.submitter?.dataset.confirm || event.target.dataset.confirm;
  if (asked && !event.defaultPrevented && !event.target.matches("[data-task]") && !window.confirm(asked)) event.preventDefault();
  if (event.defaultPrevented || !event.target.hasAttribute("data-forget")) return;
  const waiting = event.target.dataset.waiting;
  if (waiting && queue.all().length && !window.confirm(waiting)) event.preventDefault();
  else forgetEveryone();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = button.dataset.copied;
  } catch { /* the text is selected: the reader's own keys copy it */ }
});

for (const field of document.querySelectorAll("[data-submit-on-change]")) field.addEventListener("change", () => field.form.requestSubmit());

for (const fold of document.querySelectorAll("details[data-wide]")) fold.open = matchMedia("(min-width: 62rem)").matches;

document.documentElement.dataset.script = "on";
if (!document.querySelector("form[data-task]")) startOutbox(document.body.dataset.csrf || "");

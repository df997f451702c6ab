// Every page: forms that ask before they act and are sent once, links that can be copied, and what is kept here forgotten at sign-out.

import { startOutbox } from "./outbox.js";
import { forgetEveryone, queue } from "./store.js";

const AGAIN = 3000; // ms in which a second click sends nothing; a page stays where its form brings a file

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  const { waiting } = form.dataset;
  const asked = event.submitter?.dataset.confirm || form.dataset.confirm;
  const refused = "sent" in form.dataset
    || (asked && !form.matches("[data-task]") && !window.confirm(asked))
    || (waiting && queue.all().length && !window.confirm(waiting));
  if (refused) {
    event.preventDefault();
    return;
  }
  if (form.hasAttribute("data-forget")) forgetEveryone();
  if (form.method !== "post") return;
  form.dataset.sent = "";
  setTimeout(() => { delete form.dataset.sent; }, AGAIN);
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

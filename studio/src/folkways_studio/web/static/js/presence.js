// Somebody who reads or thinks types nothing, and the task stays theirs all the same; a page that was left open does not keep it.

import { post } from "./send.js";

const EVERY = 4 * 60_000; // milliseconds; leases last longer than that
const IDLE = 10 * 60_000;

export function keepWhilePresent(form) {
  let seen = Date.now();
  for (const sign of ["pointermove", "pointerdown", "keydown", "scroll"]) addEventListener(sign, () => { seen = Date.now(); }, { passive: true });
  const url = form.dataset.draft.replace(/draft$/, "keep");
  setInterval(() => {
    if (document.visibilityState === "visible" && Date.now() - seen < IDLE) post(url, [["csrf", form.elements.csrf.value]]);
  }, EVERY);
}

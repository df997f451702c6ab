// Sends what could not be sent before, from whatever page is open next.

import { forget, queue } from "./store.js";
import { post, undecided } from "./send.js";

const AGAIN = 5000; // milliseconds

let busy = false;

export async function sendWaiting(csrf) {
  if (busy) return;
  busy = true;
  const waiting = queue.all().filter((each) => each.refused === undefined);
  for (const entry of waiting) {
    const fields = entry.fields.map(([name, value]) => [name, name === "csrf" && csrf ? csrf : value]);
    const answer = await post(entry.url, fields);
    if (undecided(answer)) {
      document.dispatchEvent(new CustomEvent("waits", { detail: { entry, answer } }));
      break;
    }
    const now = queue.all().find(({ url }) => url === entry.url) || entry;
    if (answer.status === 200 && JSON.stringify(now) !== JSON.stringify(entry)) {
      waiting.push(now); // it was changed while it was sent: the change follows
      continue;
    }
    if (answer.status === 200) {
      queue.remove(entry);
      forget(`draft/${entry.draft}`);
    } else { // for good: it waits until the person has been told
      const { message, problems, next } = answer.body;
      queue.add({ ...now, refused: Object.values(problems || {})[0] || message || "", next });
    }
    document.dispatchEvent(new CustomEvent("sent", { detail: { entry, answer } }));
  }
  busy = false;
}

// Say on whatever page is open which answers were not taken, and lead to where each can be sent again or given up. Its own task's
// page (``address``) says so itself.
function tellRefused(address) {
  const told = queue.all().find((entry) => entry.refused !== undefined && entry.url !== address);
  document.querySelector("#refused")?.remove();
  if (!told) return;
  const made = (tag, fields, ...content) => {
    const element = Object.assign(document.createElement(tag), fields);
    element.append(...content);
    return element;
  };
  const { refused, next } = document.body.dataset;
  const link = made("a", { href: told.next || told.url.replace(/\/submit$/, ""), onclick: () => queue.remove(told) }, next);
  const said = [made("h2", {}, refused), made("p", { dir: "auto" }, told.refused), made("p", {}, link)];
  document.querySelector("main").prepend(made("div", { id: "refused", className: "notice", role: "alert" }, ...said));
}

export function startOutbox(csrf, address) {
  document.addEventListener("sent", () => tellRefused(address));
  tellRefused(address);
  sendWaiting(csrf);
  addEventListener("online", () => sendWaiting(csrf));
  setInterval(() => queue.all().length && sendWaiting(csrf), AGAIN);
}

// Sends what could not be sent before, from whatever page is open next.

import { forget, queue } from "./store.js";
import { post, unreachable } from "./send.js";

const AGAIN = 5000; // milliseconds
const NOT_YET = new Set([401, 403, 429]); // until there is a session, or less haste

let busy = false;

export async function sendWaiting(csrf) {
  if (busy) return;
  busy = true;
  const waiting = queue.all();
  for (const entry of waiting) {
    const fields = entry.fields.map(([name, value]) => [name, name === "csrf" && csrf ? csrf : value]);
    const answer = await post(entry.url, fields);
    if (unreachable(answer) || answer.status >= 500 || NOT_YET.has(answer.status)) {
      document.dispatchEvent(new CustomEvent("waits", { detail: { entry, answer } }));
      break;
    }
    const now = queue.all().find(({ url }) => url === entry.url);
    if (answer.status === 200 && now && JSON.stringify(now) !== JSON.stringify(entry)) {
      waiting.push(now); // it was changed while it was sent: the change follows
      continue;
    }
    queue.remove(entry); // taken, or refused for good: the person sees which on the task's own page
    if (answer.status === 200) forget(`draft/${entry.draft}`);
    document.dispatchEvent(new CustomEvent("sent", { detail: { entry, answer } }));
  }
  busy = false;
}

export function startOutbox(csrf) {
  sendWaiting(csrf);
  addEventListener("online", () => sendWaiting(csrf));
  setInterval(() => queue.all().length && sendWaiting(csrf), AGAIN);
}

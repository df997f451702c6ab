// What a browser keeps so that no word is lost: drafts that the server has not confirmed, and submissions that could not be sent.
// Everything is under one prefix and the reader's own session, so that two people at one computer never see each other's words.

const OWNER = document.body.dataset.owner || "nobody";
const PREFIX = `folkways/${OWNER}/`;
const QUEUE = "queue";

export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
    return true;
  } catch {
    return false; // storage is full or forbidden: the server's draft is what there is
  }
}

export function recall(name) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

export function forget(name) {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch { /* nothing was kept */ }
}

// Submissions wait here in the order in which they were made; each has its idempotency key inside, so sending one twice is harmless.
export const queue = {
  all: () => recall(QUEUE) || [],
  add(entry) {
    return keep(QUEUE, [...queue.all().filter((waiting) => waiting.url !== entry.url), entry]);
  },
  remove(entry) {
    keep(QUEUE, queue.all().filter((waiting) => waiting.url !== entry.url));
  },
};

export function forgetEveryone() {
  for (const name of Object.keys(localStorage)) if (name.startsWith("folkways/")) localStorage.removeItem(name);
}

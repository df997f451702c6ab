// Saves what is typed: at once in this browser, a moment later on the server, where every save names the version it was made from.

import { forget, keep, recall } from "./store.js";
import { fieldsOf, post, undecided, unreachable } from "./send.js";

const PAUSE = 700; // milliseconds after the last key
const AGAIN = 4000; // milliseconds between attempts while there is no connection
const NOT_CONTENT = new Set(["csrf", "key", "revision"]);

const ofContent = (fields) => fields.filter(([name]) => !NOT_CONTENT.has(name));
const asleep = (field) => field.disabled && field.closest("[data-when][hidden]") !== null;

// A draft keeps what is hidden and not sent as well: the answer that shows it may be chosen again after the page was closed.
function content(form) {
  const hidden = [...form.elements].filter(asleep);
  for (const field of hidden) field.disabled = false;
  const fields = ofContent(fieldsOf(form));
  for (const field of hidden) field.disabled = true;
  return fields;
}

// The content that fields came with, whatever was typed before this script ran.
export function delivered(elements) {
  const found = [];
  for (const field of elements) {
    if (!field.name || (field.disabled && !asleep(field)) || NOT_CONTENT.has(field.name)) continue;
    if (field.tagName === "SELECT") {
      const options = [...field.options];
      const chosen = options.find((option) => option.defaultSelected) || options[0];
      if (chosen) found.push([field.name, chosen.value]);
    } else if (field.type === "checkbox" || field.type === "radio") {
      if (field.defaultChecked) found.push([field.name, field.value]);
    } else if ("defaultValue" in field && field.type !== "submit" && field.type !== "button" && field.type !== "file") {
      found.push([field.name, field.defaultValue]);
    }
  }
  return found;
}

// What the server keeps of fields: it gives them back without outer white space, and short answers one after the other.
const stored = (fields) => JSON.stringify(fields.map(([name, value]) => [name, value.trim()]).filter(([, value]) => value));

export class Autosave {
  constructor(form, status, conflict) {
    Object.assign(this, { form, status, conflict });
    this.url = form.dataset.draft;
    this.name = `draft/${this.url}`;
    this.revision = Number(form.elements.revision.value);
    this.given = delivered(form.elements);
    this.saved = JSON.stringify(this.given);
    this.paused = false;
    this.isKept = true; // in this browser
    addEventListener("beforeunload", () => { this.leaving = true; });
    form.addEventListener("input", () => this.changed());
    form.addEventListener("change", () => this.changed());
    addEventListener("online", () => this.save());
    // The tab may be about to be closed: what is not on the server is in this browser already, and one more attempt costs nothing.
    document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && this.save({ keepalive: true }));
    this.recover();
  }

  // What this browser kept and the server never confirmed: a tab that was closed, a connection that was lost.
  recover() {
    const kept = recall(this.name);
    const given = stored(this.given);
    if (!kept || stored(kept.fields) === given) {
      forget(this.name);
      return this.changed();
    }
    if (kept.revision > this.revision) this.follow(kept.revision); // the page was made before what this browser saved last
    const arrived = kept.revision + 1 === this.revision && stored(JSON.parse(kept.sent || "[]")) === given; // what was sent last: the reply was lost
    if (kept.revision !== this.revision && !arrived) return this.conflict({ mine: kept.fields, revision: this.revision });
    const sent = kept.revision === this.revision && kept.sent && JSON.parse(kept.sent);
    if (sent && stored(sent) !== given) this.unsure = sent; // as the page was left: the server may have it since this page was made
    fill(this.form, kept.fields);
    this.changed();
  }

  changed() {
    const fields = content(this.form);
    if (this.paused) return;
    if (JSON.stringify(fields) === this.saved) {
      if (!this.saving && !this.unsure && !this.leaving) forget(this.name); // it was taken back before it was saved
      return;
    }
    this.leaving = false;
    this.keep(fields);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), PAUSE);
  }

  keep(fields) {
    this.isKept = keep(this.name, { fields, revision: this.revision, sent: this.sent });
  }

  async save(how = {}) {
    const fields = this.unsure || content(this.form);
    const written = JSON.stringify(fields);
    if (this.saving || this.sending || written === this.saved || this.paused) return;
    this.say("saving");
    this.sent = written;
    this.keep(content(this.form));
    this.saving = post(this.url, [...fields, ["csrf", this.form.elements.csrf.value], ["revision", this.revision]], how);
    const answer = await this.saving;
    this.saving = null;
    this.unsure = undecided(answer) ? fields : null; // the server may have it all the same: the same again is no other version
    clearTimeout(this.timer);
    if (answer.status === 200) {
      this.follow(answer.body.revision);
      this.saved = written;
      if (!this.leaving) forget(this.name); // the page that comes next may have been made before this was saved
      this.say("saved");
    } else if (answer.status === 409 && answer.body.revision) {
      this.paused = true;
      this.conflict({ mine: content(this.form), revision: answer.body.revision });
    } else if (this.unsure) {
      this.say(unreachable(answer) ? "offline" : "refused");
      if (answer.status !== 401 && answer.status !== 403) this.timer = setTimeout(() => this.save(), AGAIN); // a session comes with a page
      return;
    } else {
      this.say("refused");
    }
    if (JSON.stringify(content(this.form)) !== written) this.changed(); // what was typed meanwhile
  }

  // Go on from this browser's text on top of the version that the server has.
  overwrite(fields, revision) {
    this.paused = false;
    this.follow(revision);
    fill(this.form, fields);
    this.saved = "";
    this.save();
  }

  // The version that the server has now.
  follow(revision) {
    this.unsure = null;
    this.revision = revision;
    this.form.elements.revision.value = revision;
  }

  // A refused submission was saved as a version: what is hidden was not in it.
  kept(fields, revision) {
    this.follow(revision);
    this.saved = JSON.stringify(ofContent(fields));
    this.say("saved");
    this.changed();
  }

  // Before the form is sent: a save at hand comes back first, and one whose reply was lost, so that what is sent names its version.
  // Nothing is saved beside what is sent, which may become the next version.
  async quiet() {
    clearTimeout(this.timer);
    await this.saving;
    if (this.unsure) await this.save();
    clearTimeout(this.timer);
    this.sending = true;
  }

  done() {
    clearTimeout(this.timer);
    this.paused = true;
    forget(this.name);
  }

  say(state) {
    this.status.dataset.state = state;
    this.status.textContent = this.status.dataset[this.isKept ? state : `${state}Unkept`] || this.status.dataset[state] || "";
  }
}

// Put kept fields back into the form: choices by value, several fields of one name in their order.
export function fill(form, fields) {
  const kept = new Map();
  for (const [name, value] of fields) kept.set(name, [...(kept.get(name) || []), value]);
  for (const field of form.elements) {
    if (!field.name || NOT_CONTENT.has(field.name) || field.type === "submit") continue;
    const values = kept.get(field.name) || [];
    if (field.type === "checkbox" || field.type === "radio") field.checked = values.includes(field.value);
    else if (field.tagName === "SELECT") field.value = values[0] ?? "";
    else if (field.type !== "hidden" || field.dataset.kept !== undefined) field.value = values.shift() ?? "";
  }
  form.dispatchEvent(new CustomEvent("filled"));
}

// The page of one task: joins saving, sending, shortcuts and marking to its form.

import { Autosave } from "./autosave.js";
import { choices } from "./choices.js";
import { shortcuts } from "./keys.js";
import { watchLetters } from "./letters.js";
import { startOutbox } from "./outbox.js";
import { picks } from "./picks.js";
import { keepWhilePresent } from "./presence.js";
import { fieldsOf, post, unreachable } from "./send.js";
import { Marker } from "./spans.js";
import { queue } from "./store.js";
import { oneWindow } from "./tabs.js";
import { versions } from "./versions.js";

const form = document.querySelector("form[data-task]");

if (form) {
  const status = document.querySelector("#saved");
  const problems = document.querySelector("#problems");
  const waiting = document.querySelector("#waiting");
  const conflict = document.querySelector("#conflict");
  const cancel = document.querySelector("#cancel");
  const giveBack = form.querySelector(".send .plain");

  for (const root of form.querySelectorAll("[data-marker]")) new Marker(root);
  choices(form);
  watchLetters(form);
  versions(form);
  picks(form);

  const saver = new Autosave(form, status, (versions) => {
    conflict.hidden = false;
    conflict.querySelector("[data-mine]").onclick = () => {
      conflict.hidden = true;
      saver.overwrite(versions.mine, versions.revision);
    };
    conflict.querySelector("[data-theirs]").onclick = () => {
      saver.done();
      location.reload();
    };
    conflict.focus();
  });

  const buttons = [...form.elements].filter((field) => field.type === "submit"); // also those beside the form
  const enable = (on) => buttons.forEach((button) => { button.disabled = !on || form.inert; });

  // In the place of giving the task back: there is room for two buttons on a phone.
  const offerCancel = (on) => {
    cancel.hidden = !on;
    if (giveBack) giveBack.hidden = Boolean(on);
  };

  // The answer is sent once there is a connection, with whatever is changed until then.
  const toQueue = () => queue.add({ url: form.action, fields: fieldsOf(form), draft: form.dataset.draft });
  const queued = () => queue.all().find((entry) => entry.url === form.action && entry.refused === undefined);
  const wait = () => {
    enable(false);
    waiting.hidden = false;
  };
  for (const event of ["input", "change"]) form.addEventListener(event, () => queued() && toQueue());

  // What is on its way is not changed: it would be sent without the change, and the page left.
  const hold = (on) => {
    for (const part of form.children) if (!part.matches(".send")) part.inert = on;
  };

  // A submitter's own name and address belong to what is sent: "ask the helper" and "send" are buttons of one form.
  const submit = async (submitter) => {
    if (submitter?.dataset.confirm && !window.confirm(submitter.dataset.confirm)) return;
    const at = document.activeElement;
    enable(false);
    hold(true);
    if (submitter?.dataset.busy) saver.status.textContent = submitter.dataset.busy;
    await saver.quiet();
    const url = submitter?.formAction && submitter.hasAttribute("formaction") ? submitter.formAction : form.action;
    const written = fieldsOf(form);
    const fields = [...written];
    if (submitter?.name) fields.push([submitter.name, submitter.value]);
    const giveUp = new AbortController();
    offerCancel(submitter?.dataset.busy);
    cancel.onclick = () => giveUp.abort();
    const answer = await post(url, fields, { signal: giveUp.signal });
    offerCancel(false);
    if (answer.status === 200 && answer.body.next) {
      saver.done();
      location.assign(answer.body.next);
      return;
    }
    hold(false);
    saver.sending = false;
    if (answer.status === "cancelled") {
      enable(true);
      saver.status.textContent = cancel.dataset.cancelled;
      saver.changed();
      submitter.focus();
      return;
    }
    enable(true);
    at.focus();
    if (unreachable(answer) && !submitter?.hasAttribute("formaction")) {
      if (toQueue()) {
        wait();
        waiting.focus();
      }
      saver.say("offline");
    } else if (unreachable(answer)) {
      saver.say("offline");
      saver.changed();
    } else {
      if (answer.body.kept) {
        saver.kept(written, answer.body.kept); // refused, but what was written is kept on the server
      } else {
        saver.changed(); // the save that waited was put off for this
      }
      const isOver = answer.status === 401 || answer.status === 403; // of the session: whoever loads the page again signs in
      show(isOver ? { problems: { "": answer.body.message, again: problems.dataset.unknown } } : answer.body);
    }
  };

  // A text of the study, which may run the other way than the page.
  const isolated = (text) => Object.assign(document.createElement("bdi"), { textContent: text });

  // The list says of which question or text it is, where that has a label of its own, and leads there.
  const lead = (item, label, problem, { id }, target) => {
    const link = document.createElement("a");
    link.href = `#${id}`;
    link.append(...(label ? [isolated(label.textContent.trim()), " – "] : []), isolated(problem));
    item.replaceChildren(link);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      target?.focus();
    });
  };

  // In a form of the study's own the problem stands at its question as well.
  const atQuestion = (item, name, problem) => {
    const asked = name && form.querySelector(`[data-asked="${CSS.escape(name)}"]`);
    const written = name && form.querySelector(`:is(textarea, input[dir])[name="${CSS.escape(name)}"]`);
    if (asked) {
      const place = asked.querySelector("[data-problem]");
      place.textContent = problem;
      place.hidden = false;
      const target = asked.querySelector("input:not([type=hidden]), select, textarea, [tabindex]");
      lead(item, asked.querySelector("legend bdi"), problem, place, target);
    } else if (written?.labels?.[0]) {
      lead(item, written.labels[0], problem, written, written);
    }
  };

  const show = (body) => {
    for (const old of form.querySelectorAll(".error.live")) old.remove();
    for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
    for (const old of form.querySelectorAll("[data-problem]")) old.hidden = true;
    const list = problems.querySelector("ul");
    list.replaceChildren();
    for (const [name, problem] of Object.entries(body.problems || { "": body.message || problems.dataset.unknown })) {
      const item = document.createElement("li");
      item.textContent = problem;
      list.append(item);
      atQuestion(item, name, problem);
      const field = name && form.querySelector(`[name="${CSS.escape(name)}"]:enabled`);
      if (field) field.setAttribute("aria-invalid", "true");
      if (field && field.type !== "hidden" && !item.querySelector("a")) lead(item, null, problem, form, field);
    }
    if (body.next) {
      const link = document.createElement("a");
      link.href = body.next;
      link.textContent = problems.dataset.next;
      const item = document.createElement("li");
      item.append(link);
      list.append(item);
      saver.done();
    }
    problems.hidden = false;
    problems.focus();
  };

  form.addEventListener("change", ({ target }) => {
    const place = target.closest("[data-asked]")?.querySelector("[data-problem]");
    if (place) place.hidden = true;
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(event.submitter);
  });
  shortcuts(document.querySelector("main"), { send: () => form.querySelector("button.primary[type=submit]").click() });
  const refused = (body) => {
    queue.remove({ url: form.action });
    waiting.hidden = true;
    enable(true);
    show(body);
  };
  document.addEventListener("sent", ({ detail }) => {
    if (detail.entry.url !== form.action) return;
    if (detail.answer.status === 200) {
      saver.done();
      location.assign(detail.answer.body.next);
    } else {
      refused(detail.answer.body);
      saver.changed(); // the save that waited was put off for this
    }
  });
  document.addEventListener("waits", ({ detail }) => {
    if (detail.entry.url === form.action && detail.answer.body.message && problems.hidden) show(detail.answer.body);
  });
  const told = queue.all().find((entry) => entry.url === form.action && entry.refused !== undefined);
  if (told) refused({ message: told.refused }); // while another page was open
  if (queued()) {
    form.elements.key.value = new Map(queued().fields).get("key"); // it is that answer which is changed
    wait();
  }
  addEventListener("storage", () => {
    if (waiting.hidden || queued()) return;
    saver.paused = true;
    location.reload(); // another window has sent it
  });
  keepWhilePresent(form);
  form.dataset.ready = "";
  oneWindow(form.dataset.draft, document.querySelector("#elsewhere"), () => {
    saver.paused = true;
    form.inert = true; // what is typed here would not be kept
    enable(false);
  });
}

startOutbox(form?.elements.csrf.value || document.body.dataset.csrf || "", form?.action);

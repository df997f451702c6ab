// Keyboard shortcuts: [data-key] marks what a key chooses or presses wherever one is, [data-digit] what a digit chooses in the row
// ([data-row]) where one is. Safe with input methods (Korean, Chinese, Amharic, ...) and with
// keyboards whose letters are not Latin; nobody needs them, and they can be switched off.

import { keep, recall } from "./store.js";

const TEXT = "input:not([type=checkbox]):not([type=radio]):not([type=submit]), textarea, select, [contenteditable=true]";

// The Latin letter or digit of a key: what it writes, or, where it writes another script, where it lies on the keyboard.
function latin(event) {
  if (/^[a-z0-9?]$/i.test(event.key)) return event.key.toLowerCase();
  const place = /^(?:Key|Digit|Numpad)([A-Z0-9])$/.exec(event.code);
  return place ? place[1].toLowerCase() : "";
}

const composing = (event) => event.isComposing || event.keyCode === 229; // 229: the input method has taken the key

export function shortcuts(root, { send }) {
  const switchedOff = () => recall("shortcuts") === false;
  const rows = rowsOf(root, switchedOff);
  const toggle = root.querySelector("[data-shortcuts-toggle]");
  if (toggle) {
    toggle.checked = !switchedOff();
    toggle.addEventListener("change", () => {
      keep("shortcuts", toggle.checked);
      rows.mark();
    });
  }
  root.ownerDocument.addEventListener("keydown", (event) => {
    if (composing(event) || event.defaultPrevented) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
      return;
    }
    const off = switchedOff() || event.ctrlKey || event.metaKey || event.altKey || event.repeat;
    if (off || event.target.closest(TEXT) || event.target.closest("dialog")) return;
    const key = latin(event);
    const row = rows.current();
    const digit = key && row?.querySelector(`[data-digit="${CSS.escape(key)}"]`);
    const target = digit || (key && root.querySelector(`[data-key="${CSS.escape(key)}"]:not([hidden])`));
    if (!target || target.closest("[hidden], [inert]")) return;
    event.preventDefault();
    const field = target.matches("label") ? target.control || target.querySelector("input") : target;
    field.focus();
    if (field.matches("input:is([type=checkbox], [type=radio]), button, summary")) field.click();
    if (digit && field.type === "radio") rows.goOn(row);
  });
}

// The rows in which digits choose. The current one has the focus, else it is the first without an answer, else the last.
function rowsOf(root, switchedOff) {
  const shown = () => [...root.querySelectorAll("[data-row]")].filter((row) => !row.closest("[hidden]"));
  const current = () => {
    const rows = shown();
    return rows.find((row) => row.contains(root.ownerDocument.activeElement))
      || rows.find((row) => !row.querySelector("input:checked")) || rows.at(-1);
  };
  const mark = () => {
    const row = shown().length > 1 && !switchedOff() ? current() : null;
    for (const each of root.querySelectorAll("[data-row]")) each.toggleAttribute("data-current", each === row);
  };
  // On to the next row, unless a text is to be written before it: digits must not be typed into that.
  const goOn = (row) => {
    const next = shown()[shown().indexOf(row) + 1];
    const follows = (first, second) => first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING;
    const between = (field) => follows(row, field) && follows(field, next) && !field.closest("[hidden]") && field.type !== "hidden";
    if (next && ![...root.querySelectorAll(TEXT)].some(between)) (next.querySelector("input:checked") || next.querySelector("input")).focus();
  };
  for (const event of ["focusin", "focusout", "change", "filled"]) root.addEventListener(event, mark);
  mark();
  return { current, goOn, mark };
}

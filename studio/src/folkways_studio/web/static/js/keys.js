// Keyboard shortcuts: [data-key] marks what a key chooses or presses. Safe with input methods (Korean, Chinese, Amharic, ...) and with
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
  const toggle = root.querySelector("[data-shortcuts-toggle]");
  if (toggle) {
    toggle.checked = recall("shortcuts") !== false;
    toggle.addEventListener("change", () => keep("shortcuts", toggle.checked));
  }
  root.ownerDocument.addEventListener("keydown", (event) => {
    if (composing(event) || event.defaultPrevented) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      send();
      return;
    }
    const off = recall("shortcuts") === false || event.ctrlKey || event.metaKey || event.altKey || event.repeat;
    if (off || event.target.closest(TEXT) || event.target.closest("dialog")) return;
    const key = latin(event);
    const target = key && root.querySelector(`[data-key="${CSS.escape(key)}"]:not([hidden])`);
    if (!target || target.closest("[hidden]")) return;
    event.preventDefault();
    const field = target.matches("label") ? target.control || target.querySelector("input") : target;
    field.focus();
    if (field.matches("input:is([type=checkbox], [type=radio]), button, summary")) field.click();
  });
}

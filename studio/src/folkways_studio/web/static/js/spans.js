// Marking a stretch of a sentence. What is sent are offsets in code points of the text as stored, the end exclusive: "4:11". A code
// point is not a UTF-16 unit (emoji, rare Han) and not a glyph (Bengali conjuncts), and no other program has to guess.

const length = (text) => [...text].length;
// Outer white space as the server takes it off, for which U+FEFF is a character of the text.
const OUTER = /^(?:[^\S\ufeff]|[\x1c-\x1f\x85])+|(?:[^\S\ufeff]|[\x1c-\x1f\x85])+$/g;
const slice = (text, from, to) => [...text].slice(from, to).join("");

// Words and symbols (emoji, flags, currencies), as [start, end) in code points; scripts without spaces are cut by the browser's own
// dictionary.
const MARKED = /[^\p{P}\p{Z}\p{C}\u{fe0f}]/u;
function pieces(text, language) {
  const segmenter = new Intl.Segmenter(language || undefined, { granularity: "word" });
  let at = 0;
  return [...segmenter.segment(text)].flatMap(({ segment }) => {
    const start = at;
    at += length(segment);
    return MARKED.test(segment) ? [{ start, end: at }] : [];
  });
}

// Where characters as people see them begin, and where the text ends, in code points: letters stay with their marks, emoji whole.
function characters(text, language) {
  const segmenter = new Intl.Segmenter(language || undefined, { granularity: "grapheme" });
  let at = 0;
  return [0, ...[...segmenter.segment(text)].map(({ segment }) => (at += length(segment)))];
}

export class Marker {
  constructor(root) {
    this.root = root;
    this.area = root.querySelector("[data-markable]");
    this.list = root.querySelector("[data-marks]");
    this.field = root.querySelector("input[data-spans]");
    this.words = root.dataset;
    this.source = root.querySelector("[data-source]"); // where people write the sentence themselves
    this.take(this.source ? this.source.value : this.area.textContent);
    this.read();
    this.source?.addEventListener("input", () => this.rewritten());
    // Where the button is let go outside, what was selected from here counts as well.
    this.area.addEventListener("mousedown", () => addEventListener("mouseup", () => this.fromSelection(), { once: true }));
    this.area.addEventListener("touchend", () => setTimeout(() => this.fromSelection(), 50));
    this.area.addEventListener("keydown", (event) => this.key(event));
    this.area.addEventListener("blur", () => this.moveTo(null));
    root.querySelector("[data-mark-selection]")?.addEventListener("click", () => this.fromSelection());
    this.field.form.addEventListener("filled", () => {
      if (this.source) this.take(this.source.value);
      this.read();
    });
  }

  // Ends are trimmed as the server trims them, so that offsets count from the same place.
  take(text) {
    this.text = this.source ? text.replaceAll("\r\n", "\n").replace(OUTER, "") : text;
    this.pieces = pieces(this.text, this.area.lang);
    for (const part of [this.area, this.root.querySelector("[data-marking]")]) if (part) part.hidden = Boolean(this.source) && !this.text;
  }

  // The sentence is being written: marks stay on their words where these are still there, in their order.
  rewritten() {
    const marked = this.spans.map(([start, end]) => slice(this.text, start, end));
    this.take(this.source.value);
    let from = 0;
    this.spans = marked.flatMap((words) => {
      const at = this.text.indexOf(words, from);
      if (at < 0) return [];
      from = at + words.length;
      const start = length(this.text.slice(0, at));
      return [[start, start + length(words)]];
    });
    this.field.value = this.spans.map((span) => span.join(":")).join(",");
    this.draw();
  }

  read() {
    this.spans = this.field.value.split(",").filter(Boolean).map((part) => part.split(":").map(Number));
    this.draw();
  }

  // Offsets in code points of what the mouse or finger has selected, without spaces at its ends.
  fromSelection() {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return;
    const chosen = selection.getRangeAt(0).cloneRange();
    if (!chosen.intersectsNode(this.area)) return;
    if (!this.area.contains(chosen.startContainer)) chosen.setStart(this.area, 0);
    if (!this.area.contains(chosen.endContainer)) chosen.setEnd(this.area, this.area.childNodes.length);
    const before = document.createRange();
    before.selectNodeContents(this.area);
    before.setEnd(chosen.startContainer, chosen.startOffset);
    const picked = chosen.toString();
    const start = length(before.toString()) + length(picked) - length(picked.trimStart());
    const end = start + length(picked.trim());
    selection.removeAllRanges();
    this.add(start, end);
  }

  add(start, end) {
    if (end <= start) return;
    this.spans = this.spans.filter(([from, to]) => to <= start || from >= end); // a new mark replaces those that it touches
    this.spans.push([start, end]);
    this.spans.sort((one, other) => one[0] - other[0]);
    this.changed();
  }

  remove(index) {
    this.spans.splice(index, 1);
    this.changed();
    this.area.focus();
  }

  changed() {
    this.field.value = this.spans.map((span) => span.join(":")).join(",");
    this.draw();
    this.field.dispatchEvent(new Event("change", { bubbles: true }));
  }

  // Arrow keys walk from word to word, with Shift they widen, with Alt and Shift they move the end by a character, Enter marks.
  key(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || (event.altKey && !event.shiftKey) || !this.pieces.length) return;
    const rightToLeft = getComputedStyle(this.area).direction === "rtl";
    const step = { ArrowRight: rightToLeft ? -1 : 1, ArrowLeft: rightToLeft ? 1 : -1, Home: -Infinity, End: Infinity }[event.key];
    if (step !== undefined && event.altKey) {
      event.preventDefault();
      if (this.cursor && Number.isFinite(step)) this.moveEnd(step);
    } else if (step !== undefined) {
      event.preventDefault();
      const last = this.pieces.length - 1;
      const from = this.cursor ? this.cursor.head : step > 0 ? -1 : last + 1;
      const head = Math.min(last, Math.max(0, from + step));
      this.moveTo({ head, anchor: event.shiftKey && this.cursor ? this.cursor.anchor : head, backward: step < 0 });
    } else if ((event.key === "Enter" || event.key === " ") && this.cursor) {
      event.preventDefault();
      this.add(...this.chosen());
    } else if (event.key === "Escape") {
      this.moveTo(null);
    }
  }

  moveTo(cursor) {
    if (!cursor && !this.cursor) return;
    this.cursor = cursor;
    this.drawText(); // not the list: a button of it may be what the focus is moving to
    if (cursor) this.say(this.stretch());
  }

  // Of prefixes and compounds only a part may be meant. What moves is the end that the last step went towards: whoever came back to
  // a word moves its beginning. At least a character stays.
  moveEnd(step) {
    const edges = characters(this.text, this.area.lang);
    const [start, end] = this.chosen();
    const { backward } = this.cursor;
    const moved = edges[edges.findIndex((edge) => edge >= (backward ? start : end)) + step];
    const cut = backward ? [moved, end] : [start, moved];
    if (moved !== undefined && cut[0] < cut[1]) this.moveTo({ ...this.cursor, cut });
  }

  // What the cursor is on, as [start, end) in code points.
  chosen() {
    if (this.cursor.cut) return this.cursor.cut;
    const [first, last] = [this.cursor.anchor, this.cursor.head].sort((one, other) => one - other);
    return [this.pieces[first].start, this.pieces[last].end];
  }

  stretch() {
    return slice(this.text, ...this.chosen());
  }

  say(text) {
    const live = this.root.querySelector("[aria-live]");
    if (live) live.textContent = text;
  }

  draw() {
    this.drawText();
    this.drawList();
  }

  drawText() {
    const cursor = this.cursor && this.chosen();
    const points = new Set([0, length(this.text), ...this.spans.flat(), ...(cursor || [])]);
    const cuts = [...points].sort((one, other) => one - other);
    this.area.replaceChildren(...cuts.slice(1).map((end, index) => {
      const start = cuts[index];
      const inside = ([from, to]) => from <= start && end <= to;
      const part = document.createElement(this.spans.some(inside) ? "mark" : "span");
      part.textContent = slice(this.text, start, end);
      if (cursor && inside(cursor)) part.className = "cursor";
      return part;
    }));
  }

  drawList() {
    this.list.replaceChildren(...this.spans.map(([start, end], index) => {
      const item = document.createElement("li");
      const said = document.createElement("bdi");
      said.textContent = slice(this.text, start, end);
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "×";
      button.setAttribute("aria-label", `${this.words.remove}: ${said.textContent}`);
      button.addEventListener("click", () => this.remove(index));
      item.append(said, button);
      return item;
    }));
  }
}

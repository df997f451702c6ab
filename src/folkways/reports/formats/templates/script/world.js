/* The map: every state's colours, hatchings and numbers come from Python; here they are only put on. */
const map = byId("world");
if (map && byId("world-data")) {
  const data = embedded("world-data");
  const controls = [...map.querySelectorAll("select[data-part]")];
  const part = (select) => select.dataset.part;
  const drawn = (kind, culture) => map.querySelectorAll(`[data-${kind}="${CSS.escape(culture)}"]`);
  const shown = (number) => (number === null ? "–" : number.toFixed(1));

  /* The state that keeps as many of the choices as there can be, the one just made first of all. */
  const nearest = (changed) => {
    let best = null;
    let most = -1;
    for (const variant of data.variants) {
      let kept = 0;
      for (const select of controls) if (variant[part(select)] === select.value) kept += select === changed ? 100 : part(select) === "task" ? 10 : 1;
      if (kept > most) [best, most] = [variant, kept];
    }
    return best;
  };

  /* Only what goes with the chosen task can be chosen. */
  const offer = (variant) => {
    for (const select of controls) {
      const name = part(select);
      const allowed = new Set(data.variants.filter((other) => name === "task" || other.task === variant.task).map((other) => other[name]));
      for (const option of select.options) {
        option.disabled = !allowed.has(option.value);
        option.hidden = option.disabled;
      }
      select.value = variant[name];
      select.closest(".field").hidden = new Set(data.variants.map((other) => other[name])).size < 2;
    }
  };

  const paint = (variant) => {
    const shades = new Map(variant.shades.map((shade) => [data.cultures[shade[0]], shade]));
    for (const culture of data.cultures) {
      const [, name, step, doubt, score, low, high, n] = shades.get(culture) ?? [];
      const words = step === undefined ? null : `${data.names[name]}: ${shown(score)} (${shown(low)} to ${shown(high)}), n ${count(n)}`;
      const seen = step === undefined || step === null ? "0" : "1";
      for (const mark of drawn("place", culture)) {
        mark.setAttribute("opacity", seen);
        if (seen === "1") mark.setAttribute("fill", `var(--heat-${step})`);
      }
      for (const mark of drawn("hatch", culture)) {
        const pattern = mark.closest("svg").querySelector(`pattern[id$="hatch-${doubt}"]`);
        mark.setAttribute("opacity", seen);
        mark.setAttribute("fill", pattern ? `url(#${pattern.id})` : "transparent");
        mark.querySelector("title")?.remove();
        if (words === null) continue;
        const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
        title.textContent = words;
        mark.append(title);
      }
    }
    const rows = [...new Map(variant.shades.map((shade) => [shade[1], shade])).values()];
    rows.sort((a, b) => (b[4] ?? -1) - (a[4] ?? -1));
    byId("world-rows").replaceChildren(...rows.map(([, name, , , score, low, high, n]) => {
      const row = make("tr");
      const heading = make("th", "", data.names[name]);
      heading.scope = "row";
      const range = make("td", "range");
      range.append(shown(low), ...(low === null ? [] : [make("span", "to", " to "), shown(high)]));
      row.append(heading, make("td", "num score", shown(score)), range, make("td", "num", count(n)));
      return row;
    }));
    const heading = `${variant.task}, ${variant.metric}: ${variant.endpoint}`;
    byId("world-title-now").textContent = `${heading}${variant.level === "region" ? ", by region" : ""}${variant.language === "every language" ? "" : `, ${variant.language}`}.`;
    byId("world-finding").textContent = variant.finding;
    for (const image of map.querySelectorAll("[role=img]")) image.setAttribute("aria-label", `World map. ${heading}. ${variant.finding} The numbers are in the table below.`);
  };

  for (const select of controls) {
    select.addEventListener("change", () => {
      const variant = nearest(select);
      offer(variant);
      paint(variant);
      say(`Map: ${variant.task}, ${variant.metric}, ${variant.endpoint}, ${variant.language}. ${variant.finding}`);
    });
  }
  offer(data.variants[0]);
  paint(data.variants[0]);
  byId("world-controls").hidden = false;
}

// Says at a field that what stands in it is in the letters of another language: softly, and nothing is held back.

const LEAST = 3; // letters: fewer say nothing

// [data-letters]: language -> the letters it is written in (of a character class), and what to say where most are others.
export function watchLetters(form) {
  const expected = JSON.parse(form.dataset.letters || "{}");
  const fields = form.querySelectorAll("textarea[lang], input[type=text][lang]");
  fields.forEach((field, number) => {
    const language = expected[field.lang];
    if (!language || field.name === "comment") return;
    const own = new RegExp(`[${language.letters}]`, "gu");
    const say = document.createElement("p");
    say.className = "letters";
    say.id = `letters-${number}`;
    say.setAttribute("role", "status");
    field.setAttribute("aria-describedby", [field.getAttribute("aria-describedby"), say.id].filter(Boolean).join(" "));
    field.after(say);
    const look = () => {
      const all = field.value.match(/\p{L}/gu)?.length || 0;
      const other = all >= LEAST && 2 * (field.value.match(own)?.length || 0) < all;
      if (Boolean(say.textContent) !== other) say.textContent = other ? language.say : "";
    };
    // While typing, and not when the field is left: what is clicked then would move away from under the pointer.
    field.addEventListener("input", (event) => event.isComposing || look());
    field.addEventListener("compositionend", look);
    form.addEventListener("filled", look);
    look();
  });
}

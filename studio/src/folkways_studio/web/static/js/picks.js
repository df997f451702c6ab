// A question that reads like the new one: one click says that the new one repeats it, in place of choosing that and typing its key.

export function picks(form) {
  const buttons = [...form.querySelectorAll("[data-pick]")];
  if (!buttons.length) return;
  const duplicate = form.querySelector("[name=decision][value=duplicate]");
  const key = form.querySelector("[name=of]");
  const show = () => {
    for (const button of buttons) button.setAttribute("aria-pressed", duplicate.checked && key.value.trim() === button.dataset.pick);
  };
  for (const button of buttons) button.addEventListener("click", () => {
    duplicate.checked = true;
    key.value = button.dataset.pick;
    duplicate.dispatchEvent(new Event("change", { bubbles: true }));
  });
  for (const event of ["change", "input", "filled"]) form.addEventListener(event, show);
  show();
}

/* What the page's parts share. All parts stand in one function: nothing of it is global. */
const byId = (id) => document.getElementById(id);
const make = (tag, className, content) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (content !== undefined) element.textContent = content;
  return element;
};
const say = (words) => { byId("said").textContent = words; };
const embedded = (id) => JSON.parse(byId(id).textContent);
const count = (number) => String(number).replace(/\B(?=(\d{3})+$)/gu, ",");

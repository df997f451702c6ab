// The page on which somebody corrects what they sent: its form works as a task's does, and the browser sends it.

import { choices } from "./choices.js";
import { shortcuts } from "./keys.js";
import { watchLetters } from "./letters.js";
import { picks } from "./picks.js";
import { Marker } from "./spans.js";
import { versions } from "./versions.js";

const form = document.querySelector("form[data-correct]");

for (const root of form.querySelectorAll("[data-marker]")) new Marker(root);
choices(form);
watchLetters(form);
versions(form);
picks(form);
shortcuts(document.querySelector("main"), { send: () => form.querySelector("button.primary[type=submit]").click() });
form.dataset.ready = "";

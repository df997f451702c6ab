// The form in which a researcher settles an item: the same controls as people have, without saving or shortcuts.

import { choices } from "./choices.js";
import { picks } from "./picks.js";
import { Marker } from "./spans.js";
import { versions } from "./versions.js";

for (const form of document.querySelectorAll("form[data-settle]")) {
  for (const root of form.querySelectorAll("[data-marker]")) new Marker(root);
  choices(form);
  versions(form);
  picks(form);
}

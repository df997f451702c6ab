"""Our own wording of the prompts (variant ``folkways``), used where a release lacks the authors' and wherever it is asked for."""

from __future__ import annotations

from collections.abc import Mapping

WORDINGS: Mapping[str, str] = {
    "identification": (
        "Some words in the English sentence below mean little outside American, British or Western life: a custom, a dish, a "
        "holiday, an institution, a gesture, a rule of politeness. Put <CSI> in front of each such word or phrase and </CSI> "
        "behind it. Change nothing else, and answer with the sentence alone.\n\n"
        "Sentence: {sentence}"
    ),
    "prediction": (
        "In the English sentence below, [MASK] stands for a word or phrase that belongs to American, British or Western life. "
        "Write the sentence again with what most likely stood there in place of each [MASK]. Leave the tags <CSI> and </CSI> where "
        "they are, and answer with the sentence alone.\n\n"
        "Sentence: {sentence}"
    ),
    "adaptation": (
        "The English sentence below has one or more parts between <CSI> and </CSI> that belong to American, British or Western "
        "life. Rewrite it for {people}: in place of each tagged part put what would take its place in their life, keep the tags "
        "around it, and change the rest only where it no longer fits.\n\n"
        "Answer with a JSON list of three strings and nothing else:\n"
        "1. the rewritten sentence in English;\n"
        "2. the rewritten sentence in {language};\n"
        "3. the way you chose, one of: Transference, Cultural Equivalent, Neutralization, Literal Translation, Label, "
        "Naturalization, Componential Analysis, Deletion, Accepted Standard Translation, Paraphrase or Gloss, Classifier; or two "
        "of them as 'Couplet: one, other'.\n"
        "If their life has nothing that could take its place, write Non-transferable in place of both sentences.\n\n"
        "Sentence: {sentence}"
    ),
}
"""Task -> template."""

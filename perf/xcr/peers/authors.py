"""XCR-Bench's neural metrics in the way of its authors, with their libraries: what folkways is measured
against.

Re-enacted from the published procedure: one row after the other, one pair of texts at a time. Runs in an
environment of its own.

    python authors.py sp    GOLD.csv REPLIES.csv OUT.csv --model DIR
    python authors.py bert  GOLD.csv REPLIES.csv OUT.csv --english DIR --language DIR [--columns INTRA INTER]
    [--keep-loaded]

``--keep-loaded`` is kinder than what they do: it loads the English model once, where ``bert_score.score``
loads it for every pair.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
import unicodedata
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pandas

TAGGED = re.compile(r"<CSI>(.*?)</CSI>")
ENGLISH_LAYER = 9

F1 = Callable[[str, str], float]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("metric", choices=("sp", "bert"))
    for name in ("gold", "replies", "out"):
        parser.add_argument(name, type=Path)
    for name in ("--model", "--english", "--language"):
        parser.add_argument(name)
    parser.add_argument("--columns", nargs=2, default=("Intra-lingual", "Inter-lingual"))
    parser.add_argument("--keep-loaded", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    load_libraries(options.metric)
    started = time.process_time()
    replies = pandas.read_csv(options.replies)
    gold = pandas.read_csv(options.gold).head(len(replies))
    if options.metric == "sp":
        values = {"sp_csi": list(sp_csi(gold["Sentence"], replies["CSI Output"], options.model))}
    else:
        values = {}
        english = _english(options.english, options.keep_loaded)
        for side, column, f1 in zip(
            ("intra", "inter"), options.columns, (english, _scorer(options.language)), strict=True
        ):
            rows = [
                adaptation(reply, target, f1)
                for reply, target in zip(replies[side.title()], gold[column], strict=True)
            ]
            values[f"sent_bert_{side}"] = [sentence for sentence, _ in rows]
            values[f"csi_bert_{side}"] = [items for _, items in rows]
    pandas.DataFrame(values).to_csv(options.out, index=False)
    print(f"scoring: {time.process_time() - started:.3f}")


def load_libraries(metric: str) -> None:
    """Import what the metric needs, so that it is not counted as scoring."""
    import_module("sentence_transformers" if metric == "sp" else "bert_score")
    import_module("transformers.models.bert.modeling_bert")


def sp_csi(gold: Any, replies: Any, model: str) -> Iterator[float]:
    from sentence_transformers import SentenceTransformer, util

    embedder = SentenceTransformer(model)
    for target, reply in zip(gold, replies, strict=True):
        total = 0.0
        for one, other in zip(_items(target), _items(reply), strict=False):
            if one.lower() == other.lower():
                total += 1.0
            else:
                vectors = embedder.encode([one, other], convert_to_tensor=True, show_progress_bar=False)
                total += float(util.pytorch_cos_sim(vectors[0], vectors[1]))
        yield total


def adaptation(reply: object, target: str, f1: F1) -> tuple[float | None, float | None]:
    """SENT_bert and CSI_bert of one version; nothing where it is missing or the number of items differs."""
    if not isinstance(reply, str):
        return None, None
    expected, found = TAGGED.findall(target), TAGGED.findall(reply)
    if len(expected) != len(found):
        return None, None
    items = [f1(other, one) for one, other in zip(expected, found, strict=True)]
    return f1(reply, target), sum(items) / len(items) if items else 0.0


def _english(model: str, keep_loaded: bool) -> F1:
    """Layer 9, rescaled by the baseline that the package has for bert-base-uncased."""
    import bert_score

    baseline = Path(bert_score.__file__).parent / "rescale_baseline" / "en" / "bert-base-uncased.tsv"
    told = {
        "num_layers": ENGLISH_LAYER,
        "lang": "en",
        "rescale_with_baseline": True,
        "baseline_path": str(baseline),
    }
    if keep_loaded:
        scorer = bert_score.BERTScorer(model_type=model, **told)
        return lambda reply, target: _f1(scorer.score([_nfc(reply)], [_nfc(target)]))
    return lambda reply, target: _f1(
        bert_score.score([_nfc(reply)], [_nfc(target)], model_type=model, **told)
    )


def _scorer(model: str) -> F1:
    """The last layer, loaded once, as it is."""
    from bert_score import BERTScorer
    from transformers import AutoConfig

    scorer = BERTScorer(model_type=model, num_layers=AutoConfig.from_pretrained(model).num_hidden_layers)
    return lambda reply, target: _f1(scorer.score([_nfc(reply)], [_nfc(target)]))


def _f1(scores: Any) -> float:
    return float(scores[2].mean().item())


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _items(text: str) -> list[str]:
    return [item.strip() for item in TAGGED.findall(text)]


if __name__ == "__main__":
    sys.exit(main())

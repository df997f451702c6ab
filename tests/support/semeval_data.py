"""A small release in the format of SemEval-2026 Task 7, with questions and answers of our own."""

from __future__ import annotations

from pathlib import Path

SHORT = (
    ("am-ET_001", "ጠዋት ምን ይጠጣል?", "ቡና;ሻይ;no answer"),
    ("en-ET_001", "What is drunk in the morning in Ethiopia?", "coffee;tea;no answer"),
    ("am-ET_002", "ሰዎች የት ይገናኛሉ?", "not applicable"),
    ("en-ET_002", "Where do people meet in Ethiopia?", "Not applicable ;no answer"),
    ("ja-JP_001", "朝に何を飲みますか。", "お茶;コーヒー;紅茶を飲む"),
    ("en-JP_001", "What is drunk in the morning in Japan?", "green tea;;Coffee "),
    ("zh-TW_001", "早上喝什麼?", "豆漿;奶茶"),
    ("en-TW_001", "What is drunk in the morning in Taiwan?", "soy milk;milk teas"),
    ("eu-PV_001", "Zer edaten da goizean?", "kafesnea"),
    ("ha-NG_001", "", "shayi"),
)
CHOICES = (
    ("en-US_0001", "What do children take to school?", ("lunch box", "a stove", "a goat", "a plough"), "A"),
    ("en-US_0002", "What do children take to school?", ("a ladder", "lunch box", "a net", "a drum"), "B"),
    ("ga-IE_0001", "What is eaten with tea?", ("ants", "sand", "scones", "chalk"), "C"),
)
ANSWERS, LETTERS = "final_1_saq_reference.tsv", "final_2_mcq_reference.tsv"
QUESTIONS, OPTIONS = "track_1_saq_input.tsv", "track_2_mcq_input.tsv"


def write_semeval(folder: Path, *, questions: bool = True) -> Path:
    """Write the release into the folder, which is made; without the files of questions, as it is where nobody
    registered."""
    folder.mkdir(parents=True, exist_ok=True)
    write_tsv(folder / ANSWERS, ("id", "answer"), [(key, gold) for key, _, gold in SHORT])
    write_tsv(folder / LETTERS, ("id", "answer"), [(key, gold) for key, *_, gold in CHOICES])
    if questions:
        write_tsv(folder / QUESTIONS, ("id", "text"), [(key, text) for key, text, _ in SHORT])
        header = ("id", "question", *(f"option_{label}" for label in "ABCD"))
        write_tsv(folder / OPTIONS, header, [(key, text, *options) for key, text, options, _ in CHOICES])
    return folder


TRIAL = (
    ("1", "es-EC", "¿Qué se come con el té?", ("arena", "pan", "tiza", "sal"), "pan"),
    ("2", "eu-ES", "Zer jaten da tearekin?", ("ogia", "harea", "klera"), "ogia / bread"),
)


def write_trial(folder: Path) -> Path:
    """Write the trial data into the folder, which is made: options stand in one cell, a line for each."""
    folder.mkdir(parents=True, exist_ok=True)
    header = ("index", "lang_reg", "question", "multiple_choice_options", "correct_answer")
    lettered = [
        (index, locale, text, '"' + " \n".join(options) + '"', answer)
        for index, locale, text, options, answer in TRIAL
    ]
    write_tsv(folder / "trial_data_multiple_choice.tsv", header, lettered)
    rows = [(index, locale, text, answer) for index, locale, text, _, answer in TRIAL]
    write_tsv(folder / "trial_data_unique_answer.tsv", tuple(name for name in header if name[0] != "m"), rows)
    return folder


def write_tsv(path: Path, header: tuple[str, ...], rows: list[tuple[str, ...]]) -> Path:
    """Write cells without tabs and line breaks in them."""
    path.write_text("".join("\t".join(row) + "\r\n" for row in (header, *rows)), encoding="utf-8", newline="")
    return path

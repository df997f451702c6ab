"""Base forms, language by language: forms of one word meet, different words do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkways.benchmarks.blend import data as blend
from folkways.text.tools import get_tool
from tests.support.blend_data import release_at

SAME = {
    "en": ["child children", "baby babies", "egg eggs", "wear wore worn"],
    "es": ["niño niños", "tortilla tortillas", "juega jugar"],
    "el": ["καφές καφέδες", "φαγητό φαγητά", "γιορτή γιορτές"],
    "id": [
        "bermain permainan main",
        "makan makanan dimakan",
        "sekolah sekolahnya sekolahan",
        "sapu menyapu",
        "tulis menulis penulis",
        "masak masakan memasak dimasak",
        "gunung pegunungan",
        "satenya sate",
        "mi milah minya",
        "pergaulan pergaulani",
        "lahiran lahirankan lahir",
        "ketupat ketupatan diketupat",
        "bekerja kerja",
        "kaligrafi kaligrafinya",
    ],
    "fa": [
        "کتاب کتاب‌ها کتابها کتاب‌های کتاب‌هایمان",
        "شرکت شرکتی شرکت‌ها",
        "نمره نمره‌ای",
        "بزرگ بزرگتر بزرگ‌ترین",
        "جشنواره جشنواره‌ها",
        "مهمان مهمانان",
        "جام جامم",
        "کارخانه کارخانه‌ی",
        "مراسم مراسمات مراسممان",
    ],
    "ko": [
        "학교 학교에서 학교에서는 학교의",
        "친구 친구와 친구들 친구하고",
        "선생님 선생님은 선생님께",
        "결혼식 결혼식이 결혼식에선",
        "술 술은 술에",
        "FIFA FIFA를 FIFA에서",
        "수산물 수산물로",
        "전통적인 전통적으로 전통",
        "축구 축구합니다 축구했습니다",
    ],
    "ar": ["كتاب الكتاب كتاب", "مدرسة المدرسة والمدرسة", "سيارة سيارات السيارات", "قهوة القهوه"],
    "az": [
        "çay çayı çayın çaylar çaylardan çaydır",
        "yemək yeməyi yeməkdən",
        "mühəndislik mühəndisliyi",
        "kitab kitablarımız",
        "çörək çörəyi çörəyin",
        "otaq otağı",
        "saray sarayı",
        "azərbaycan azərbaycanın azərbaycanda",
        "alma almanı almalar",
        "ev evi evdə",
    ],
    "su": [
        "buku bukuna",
        "kadaharan dahar",
        "imah imahna",
        "kopi ngopi",
        "bantu mantu",
        "sepuh sesepuh",
        "sapu nyapu",
        "petasan petasanna",
        "angge ngangge",
        "teh tehna",
        "bola mibola",
    ],
    "ha": [
        "mota motar motarsa motoci",
        "gida gidan gidansu",
        "tasha tashoshi",
        "littafi littafin littafinsu",
        "wasa wasanni wasan",
        "shekara shekaru",
        "rana ranaku",
        "suna sunaye",
        "girka girki girke",
        "malam malamai",
        "karanta karantawa makaranta",
    ],
    "am": ["ቤት ቤቶች ቤቶችን የቤቶች", "ሠላም ሰላም", "ሃይማኖት ሀይማኖት ኃይማኖት ሓይማኖት", "ዓመት አመት ኣመት", "ተማሪ ተማሪዎች ለተማሪው"],
    "as": ["চাহ চাহ"],
}
APART = {
    "en": ["tea steak", "rice price", "United State"],
    "es": ["pan pavo", "casa caso"],
    "el": ["τσάι τσίπουρο"],
    "id": [
        "nasi nanas",
        "kepala pala",
        "beras ras",
        "kelas las",
        "besi bes",
        "durian duri",
        "keranjang ranjang",
        "kemeja meja",
    ],
    "fa": ["نان نام", "ماهی ماه", "کار کاراته"],
    "ko": ["떡볶이 떡볶", "차 기차", "감 감기", "가을 가", "포도 포", "회의 회", "목적 목", "목적으로 목"],
    "ar": ["كتاب مكتبة", "كرة كتاب", "لبن لبنان"],
    "az": ["çay çap", "dərya dər", "su süd", "maşa maşın", "ana an", "hüseynov hüseynova"],
    "su": ["sangu sapi", "kacapi sapi"],
    "ha": ["mota mutum", "ruwa rawa", "kara makaranta", "yanayi ayi", "nan na", "ƙwai ƙw"],
    "am": ["ቡና ሻይ", "ቡና ቡን"],
}


def base(language: str, word: str) -> str:
    (token,) = get_tool(language).tokens(word)
    return token


@pytest.mark.parametrize(
    ("language", "forms"), [(language, forms) for language in SAME for forms in SAME[language]]
)
def test_forms_of_one_word_meet(language: str, forms: str) -> None:
    assert len({base(language, form) for form in forms.split()}) == 1, {
        form: base(language, form) for form in forms.split()
    }


@pytest.mark.parametrize(
    ("language", "words"), [(language, words) for language in APART for words in APART[language]]
)
def test_different_words_stay_apart(language: str, words: str) -> None:
    one, other = words.split()
    assert base(language, one) != base(language, other)


@pytest.mark.parametrize("language", ["am", "ar", "az", "fa", "ha", "id", "ko", "su"])
@given(data=st.data())
def test_a_stem_is_never_empty_and_never_longer(language: str, data: st.DataObject) -> None:
    alphabet = "".join(SAME[language] + APART[language]).replace(" ", "")
    word = data.draw(st.text(st.sampled_from(alphabet), min_size=1, max_size=12))
    stem = base(language, word)
    assert 0 < len(stem) <= len(word)


STEMS = {
    "id": (
        "berjalan:jalan seberjalan:jalan diseberjalan:seberjal jalannyalah:jalan "
        "mengambil:ambil mengarang:karang menggali:gali mengecat:cat menyapu:sapu memukul:pukul memakan:makan "
        "membaca:baca memfoto:foto menulis:tulis menanti:nanti mencuci:cuci melihat:lihat merusak:rusak "
        "mewarnai:warna menyanyi:nyanyi perusak:rusak perokok:rokok pelari:lari pengecat:cat penulis:tulis"
    ),
    "ko": "हिन्दी는:हिन्दी 친구들에게는:친구 친구들에게까지는:친구들 중앙로:중앙로 강아지풀을:강아지풀 뽑기풀이:뽑기풀이 a급가:a급가 a급은:a급",
    "fa": "موها:مو بها:بها شلتر:شلتر پیزامان:پیزا ترومان:ترومان",
    "ar": "وكتاب:كتاب وقلم:وقلم",
    "az": "ada:ada krım:krım iddia:iddia atası:ata almaya:alma",
    "eu": "haurrak:haur mutilak:mutil ura:ur ari:ari",
    "su": "petasannaan:petasan",
}
"""Language -> words with their stems: how many affixes go at most, how much stays at least, and what takes the
place of what."""


@pytest.mark.parametrize("language", STEMS)
def test_so_much_goes_and_so_much_stays(language: str) -> None:
    words = [pair.split(":")[0] for pair in STEMS[language].split()]
    assert " ".join(f"{word}:{base(language, word)}" for word in words) == STEMS[language]


AFFIXED = [
    ("ID", "id", "-nya -lah -ku -mu", 0.98), ("ID", "id", "di- se- -an -kan", 0.68),
    ("IR", "fa", "-ها -\u200cهای -هایشان", 0.98), ("IR", "fa", "-مان -ات", 0.87),
    ("ID-JB", "su", "-na -keun -an", 0.98), ("ID-JB", "su", "-anna", 0.85), ("ID-JB", "su", "di- pa- ka- mi-", 0.78),
    ("KR", "ko", "-에서 -하고 -도 -했습니다", 0.98),
]  # fmt: skip
"""Culture, language, affixes, and the least share of its answers' words that keep their stem with each of
them, as measured."""


@pytest.fixture(scope="module")
def real(shared: Path) -> dict[str, list[list[list[str]]]]:
    """Culture -> its questions, of each the groups of answers that people gave."""
    annotations = blend.read_annotations(release_at(shared / "data" / "blend" / "24e7d73"))
    questions: dict[str, list[list[list[str]]]] = {}
    for culture, groups in annotations.select("culture", "groups").iter_rows():
        questions.setdefault(culture, []).append([group["answers"] for group in groups])
    return questions


@pytest.mark.shared
@pytest.mark.parametrize(("culture", "language", "affixes", "least"), AFFIXED)
def test_words_of_real_answers_keep_their_stem_with_an_affix(
    real: dict[str, list[list[list[str]]]], culture: str, language: str, affixes: str, least: float
) -> None:
    answers = [answer for groups in real[culture] for group in groups for answer in group]
    shortest = 2 if language == "ko" else 4
    words = sorted(
        {
            word.lower()
            for answer in answers
            for word in answer.split()
            if word.isalpha() and len(word) >= shortest
        }
    )
    assert len(words) > 1_000
    tool = get_tool(language)
    for affix in affixes.split(" "):
        before, _, behind = affix.partition("-")
        alike = sum(tool.tokens(word) == tool.tokens(before + word + behind) for word in words)
        assert alike / len(words) >= least, affix


@pytest.mark.shared
@pytest.mark.parametrize(
    ("culture", "language"),
    [
        ("NG-N", "ha"),
        ("AZ", "az"),
        ("ET", "am"),
        ("ID-JB", "su"),
        ("DZ", "ar"),
        ("KR", "ko"),
        ("ID", "id"),
        ("IR", "fa"),
    ],
)
def test_real_answers_keep_their_meaning(
    real: dict[str, list[list[list[str]]]], culture: str, language: str
) -> None:
    """Stemming joins few answers that people gave as different ones (groups of the same question)."""
    pairs = joined = 0
    for groups in real[culture]:
        stems = [
            {" ".join(get_tool(language).tokens(answer)) for answer in group if answer.strip()}
            for group in groups
        ]
        words = [{answer.strip().lower() for answer in group} for group in groups]
        for one in range(len(groups)):
            for other in range(one):
                if not words[one] & words[other]:
                    pairs += 1
                    joined += bool(stems[one] & stems[other])
    assert pairs > 1_000
    assert joined / pairs < 0.01

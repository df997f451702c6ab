"""In every language of the data, "the right answer is B" is B, and "the answer is not B" is not."""

from __future__ import annotations

import re

import pytest

from folkways.benchmarks.templates import wordings
from folkways.text.labels import chosen_label

OPTIONS = {"A": "rice", "B": "bread", "C": "maize", "D": "yam"}

ASSERTED = """
sv Svaret är nu B.
nl Het antwoord is nu B.
hu Válasz: ez a B.
id Jawaban: B. Emas adalah logam mulia.
sq Përgjigja e saktë është B.
hy Ճիշտ պատասխանն է B:
hy Պատասխանը՝ B
be Правільны адказ: B
be Адказ — B
my အဖြေမှန်မှာ B ဖြစ်သည်။
km ចម្លើយត្រឹមត្រូវគឺ B។
lo ຄຳຕອບທີ່ຖືກຕ້ອງແມ່ນ B
si නිවැරදි පිළිතුර B වේ.
gu સાચો જવાબ B છે.
pa ਸਹੀ ਜਵਾਬ B ਹੈ।
or ଠିକ୍ ଉତ୍ତର ହେଉଛି B।
or ସଠିକ୍ ଉତ୍ତରଟି B
kn ಸರಿಯಾದ ಉತ್ತರ B.
te సరైన సమాధానం B.
te సరైన జవాబు B
ml ശരിയായ ഉത്തരം B ആണ്.
mr बरोबर उत्तर B आहे.
ne सही उत्तर B हो।
ig Azịza ziri ezi bụ B.
yo Ìdáhùn tó tọ́ ni B.
sn Mhinduro chaiyo ndi B.
so Jawaabta saxda ah waa B.
mg Ny valiny marina dia B.
ny Yankho lolondola ndi B.
ky Туура жооп: B
kk Дұрыс жауап — B.
kk Дұрыс жауабы: B
uz To'g'ri javob: B.
uz To‘g‘ri javob B.
tr Doğru cevap B.
tr Doğru yanıt B şıkkıdır.
az Düzgün cavab B variantıdır.
ha Amsar da ta dace ita ce B.
am ትክክለኛው መልስ B ነው።
ti ቅኑዕ መልሲ B እዩ።
mn Зөв хариулт: B
ka სწორი პასუხია B.
he התשובה הנכונה היא B.
ar الإجابة الصحيحة هي B.
fa پاسخ صحیح B است.
fa گزینه B صحیح است.
ur درست جواب B ہے۔
ur صحیح جواب آپشن B ہے۔
hi सही उत्तर B है।
hi सही विकल्प B है
bn সঠিক উত্তর হল B।
as শুদ্ধ উত্তৰ হৈছে B।
ta சரியான விடை B.
ta சரியான பதில் B ஆகும்.
th คำตอบที่ถูกต้องคือ B
vi Đáp án đúng là B.
vi Câu trả lời đúng là B
id Jawaban yang benar adalah B.
ms Jawapan yang betul ialah B.
su Waleran anu bener nyaéta B.
tl Ang tamang sagot ay B.
ja 正解はBです。
ja 正しい答えはBです。
ko 정답은 B입니다.
zh 正确答案是B。
zh 正確答案為 B。
el Η σωστή απάντηση είναι η B.
bg Правилният отговор е B.
mk Точниот одговор е B.
sr Тачан одговор је B.
sr Tačan odgovor je B.
hr Točan odgovor je B.
uk Правильна відповідь — B.
ru Правильный ответ: B
ru Правильный ответ — вариант B.
pl Prawidłowa odpowiedź to B.
cs Správná odpověď je B.
sk Správna odpoveď je B.
hu A helyes válasz: B
hu A helyes válasz a B.
ro Răspunsul corect este B.
lt Teisingas atsakymas yra B.
lv Pareizā atbilde ir B.
et Õige vastus on B.
fi Oikea vastaus on B.
eu Erantzun zuzena B da.
ga Is é B an freagra ceart.
sv Rätt svar är B.
da Det rigtige svar er B.
no Riktig svar er B.
nl Het juiste antwoord is B.
de Die richtige Antwort ist B.
fr La bonne réponse est B.
fr La réponse correcte est la B.
it La risposta corretta è la B.
pt A resposta correta é B.
pt A alternativa correta é a B.
es La respuesta correcta es la B.
es La opción correcta es la B
ca La resposta correcta és la B.
gl A resposta correcta é a B.
af Die korrekte antwoord is B.
sw Jibu sahihi ni B.
sw Jibu sahihi kwa swali hili ni B.
en The right answer is B.
nb Riktig svar er B.
"""

DENIED = """
es La respuesta no es B.
ru Ответ не B
ar الإجابة ليست B
ja Bではありません
zh 答案不是B
ko 정답은 B가 아닙니다
hi उत्तर B नहीं है
sw Jibu si B
tr Cevap B değil
fa پاسخ B نیست
id Jawabannya bukan B
vi Đáp án không phải là B
th คำตอบไม่ใช่ B
he התשובה אינה B
el Η απάντηση δεν είναι B
am መልሱ B አይደለም
ha Amsar ba B ba ce
bn উত্তর B নয়
ta விடை B அல்ல
te సమాధానం B కాదు
ml ഉത്തരം B അല്ല
ka პასუხი არ არის B
hy Պատասխանը B չէ
kk Жауап B емес
uz Javob B emas
az Cavab B deyil
mn Хариулт B биш
my အဖြေ B မဟုတ်ပါ
ne उत्तर B होइन
ur جواب B نہیں ہے
fi Vastaus ei ole B
hu A válasz nem B
et Vastus ei ole B
eu Erantzuna ez da B
pl Odpowiedź to nie B
lt Atsakymas nėra B
sq Përgjigjja nuk është B
mk Одговорот не е B
cs Odpověď není B
tl Hindi B ang sagot
ms Jawapan bukan B
ga Ní B an freagra
sv Svaret är inte B
si පිළිතුර B නොවේ
km ចម្លើយមិនមែន B
gu જવાબ B નથી
pa ਜਵਾਬ B ਨਹੀਂ
or ଉତ୍ତର B ନୁହେଁ
ti መልሲ B ኣይኮነን
kn ಉತ್ತರ B ಅಲ್ಲ
mr उत्तर B नाही
yo Ìdáhùn kì í ṣe B
ig Azịza abụghị B
so Jawaabtu ma aha B
ky Жооп B эмес
su Waleranana sanés B
as উত্তৰ B নহয়
en The answer is not B.
de Die Antwort ist nicht B.
fr La réponse n'est pas B.
it La risposta non è B.
pt A resposta não é B.
nl Het antwoord is niet B.
da Svaret er ikke B.
nb Svaret er ikke B.
ca La resposta no és B.
ro Răspunsul nu este B.
hr Odgovor nije B.
sr Одговор није B.
sk Odpoveď nie je B.
uk Відповідь не B
bg Отговорът не е B.
lv Atbilde nav B.
so Jawaabtu ma aha B.
mg Tsy B ny valiny.
"""


def replies(table: str) -> list[tuple[str, str]]:
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in table.strip().splitlines()]


@pytest.mark.parametrize(("language", "reply"), replies(ASSERTED))
@pytest.mark.parametrize("label", ["B", "D"])
def test_an_announced_letter_is_read(language: str, reply: str, label: str) -> None:
    assert chosen_label(re.sub(r"(?<![A-Z])B(?![a-z])", label, reply), OPTIONS) == label


@pytest.mark.parametrize(("language", "reply"), replies(DENIED))
@pytest.mark.parametrize("label", ["B", "D"])
def test_a_denied_letter_is_not(language: str, reply: str, label: str) -> None:
    assert chosen_label(re.sub(r"(?<![A-Z])B(?![a-z])", label, reply), OPTIONS) is None


@pytest.mark.parametrize("table", [ASSERTED, DENIED])
def test_every_language_that_options_are_shown_in_has_a_line(table: str) -> None:
    shown = {
        code.partition("-")[0] for code in wordings("folkways.benchmarks.multiple_choice")["instructions"]
    }
    missing = shown - {language for language, _ in replies(table)}
    assert not missing

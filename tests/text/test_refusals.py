"""Replies that decline, in the languages that questions are asked in, and replies that only look like it."""

from __future__ import annotations

import pytest

from folkways.benchmarks.semeval2026.tasks import LANGUAGES
from folkways.cultures import cultures_of
from folkways.text.refusals import is_refusal, phrases

DECLINING = {
    "es": "Lo siento, no puedo responder a eso.",
    "id": "Maaf, saya tidak tahu.",
    "zh": "抱歉，我无法回答这个问题。",
    "ko": "죄송하지만 잘 모르겠습니다.",
    "ar": "عذرًا، لا أعرف الجواب.",
    "el": "Λυπάμαι, δεν γνωρίζω.",
    "fa": "متأسفم، نمی‌دانم.",
    "az": "Üzr istəyirəm, bilmirəm.",
    "su": "Hapunten, abdi teu terang.",
    "as": "ক্ষমা কৰিব, মই নাজানো।",
    "bn": "দুঃখিত, আমি জানি না।",
    "ha": "Yi haƙuri, ban sani ba.",
    "am": "ይቅርታ፣ አላውቅም።",
    "bg": "Съжалявам, не знам.",
    "eu": "Barkatu, ez dakit.",
    "fr": "Désolé, je ne sais pas.",
    "ga": "Tá brón orm, níl a fhios agam.",
    "ja": "申し訳ありませんが、わかりません。",
    "ms": "Maaf, saya tidak tahu.",
    "sv": "Tyvärr, jag vet inte.",
    "ta": "மன்னிக்கவும், எனக்குத் தெரியாது.",
    "tl": "Paumanhin, hindi ko alam.",
}
ANSWERING = {
    "es": "Café con leche y pan",
    "id": "nasi goreng",
    "zh": "喝茶",
    "ko": "김치찌개를 먹습니다.",
    "ar": "الشاي الأخضر",
    "el": "Καφές",
    "fa": "چای و نان",
    "az": "çay içirlər",
    "su": "nginum entéh",
    "as": "চাহ খায়",
    "bn": "চা খায়",
    "ha": "shinkafa da miya",
    "am": "ቡና ይጠጣሉ",
    "bg": "баница с айран",
    "eu": "txakolina eta pintxoak",
    "fr": "une baguette et du fromage",
    "ga": "tae agus arán donn",
    "ja": "おにぎりと味噌汁",
    "ms": "nasi lemak dan teh tarik",
    "sv": "köttbullar och potatis",
    "ta": "இட்லி மற்றும் சாம்பார்",
    "tl": "kanin at adobo",
}


HABITS = """
es No sé.
es Lo siento, pero no puedo responder a esa pregunta.
es No tengo información suficiente.
es No tengo acceso a esa información.
es Como modelo de lenguaje, no tengo preferencias.
es No dispongo de datos.
es Desconozco la respuesta.
id Saya tidak tahu.
id Maaf, saya tidak dapat menjawab pertanyaan tersebut.
id Saya tidak memiliki informasi tentang hal itu.
id Sebagai model bahasa AI, saya tidak memiliki pendapat.
id Tidak tahu.
zh 我不知道。
zh 抱歉，我无法回答这个问题。
zh 很抱歉，我没有相关信息。
zh 作为一个AI语言模型，我没有个人观点。
zh 我没有足够的信息来回答。
zh 無法確定。
zh 不清楚。
zh 我不太清楚。
zh 對不起，我不能回答
ko 잘 모르겠습니다.
ko 죄송합니다. 답변을 드릴 수 없습니다.
ko 죄송하지만 해당 정보를 제공할 수 없습니다.
ko 정보가 없습니다.
ko AI 언어 모델로서 개인적인 의견이 없습니다.
ko 알 수 없음
ko 몰라요
ko 저는 그 질문에 대답할 수 없습니다.
ar لا أعرف.
ar عذراً، لا أستطيع الإجابة على هذا السؤال.
ar أنا آسف، لا يمكنني مساعدتك.
ar آسف، ليس لدي معلومات كافية.
ar كنموذج لغوي، لا أملك آراء.
ar لا تتوفر لدي معلومات.
ar لا يوجد لدي معلومات
el Δεν γνωρίζω.
el Λυπάμαι, δεν μπορώ να απαντήσω.
el Δεν έχω αρκετές πληροφορίες.
el Δεν διαθέτω πληροφορίες.
fa نمی‌دانم.
fa متأسفم، نمی‌توانم به این سوال پاسخ دهم.
fa من اطلاعات کافی ندارم.
fa به عنوان یک مدل زبانی، نظری ندارم.
fa متاسفانه اطلاعاتی در این زمینه ندارم
fa نمیدونم
az Bilmirəm.
az Üzr istəyirəm, bu suala cavab verə bilmərəm.
az Bu barədə məlumatım yoxdur.
az Mən bilmirəm
su Teu terang.
su Hapunten, abdi teu tiasa ngajawab.
su Abdi henteu apal.
as মই নাজানো।
as দুঃখিত, মই উত্তৰ দিব নোৱাৰোঁ।
as মই এই প্ৰশ্নৰ উত্তৰ দিব নোৱাৰো।
as মোৰ ওচৰত তথ্য নাই।
am አላውቅም።
am ይቅርታ፣ መልስ መስጠት አልችልም።
am በዚህ ጉዳይ ላይ መረጃ የለኝም።
am እንደ ቋንቋ ሞዴል
am ይህን ጥያቄ መመለስ አልችልም
ha Ban sani ba.
ha Yi haƙuri, ba zan iya amsa wannan tambaya ba.
ha Ba ni da bayani.
ha A yi hakuri, ban sani ba
ja わかりません。
ja 申し訳ありませんが、お答えできません。
ja 情報がありません。
ja 不明です
ja AIとして、個人的な意見はありません。
ru Не знаю.
ru Я не знаю ответа.
ru Извините, я не могу ответить на этот вопрос.
ru К сожалению, у меня нет информации.
ru Как языковая модель, я не имею мнения.
de Ich weiß es nicht.
de Es tut mir leid, ich kann diese Frage nicht beantworten.
de Als KI-Sprachmodell habe ich keine Meinung.
it Non lo so.
it Mi dispiace, non posso rispondere.
it Come modello linguistico non ho opinioni.
pt Não sei.
pt Desculpe, não posso responder a essa pergunta.
pt Como modelo de linguagem, não tenho opiniões.
tr Bilmiyorum.
tr Üzgünüm, bu soruya cevap veremem.
vi Tôi không biết.
vi Xin lỗi, tôi không thể trả lời câu hỏi này.
hi मुझे नहीं पता।
hi क्षमा करें, मैं इस प्रश्न का उत्तर नहीं दे सकता।
hi मैं एक भाषा मॉडल हूँ
ur مجھے نہیں معلوم۔
ur معذرت، میں اس سوال کا جواب نہیں دے سکتا۔
th ไม่ทราบ
th ขออภัย ฉันไม่สามารถตอบคำถามนี้ได้
sw Sijui.
sw Samahani, siwezi kujibu swali hili.
nl Ik weet het niet.
nl Het spijt me, ik kan die vraag niet beantwoorden.
pl Nie wiem.
pl Przepraszam, nie mogę odpowiedzieć na to pytanie.
uk Не знаю.
te నాకు తెలియదు.
ml എനിക്ക് അറിയില്ല.
kn ನನಗೆ ಗೊತ್ತಿಲ್ಲ.
gu મને ખબર નથી.
mr मला माहित नाही.
ne मलाई थाहा छैन।
pa ਮੈਨੂੰ ਨਹੀਂ ਪਤਾ।
he אני לא יודע.
he מצטער, איני יכול לענות.
hu Nem tudom.
fi En tiedä.
cs Nevím.
ro Nu știu.
sr Ne znam.
bg Не знам.
ga Níl a fhios agam.
ms Saya tidak tahu.
sv Jag vet inte.
ta எனக்குத் தெரியாது.
tl Hindi ko alam.
bn আমি জানি না।
bn দুঃখিত, আমি এই প্রশ্নের উত্তর দিতে পারছি না।
bn আমার কাছে এই তথ্য নেই।
eu Ez dakit.
fr Je ne sais pas.
fr Désolé, je ne peux pas répondre à cette question.
fr En tant que modèle de langage, je n'ai pas d'opinion.
ka არ ვიცი.
hy Չգիտեմ։
my မသိပါ။
km ខ្ញុំមិនដឹងទេ។
lo ຂ້ອຍບໍ່ຮູ້
si මම දන්නේ නැහැ.
kk Білмеймін.
uz Bilmayman.
mn Мэдэхгүй.
yo Mi ò mọ̀.
ig Amaghị m.
so Ma garanayo.
lt Nežinau.
lv Es nezinu.
et Ma ei tea.
sq Nuk e di.
hr Ne znam.
mk Не знам.
sk Neviem.
sl Ne vem.
be Не ведаю.
de Das kann ich leider nicht beantworten.
hi पता नहीं
ml എനിക്കറിയില്ല.
"""
"""Language, and what a model says that declines."""


@pytest.mark.parametrize("line", HABITS.strip().splitlines())
def test_how_models_decline(line: str) -> None:
    language, reply = line.split(" ", 1)
    assert is_refusal(reply, language)


@pytest.mark.parametrize("language", sorted(phrases()))
@pytest.mark.parametrize("answer", [*ANSWERING.values(), "B", "B)", "Leiderdorp", "Ndola", "मालूम", "ข้าว"])
def test_an_answer_declines_in_no_language(language: str, answer: str) -> None:
    assert not is_refusal(answer, language)


@pytest.mark.parametrize("language", DECLINING)
def test_declining_and_answering(language: str) -> None:
    assert is_refusal(DECLINING[language], language)
    assert not is_refusal(ANSWERING[language], language)


def test_every_language_of_the_benchmark_is_covered() -> None:
    asked = {*LANGUAGES, *(culture.languages[0] for culture in cultures_of("blend"))}
    assert asked <= set(phrases())


@pytest.mark.parametrize("language", [*DECLINING, "xx"])
def test_english_counts_in_every_language_and_the_others_only_in_theirs(language: str) -> None:
    assert is_refusal("I'm sorry, I can't answer that.", language)
    assert language == "xx" or not is_refusal(DECLINING[language])


def test_only_the_beginning_is_looked_at() -> None:
    assert not is_refusal("café " * 200 + "no lo sé", "es")
    phrase = "I don't know"
    assert is_refusal(f"{'x' * (399 - len(phrase))} {phrase}")
    assert not is_refusal(f"{'x' * (400 - len(phrase))} {phrase}")
    assert is_refusal(f"a {phrase}", within=2 + len(phrase))
    assert not is_refusal(f"a {phrase}", within=1 + len(phrase))


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't help with that.",
        "I cannot answer this question.",
        "As an AI language model, I have no culture.",
        "Sorry, no.",
        "I don't know.",
        "I’d rather not say",
        "It is not possible to determine the answer.",
        "I have no idea.",
        "I'm just a language model.",
        "I don't have access to real-time data.",
    ],
)
def test_english_replies_that_decline(reply: str) -> None:
    assert is_refusal(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "B",
        "",
        "Well, I'm sorry for the trouble. People bring rice.",
        "They say sorry when they bump into someone.",
        "The answer is rice.",
        "People cannot enter with shoes.",
    ],
)
def test_english_replies_that_do_not(reply: str) -> None:
    assert not is_refusal(reply)


@pytest.mark.parametrize(
    ("language", "reply"),
    [
        ("th", "หลายคนไม่รู้ว่าอาหารเช้าคือโจ๊ก"),
        ("th", "ไม่รู้จักใครก็ไหว้"),
        ("kn", "ಅನೇಕರಿಗೆ ಇದು ಗೊತ್ತಿಲ್ಲ, ಆದರೆ ದೋಸೆ"),
        ("km", "មនុស្សជាច្រើនមិនដឹង ប៉ុន្តែបបរ"),
        ("lo", "ຫຼາຍຄົນບໍ່ຮູ້ ແຕ່ເຂົ້າ"),
        ("mn", "Олон хүн мэдэхгүй ч бууз"),
        ("he", "מי שלא יודע אוכל חומוס"),
        ("sw", "Pole pole"),
        ("sw", "Pole sana"),
    ],
)
def test_that_others_do_not_know_or_are_pitied_declines_nothing(language: str, reply: str) -> None:
    assert not is_refusal(reply, language)


@pytest.mark.parametrize(
    "after", ["<|im_end|>\n", "<|eot_id|>", "</s>\n<|user|>\n", "<|user|>", "<end_of_turn>"]
)
def test_a_refusal_in_a_later_turn_is_not_the_replys(after: str) -> None:
    assert not is_refusal(f"Rice cakes{after}I do not know.")
    assert is_refusal(f"I do not know.{after}Rice cakes")

"""In many languages: an option is taken for the answer if the reply prefers it to another, and not if it is denied,
joined with another, or nothing but a cry."""

from __future__ import annotations

import pytest

from folkways.text.labels import chosen_label, settled_truth, settled_word

OPTIONS = {"A": "rice", "B": "wheat bread", "C": "maize", "D": "yam"}

SETTLED = """
ar - آ! لا أعرف
az B A səhvdir, B düzdür.
az - Cavab: A və ya B
az - A və ya B
az B Düzgün cavab B-dir.
cs C Ani A, ani B, ale C
cs B Ne A, ale B.
de B Ich würde B wählen.
de B Es könnte A sein, aber B ist wahrscheinlicher.
de B Zwischen A und B würde ich B wählen.
de B Ich bin mir nicht sicher, aber ich denke B.
de B B. wheat bread - Der NC ist der Durchschnitt, der noch zugelassen worden ist
de B Die Antwort ist B nicht ohne Grund.
de B Antwort: B. Brot ist heute noch üblich.
el - Α! Δεν ξέρω
en B I bet B
en B It could be A, but B is more likely.
en - It could be A, but B is what people eat.
en - Maybe A, although B is eaten most often
en - Perhaps A. However, B is eaten at home.
en - A could be right, but B is the one people know
en - Likely A, but possibly B
en B A is wrong, but maybe B
en A Maybe A, because B is eaten at breakfast
en B A is more popular in Japan. However, I choose B.
en B Option A (rice) is more popular. Therefore, the answer is B.
en B A is the most popular, but B.
en B A is more likely. Therefore, the answer is B.
en B A is more plausible, so I would go with B.
en - A is more likely, but B.
en - A is more likely, yet it is B.
en A A is more likely, but B is common.
en A The answer is A. But B is more popular.
en A The answer is A. B is more likely to be eaten there.
en - The answer may be A, but B is more likely.
en B A is more likely to be found in the north, so B
en B A is common. So B is more likely.
en B I pick <|B|>
en B Most people think of A, but it could be B.
en B A is common, but the best guess might be B.
en B B<|im_end|>
en B B<|eot_id|><|start_header_id|>user<|end_header_id|>
en B <|assistant|>B
en B <start_of_turn>model B<end_of_turn>
en - Option A (car) is wrong
en - The option B does not fit
en B The answer is B no matter what
en B The answer is B without question
en B Answer: B No other option fits
en B The answer is B not sure though
es B La respuesta es B no importa lo que digan.
es B Podría ser A, pero B es más probable.
es - Podría ser A, pero B se come más.
ja B Aの可能性もありますが、Bの可能性が最も高いです。
ja - Aの可能性が高いです。しかし、Bです。
ko B A일 수도 있지만 B일 가능성이 더 높습니다.
ko B A일 가능성이 높습니다. 그러나 정답은 B입니다.
zh B 可能是A，但B更有可能。
zh B A更可能在北方。但答案是B。
es B La respuesta es B no porque me guste
es - La respuesta B no es correcta.
es - La opción B no encaja.
et B Mitte A, vaid B.
fi B Ei A, vaan B.
fr B Il s'agit de l'option B.
fr B La réponse est B pas de doute.
fr B La réponse est B, car ce n'est pas la coutume.
gu B A ખોટું છે, B સાચું છે.
gu - જવાબ: A અથવા B
he B A לא נכון, B נכון.
he - תשובה: A או B
he B לא A אלא B.
hi - अ! पता नहीं
hu C Sem A, sem B, hanem C
hu B Nem A, hanem B.
hu B A megoldás: B, ez jellemző.
hu B A válasz B, ez a helyes.
hy - Ա՜
hy B Ոչ թե A, այլ B։
hy - Պատասխան՝ A կամ B
hy B A սխալ է, B ճիշտ է։
ig B Ọ bụghị A, ọ bụ B.
it B B è la risposta corretta perché A non c'entra.
it B Non A, ma B.
it C Né A né B, ma C
ja - ア！わかりません
ja - 正解はBではない。
ja C BよりCの方が適切です。
ja B Aも考えられますが、Bが最も適切です。
ja B Bだと思います。
ja - 答え：AまたはB
ja B Bが正解です。Aは違います。
ja B AではなくBです。
ja - 正解はAかBです
ja - 答え：AかB
ja B Aは間違いで、Bが正しいです。
ja - 答えはBじゃない。
ja - 答え：AとB
ja B 答えはBではないでしょうか。
ja B 答えはBじゃないでしょうか
ja B B) みんなが毎日たくさん食べるのは値段が安いからではなくおいしいからです
ja - B) パンではない
ka - პასუხი: A ან B
ka B A არასწორია, B სწორია.
ka B არა A, არამედ B.
ka - ა! არ ვიცი
kk - Жауап: A немесе B
kk B Жауабы B.
kk B A қате, B дұрыс.
km - ចម្លើយ៖ A ឬ B
km B មិនមែន A ទេ គឺ B
kn B A ತಪ್ಪು, B ಸರಿ.
kn - ಆ!
kn - ಉತ್ತರ: A ಅಥವಾ B
ko B 확실하지 않지만 B라고 생각합니다.
ko - 가!
lo B ບໍ່ແມ່ນ A ແຕ່ແມ່ນ B
lo - ຄຳຕອບ: A ຫຼື B
ml - A അല്ലെങ്കിൽ B
ml - ഉത്തരം: A അല്ലെങ്കിൽ B
ml B A തെറ്റാണ്, B ശരിയാണ്.
ml B A അല്ല, B ആണ്.
mn - Хариулт: A эсвэл B
mr - उत्तर: A किंवा B
mr B A चूक आहे, B बरोबर आहे.
my - အဖြေ - A သို့မဟုတ် B
my - A သို့မဟုတ် B
my B A မဟုတ်ပါ၊ B ဖြစ်သည်။
ne - उत्तर: A वा B
ne B A होइन, B हो।
nl B Niet A, maar B.
nl B Ik weet het niet zeker, maar ik denk B.
nl C Noch A noch B, maar C
nl B Het varken is B
pa B A ਗਲਤ ਹੈ, B ਸਹੀ ਹੈ।
pa - ਜਵਾਬ: A ਜਾਂ B
pl B Nie jestem pewien, ale myślę, że B.
pl - Odpowiedź B jest nieprawidłowa.
pl B Wybieram B.
pl C Ani A, ani B, lecz C
pl B Nie A, tylko B.
pl B A jest błędne, więc B.
pl B Nie A, lecz B
pt B Não é A, mas B.
pt B B, sem dúvida.
pt B A resposta é B, sem açúcar.
ro C Nici A, nici B, ci C
ro B Nu A, ci B.
ru B Может быть A, но B вероятнее.
ru B Между A и B я выбираю B.
ru B Думаю, что B
ru - Вариант B не подходит.
ru - Ответ B неверен.
ru - А... не знаю
si B A වැරදියි, B නිවැරදියි.
si - ආ!
si - පිළිතුර: A හෝ B
so B Ma aha A, waa B.
sr B Ne A, nego B.
sr C Ni A ni B, nego C
sv C Varken A eller B, utan C
sv B Inte A, utan B.
sw B A si sahihi, B ni sahihi.
sw B Si A, bali B.
ta - ஆ! எனக்கு தெரியாது
ta - ஆ!
ta B A தவறு, B சரி.
ta - பதில்: A அல்லது B
te - ఆ! తెలియదు
te B A తప్పు, B సరైనది.
te - సమాధానం: A లేదా B
th B ตอบ B
th B ไม่ใช่ A แต่เป็น B
th - คำตอบ: A หรือ B
tl B Hindi A kundi B.
tr B B seçeneği doğrudur.
tr B Doğru cevap B'dir.
tr - A da yanlış.
uk B Це B
uk B Я обираю B.
uk - Варіант B неправильний.
ur B A نہیں، B۔
vi B Tôi chọn B.
vi B A sai, B đúng.
vi B Không phải A mà là B.
vi B Tôi không chắc nhưng tôi nghĩ là B.
"""
"""Language, label (- for none), reply."""


@pytest.mark.parametrize("line", SETTLED.strip().splitlines())
def test_the_option_that_a_reply_settles_on(line: str) -> None:
    _, label, reply = line.split(" ", 2)
    assert chosen_label(reply, OPTIONS) == (None if label == "-" else label)


@pytest.mark.parametrize("reply", ["Ответ:\nА!", "விடை:\nஅ!", "정답:\n가..."])
def test_a_letter_that_is_announced_is_no_cry(reply: str) -> None:
    assert chosen_label(reply, OPTIONS) == "A"


@pytest.mark.parametrize(
    ("reply", "label"),
    [
        ("It is B<|im_end|>A", "B"),
        ("B<|im_end|>\n<|im_start|>user\nC?<|im_end|>\n<|im_start|>assistant\nC", "B"),
        ("<|im_start|>assistant\nB<|im_end|>\n<|im_start|>assistant\nC<|im_end|>", "B"),
        ("<|im_end|>\n<|im_start|>assistant\nB<|im_end|>C", "B"),
        ("<|im_start|>user\nA or C?<|im_end|>\n<|im_start|>assistant\nB<|im_end|>", "B"),
        ("<|user|>\nA or C?<|end|>\n<|assistant|>\nB<|end|>\n<|user|>\nC", "B"),
        ("<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nB<|eot_id|>A", "B"),
        ("<start_of_turn>model\nB<end_of_turn>\n<start_of_turn>user\nD<end_of_turn>", "B"),
        ('{"answer": "B"}<|endoftext|>{"answer": "A"}', "B"),
        (
            "<|channel|>analysis<|message|>A? C<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>",
            "B",
        ),
        ("<|channel|>final<|message|>B<|return|>C", "B"),
        ("<|im_end|>B", "B"),
        ("<|im_end|>", None),
        ("A or B<|im_end|>B", None),
        ("B<|user|>\nAnd here: A or C?<|assistant|>\nC", "B"),
        ("<|assistant|>\nB<|observation|>\nA", "B"),
        ("B</s><s>[INST] A or C? [/INST] C", "B"),
        ("B</s>\n<|user|>\nA</s>", "B"),
        ("<|system|>\nBrief.</s>\n<|user|>\nA or C?</s>\n<|assistant|>\nB</s>", "B"),
        ("<s>A</s> B is wrong, <s>C</s> wrong. B", None),  # text that is struck through is not the last
        ("<|assistant|>final answer: B", "B"),
    ],
)
def test_turns_after_the_end_of_a_reply_are_none_of_it(reply: str, label: str | None) -> None:
    assert chosen_label(reply, OPTIONS) == label
    assert settled_word(reply.replace("B", "yes").replace("A", "no"), {"yes": "B", "no": "A"}) == label
    if "{" not in reply:
        said = reply.replace("B", "True").replace("A", "False")
        assert settled_truth(said) == (label and "True")

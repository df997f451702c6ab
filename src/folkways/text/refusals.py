"""Phrases with which models decline to answer, in the languages that questions are asked in.

Short and to the point: a phrase is listed when it says that no answer will be given ("I do not know", "I
cannot answer", "as a language model"), in the wording that models use.
"""

from __future__ import annotations

import re
from functools import cache

PHRASES = {
    "en": (
        r"\bI\s*(?:['’]m|\s+am)\s+(?:(?:really|very|so)\s+)?(?:sorry(?!\s+(?:for|about|to\s+hear)\b)|unable|not\s+able|afraid)\b",
        r"\bI\s+(?:can\s*not|can['’]?t|won['’]?t|will\s+not|must\s+decline|have\s+to\s+decline|decline)\b",
        r"\bI\s+(?:do\s+not|don['’]?t)\s+(?:know|have\s+(?:enough\s+)?(?:information|knowledge|access|an?\s+answer)|feel\s+comfortable)\b",
        r"\bI(?:\s+would|['’]d)\s+rather\s+not\b",
        r"\bI\s+have\s+no\s+(?:idea|information|knowledge|access)\b",
        r"\b(?:as|I\s*(?:['’]m|\s+am)(?:\s+(?:only|just))?)\s+an?\s+(?:AI|artificial\s+intelligence|(?:large\s+)?language\s+model)\b",
        r"\b(?:unable|not\s+possible)\s+to\s+(?:answer|assist|help|provide|determine)\b",
        r"\bcannot\s+(?:answer|assist|help|comply|provide)\b",
        r"^\W*(?:sorry|my\s+apologies|I\s+apologi[sz]e)\b",
    ),
    "es": (
        r"\bno (?:lo )?sé\b",
        r"\blo siento\b",
        r"\bno (?:puedo|podría) (?:responder|contestar|proporcionar|dar|ayudar)",
        r"\bno (?:tengo|dispongo de) (?:acceso|datos|(?:suficiente )?información)\b",
        r"\bdesconozco (?:la respuesta|ese|esa|este|esta)\b",
        r"\bcomo (?:un |una )?(?:modelo de lenguaje|ia|inteligencia artificial)\b",
    ),
    "id": (
        r"\b(?:saya|aku) (?:tidak|kurang) tahu\b|^\W*tidak tahu\b",
        r"^\W*(?:mohon )?maaf\b",
        r"\btidak (?:dapat|bisa) (?:menjawab|memberikan|membantu)",
        r"\btidak (?:memiliki|mempunyai|punya) informasi\b",
        r"\bsebagai (?:sebuah )?(?:model bahasa|ai|kecerdasan buatan)\b",
    ),
    "zh": (
        r"不知道|^\W*(?:我)?(?:也|还)?不(?:太)?清楚",
        r"没有(?:足够|相关)的?(?:信息|資訊|资料)",
        r"^\W*(?:很|非常)?(?:抱歉|对不起|對不起)",
        r"(?:无法|不能|無法)(?:回答|提供|确定|確定|给出)",
        r"作为(?:一个|一名)?(?:AI|ai|人工智能|语言模型)",
    ),
    "ko": (
        r"모르겠|모릅니다|몰라요|알 수 없(?:습니다|음|어요)",
        r"^\W*(?:죄송|미안)",
        r"답변?(?:을|를)? ?(?:드릴|제공할|할) 수 없",
        r"정보(?:가|를)? ?(?:없습니다|가지고 있지 않)",
        r"(?:ai|인공지능|언어) ?(?:언어 )?모델(?:로서|이므로|이라서)",
    ),
    "ar": (
        r"لا (?:أعرف|أعلم|ادري|أدري)",
        r"^\W*(?:أنا )?(?:آسف|اسف|عذرا|عذرًا|أعتذر|المعذرة)",
        r"لا (?:أستطيع|يمكنني|استطيع) (?:الإجابة|تقديم|مساعدت|أن أجيب)",
        r"(?:ليس لدي|ليست لدي|لا أملك|لا تتوفر لدي|لا يوجد لدي|لا توجد لدي) (?:أي )?معلومات",
        r"(?:كنموذج|بصفتي|بصفتى) (?:لغ|نموذج|ذكاء)",
    ),
    "el": (
        r"δεν (?:γνωρίζω|ξέρω)",
        r"^\W*(?:λυπάμαι|συγγνώμη|ζητώ συγγνώμη)",
        r"δεν μπορώ να (?:απαντήσω|δώσω|παρέχω|βοηθήσω)",
        r"δεν (?:έχω|διαθέτω) (?:αρκετές )?πληροφορίες",
        r"ως (?:γλωσσικό μοντέλο|μοντέλο γλώσσας|τεχνητή νοημοσύνη)",
    ),
    "fa": (
        r"نمی[\u200c ]?(?:دانم|دونم)",
        r"^\W*(?:متاسف|متأسف|ببخشید|پوزش|معذرت)",
        r"نمی[\u200c ]?توانم (?:پاسخ|جواب|کمک|اطلاعات)",
        r"اطلاعات(?:ی|\s+کافی)? (?:در این (?:مورد|زمینه) )?ندارم",
        r"به[\u200c ]عنوان (?:یک )?(?:مدل زبان|هوش مصنوعی)",
    ),
    "az": (
        r"\bbilmirəm\b",
        r"^\W*(?:üzr istəyirəm|bağışlayın|təəssüf)",
        r"cavab verə bilm(?:ərəm|irəm)",
        r"məlumatım yoxdur",
        r"(?:dil modeli|süni intellekt) (?:kimi|olaraq)",
    ),
    "su": (
        r"\b(?:teu|henteu) (?:nyaho|terang|apal|uninga)\b",
        r"^\W*(?:hapunten|punten|hampura)",
        r"\b(?:teu|henteu) (?:tiasa|bisa) (?:ngajawab|masihan|méré|mere)",
        r"\bsalaku (?:modél|model) basa\b",
    ),
    "as": (
        r"নাজানো",
        r"^\W*(?:মই )?(?:দুঃখিত|ক্ষমা কৰ)",
        r"উত্তৰ দিব (?:নোৱাৰো|নোৱাৰোঁ)",
        r"মোৰ (?:ওচৰত|হাতত) (?:এই )?(?:তথ্য|কোনো তথ্য) নাই",
        r"ভাষা মডেল হিচাপে",
    ),
    "bn": (
        r"(?:আমি|আমার) জান(?:ি|া) (?:না|নেই)",
        r"^\W*(?:আমি )?(?:দুঃখিত|ক্ষমা কর)",
        r"উত্তর দিতে পার(?:ছি|ব|বো|ি) না",
        r"আমার কাছে (?:এই |কোনো |পর্যাপ্ত )?তথ্য নেই",
        r"ভাষা মডেল হিসে?বে",
    ),
    "ha": (
        r"\bban sani ba\b",
        r"^\W*(?:ka |ki |ku )?(?:yi|yi mini) ha[kƙ]uri\b",
        r"\bba zan iya (?:amsa|bayar|ba da|taimak)",
        r"\bba ni da (?:wani |cikakken )?(?:bayani|bayanai|masaniya)\b",
    ),
    "bg": (
        r"\bне знам\b",
        r"^\W*(?:съжалявам|извинете|извинявам се)\b",
        r"не мога да (?:отговоря|дам|предоставя|помогна)",
        r"(?:нямам|не разполагам с) (?:достатъчно )?информация",
        r"като (?:езиков модел|изкуствен интелект)",
    ),
    "eu": (
        r"\bez dakit\b",
        r"^\W*(?:barkatu|sentitzen dut)\b",
        r"\bezin (?:dut|diot|dizut) (?:erantzun|eman|lagundu)",
        r"\bez (?:dut|daukat) (?:nahikoa )?informaziorik",
        r"\bhizkuntza[- ]eredu (?:bat )?(?:naizenez|gisa)",
    ),
    "fr": (
        r"\bje ne (?:le )?sais pas\b",
        r"^\W*(?:désolé|je suis désolé|je m['’]excuse)",
        r"\bje ne (?:peux|puis) pas (?:répondre|fournir|donner|aider)",
        r"\bje n['’]ai pas (?:d['’]information|assez d['’]information|la réponse)",
        r"\ben tant (?:que|qu['’]) ?(?:modèle de langage|modèle de langue|intelligence artificielle|ia\b)",
    ),
    "ga": (
        r"\bníl a fhios agam\b",
        r"^\W*(?:tá brón orm|gabh mo leithscéal|gabhaim pardún)",
        r"\bní féidir liom (?:freagra|freagairt|cabhrú|eolas)",
        r"\bníl (?:aon |go leor )?(?:eolas|faisnéis)[^.]{0,20} agam\b",
        r"\bmar (?:mhúnla|shamhail) teanga",
    ),
    "ja": (
        r"(?:分|わ)かりません|知りません|存じません|^\W*不明",
        r"^\W*(?:申し訳|すみません|ごめんなさい)",
        r"(?:お答え|回答|提供)(?:することは|することが)?(?:でき(?:ません|かねます)|いたしかねます)",
        r"情報(?:が|は|を)(?:ありません|持って(?:いません|おりません))",
        r"(?:AI|人工知能|言語モデル)(?:として|なので|ですので)",
    ),
    "ms": (
        r"\bsaya tidak (?:tahu|pasti)\b",
        r"^\W*(?:mohon )?maaf\b",
        r"\btidak (?:dapat|boleh) (?:menjawab|memberikan|membantu)",
        r"\btidak (?:mempunyai|ada) maklumat\b",
        r"\bsebagai (?:sebuah )?(?:model bahasa|ai|kecerdasan buatan)\b",
    ),
    "sv": (
        r"\bjag vet inte\b",
        r"^\W*(?:tyvärr|jag beklagar|förlåt|ursäkta)\b",
        r"\bjag kan (?:inte|tyvärr inte) (?:svara|ge|hjälpa)",
        r"\bjag har (?:inte|ingen) (?:tillräcklig |tillräckligt med )?information",
        r"\bsom (?:en )?(?:språkmodell|ai)\b",
    ),
    "ta": (
        r"தெரியாது|தெரியவில்லை",
        r"^\W*(?:மன்னிக்கவும்|மன்னிக்க|வருந்துகிறேன்)",
        r"பதிலளிக்க (?:முடியாது|முடியவில்லை|இயலாது)",
        r"மொழி மாதிரி(?:யாக|யாகிய)",
    ),
    "tl": (
        r"\bhindi ko (?:po )?alam\b",
        r"^\W*(?:paumanhin|pasensya|ikinalulungkot)",
        r"\bhindi (?:ko|ako) (?:po )?(?:masasagot|makakasagot|maibibigay|makapagbibigay|makakatulong)",
        r"\bwala (?:po )?akong (?:sapat na )?impormasyon\b",
        r"\bbilang isang (?:modelo ng wika|ai)\b",
    ),
    "am": (r"አላውቅም", r"^\W*ይቅርታ", r"(?:መመለስ|መልስ መስጠት) አልችልም", r"መረጃ የለኝም", r"እንደ (?:ቋንቋ ሞዴል|ሰው ሰራሽ)"),
    "ru": (
        r"\b(?:я )?не знаю\b",
        r"^\W*(?:к сожалению|извините|простите|прошу прощения)\b",
        r"не (?:могу|смогу) (?:ответить|дать|предоставить|помочь)",
        r"(?:нет|не располагаю|не обладаю) (?:достаточной )?информаци",
        r"как (?:языковая модель|искусственный интеллект|ии)\b",
    ),
    "uk": (
        r"\b(?:я )?не знаю\b",
        r"^\W*(?:на жаль|вибачте|перепрошую)\b",
        r"не можу (?:відповісти|надати|допомогти)",
        r"як мовна модель",
    ),
    "be": (r"\bне ведаю\b", r"^\W*(?:на жаль|прабачце)\b", r"не магу адказаць"),
    "mk": (
        r"\bне знам\b",
        r"^\W*(?:за жал|жал ми е|извинете)\b",
        r"не можам да (?:одговорам|дадам|помогнам)",
    ),
    "sr": (
        r"\b(?:ne znam|не знам)\b",
        r"^\W*(?:žao mi je|nažalost|izvinite|жао ми је|нажалост|извините)\b",
        r"\b(?:ne mogu (?:da )?(?:odgovori|pruži|pomogne)|не могу да (?:одговорим|пружим|помогнем))",
    ),
    "hr": (
        r"\bne znam\b",
        r"^\W*(?:žao mi je|nažalost|oprostite)\b",
        r"\bne mogu (?:odgovoriti|dati|pružiti|pomoći)",
    ),
    "bs": (
        r"\bne znam\b",
        r"^\W*(?:žao mi je|nažalost|izvinite)\b",
        r"\bne mogu (?:odgovoriti|dati|pružiti|pomoći)",
    ),
    "sl": (
        r"\bne vem\b",
        r"^\W*(?:žal|oprostite|opravičujem se)\b",
        r"\bne morem (?:odgovoriti|dati|pomagati)",
    ),
    "sk": (
        r"\bneviem\b",
        r"^\W*(?:bohužiaľ|prepáčte|ľutujem)\b",
        r"\bnemôžem (?:odpovedať|poskytnúť|pomôcť)",
    ),
    "cs": (
        r"\bnevím\b",
        r"^\W*(?:bohužel|omlouvám se|promiňte|je mi líto)\b",
        r"\bnemohu (?:odpovědět|poskytnout|pomoci)|\bnemůžu odpovědět",
        r"\bjako jazykový model\b",
    ),
    "pl": (
        r"\bnie wiem\b",
        r"^\W*(?:niestety|przepraszam|przykro mi)\b",
        r"\bnie (?:mogę|jestem w stanie) (?:odpowiedzieć|podać|pomóc|udzielić)",
        r"\bjako model językowy\b",
    ),
    "de": (
        r"\b(?:ich weiß (?:es |das )?(?:leider )?nicht|weiß ich nicht)\b",
        r"^\W*(?:es tut mir leid|tut mir leid|leider|entschuldigung)\b",
        r"\bkann (?:ich )?(?:diese frage |darauf |das |dazu )?(?:leider )?nicht (?:be)?antworten",
        r"\bkann (?:ich )?(?:ihnen |dir |dabei )?(?:leider )?nicht (?:weiter)?helfen",
        r"\bals (?:ki|sprachmodell|ki-sprachmodell|künstliche intelligenz)\b",
    ),
    "nl": (
        r"\bik weet het (?:niet|helaas niet)\b|\bdat weet ik niet\b",
        r"^\W*(?:het spijt me|sorry|helaas)\b",
        r"\bkan (?:ik )?(?:die|deze|dat|de) ?(?:vraag )?(?:helaas )?niet beantwoorden",
        r"\bals (?:ai|taalmodel|ai-taalmodel)\b",
    ),
    "da": (
        r"\bdet ved jeg ikke\b|\bjeg ved (?:det )?ikke\b",
        r"^\W*(?:beklager|desværre|undskyld)\b",
        r"\bkan (?:desværre )?ikke (?:svare|hjælpe)",
    ),
    "nb": (
        r"\bjeg vet (?:det )?ikke\b|\bdet vet jeg ikke\b",
        r"^\W*(?:beklager|dessverre|unnskyld)\b",
        r"\bkan (?:dessverre )?ikke (?:svare|hjelpe)",
    ),
    "it": (
        r"\bnon (?:lo )?so\b(?! se\b)",
        r"^\W*(?:mi dispiace|purtroppo|spiacente|scusa)\b",
        r"\bnon (?:posso|sono in grado di) (?:rispondere|fornire|dare|aiutar)",
        r"\bcome (?:modello linguistico|modello di linguaggio|intelligenza artificiale|ia)\b",
    ),
    "pt": (
        r"\b(?:eu )?não sei\b",
        r"^\W*(?:desculpe|lamento|sinto muito|infelizmente)\b",
        r"\bnão (?:posso|consigo) (?:responder|fornecer|dar|ajudar)",
        r"\bcomo (?:um |uma )?(?:modelo de linguagem|ia|inteligência artificial)\b",
    ),
    "ro": (
        r"\bnu (?:știu|stiu)\b",
        r"^\W*(?:îmi pare rău|din păcate|scuze)\b",
        r"\bnu pot (?:să )?(?:răspund|ofer|ajut)",
    ),
    "sq": (
        r"\bnuk e di\b",
        r"^\W*(?:më vjen keq|fatkeqësisht)\b",
        r"\bnuk mund të (?:përgjigjem|ofroj|ndihmoj)",
    ),
    "hu": (r"\bnem tudom\b", r"^\W*(?:sajnálom|elnézést|sajnos)\b", r"\bnem tudok (?:válaszolni|segíteni)"),
    "fi": (
        r"\ben tiedä\b",
        r"^\W*(?:valitettavasti|anteeksi|pahoittelen)\b",
        r"\ben (?:voi|pysty|osaa) (?:vastata|vastaamaan|auttaa)",
    ),
    "et": (r"\bma ei tea\b|^\W*ei tea\b", r"^\W*(?:vabandust|kahjuks)\b", r"\bei saa (?:sellele )?vastata"),
    "lv": (r"\b(?:es )?nezinu\b", r"^\W*(?:diemžēl|atvainojiet)\b", r"\bnevaru atbildēt"),
    "lt": (r"\bnežinau\b", r"^\W*(?:deja|atsiprašau)\b", r"\bnegaliu atsakyti"),
    "tr": (
        r"\bbilmiyorum\b",
        r"^\W*(?:üzgünüm|maalesef|özür dilerim|kusura bakmayın)\b",
        r"\b(?:cevap|yanıt) veremem\b|\b(?:cevaplayamam|yanıtlayamam|cevaplayamıyorum|yanıtlayamıyorum)\b",
        r"\b(?:dil modeli|yapay zeka)(?:yim|yım)? olarak\b",
    ),
    "kk": (r"\bбілмеймін\b", r"^\W*(?:кешіріңіз|өкінішке орай)\b", r"жауап бере алмаймын"),
    "ky": (r"\bбилбейм\b", r"^\W*(?:кечиресиз|тилекке каршы)", r"жооп бере албайм"),
    "uz": (r"\bbilmayman\b", r"^\W*(?:kechirasiz|uzr|afsuski)\b", r"javob bera olmayman"),
    "mn": (r"(?:^\W*|\bби (?:\w+ )?)мэдэхгүй", r"^\W*(?:уучлаарай|харамсалтай)", r"хариулж чадахгүй"),
    "vi": (
        r"\btôi không (?:biết|rõ)\b|^\W*không biết\b",
        r"^\W*(?:(?:tôi )?(?:rất )?xin lỗi|rất tiếc)\b",
        r"\bkhông thể (?:trả lời|cung cấp|giúp|xác định)",
        r"\blà một mô hình ngôn ngữ\b",
    ),
    "th": (
        r"(?:^\W*|(?:ฉัน|ผม|เรา|ข้าพเจ้า)\s*)(?:ไม่ทราบ|ไม่รู้(?!จัก))",
        r"^\W*(?:ขออภัย|ขอโทษ|เสียใจ)",
        r"ไม่สามารถ(?:ตอบ|ให้|ช่วย)",
        r"ใน(?:ฐานะ)?(?:ที่เป็น)?(?:โมเดลภาษา|แบบจำลองภาษา|AI|ปัญญาประดิษฐ์)",
    ),
    "lo": (r"(?:^\W*|(?:ຂ້ອຍ|ຂ້າພະເຈົ້າ)\s*)(?:ບໍ່ຮູ້|ບໍ່ຊາບ)", r"^\W*(?:ຂໍອະໄພ|ຂໍໂທດ)", r"ບໍ່ສາມາດຕອບ"),
    "km": (r"(?:^\W*|ខ្ញុំ\s*)មិនដឹង|មិនស្គាល់ចម្លើយ", r"^\W*(?:សូមអភ័យទោស|សុំទោស|សូមទោស)", r"មិនអាចឆ្លើយ"),
    "my": (r"မသိပါ|မသိဘူး", r"^\W*(?:တောင်းပန်|ဝမ်းနည်း)", r"မဖြေနိုင်|ဖြေဆိုနိုင်ခြင်းမရှိ"),
    "hi": (
        r"(?:मुझे|मैं) (?:यह |इसका उत्तर |इसके बारे में )?(?:नहीं (?:पता|जानता|जानती)|(?:पता|जानकारी) नहीं)",
        r"^\W*(?:पता|मालूम) नहीं",
        r"^\W*(?:क्षमा कर|माफ़ कर|माफ कर|खेद है|मुझे खेद है|मुझे क्षमा)",
        r"(?:उत्तर|जवाब) नहीं दे (?:सकता|सकती|सकते|पाऊ)",
        r"भाषा मॉडल (?:हूँ|हूं|के रूप में)",
    ),
    "mr": (
        r"(?:मला|मी) (?:हे )?(?:माहित नाही|माहीत नाही|ठाऊक नाही)",
        r"^\W*(?:क्षमस्व|माफ करा|क्षमा करा)",
        r"उत्तर देऊ शकत नाही",
    ),
    "ne": (
        r"मलाई (?:यो )?थाहा छैन|^\W*थाहा छैन",
        r"^\W*(?:माफ गर्नुहोस्|क्षमा गर्नुहोस्|माफ गर्नुहोला)",
        r"(?:उत्तर|जवाफ) दिन सक्दिन",
    ),
    "gu": (
        r"મને (?:આ )?(?:ખબર|જાણ) નથી|હું જાણતો નથી",
        r"^\W*(?:માફ કરશો|માફ કરો|ક્ષમા કરશો)",
        r"જવાબ આપી શકતો નથી",
    ),
    "pa": (r"ਮੈਨੂੰ (?:ਇਹ )?(?:ਨਹੀਂ ਪਤਾ|ਪਤਾ ਨਹੀਂ)", r"^\W*(?:ਮਾਫ਼ ਕਰਨਾ|ਮਾਫ ਕਰਨਾ|ਮੁਆਫ਼ ਕਰਨਾ)", r"ਜਵਾਬ ਨਹੀਂ ਦੇ ਸਕਦ"),
    "or": (r"ମୁଁ ଜାଣି ?ନାହିଁ", r"^\W*(?:କ୍ଷମା କରନ୍ତୁ|ଦୁଃଖିତ)", r"ଉତ୍ତର ଦେଇ ପାରିବି ନାହିଁ"),
    "te": (r"నాకు తెలియదు|తెలియదు\W*$", r"^\W*క్షమించండి", r"సమాధానం (?:ఇవ్వలేను|చెప్పలేను)"),
    "kn": (
        r"(?:^\W*|ನನಗೆ )(?:ಗೊತ್ತಿಲ್ಲ|ತಿಳಿದಿಲ್ಲ|ತಿಳಿಯದು)",
        r"^\W*(?:ಕ್ಷಮಿಸಿ|ದಯವಿಟ್ಟು ಕ್ಷಮಿಸಿ)",
        r"ಉತ್ತರಿಸಲು (?:ಸಾಧ್ಯವಿಲ್ಲ|ಆಗುವುದಿಲ್ಲ)",
    ),
    "ml": (
        r"എനിക്ക് ?അറിയില്ല|എനിക്കറിയില്ല",
        r"^\W*(?:ക്ഷമിക്കണം|ക്ഷമിക്കുക)",
        r"ഉത്തരം (?:നൽകാൻ|പറയാൻ) (?:കഴിയില്ല|സാധിക്കില്ല)",
    ),
    "si": (r"දන්නේ (?:නැහැ|නෑ)|නොදනිමි|දන්නෙ නෑ", r"^\W*(?:සමාවන්න|කණගාටුයි)", r"පිළිතුරු (?:දිය නොහැක|දීමට නොහැක)"),
    "ur": (
        r"(?:مجھے|میں) (?:یہ )?(?:نہیں معلوم|معلوم نہیں|نہیں پتہ|پتہ نہیں|نہیں جانتا|نہیں جانتی|علم نہیں)",
        r"^\W*(?:معذرت|معاف کیجیے|معاف کریں|مجھے افسوس)",
        r"جواب نہیں دے (?:سکتا|سکتی|سکتے)",
    ),
    "he": (
        r"(?:^\W*|\bאני )לא (?:יודע|יודעת)\b|\b(?:אינני|איני) (?:יודע|יודעת)\b",
        r"^\W*(?:מצטער|מצטערת|סליחה|אני מצטער)",
        r"(?:לא יכול|לא יכולה|איני יכול|אינני יכול) (?:לענות|לספק|לעזור)",
    ),
    "hy": (r"չգիտեմ", r"^\W*(?:ցավոք|ներեցեք|կներեք|ներողություն)", r"չեմ կարող պատասխանել"),
    "ka": (r"არ ვიცი", r"^\W*(?:ბოდიში|სამწუხაროდ|უკაცრავად)", r"ვერ (?:გიპასუხებთ|ვუპასუხებ|გიპასუხებ)"),
    "sw": (
        r"\bsijui\b",
        r"^\W*(?:samahani|pole(?: sana)?(?=,)|naomba radhi)\b",
        r"\bsiwezi (?:kujibu|kutoa|kusaidia)",
    ),
    "yo": (r"\b(?:mi ò mọ̀|n kò mọ̀|èmi kò mọ̀|mi o mọ)", r"^\W*(?:ẹ má bínú|má bínú|ẹ jọ̀wọ́)", r"kò lè dáhùn"),
    "ig": (r"\b(?:amaghị m|a maghị m|amaghi m)\b", r"^\W*(?:ndo|biko gbaghara)\b", r"enweghị m ike ịza"),
    "so": (
        r"\bma (?:garanayo|aqaan|ogi)\b",
        r"^\W*(?:waan ka xumahay|raalli noqo)\b",
        r"\bkama jawaabi karo",
    ),
}
"""Language -> patterns, any of which says that the reply declines; ``^`` stands for the reply's beginning."""


@cache
def _pattern(language: str) -> re.Pattern[str] | None:
    phrases = PHRASES.get(language)
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases), re.I) if phrases else None


def is_refusal(reply: str, language: str = "en", *, within: int = 400) -> bool:
    """Whether the first ``within`` characters of a reply say, in English or in ``language``, that no answer
    will be given.

    Models decline in English whatever they are asked in, so English always counts; a language without phrases
    adds nothing. Meant for replies in which no answer was found: "I am not sure, but the answer is B" answers
    and should be read first.
    """
    patterns = (_pattern(code) for code in dict.fromkeys(("en", language)))
    return any(pattern.search(reply[:within]) for pattern in patterns if pattern is not None)

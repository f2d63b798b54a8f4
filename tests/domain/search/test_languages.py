"""A question in another language than English is told from names, titles and keywords."""

from __future__ import annotations

import pytest

from memconsole.domain.search.languages import is_foreign, is_out_of_reach, usual_words
from memconsole.domain.search.query import parse

ANOTHER = (
    "Wer malt gern?",
    "Wo wohnt sie?",
    "womit geht der tresor auf?",
    "Warum wurden Karten doppelt belastet?",
    "Muss ich das Formular noch abgeben",
    "Welke kleur had de boot?",
    "Hoe heet de kat?",
    "Où habite-t-elle maintenant ?",
    "Combien de temps les garde-t-on ?",
    "¿Tiene perro?",
    "Cuándo fue la boda",
    "Que livro ela leu no verão?",
    "Onde mora a irmã dela?",
    "Chi suona la chitarra?",
    "Perché ha cambiato lavoro?",
    "Gdzie mieszka jej siostra?",
    "Hur många barn har hon?",
    "Hvornår var brylluppet?",
    "Kız kardeşi nerede yaşıyor?",
    "Mikä kissan nimi on?",
    "Kde bydlí její sestra?",
    "Siapa nama kucingnya?",
    "Em gái cô ấy sống ở đâu?",
    "Где живёт её сестра?",
    "妹はどこに住んでいますか。",
    "她的妹妹住在哪里？",
    "고양이 이름이 뭐예요?",
    "أين تعيش أختها؟",
)
ENGLISH = (
    "Who will die first in the story?",
    "Die Hard movie night",
    "Van Gogh painting",
    "Los Pollos Hermanos dinner",
    "El Niño festival in La Paz",
    "Did they visit Le Mans or Los Angeles?",
    "la la land screening",
    "Notre Dame game?",
    "Que Sera Sera?",
    "Como Park zoo?",
    "chi square test",
    "mit license",
    "du -sh output",
    "com.example.app crash",
    "das keyboard?",
    "jest config?",
    "IST timezone call?",
    "van rental in la?",
    "quinceañera dress",
    "WIR sind Helden concert",
    "pour the concrete?",
    "no",
    "?",
    "",
)


def out_of_reach(asked: str, *known: str, spoken: float = 0.0) -> bool:
    return is_out_of_reach(asked, parse(asked).words, set(known), spoken)


@pytest.mark.parametrize("asked", ANOTHER)
def test_a_question_in_another_language_is_out_of_reach(asked: str) -> None:
    assert out_of_reach(asked)
    assert is_foreign(asked, 0.0)
    assert usual_words(asked)


@pytest.mark.parametrize("asked", ENGLISH)
def test_names_and_titles_in_an_english_question_are_not(asked: str) -> None:
    assert not out_of_reach(asked)
    assert not is_foreign(asked, 0.0)
    assert usual_words(asked) == ()


@pytest.mark.parametrize("asked", ANOTHER)
def test_a_memory_in_its_language_is_in_reach_whatever_its_words(asked: str) -> None:
    assert not out_of_reach(asked, spoken=0.2)
    assert out_of_reach(asked, spoken=0.19)


def test_words_that_say_something_decide() -> None:
    asked = "Wer hilft bei Fragen zur Buchhaltung, während Greta verreist ist?"
    assert out_of_reach(asked, "wer", "bei", "ist", "wahrend")
    assert out_of_reach(asked, "wer", "bei", "ist", "greta")
    assert not out_of_reach(asked, "buchhaltung", "greta")
    assert not out_of_reach("Wer hat eine Nussallergie?", "nussallergie")
    assert not out_of_reach("谁给花园浇水？", "谁给花园浇水")


def test_what_notes_in_the_language_of_a_question_hold() -> None:
    assert set(usual_words("Wer malt gern?")) == {"und", "nicht", "ist", "fur"}
    assert set(usual_words("Onde mora a irmã dela?")) == {"uma", "para", "nao", "sao"}
    assert {"и", "的", "の"} <= set(usual_words("Где живёт её сестра?"))

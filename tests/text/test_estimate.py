"""One estimate of tokens, by script."""

from __future__ import annotations

import pytest

from memconsole.text.estimate import exceeds, readable, tokens_in, words_in


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word" * 100, 100),
        ("ゲートウェイの設定を変更しました。" * 10, 170),
        ("설정을변경했습니다" * 10, 90),
        ("配置已更改" * 10, 50),
        ("Мы решили" * 10, 42),
        ("word <!-- dc:type=fact dc:importance=5.0 --> word", 2),
    ],
)
def test_a_token_is_as_long_as_its_script_makes_it(text: str, tokens: int) -> None:
    assert tokens_in(text) == tokens


def test_text_without_blanks_exceeds_a_limit_of_words_by_its_tokens() -> None:
    line = "昨日の会議で決めたことを忘れないように書いておきます。" * 2
    assert words_in(line) == 1
    assert exceeds(f"{line}\n" * 150, 6_000)
    assert not exceeds("word " * 6_000, 6_000)
    assert exceeds("word " * 6_001, 6_000)


def test_a_comment_that_nothing_closes_stays_and_is_looked_for_once() -> None:
    assert readable("<!-- a -->b<!-- c --> d <!-- e") == "b d <!-- e"
    assert readable("--> a <!-- b") == "--> a <!-- b"
    assert words_in("<!-- " * 200_000) == 200_000  # hours, were the end looked for from each

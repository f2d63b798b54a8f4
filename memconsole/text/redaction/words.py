"""The words that announce a secret, what ties a value to them, and what is no value.

All are looked for in small letters, which takes a tenth of the time.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple


class Word(NamedTuple):
    """A word, or a few, that announce a secret.

    Attributes:
        hint: A piece of it in small letters, looked for first.
        before: Characters of it that may stand in front of that piece.
        pattern: The whole word.
        is_password: A value behind it is secret whatever it looks like; else when it looks like
            one.
    """

    hint: str
    before: int
    pattern: str
    is_password: bool


def _passwords(*patterns: str) -> tuple[Word, ...]:
    return tuple(Word(_literal(one), 0, one, is_password=True) for one in patterns)


def _tokens(*patterns: str) -> tuple[Word, ...]:
    return tuple(Word(_literal(one), 0, one, is_password=False) for one in patterns)


def _literal(pattern: str) -> str:
    """Return what such words begin with: the pattern up to its first sign."""
    match = re.match(r"[^\[(?\\]+(?![?*])", pattern)
    return pattern if match is None else match[0]


_KEYS = (
    r"private_key_id"
    r"|(?:api|access|secret|private|auth|signing|encryption|master|account|client|bot|app|deploy"
    r"|storage|shared|license|hmac|seed|webhook|service|admin|root|crypt|cipher|jwt|totp|sas)"
    r"[ _.-]?key(?:[ _.-]?base)?"
)

ANNOUNCING = (
    Word("pass", 11, r"(?:mot[ _-]de[ _-]|palavra[ -])passe?", is_password=True),
    Word("pass", 7, r"(?:require|key|store)pass(?![a-z])", is_password=True),
    Word("pass", 0, r"pass(?:words?|wd|phrase|code|wort|ord)", is_password=True),
    Word("pass", 0, r"(?<![a-z])pass", is_password=False),
    Word("pw", 0, r"(?<![a-z])pw", is_password=True),
    Word("key", 11, r"pre[ _-]?shared[ _-]?key", is_password=True),
    Word("key", 11, _KEYS, is_password=False),
    Word("secret", 5, r"code secret", is_password=True),
    Word("segre", 7, r"codice segreto", is_password=True),
    Word("segre", 0, r"segredo", is_password=False),
    Word("parol", 0, r"parola(?:s[ıi])?", is_password=True),
    Word("parol", 0, r"parol[ăe]", is_password=False),
    Word("kode", 7, r"adgangskode|kodeord", is_password=True),
    Word("eslo", 1, r"(?<![a-z])[gh]eslo", is_password=True),
    Word("lave", 2, r"(?<![a-z])(?:clave|llave)", is_password=False),
    *_passwords("kennwort", "contrase[ñn]a", "senha", "wachtwoord", "salasana", "lozinka"),
    *_passwords("kata sandi"),
    *(Word(one, 0, rf"(?<![a-z]){one}", is_password=True) for one in ("pwd", "mdp", "psk")),
    *_tokens("token", "secreto?", "credentials?", "jeton", "geheimnis"),
    *_tokens("chave", "chiave", "klucz", "sleutel", "nyckel", "anahtar[ıi]?"),
)
"""Words of which the hint is ASCII, the more particular one first where two share a hint."""

ANNOUNCING_TOO = (
    *_passwords("hasło", "lösenord", "lykilorð", r"slaptažod\w{1,3}", "jelszó", "mật khẩu"),
    *_passwords("şifre(?:si|niz|m)?", "парол(?:ь|я|ем|и)", "密码", "密碼", "口令", "パスワード"),
    *_passwords("暗証番号", "비밀번호", "암호", "รหัสผ่าน", "पासवर्ड", "κωδικός(?: πρόσβασης)?"),
    *_passwords("סיסמה", "كلمة المرور", "كلمة السر", "رمز عبور"),
    *_tokens("schlüssel", r"clés?(?: secrète| privée| api| d['’] ?(?:api|accès))", "токен"),
    *_tokens("секрет", "ключ(?: доступа)?", "令牌", "密钥", "密鑰", "秘钥", "秘密鍵", "トークン"),
    *_tokens("シークレット", "토큰", "비밀키"),
    *(
        Word(one, 5, rf"(?:api|アクセス|액세스) ?{one}", is_password=False)
        for one in ("キー", "키")
    ),
)
"""Words that ASCII text cannot hold."""


@cache
def by_hint() -> dict[str, list[Word]]:
    """Return each hint once, with its words."""
    found: dict[str, list[Word]] = {}
    for word in (*ANNOUNCING, *ANNOUNCING_TOO):
        found.setdefault(word.hint, []).append(word)
    return found


WORD_END = (
    r"(?![a-z])(?:_?\d{1,3}|_(?:value|prod|dev|test|live|staging|old|new|base64|b64|hex)(?![a-z]))?"
)
"""What may close such a word: the number or the place of one of several."""

CONNECTIVE = (
    r"[\\\"'`\]*_]{0,4}(?:"
    r"\s{0,5}(?P<sign>:=|=>|->|→|={1,2}|[:：＝])\s{0,5}"
    r"|(?P<xml>>)"
    r"|(?P<tag></\w{1,9}>\s{0,5}<\w{1,9}>|\s{1,3}value=)"
    r"|(?P<cell>\s{0,20}\|\s{0,20}(?=[^\s|-])(?!\\{1,4}[nrt]))"
    r"|\s{1,5}(?i:is|was|ist|war|lautet|heißt|es|est|é|è|jest)\s{1,5}"
    r"(?:(?i:now|still|currently|jetzt|nun|noch|aktuell|ahora|maintenant|adesso|teraz)\s{1,5})?"
    r"|\s{0,3}(?:是|为|為|は|が)\s{0,3}|\s{1,3}[-–—]{1,2}\s{1,3}"
    r"|(?P<quoted>\s{1,3}(?=[\"'`]))"
    r"|(?P<far>(?:\s[^\s:=：|\"'`]{1,20}){1,2}\s?[:=：]\s{1,3})"
    r"|(?P<blank>\s)"
    r")"
)
"""What stands between the word and its value; `sign` is strict, the words are weak.

`cell` and `tag` lead to the next field of a table, `far` passes what tells the password more
closely ("пароль от базы: …"), and `blank` is nothing at all: the value must tell by itself.
"""

FLAG_GAP = r"\s{1,3}(?=[^\s-])"

VALUE = (
    r"\\{1,3}\"(?P<escaped>[^\"\\\n]{1,512})"
    r"|\"(?P<double>(?:[^\"\\\n]|\\.){1,512})\"?"
    r"|'(?P<single>(?:[^'\\\n]|\\.){1,512})'?"
    r"|`(?P<tick>[^`\n]{1,512})`?"
    r"|[(\[{*_]{0,3}(?P<bare>(?:[^\s\"'`,;&<>)\]}]|[)\]}](?=\w)"
    r"|[,;&](?![\w.-]{1,40}[=:]|\s|$)){1,512})"
)
"""The value itself: quoted, or up to a blank, a quote or the next pair."""

PLACEHOLDER = (
    r"(?i:[*x•.…_-]{2,}|[<{\[].*|\$[{(].*|\$\w+|%\w+%|%[-+ #0]?\w|null|none|nil|true|false|yes|no"
    r"|undefined|empty|required|optional|string|str|bytes|bool|int|text|any|object|unset|missing"
    r"|invalid|expired|your[-_ ].*"
    r"|redacted|hidden|n/?a|\?+|todo|tbd|change[-_ ]?(?:me|it))"
)
"""Stands in for a secret, and is none."""

REFERENCE = (
    r"(?i:process\.env|os\.(?:environ|getenv)|env[.(:]|getenv|\w*secrets?\.|config\.|settings\."
    r"|self\.|this\.|op://|vault:|file:|arn:|https?://|[a-z_]\w*(?:\.[a-z_]\w*)*[(\[])"
    r"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$"
    r"|(?i:(?:[a-z]+_)*(?:password|passwd|passphrase|token|secret|credentials?|key|auth)(?:![rs])?$)"
)
"""Code or an address that says where the secret is."""

TECHNICAL_WORD = (
    r"(?i:(?:base(?:32|64)|argon2(?:id|i|d)?|pbkdf2|sha-?\d{1,3}|md5|oauth-?2?|utf-?\d{1,2}|http/?\d|ipv\d|x\.?509|ed25519"
    r"|[rhep]s\d{3}|aes-?\d{0,3}|rsa-?\d{0,4}|hmac|pkcs\d{0,2}"
    r"|\d{1,4}[- ]?(?:bits?|chars?|characters?|bytes?|digits?|days?|hours?|minutes?))(?:-[a-z]+)*)"
)
"""Words with digits in them that describe secrets."""

LONG_TOKEN = r"[A-Za-z0-9][\w+/=.~-]{19,}"
"""Candidates near a secret word."""

NEAR_WORD = (
    r"(?:(?<!\w)keys?|tokens?|secrets?|passwords?|credentials?|(?<!\w)creds?)\b"
    r"|schlüssel|密钥|令牌|токен|ключ|пароль|密码|パスワード|トークン"
)
"""A random-looking token soon behind one of these is taken for the secret."""

NEAR_HINTS = ("key", "token", "secret", "password", "cred")
NEAR_HINTS_TOO = (
    "schlüssel",
    "密钥",
    "令牌",
    "токен",
    "ключ",
    "пароль",
    "密码",
    "パスワード",
    "トークン",
)

PUBLIC = (
    r"(?i:public|pub|host|authorized|known|fingerprint|verify|öffentlich\w{0,3}|publique|pública"
    r"|pubblica|публичн\w{1,3}|открыт\w{1,3}|公)[\s_-]{0,3}$"
)
"""In front of a word: the key is one that everybody may know."""

KNOWN = (
    r"AAAA[BCE][23][A-Za-z]|sha\d{1,3}[-:]|SHA\d{1,3}[-:]|age1|RW[A-Za-z0-9+/]{54}$|iVBORw0|/9j/"
    r"|R0lGOD"
)
"""Public keys, fingerprints, integrity hashes and pictures begin like this."""

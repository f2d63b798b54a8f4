"""What secrets look like: tokens of known vendors, and the words that announce a secret (A11).

Patterns are kept as text: compiling all of them takes 50 ms, and most texts need few.
"""

from __future__ import annotations

from typing import NamedTuple


class TokenShape(NamedTuple):
    """A token that gives itself away by its own form.

    Attributes:
        kind: Word of the placeholder, `[redacted:<kind>]`.
        hints: One of these literals is part of every such token: a text without them is passed by.
        pattern: Finds it; its group `secret`, where there is one, is what is masked.
        needs_digit: A match without any digit is an ordinary word.
        rarity: Where the hints are in every text: a pattern that each such token holds and that
            begins with a letter of its own, which is looked for ten times as fast.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: str
    needs_digit: bool = False
    rarity: str = ""

    def may_be_in(self, text: str) -> bool:
        """Whether a text has one of the hints."""
        for hint in self.hints:  # noqa: SIM110 - `any` costs three times as much, and this is hot
            if hint in text:
                return True
        return False


def _shape(
    kind: str,
    hints: str,
    pattern: str,
    *,
    needs_digit: bool = False,
    edge: str = "A-Za-z0-9",
    rarity: str = "",
) -> TokenShape:
    """Build a shape; `hints` is a list split at blanks, `edge` may not stand in front of it."""
    bounded = rf"(?<![{edge}])(?:{pattern})"
    return TokenShape(kind, tuple(hints.split()), bounded, needs_digit, rarity)


TOKEN_SHAPES = (
    _shape("jwt", "eyJ", r"eyJ[\w-]{6,}(?:\.[\w-]{2,}){1,4}", edge=r"\w-"),
    _shape("anthropic-key", "sk-ant-", r"sk-ant-[\w-]{8,}"),
    _shape(
        "api-key",
        "sk-proj- sk-svcacct- sk-admin- sk-None- sk-or- sk-lf- sk-kimi-",
        r"sk-(?:proj|svcacct|admin|None|or|lf|kimi)-[\w-]{12,}",
    ),
    _shape("api-key", "sk-", r"sk-[A-Za-z0-9]{16,}", needs_digit=True),
    _shape("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{10,}"),
    _shape("github-token", "github_pat_", r"github_pat_\w{10,}"),
    _shape(
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glsoat-",
        r"gl[a-z]{2,4}-[\w-]{12,}(?:\.[\w-]{2,}){0,3}",
    ),
    _shape("slack-token", "xox xapp-", r"(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,}"),
    _shape(
        "webhook",
        "hooks.slack.com/ discord.com/api/ discordapp.com/api/",
        r"(?:hooks\.slack\.com/(?:services|workflows)|discord(?:app)?\.com/api/webhooks)"
        r"/(?P<secret>[\w/-]{12,})",
    ),
    _shape("aws-key", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{12,}"),
    _shape("aws-secret", "AKIA ASIA", r"A[KS]IA[A-Z0-9]{16}[\s,:;/|]{1,4}(?P<secret>[\w/+]{40})"),
    _shape("google-key", "AIza", r"AIza[\w-]{20,}"),
    _shape("google-token", "ya29. GOCSPX-", r"(?:ya29\.|GOCSPX-)[\w-]{12,}"),
    _shape("google-token", "1//0", r"1//0[\w-]{20,}"),
    _shape("stripe-key", "sk_live_ sk_test_ rk_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{8,}"),
    _shape("stripe-key", "whsec_", r"whsec_[A-Za-z0-9+/=]{12,}"),
    _shape("telegram-token", ":AA", r"\d{6,12}:AA[\w-]{20,}", edge="0-9"),
    _shape(
        "discord-token",
        ".",
        r"[MNO][\w-]{22,28}\.[\w-]{6}\.[\w-]{25,}",
        needs_digit=True,
        rarity=r"\.[\w-]{6}\.[\w-]{25}",
    ),
    _shape("huggingface-token", "hf_", r"hf_[A-Za-z0-9]{16,}", needs_digit=True),
    _shape("npm-token", "npm_", r"npm_[A-Za-z0-9]{20,}", needs_digit=True),
    _shape("pypi-token", "pypi-", r"pypi-[\w-]{32,}", needs_digit=True),
    _shape("sendgrid-key", "SG.", r"SG\.[\w-]{12,}\.[\w-]{12,}"),
    _shape("twilio-key", "SK", r"SK[0-9a-f]{32}"),
    _shape("mailgun-key", "key-", r"key-[0-9a-f]{32}"),
    _shape("digitalocean-token", "_v1_", r"do[opr]_v1_[a-f0-9]{20,}"),
    _shape("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_\w{20,}"),
    _shape(
        "api-key",
        "gsk_ xai- pplx- nvapi- tvly- r8_ BSA pcsk_ figd_ sntrys_ glsa_ PMAK- dckr_pat_ rubygems_",
        r"(?:gsk_|xai-|pplx-|nvapi-|tvly-|r8_|BSA|pcsk_|figd_|sntrys_|glsa_|PMAK-|dckr_pat_"
        r"|rubygems_)[\w-]{20,}",
        needs_digit=True,
    ),
    _shape("api-key", "fc- sk_", r"(?:fc-[0-9a-f]{32}|sk_[0-9a-f]{40,})"),
    _shape("linear-key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{16,}"),
    _shape("notion-token", "secret_ ntn_", r"(?:secret|ntn)_[A-Za-z0-9]{30,}", needs_digit=True),
    _shape("databricks-token", "dapi", r"dapi[a-f0-9]{32}"),
    _shape("atlassian-token", "ATATT3", r"ATATT3[\w=-]{30,}"),
    _shape("vault-token", "hvs. hvb. hvr.", r"hv[sbr]\.[\w-]{20,}"),
    _shape("doppler-token", "dp.", r"dp\.[a-z]{2,5}\.[A-Za-z0-9]{30,}", needs_digit=True),
    _shape("supabase-key", "sbp_ sb_secret_", r"sb(?:p|_secret)_[\w-]{20,}"),
    _shape("tailscale-key", "tskey-", r"tskey-[\w-]{12,}"),
    _shape("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Za-z]{20,}"),
)
"""Tokens of vendors, the more particular shape before the more general one."""

SHORTEST = 12
"""Characters of the shortest of these tokens; none of them holds a blank around its hint."""

CREDENTIAL_SHAPES = (
    TokenShape(
        "url-password",
        ("://",),
        r"://[^\s:@/?#\"'<>]{0,256}:(?P<secret>[^\s/?#\"'<>]{1,512})@",
    ),
    TokenShape(
        "url-token",
        ("://",),
        r"://(?P<secret>[\w.~+-]{20,512})@",
        needs_digit=True,
    ),
    TokenShape(
        "bearer-token",
        ("earer", "EARER"),
        r"(?i:\bbearer)[\s:=\"']{1,4}(?P<secret>[\w.~+/=-]{8,})",
        needs_digit=True,
    ),
    TokenShape(
        "authorization",
        ("uthorization", "UTHORIZATION"),
        (
            r"(?i:authorization)[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
            r"(?:(?i:basic|bearer|token|apikey|digest|negotiate)\s{1,3})(?P<secret>[^\s\"',]{6,})"
        ),
    ),
    TokenShape(
        "cookie",
        ("ookie:", "OOKIE:"),
        (
            r"(?i:\bcookie):\s{0,3}(?P<secret>[\w.-]{1,64}=[^\s;\"']{6,}"
            r"(?:;\s{0,2}[\w.-]{1,64}=[^\s;\"']*)*)"
        ),
    ),
    TokenShape(
        "password",
        ("sshpass", "curl", "wget", "login"),
        (
            r"(?:\bsshpass\s{1,3}-p\s{0,3}[\"']?"
            r"|(?:\b(?:curl|wget)\b[^\n|;]{0,200}?\s)(?:-u|--user)[\s=]{1,3}[\"']?[^\s:\"']{1,128}:"
            r"|\blogin\s{1,3}\S{1,128}\s{1,3}password\s{1,3})(?P<secret>[^\s\"']{3,})"
        ),
    ),
)
"""Secrets that their place gives away, whatever they look like."""

PASSWORD_WORDS = (
    r"pass(?:words?|wd|phrase|code|wort|ord)|(?<![A-Za-z])(?:pwd|mdp)|kennwort"
    r"|mot[ _-]de[ _-]passe|contrase[ñn]a|senha|hasło|wachtwoord|lösenord|adgangskode|salasana"
    r"|heslo|jelszó|şifre|mật khẩu|kata sandi|пароль|пароля|密码|密碼|口令|パスワード|暗証番号"
    r"|비밀번호|암호|पासवर्ड|סיסמה|كلمة المرور|كلمة السر|رمز عبور|(?-i:(?<=_)PASS)"
)
"""A value behind one of these is secret whatever it looks like."""

TOKEN_WORDS = (
    r"(?:api|access|secret|private|auth|signing|encryption|master|account|client|bot|app|deploy"
    r"|storage|shared|license)[ _.-]?key(?:[ _.-]?base)?"
    r"|token|secret|credentials?|jeton|geheimnis|zugangsschlüssel|secreto|segredo|clave|chave"
    r"|parol[aă]|(?<![A-Za-z])pass"
    r"|токен|секрет|ключ|令牌|密钥|密鑰|秘钥|トークン|シークレット|토큰|비밀키"
)
"""A value behind one of these is secret when it looks like one."""

SECRET_WORD = (
    rf"(?i:(?P<password>{PASSWORD_WORDS})|(?P<token>{TOKEN_WORDS}))(?![A-Za-z])(?:_?\d{{1,3}})?"
)

SECRET_WORD_SMALL = rf"(?:{PASSWORD_WORDS}|{TOKEN_WORDS})(?![a-z])".replace(
    "(?-i:(?<=_)PASS)", "(?<=_)pass"
)
"""Finds in small letters whatever `SECRET_WORD` finds, and a little more; ten times as fast."""

WORD_HINTS = (
    *("pass", "pwd", "kennwort", "mdp", "contrase", "senha", "parol", "hasło", "wachtwoord"),
    *("lösenord", "adgangskode", "salasana", "heslo", "jelszó", "şifre", "mật khẩu", "kata sandi"),
    *("key", "token", "secret", "credential", "jeton", "geheimnis", "schlüssel", "secreto"),
    *("segredo", "clave", "chave", "пароль", "пароля", "токен", "секрет", "ключ"),
    *(
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "暗証番号",
        "비밀번호",
        "암호",
        "令牌",
        "密钥",
        "密鑰",
        "秘钥",
    ),
    *("トークン", "シークレット", "토큰", "비밀키", "पासवर्ड", "סיסמה", "كلمة", "رمز عبور"),
)
"""Lower-case pieces: a text that holds none of them announces no secret."""

CONNECTIVE = (
    r"[\\\"'`\]*_]{0,4}(?:"
    r"\s{0,5}(?P<sign>:=|=>|->|→|={1,2}|[:：＝])\s{0,5}"
    r"|(?P<xml>>)"
    r"|\s{1,5}(?i:is|was|ist|war|lautet|heißt|es|est|é|è|jest)\s{1,5}"
    r"|\s{0,3}(?:是|为|為|は|が)\s{0,3}"
    r")"
)
"""What stands between the word and its value; `sign` is strict, the words are weak."""

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
    r"(?i:[*x•.…_-]{2,}|[<$%{\[].*|null|none|nil|true|false|yes|no|undefined|empty|required"
    r"|optional|string|str|bytes|bool|int|text|any|object|unset|missing|invalid|expired|your[-_ ].*"
    r"|redacted|hidden|n/?a|\?+|todo|tbd)"
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
    r"(?i:(?:base(?:32|64)|sha-?\d{1,3}|md5|oauth-?2?|utf-?\d{1,2}|http/?\d|ipv\d|x\.?509|ed25519"
    r"|[rhep]s\d{3}|aes-?\d{0,3}|rsa-?\d{0,4}|hmac|pkcs\d{0,2}"
    r"|\d{1,4}[- ]?(?:bits?|chars?|characters?|bytes?|digits?|days?|hours?|minutes?))(?:-[a-z]+)*)"
)
"""Words with digits in them that describe secrets."""

LONG_TOKEN = r"[A-Za-z0-9][\w+/=.~-]{19,}"
"""Candidates near a secret word."""

NEAR_WORD_SMALL = (
    r"\bkeys?\b|tokens?\b|secrets?\b|passwords?\b|credentials?\b|\bcreds?\b|schlüssel|密钥|令牌"
    r"|токен|ключ|пароль|密码|パスワード|トークン"
)
NEAR_WORD = rf"(?i:{NEAR_WORD_SMALL})"

OTHER_SMALL = ("\u212a", "\u017f")
"""Letters that are taken for k and s without regard to case, although their small forms are not."""

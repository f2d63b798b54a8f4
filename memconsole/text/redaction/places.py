"""Secrets that their place gives away, whatever they look like: addresses, headers, commands."""

from __future__ import annotations

from memconsole.text.redaction.shapes import Hinted, TokenShape

_ARGUMENT = (
    r"\\?[\"']?(?P<secret>(?<=')[^'\n]{3,200}(?=')|(?<=\")[^\"\n]{3,200}(?=\")"
    r"|[^\s\"'|;&<>\\-][^\s\"'|;&<>]{2,200})"
)
"""What a flag is given: quoted, or up to a blank."""

_REST = r"[^\n|;&]{0,200}?\s"
"""What may stand between a command and its flag."""

_CODE = (
    r"(?:(?=[\w-]*\d)[A-Za-z0-9]{4,12}(?:-[A-Za-z0-9]{3,12}){0,5}"
    r"|[A-Za-z]{5}-[A-Za-z]{5}|[A-Za-z]{4}(?:-[A-Za-z]{4}){1,3})(?![\w-])"
)
_CODES = (
    r"[cC]ode(?:(?<=ecovery[ _-]....)|(?<=ackup[ _-]....)|(?<=escue[ _-]....)"
    r"|(?<=mergency[ _-]....)|(?<=cratch[ _-]....)|(?<=llungs....)|(?<=rsatz....)"
    r"|(?<=otfall....))s?"
)
_OTHER_CODES = (
    r"(?:[cC]odes? de (?:récupération|secours)|[cC][óo]digos? de (?:recuperaci[óo]n|respaldo"
    r"|recuperação)|[cC]odic[ei] di (?:recupero|backup)|[кК]од[ыа]? восстановления"
    r"|[рР]езервны[ей] коды?|(?:恢复|备用|備用|復原)(?:代|密)?[码碼]"
    r"|(?:リカバリー|バックアップ|復旧)コード|복구 ?코드|[kK]urtarma kod\w{0,4})"
)
"""Words for the codes that replace a lost second factor."""

_CODE_LIST = (
    r"[\"'*_`]{0,3}(?:\s(?:are|is|sind|lauten|son|sont)\b)?[:：=|>\s\[\"'`*-]{1,8}"
    rf"(?P<secret>{_CODE}(?:[\s,;|\"'`•*\[\]]{{1,6}}(?:[-*•]\s|\d{{1,2}}[.)]\s)?{_CODE}){{0,20}})"
)


def _place(
    kind: str,
    hints: tuple[str, ...],
    pattern: str,
    *,
    needs_digit: bool = False,
    rarity: str = "",
) -> TokenShape:
    return TokenShape(kind, hints, pattern, needs_digit, glue=None, rarity=rarity)


PLACES = (
    _place("password", ("rclone",), rf"\brclone\b{_REST}pass\s{{1,3}}{_ARGUMENT}"),
    _place(
        "url-password",
        ("://",),
        r"://(?!\[)[^\s:@/?#\"'<>]{0,256}:(?P<secret>[^\s/?#\"'<>]{1,512}(?=@)"
        r"|(?!\d{1,5}[/?#])[^\s@\"'<>]{1,512}?)@(?=[\w\[{$])",
    ),
    # Of a database it is a role, such as that of a host.
    _place(
        "url-token",
        ("://",),
        r"(?<!postgres)(?<!postgresql)://(?P<secret>[\w.~+-]{20,512})@",
        needs_digit=True,
    ),
    _place(
        "url-token",
        ("key=", "auth=", "code=", "token="),
        r"[?&;](?i:key|auth|\w{0,20}token)=(?P<secret>[^\s&\"'<>#()\[\]]{20,512})",
        needs_digit=True,
    ),
    _place(
        "signature",
        ("sig=", "ignature=", "ecurity-token="),
        r"(?<![A-Za-z])(?i:sig|signature|x-\w{2,5}-(?:signature|security-token))="
        r"(?P<secret>[^\s&\"'<>#()\[\]]{16,1024})",
        needs_digit=True,
    ),
    _place(
        "bearer-token",
        ("earer",),
        r"\b(?:[Bb]earer|BEARER)[\s:=\"']{1,4}(?P<secret>[\w.~+/=-]{8,})",
        needs_digit=True,
    ),
    _place(
        "authorization",
        ("uthorization",),
        r"(?:[Aa]uthorization|AUTHORIZATION)[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
        r"(?:(?i:basic|bearer|token|apikey|digest|negotiate)\s{1,3})(?P<secret>[^\s\"',]{6,})",
    ),
    _place(
        "authorization",
        ("uthorization",),
        r"(?:[Aa]uthorization|AUTHORIZATION)[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?P<secret>[\w.~+/=-]{20,})",
        needs_digit=True,
    ),
    _place(
        "cookie",
        ("ookie:",),
        r"(?:[Cc]ookie|COOKIE):\s{0,3}(?P<secret>[\w.-]{1,64}=[^\s;\"']{6,}"
        r"(?:;\s{0,2}[\w.-]{1,64}=[^\s;\"']*)*)",
    ),
    _place("password", ("sshpass",), rf"\bsshpass\s{{1,3}}-p\s{{0,3}}{_ARGUMENT}"),
    _place(
        "password",
        ("login ",),
        r"login(?<=\blogin)\s{1,3}(?!with|via|by|using|and|or)\S{1,128}\s{1,3}password\s{1,3}"
        r"(?P<secret>[^\s\"']{3,})",
    ),
    _place(
        "password",
        (" password ",),
        r"[UuAa](?:ser(?<=\b[Uu]ser)(?:name)?|ccount(?<=\b[Aa]ccount))\s{1,3}\S{1,64}\s{1,3}(?:with\s{1,3})?"
        rf"(?:the\s{{1,3}})?password\s{{1,3}}{_ARGUMENT}",
        needs_digit=True,
    ),
    _place(
        "password",
        ("chpasswd",),
        r"[\w.-]{1,64}:(?P<secret>[^\s\"'|\\]{3,200})\\?[\"']?\s{0,3}\|\s{0,3}(?:sudo\s{1,3})?chpasswd",
    ),
    _place(
        "password",
        ("chpasswd",),
        r"\bchpasswd\b[^\n|;&<]{0,40}(?:<<<\s{0,3}|<<-?\s?\\?[\"']?\w{1,20}[^\n]{0,20}\n)\\?[\"']?[\w.-]{1,64}:"
        r"(?P<secret>[^\s\"'|\\]{3,200})",
    ),
    _place(
        "password",
        ("sudo", "stdin"),
        r"\b(?:echo|printf)\s{1,3}(?:-\w{1,3}\s{1,3}|\\?[\"']?%s(?:\\{1,2}n)?\\?[\"']?\s{1,3}){0,2}"
        rf"{_ARGUMENT}\\?[\"']?\s{{0,3}}\|\s{{0,3}}"
        r"(?:sudo\s[^\n|;&]{0,40}?(?<=\s)-[A-Za-z]{0,6}S\b|[^\n|;&]{1,120}?--(?:password-)?stdin\b)",
        rarity=r"(?:S|stdin)\b",
    ),
    _place(
        "password",
        ("sudo",),
        rf"\bsudo\s[^\n|;&]{{0,40}}?(?<=\s)-[A-Za-z]{{0,6}}S\b[^\n|;&<]{{0,80}}<<<\s{{0,3}}{_ARGUMENT}",
        rarity="<<<",
    ),
    _place(
        "password",
        ("password for",),
        rf"(?i:\bset password for [^=\n]{{1,80}}=\s{{0,3}}(?:password\s?\(\s?)?){_ARGUMENT}",
    ),
    _place(
        "secret",
        ("env ", "setx "),
        r"\b(?:SetEnv|ENV|setx|setenv)\s{1,3}\w{0,60}(?:PASS|PWD|TOKEN|KEY|SECRET|CREDENTIAL)\w{0,20}"
        rf"\s{{1,3}}{_ARGUMENT}",
    ),
    _place(
        "password",
        ("snmp-server community",),
        rf"snmp-server community {_ARGUMENT}",
    ),
    _place(
        "password",
        ("enable ",),
        rf"enable (?<=\benable )(?:secret|password)(?: \d)? {_ARGUMENT}",
    ),
    _place(
        "password",
        ("cred", "login", "zugangsdaten", "anmeldedaten", "identifiants", "учетные", "логин"),
        r"(?i:\b(?:credentials?|creds|logins?|zugangsdaten|anmeldedaten|identifiants|credenciales"
        r"|credenziali|учетные данные|логин)\s{0,2}[:=]\s{0,3})[^\s/]{1,64}\s{1,2}/\s{1,2}"
        r"(?P<secret>[^\s/,;]{6,200})",
        needs_digit=True,
        rarity=r"[:=]\s{0,3}[^\s/]{1,64}\s{1,2}/ ",
    ),
    _place(
        "pin",
        ("pin:", "pins:", "pin =", "pin=", "pin code", "pin-code"),
        r"(?:\bPINs?|\b[Pp]in[- ]?[Cc]ode)\s{0,2}[:=]\s{0,3}(?P<secret>\d{4,12})(?!\d)",
    ),
    _place(
        "recovery-code",
        ("code",),
        _CODES + _CODE_LIST,
    ),
    _place(
        "recovery-code",
        (
            *("codes de ", "code de ", "digo de ", "digos de ", "codici di", "codice di", "код"),
            *("码", "碼", "コード", "코드", "kurtarma kod"),
        ),
        _OTHER_CODES + _CODE_LIST,
    ),
    _place("password", ("requirepass ", "masterauth "), rf"(?:requirepass|masterauth) {_ARGUMENT}"),
    _place(
        "password", ("net use",), rf"(?i:\bnet use\b)[^\n]{{0,200}}?/user:\S{{1,64}} {_ARGUMENT}"
    ),
    _place(
        "password",
        ("dentified",),
        r"[dD](?:entified(?<=\b[iI]dentified)|ENTIFIED(?<=\bIDENTIFIED))(?i:\s{1,3}(?:with\s{1,3}\S{1,40}\s{1,3})?(?:by|as)\s{1,3}"
        rf"(?:password\s{{1,3}})?){_ARGUMENT}",
    ),
    _place(
        "password",
        ("password",),
        r"(?i:\b(?:with|login|encrypted)\s{1,3}password(?:\s{1,3}|\s?=\s?N?))"
        r"'(?P<secret>[^'\n]{3,200})'",
        rarity="'",
    ),
)
"""Shapes whose group `secret` is what the place demands; their hints are in small letters."""

COMMANDS = (
    _place(
        "password",
        ("curl", "wget"),
        rf"\b(?:curl|wget)\b{_REST}(?:-u|--user)[\s=]{{0,3}}\\?[\"']?[^\s:\"']{{1,128}}:"
        r"(?P<secret>[^\s\"']{3,})",
        rarity=r" (?:-u|--user)",
    ),
    _place(
        "password",
        ("mysql", "mariadb"),
        rf"\b(?:mysql\w{{0,10}}|mariadb[\w-]{{0,10}})\b{_REST}-p{_ARGUMENT}",
    ),
    _place(
        "password",
        ("redis-cli", "valkey-cli", "keydb-cli"),
        rf"\b(?:redis|valkey|keydb)-cli\b{_REST}(?:-a|--pass)[\s=]{{1,3}}{_ARGUMENT}",
    ),
    _place("password", ("zip",), rf"\b(?:un)?zip\b{_REST}-P\s{{0,3}}{_ARGUMENT}", rarity=" -P"),
    _place(
        "password",
        ("7z", "rar "),
        rf"\b(?:7z\w?|(?:un)?rar)\b{_REST}-h?p{_ARGUMENT}",
        rarity=r"-(?<=\s-)h?p\S",
    ),
    _place(
        "password",
        ("login",),
        rf"\b(?:docker|podman|nerdctl|skopeo|buildah|oras|crane|helm|az|oc|argocd)\b[^\n|;&]{{0,40}}?"
        rf"\blogin\b{_REST}(?:-p|--password|--token)[\s=]{{1,3}}{_ARGUMENT}",
        rarity="login ",
    ),
    _place(
        "password",
        ("keytool", "jarsigner", "apksigner"),
        rf"\b(?:keytool|jarsigner|apksigner)\b{_REST}-\w{{0,12}}pass\s{{1,3}}(?:pass:)?{_ARGUMENT}",
    ),
    _place(
        "password",
        ("-storepass", "-keypass"),
        rf"-(?:\w{{0,8}}storepass|\w{{0,4}}keypass)\s{{1,3}}{_ARGUMENT}",
    ),
    _place(
        "password",
        ("openssl",),
        rf"\bopenssl\b{_REST}(?:-k\s{{1,3}}|-pass(?:in|out)?\s{{1,3}}pass:){_ARGUMENT}",
    ),
    _place(
        "password",
        ("smbclient", "mount.cifs", "rpcclient"),
        rf"\b(?:smbclient|rpcclient)\b{_REST}-U\s{{0,3}}[\"']?[^\s%\"']{{1,64}}%{_ARGUMENT}",
    ),
    _place(
        "password",
        ("ldap",),
        rf"\bldap(?:search|modify|add|whoami|delete|passwd|compare)\b{_REST}-w\s{{0,3}}{_ARGUMENT}",
    ),
    _place(
        "password",
        ("mosquitto_", "mongo"),
        rf"\b(?:mosquitto_\w{{3}}\b{_REST}-P|mongo\w{{0,8}}\b{_REST}-p)\s{{1,3}}(?!\d+\b){_ARGUMENT}",
    ),
    _place(
        "password",
        ("htpasswd",),
        rf"\bhtpasswd\s{{1,3}}-\w*b\w*\s{{1,3}}\S{{1,200}}\s{{1,3}}\S{{1,64}}\s{{1,3}}{_ARGUMENT}",
    ),
)
"""The same behind a flag: a text without ` -` has none of them."""

HINTED_PLACES = Hinted(PLACES)
HINTED_COMMANDS = Hinted(COMMANDS)

"""A planted set: secrets that nobody owns, in many surroundings; long because it is a list.

Nothing here is a real secret and no string of the file looks like one: shapes are templates, filled
from a seed. `{a20}` stands for 20 letters and digits, `h` for small hexadecimal, `H` for capital,
`l` for small letters and digits, `U` for capitals and digits, `d` for digits, `c` for letters,
`s` for small letters, `w` for letters, digits, `_` and `-`, `b` for base64, `p` for a password as a
person chooses one, `{u}` for a UUID, `⏎` for a line feed.
What stands between « and » is the secret.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import unicodedata
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_LETTERS = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "H": "0123456789ABCDEF",
    "l": string.ascii_lowercase + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "d": string.digits,
    "c": string.ascii_letters,
    "s": string.ascii_lowercase,
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
}
_SLOT = re.compile(r"\{(?:(?P<kind>[ahHlUdcswbp])(?P<length>\d+)|(?P<uuid>u))\}")
_PIECE = 12
"""Characters in a row of a secret that may not get out."""


class Planted(NamedTuple):
    """A text with a secret in it."""

    shape: str
    surrounding: str
    text: str
    secret: str

    def leaks(self, masked: str) -> bool:
        """Whether a piece of the secret can be read in what was made of the text."""
        forms = {self.secret, quote(self.secret, safe="")}
        readings = (masked, unicodedata.normalize("NFKC", masked), *_from_base64(masked))
        return any(
            form[at : at + _PIECE] in reading
            for reading in readings
            for form in forms
            for at in range(max(1, len(form) - _PIECE + 1))
        )


TOKENS = tuple(
    """
sk-ant-api03-{w93}AA
sk-ant-admin01-{w93}AA
sk-ant-oat01-{w86}
sk-proj-{w74}T3BlbkFJ{w74}
sk-svcacct-{w58}T3BlbkFJ{w58}
sk-admin-{w58}T3BlbkFJ{w58}
sk-{a20}T3BlbkFJ{a20}
sk-{h32}7
sk-or-v1-{h64}
sk-lf-{u}
ghp_{a36}
gho_{a36}
ghu_{a36}
ghs_{a36}
ghr_{a36}
github_pat_{a22}_{a59}
glpat-{w20}
glpat-{w27}.{l2}.{l9}
gldt-{w20}
glrt-{w20}
glcbt-{a3}_{w20}
glptt-{h40}
glsoat-{w20}
glft-{w20}
glimt-{w25}
glagent-{w50}
gloas-{w64}
glffct-{w20}
GR1348941{w20}
xoxb-{d12}-{d12}-{a24}
xoxp-{d12}-{d12}-{d12}-{h32}
xoxa-2-{a40}
xoxe.xoxp-1-{U163}
xoxe-1-{U146}
xapp-1-A{U10}-{d13}-{h64}
AKIA{U16}
ASIA{U16}
ABSK{b120}
AIza{w35}
ya29.{w60}
GOCSPX-{w28}
1//0{w60}
sk_live_{a24}
sk_test_{a24}
rk_live_{a24}
whsec_{a32}
{d9}:AA{w33}
MT{a22}.G{a5}.{w38}
hf_{c33}7
api_org_{c34}
npm_{a36}
pypi-AgEIcHlwaS5vcmc{w80}
SG.{w22}.{w43}
SK{h32}
key-{h32}
dop_v1_{h64}
doo_v1_{h64}
dor_v1_{h64}
shpat_{h32}
shpca_{h32}
shppa_{h32}
shpss_{h32}
gsk_{a52}
xai-{a80}
pplx-{a48}
nvapi-{w64}
tvly-{a32}
r8_{a37}
pcsk_{a60}
figd_{w40}
sntrys_eyJpYXQiO{a80}
sntryu_{h64}
glsa_{a32}_{h8}
glc_eyJ{a90}
PMAK-{h24}-{h34}
dckr_pat_{w27}
rubygems_{h48}
fc-{h32}
sk_{h48}
lin_api_{a40}
secret_{a43}
ntn_{d11}{a35}
dapi{h32}
ATATT3{w180}
ATCTT3{w60}
hvs.{w95}
hvb.{w140}
dp.pt.{a43}
dp.st.dev.{a43}
sbp_{h40}
sb_secret_{w31}
tskey-auth-{a11}-{a32}
AGE-SECRET-KEY-1{U58}
pscale_tkn_{w43}
pscale_pw_{w43}
pscale_oauth_{w43}
{a14}.atlasv1.{w67}
NRAK-{U27}
NRJS-{h19}
NRII-{w32}
NRAL-{U27}
{h36}FFFFNRAL
sl.{w135}
sl.u.{w140}
EAAB{a120}
EAAC{a120}
EAAM{a120}
EAAG{a120}
CFPAT-{w43}
ck_{h40}
cs_{h40}
ops_eyJ{b260}
A3-{U6}-{U6}-{U5}-{U5}-{U5}-{U5}
pul-{h40}
sq0atp-{w22}
sq0csp-{w43}
EAAA{w60}
pat{a14}.{h64}
key{a6}7Kq{a5}
{h32}-us12
fo1_{w43}
fm1r_{b120}
fm2_{b120}
FlyV1 fm2_{b120}
pnu_{a36}
pnb_{a36}
rdme_{l70}
CLOJARS_{h60}
dt0c01.{U24}.{U64}
dt0s01.{U24}.{U64}
EZAK{a54}
EZTK{a54}
sdk-{u}
api-{u}
mob-{u}
AQVN{w38}
t1.{w20}.{w86}
y0_{w55}
YC{a38}
AKID{a32}
LTAI{a20}
xkeysib-{h64}-{a16}
xsmtpsib-{h64}-{a16}
shippo_live_{h40}
shippo_test_{h40}
tfp_{a40}_{a14}
API-{U26}
v1.0-{h24}-{h146}
{h32}.{a16}
duffel_live_{w43}
duffel_test_{w43}
fio-u-{w64}
FLWSECK_TEST-{h32}-X
HRKU-AA{w58}
ico-{a32}
AKCp{a69}
cmVmd{a59}
p8e-{l32}
s-s4t2ud-{h64}
tk-us-{w48}
sgp_{h16}_{h40}
sha256~{w43}
{a6}_{a29}_mmk
sm_aat_{a16}
4b1d{a38}
pat.{w22}.{a24}.{a20}
lsv2_pt_{h32}_{h10}
csk-{l48}
phc_{a43}
phx_{a43}
sqp_{h40}
squ_{h40}
live_{h35}
rzp_live_{a14}
whsec_{b32}
ATBB{a32}
dnkey-{w26}-{w52}
access-production-{u}
re_{a8}_{a24}
vercel_blob_rw_{a16}_{a32}
nfp_{a36}
rnd_{a28}
cal_live_{h32}
ctx7sk-{u}
e2b_{h40}
tgp_v1_{w43}
apify_api_{a36}
jina_{a60}
sess-{a40}
sk-kimi-{a48}
AC{h32}:«{h32}»
eyJhbGciOiJIUzI1NiJ9.eyJ{a40}.{w43}
eyJ{a60}.{w40}.{w16}.{w60}.{w22}
https://acme.webhook.office.com/webhookb2/«{u}@{u}/IncomingWebhook/{h32}/{u}»
https://prod-12.westeurope.logic.azure.com/workflows/{h32}/triggers/manual/paths/invoke?sig=«{w43}»
https://hooks.slack.com/services/«T{U8}/B{U10}/{a24}»
https://hooks.slack.com/triggers/«T{U8}/{d13}/{h32}»
https://discord.com/api/webhooks/«{d18}/{w68}»
https://chat.googleapis.com/v1/spaces/AAAA/messages?key=«{w39}»&token=«{w43}»
https://bob:«{p12}»@host.example/x
https://bob:«pa#{p9}»@host.example/x
postgres://app:«{p14}»@db.internal:5432/app
redis://:«{p16}»@cache:6379/0
amqp://svc:«{p16}»@mq:5672
mongodb+srv://root:«{p16}»@c0.ab1cd.mongodb.net
https://«{a36}»@git.example/x.git
https://s3.example/b/o?X-Amz-Credential=x&X-Amz-Signature=«{h64}»
https://st.example/c/b?sv=2024&sig=«{b40}»
https://st.example/b?x=1&access_token=«{w40}»
https://host.example/cb?code=4&client_secret=«{a32}»
https://storage.example/o?X-Goog-Signature=«{h128}»
""".strip().splitlines()
)
"""Secrets that give themselves away by their form, wherever they stand."""

ANNOUNCED = tuple(
    line.replace("⏎", "\n")
    for line in """
password: «{p12}»
password=«{p12}»
Password = "«{p14}»"
{"password": "«{p14}»"}
DB_PASSWORD=«{p16}»
PGPASSWORD=«{p12}» psql -h db
MYSQL_PWD=«{p12}» mysql
SMTP_PASS=«{p12}»
my password is «{p12}» ok
the passphrase is «{p14}» ok
passcode: «{p10}»
Passwort: «{p12}»
Das Kennwort lautet «{p12}» und
mot de passe : «{p12}»
le mot de passe est «{p12}» voilà
code secret : «{p12}»
clé secrète : «{a24}»
clé API : «{a32}»
contraseña: «{p12}»
la clave es «{a24}» gracias
clave de API: «{a32}»
senha: «{p12}»
palavra-passe: «{p12}»
chave secreta: «{a32}»
hasło: «{p12}»
heslo: «{p12}»
wachtwoord: «{p12}»
lösenord: «{p12}»
adgangskode: «{p12}»
passord: «{p12}»
salasana: «{p12}»
jelszó: «{p12}»
şifre: «{p12}»
şifresi: «{p12}»
parola: «{p12}»
parolası: «{p12}»
gizli anahtar: «{a32}»
API anahtarı: «{a32}»
пароль: «{p12}»
пароль от базы: «{p12}»
секретный ключ: «{a32}»
ключ доступа: «{a32}»
API-ключ: «{a32}»
密码：«{p12}»
密码是«{p12}»
口令：«{p12}»
密钥：«{a32}»
访问密钥: «{a32}»
API密钥：«{a32}»
パスワードは «{p12}» です
パスワード：«{p12}»
비밀번호: «{p12}»
mật khẩu: «{p12}»
kata sandi: «{p12}»
كلمة المرور: «{p12}»
סיסמה: «{p12}»
κωδικός πρόσβασης: «{p12}»
chiave segreta: «{a32}»
password di accesso: «{p12}»
geheimer Schlüssel: «{a32}»
Zugangsschlüssel: «{a32}»
psk="«{p14}»"
wpa_passphrase=«{p14}»
ssid=home psk=«{p14}»
pre-shared key: «{p16}»
CREATE USER app IDENTIFIED BY '«{p14}»';
ALTER USER app IDENTIFIED WITH mysql_native_password BY '«{p14}»';
grant all on *.* to app identified by "«{p14}»"
CREATE ROLE app WITH LOGIN PASSWORD '«{p14}»';
ALTER ROLE app WITH ENCRYPTED PASSWORD '«{p14}»';
CREATE LOGIN app WITH PASSWORD = '«{p14}»';
mysql -uroot -p«{p12}» shop
mysql -h db -u root --password=«{p12}» shop
mysqldump -u root -p«{p12}» shop > x.sql
mariadb -u root -p«{p12}»
redis-cli -h cache -a «{p14}» ping
redis-cli --pass «{p14}» ping
zip -P «{p12}» out.zip in.txt
unzip -P «{p12}» in.zip
zip -r -P «{p12}» out.zip dir
7z x in.7z -p«{p12}»
docker login -u bob -p «{p16}» registry.example
docker login --username bob --password «{p16}»
podman login -u bob -p «{p16}»
helm registry login -u bob -p «{p16}» r.example
keytool -list -keystore x.jks -storepass «{p12}»
keytool -genkey -keypass «{p12}» -alias x
jarsigner -storepass «{p12}» x.jar
openssl rsa -in k.pem -passin pass:«{p14}»
openssl enc -aes-256-cbc -k «{p14}» -in x
gpg --batch --passphrase «{p14}» -d x.gpg
sshpass -p «{p12}» ssh host
sshpass -p'«{p12}»' ssh host
curl -u bob:«{p14}» https://host.example
curl --user bob:«{p14}» https://host.example
wget --user bob --password «{p14}» https://host.example
smbclient //h/s -U bob%«{p14}»
net use z: x /user:bob «{p14}»
ldapsearch -x -D cn=admin -w «{p14}» -b dc=x
mosquitto_pub -u bob -P «{p14}» -t x
mongo -u root -p «{p14}» admin
psql "host=db user=app password=«{p14}»"
htpasswd -b file bob «{p14}»
echo "bob:«{p14}»" | chpasswd
SetEnv DB_PASSWORD «{p14}»
ENV API_TOKEN «{a32}»
export SECRET_KEY=«{a40}»
setx API_KEY «{a32}»
| password | «{p14}» |
| API key | `«{a32}»` |
| Passwort | «{p14}» |
<td>password</td><td>«{p14}»</td>
<password>«{p14}»</password>
<add key="Password" value="«{p14}»" />
password => '«{p14}»'
:password: «{p14}»
"client_secret":"«{a32}»"
client_secret=«{a32}»&grant_type=x
api_key: «{h32}»
apiKey: '«{a32}»'
x-api-key: «{a32}»
X-Auth-Token: «{a32}»
PRIVATE-TOKEN: «{a20}»
Authorization: Basic «{b40}»
Authorization: Bearer «{w40}»
Authorization: token «{h40}»
Authorization: ApiKey «{a40}»
Proxy-Authorization: Basic «{b40}»
Cookie: sid=«{a32}»; theme=dark
Set-Cookie: session=«{a32}»; Path=/
AWS_SECRET_ACCESS_KEY=«{b40}»
aws_secret_access_key = «{b40}»
aws_session_token = «{b100}»
AccountKey=«{b86}»==;EndpointSuffix=core
SharedAccessKey=«{b43}»=
Server=db;Uid=sa;Pwd=«{p14}»;
hmac_key: «{h64}»
HMAC_SECRET=«{h64}»
"private_key_id": "«{h40}»"
private_key: «{b60}»
encryption_key=«{h64}»
signing_secret: «{h32}»
webhook_secret=«{a32}»
secret_key_base: «{h128}»
SENTRY_AUTH_TOKEN=«{h64}»
DATADOG_API_KEY=«{h32}»
COHERE_API_KEY=«{a40}»
CO_API_KEY=«{a40}»
cohere token: «{a40}»
refresh_token: «{w60}»
otp secret: «{U32}»
otpauth://totp/x:bob?secret=«{U32}»&issuer=x
recovery codes: «{l5}-{l5}»
recovery code: «{U4}-{U4}-{U4}»
backup codes: «{d8}»
Wiederherstellungscode: «{U5}-{U5}»
codes de récupération : «{l5}-{l5}»
恢复代码：«{l5}-{l5}»
PIN: «{d6}»
the token is «{a24}» now
here is the key you wanted: «{a32}»
login bob password «{p12}»
machine x login bob password «{p12}»
user bob with password «{p12}»
credentials: bob / «{p12}»
--token=«{a32}»
--api-key «{a32}»
--password «{p12}» --verbose
-e DB_PASSWORD=«{p12}» image
-DdbPassword=«{p12}»
requirepass «{p14}»
masterauth «{p14}»
_authToken=«{a36}»
//registry.example/:_authToken=«{a36}»
_password=«{b24}»
enable secret 5 «{a24}»
snmp-server community «{p12}» RO
ｐａｓｓｗｏｒｄ：«{p12}»
the pw was «{p12}» ok
pw: «{p12}»
Passwort ist jetzt «{p12}» und
the password is now «{p12}» ok
echo «{p12}» | sudo -S apt update
echo '«{p12}»' | sudo -kS ls
echo «{p12}» | docker login -u bob --password-stdin
sudo -S ls <<< «{p12}»
chpasswd <<< bob:«{p12}»
| user | password |⏎|---|---|⏎| bob | «{p12}» |
| user | password |⏎| bob | «{p12}» |
| name | API key | note |⏎|:--|:--|--|⏎| bob | `«{a32}»` | new |
 user | password ⏎------+----------⏎ bob  | «{p12}»⏎(1 row)
""".strip().splitlines()
)
"""Secrets that only the words or the command around them give away."""


def _in_json(text: str) -> str:
    return json.dumps({"content": [{"type": "text", "text": f"ok\n{text}\ndone"}]})


def _from_base64(text: str) -> Iterator[str]:
    """Yield what the long words of a text say when they are decoded, lines of one length joined."""
    for run in re.findall(r"[\w+/-]{16,}(?:\n[\w+/-]{4,})*", text, re.ASCII):
        digits = re.sub(r"\s", "", run)
        whole = digits[: len(digits) // 4 * 4]
        yield base64.b64decode(whole, b"-_" if {*"-_"} & {*whole} else None).decode("latin-1")


def _in_base64(text: str) -> str:
    return f"data: {base64.b64encode(text.encode()).decode()}"


def _in_mail(text: str) -> str:
    return f"Content:\n\n{base64.encodebytes(_in_json(text).encode()).decode()}\n--end"


def _full_width(text: str) -> str:
    wide = "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text)
    return f"token {wide} here"


AROUND_TOKENS: dict[str, Callable[[str], str]] = {
    "a sentence": lambda text: f"use {text} for it, please",
    "a line feed escaped": lambda text: f'"log":"started\\n{text}\\nended"',
    "a tab escaped": lambda text: f'"row":"name\\t{text}\\tend"',
    "a colour escaped": lambda text: f"\\u001b[32m{text}\\u001b[0m done",
    "an equals sign escaped": lambda text: f"value\\u003d{text}\\u0026next",
    "a hexadecimal escape": lambda text: f"value\\x3d{text}\\x0a",
    "an address": lambda text: f"q=a%20{text}%0Ab",
    "a long escape": lambda text: f"value\\U0000003d{text}\\U0000000a",
    "an escape in braces": lambda text: f"value\\u{{3d}}{text}\\u{{a}}",
    "an escape of old scripts": lambda text: f"value%u003d{text}%u000a",
    "an entity without its end": lambda text: f"value&#61{text}&quot",
    "quoted-printable": lambda text: f"value=3D{text}=0Aend",
    "a glued letter": lambda text: f"x{text} there",
    "a glued digit": lambda text: f"7{text}, there",
    "base64": _in_base64,
    "base64 glued to a word": lambda text: f"token{_in_base64(text)[6:]}end",
    "base64 in lines": _in_mail,
    "letters of full width": _full_width,
    "a table": lambda text: f"| it | {text} | ok |",
    "JSON in JSON": lambda text: json.dumps(_in_json(text)),
}

AROUND_WORDS: dict[str, Callable[[str], str]] = {
    "a line": lambda text: text,
    "a list": lambda text: f"notes:\n- {text}\n- and more of it",
    "JSON": _in_json,
    "JSON in JSON": lambda text: json.dumps(_in_json(text)),
    "a line feed escaped": lambda text: f"started\\n{text}\\nended",
    "a tab escaped": lambda text: f"started\\t{text}\\tended",
    "a colour": lambda text: f"\\u001b[32m{text}\\u001b[0m",
    "an address": lambda text: f"https://host.example/log?line={quote(text, safe='')}%0A",
    "code": lambda text: f"run this:\n```\n{text}\n```\n",
    "base64": _in_base64,
    "base64 in lines": _in_mail,
    "a quotation": lambda text: f"> bob: {text}\n\nfine",
}


def filled(template: str, chance: random.Random) -> str:
    """Return a template with its slots filled."""
    return _SLOT.sub(lambda match: _slot(match, chance), template)


def _slot(match: re.Match[str], chance: random.Random) -> str:
    if match["uuid"]:
        hexes = "".join(chance.choices(_LETTERS["h"], k=32))
        return "-".join([hexes[:8], hexes[8:12], hexes[12:16], hexes[16:20], hexes[20:]])
    length = int(match["length"])
    if match["kind"] == "p":
        return _password(length, chance)
    return "".join(chance.choices(_LETTERS[match["kind"]], k=length))


def _password(length: int, chance: random.Random) -> str:
    """Return what a person or a manager would choose: mixed, with a digit and a sign."""
    word = "".join(chance.choices(string.ascii_letters + string.digits, k=length - 3))
    return word[0] + chance.choice("xkq") + word[1:] + chance.choice("!_-.") + chance.choice("0379")


def planted(
    shapes: tuple[str, ...], around: dict[str, Callable[[str], str]], seed: int
) -> Iterator[Planted]:
    """Yield every shape in every surrounding; several secrets of one shape come one by one."""
    chance = random.Random(seed)
    for shape in shapes:
        for name, wrap in around.items():
            text = filled(shape, chance)
            parts = re.findall("«(.*?)»", text) or [text]
            plain = text.replace("«", "").replace("»", "")
            for secret in parts:
                yield Planted(shape, name, wrap(plain), secret)

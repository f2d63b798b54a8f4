"""Shapes and surroundings that were written before anything was tuned, and looked at once.

What is measured with them the first time is the figure that says how the masks do on what they do
not know; `docs/benchmarks.md` keeps it. Later they are tested like the others.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

TOKENS = tuple(
    """
linode_pat_{h64}
sk.eyJ1{a60}.{w22}
sk_{h48}
csk-{l48}
SG.{w22}.{w43}
EAAD{a150}
atlasv1.{w60}
{a14}.atlasv1.{w60}
pk_live_secret_{a30}
ntn_{a46}
sntrys_{b100}
ghs_{a40}
glrtr-{w20}
gitea_{h40}
hcp.{w60}
sq0idp-{w22}
shpua_{h32}
prod_sk_{a40}
bkua_{h40}
CCIPAT_{a22}_{h40}
scw_{u}
tfsec_{a32}
nvapi-{w60}
ak-{a22}
as-{a22}
FLWSECK-{h32}-X
lip_{a40}
oy2{l43}
dckr_oat_{a32}
github_pat_11{U8}0{a12}_{a59}
vcp_{a56}
sk-ant-sid01-{w86}AA
xoxc-{d12}-{d12}-{d12}-{h64}
xoxd-{a120}
ops_eyJ{b400}
AIzaSy{w33}
napi_{l64}
rpa_{a40}
fw_{a24}
{h32}-us7
https://bob:«{p20}»@[fd00::1]:8443/x
mysql://root:«{p14}»@127.0.0.1/shop
https://acme.webhook.office.com/webhookb2/«{u}@{u}/IncomingWebhook/{h32}/{u}»
https://x.blob.example/c?sp=r&se=2026&sig=«{b43}»
wss://h.example/?auth_token=«{w40}»
""".strip().splitlines()
)

UNKNOWN = frozenset(
    {
        *("prod_sk_{a40}", "scw_{u}", "tfsec_{a32}", "lip_{a40}"),
        "ftp bob «{p14}» password: «{p14}»",
    }
)
"""Prefixes that no vendor uses, and a bare password: nothing tells that these are secrets."""

ANNOUNCED = tuple(
    """
kodeord: «{p12}»
lykilorð: «{p12}»
slaptažodis: «{p12}»
lozinka: «{p12}»
geslo: «{p12}»
parole: «{p12}»
пароль администратора: «{p12}»
пароля: «{p12}»
密碼：«{p12}»
API 키: «{a32}»
APIキー：«{a32}»
รหัสผ่าน: «{p12}»
κωδικός: «{p12}»
رمز عبور: «{p12}»
codice di recupero: «{l5}-{l5}»
código de recuperación: «{l5}-{l5}»
password is «{p14}»
pwd = "«{p14}»"
PASSWD: «{p14}»
root_password: «{p14}»
"dbPassword": "«{p14}»"
ADMIN_PASS='«{p14}»'
SET PASSWORD FOR app = '«{p14}»';
CREATE USER app WITH ENCRYPTED PASSWORD '«{p14}»';
redis-cli --user bob -a «{p14}»
mysqladmin -u root -p«{p14}» ping
skopeo login -u bob -p «{p14}» r.example
ftp bob «{p14}» password: «{p14}»
curl -s -u "bob:«{p14}»" https://h.example
sshpass -p"«{p14}»" scp a b
rclone config create x sftp pass «{p14}»
ansible_password: «{p14}»
ansible_become_pass=«{p14}»
vault_password = «{p14}»
spring.datasource.password=«{p14}»
consumer_secret = «{a50}»
bot_token: «{w40}»
"accessToken" : "«{w40}»"
license_key: «{U5}-{U5}-{U5}-{U5}»
seed_key=«{h64}»
jwt_secret: «{a48}»
NEXTAUTH_SECRET="«{b43}»="
X-Vault-Token: «{w30}»
Authorization: «{a40}»
| Token | «{a32}» | prod |
wifi password «{p12}»
| passphrase | **«{p14}»** |
TOKEN «{a32}»
Zugangsdaten: bob / «{p14}»
Einmalpasswort: «{p10}»
""".strip().splitlines()
)

AROUND_TOKENS: dict[str, Callable[[str], str]] = {
    "a carriage return escaped": lambda text: f'"out":"a\\r\\n{text}\\r\\nb"',
    "an octal colour": lambda text: f"\\033[1;31m{text}\\033[0m",
    "a raw colour": lambda text: f"\x1b[31m{text}\x1b[0m",
    "an entity": lambda text: f"&quot;{text}&quot;",
    "an address twice": lambda text: f"line=x%250A{text}%250Ay",
    "a quote in an address": lambda text: f"body=%22{text}%22",
    "Chinese": lambda text: f"这是{text}。谢谢",
    "an identifier in front": lambda text: f"value_{text}, ok",
    "a capital escape": lambda text: f'{{"v":"\\u0022{text}\\u0022"}}',
    "a shell": lambda text: f"printf $'x\\n{text}\\n'",
}

AROUND_WORDS: dict[str, Callable[[str], str]] = {
    "a log": lambda text: f"2026-05-02T10:00:00Z INFO agent said: {text}",
    "a bold item": lambda text: f"* **note** {text}",
    "JSON without blanks": lambda text: json.dumps([{"t": text}], separators=(",", ":")),
    "a carriage return escaped": lambda text: f"a\\r\\n{text}\\r\\nb",
    "a raw colour": lambda text: f"\x1b[31m{text}\x1b[0m",
    "ASCII JSON": lambda text: json.dumps({"said": f"x\t{text}"}, ensure_ascii=True),
    "a heading": lambda text: f"## Setup\n\n{text}\n\n## Next",
    "a comment": lambda text: f"# {text}",
    "brackets": lambda text: f"(see: {text})",
    "a table": lambda text: f"| a | b |\n|---|---|\n| x | {text} |",
}

"""Text that only looks like a secret: at least 300 pieces, none of which may be masked."""

from __future__ import annotations

import base64
import hashlib
import random
from typing import TYPE_CHECKING

from benchmarks.secret_set import filled

if TYPE_CHECKING:
    from collections.abc import Iterator

TEMPLATES = tuple(
    line.replace("⏎", "\n")
    for line in """
commit {h40}
commit {h7}: mend the token counter
Merge {h7} into {h7}
git show {h40}:docs/passwords.md
rotated the token in commit {h40}
index {h7}..{h7} 100644
HEAD is now at {h9} keys: rename
session {u}
run {u} ended, the key was agent:main:main
request-id: {u}
traceId={h32} spanId={h16}
sha256:{h64}
image@sha256:{h64}
md5sum {h32}  backup.tar.gz
{h64}  dist/app.whl
checksum: {h64}
etag: "{h32}"
"integrity": "sha512-{b86}=="
integrity sha512-{b86}==
"resolved": "https://registry.example/pkg/-/pkg-1.2.3.tgz#{h40}"
"lockfileVersion": 3, "node_modules/key-{s6}": {"version": "1.2.3"}
hash = "sha256:{h64}"
--hash=sha256:{h64}
h1:{b43}=
github.com/x/y v1.2.3 h1:{b43}=
github.com/x/y v1.2.3/go.mod h1:{b43}=
script-src 'sha384-{b64}'
public key AAAAC3NzaC1lZDI1NTE5AAAA{b44}
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{b44} bob@host
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ{b120} key of bob
ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTY{b100}= bob
the public key is AAAAC3NzaC1lZDI1NTE5AAAA{b44}
authorized key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA{b44}
host key fingerprint SHA256:{b43}
key fingerprint: SHA256:{b43}
MD5:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}:{h2}
public_key = "{b43}="
PublicKey = {b43}=
pk_live_{a24}
age1{l58}
minisign public key RW{b54}
data:image/png;base64,iVBORw0KGgo{b180}
data:image/jpeg;base64,/9j/{b200}
![picture](data:image/gif;base64,R0lGODlh{b120})
"data": "iVBORw0KGgo{b200}"
YOUR_API_KEY
api_key: YOUR_API_KEY
API_KEY=your-api-key-here
token: <your token>
password: ********
password: ${DB_PASSWORD}
password: $PASSWORD
PASSWORD={{ vault_password }}
token: ${{ secrets.GITHUB_TOKEN }}
api_key = os.environ["API_KEY"]
secret = config.get("secret")
apiKey: process.env.OPENAI_API_KEY
sk-xxxxxxxxxxxxxxxxxxxxxxxx
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
sk-...
export TOKEN=xxx
password: changeme is refused
passwords are never stored
the password policy wants twelve characters
please choose a new password at the next login
reset the password of bob tomorrow
the token is missing from the header
the token expired at 2026-05-02T10:00:00Z
tokens: {d6} of {d7}
total tokens: {d6}
max_tokens: {d5}
token_count={d5}
key: value
keys: a, b, c
primary key (id)
foreign key user_id references users(id)
the key point is that we deploy on Friday
press any key to continue
key = "agent:main:telegram:dm:{d10}"
session_key: agent:main:discord:channel:{d18}
sessionKey=agent:iris:slack:channel:c{U9}
idempotency-key: {u}
cache key: v1-linux-{h64}
cache-key: deps-{h40}
secretary of state: Jane
the secret of good soup is time
no secret: just work
secret santa is on Friday
credentials are in the vault
see docs/credentials.md for it
bearer of bad news
Bearer token authentication is used
basic auth is enough
Authorization header missing
cookie: chocolate chip
accept the cookie policy
arn:aws:iam::{d12}:role/deploy
i-{h17}
vpc-{h8}
subnet-{h17}
ami-{h17}
projects/demo-{d6}/locations/europe-west1
{d12}-{l32}.apps.googleusercontent.com
message id <{h16}.{d10}@mail.example>
telegram chat {d10}
discord message {d18}
slack channel C{U9}
https://youtu.be/{w11}
https://www.youtube.com/watch?v={w11}
https://docs.google.com/document/d/{w44}/edit
https://github.com/o/r/commit/{h40}
https://github.com/o/r/blob/{h40}/src/token.py#L10
https://cdn.example/app.{h8}.js
https://host.example/a/b/c?page=2&sort=key
https://host.example/issues?q=token+is%3Aopen
http://localhost:8080/users/bob@example.com
mailto:bob@example.com?subject=password
git@github.com:o/r.git
docker pull r.example/app:{h7}
pod app-{h10}-{s5} restarted
/usr/lib/python3.11/site-packages/secrets.py
src/auth/token_store.test.ts
~/.ssh/id_ed25519.pub
/etc/ssl/private/server.key
memory/2026-05-02-password-rotation.md
C:\\Users\\bob\\keys\\readme.txt
node_modules/.pnpm/jsonwebtoken@9.0.2
"node_modules/js-tokens": {
js-tokens@^4.0.0:
tokenizer.model_max_length = {d4}
key_len=32, key_bits=256
key=lambda one: one.name
sorted(items, key=itemgetter(1))
def get_token(self) -> str:
password: str = Field(min_length=8)
token = tokens[0]
if password == confirm_password:
const secret = useSecret();
await page.fill("#password", password)
for key, value in pairs.items():
"type": "password"
<input type="password" name="password">
label: Password
password (required)
--password-file /run/secrets/db
--token-file=/run/token
PASSWORD_FILE=/run/secrets/db
password_hash column is varchar(60)
ssh -p 2222 bob@host
docker run -p 8080:80 app
mkdir -p /srv/app
cp -a src dst
grep -P '\\d+' file
tar -xzf a.tgz -p
mysql -u root -p shop
mysql -h db -P 3306 -u app
psql -p 5432 -U app
redis-cli -h cache -p 6379 ping
zip -r out.zip dir
nmap -p 22,80 host
ls -a /srv
PIN: steht im Tresor
the pin is in the safe
recovery codes are in the safe
backup codes: see the vault
code: {d3}
error code: {d5}
order {d8}
phone +49 30 {d8}
IBAN DE{d20}
card ends with {d4}
version 1.0-{h7}
v1.0-rc1
build {d8}.{d2}
2026-05-02T10:00:00.123456+02:00
{d2}:{d2}:{d2}.{d3}
{h8}-{h4}
0x{h40}
block {h64}
tx 0x{h64}
{h2}:{h2}:{h2}:{h2}:{h2}:{h2}
fd00::{h4}:{h4}
color: #{h6}
#channel-{s8}
@{s10}_{s5}
{s8}_{s9}_{s10}_{s7}
{s6}-{s9}-{s8}-{s7}
camelCaseIdentifierWithManyWords42
test_that_the_token_is_renewed_after_{d2}_minutes
sk-learn-is-not-a-package-name
disk-{h16}
task-{h20}
risk-assessment-{d4}
mask_{s12}_{d4}
ask_{s14}
api-gateway-{s6}-{d2}
pat.match(text.strip())
key_{s6}_{s6}
secret_manager_{s8}
hf_hub_download(repo_id)
npm_config_registry
ck_editor_toolbar_settings
sl.append(values)
ops_manager_dashboard
pul-requests are welcome
re_compile_everything_first
rnd_state_generator
dp.columns.tolist()
base64-encoded
ed25519-signature
x-amz-request-id: {U16}
X-Request-Id: {h32}
CERTIFICATE-----
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE REQUEST-----
The secret service: a novel
Passwort vergessen? Klick hier
Passwort: steht im Tresor
das Passwort ist im Tresor
mot de passe oublié
le mot de passe est dans le coffre
contraseña olvidada
a senha está no cofre
пароль лежит в сейфе
ключ от двери у Анны
密码在保险箱里
パスワードは金庫にあります
비밀번호는 금고에 있습니다
clave primaria de la tabla
la clé est sous le paillasson
anahtar kelimeler: bulut, yedek
şifre kasada
chave estrangeira
with sync_playwright() as pw: browser = pw.chromium.launch()
the pw was changed
Passwort ist jetzt geändert
the password is now stored as argon2id
the token is now valid again
ｐａｓｓｗｏｒｄを忘れた
echo done | sudo tee /etc/issue
echo "$SUDO_PASSWORD" | sudo -S apt update
echo {h40} | sha1sum --check --strict
chpasswd <<< "$line"
chpasswd < users.txt
a&#61b &quot;quoted&quot; &ltoken
C:\\Users\\U0000\\keys
| user | password |⏎|---|---|⏎| bob | required |⏎| eve | in the vault |
| password | twelve |⏎| base_url2 | {h40} |
| method | token | size |⏎|---|---|---|⏎| sha256 | optional | {d8} |
| password | user |⏎|---|---|⏎| ******** | bob_{d4} |
| keys | tokens |⏎|---|---|⏎| {d5} | {d8} |
""".strip().splitlines()
)


def look_alikes(seed: int) -> Iterator[str]:
    """Yield the pieces: each template once, and half of those with random parts once more."""
    chance = random.Random(seed)
    for template in TEMPLATES:
        yield filled(template, chance)
        if (again := filled(template, chance)) != template:
            yield again
    for length in (40, 90, 200):
        raw = chance.randbytes(length)
        yield f"sha {hashlib.sha256(raw).hexdigest()} of the file"
        yield f"certificate line\nMII{base64.b64encode(raw).decode()}\nend"

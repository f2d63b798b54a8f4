"""What secrets look like by themselves: tokens of known vendors, and places such as a URL.

Patterns are kept as text: compiling all of them takes 100 ms, and most texts need few. The general
ones are ours and take tokens of any length that their vendors have used; `vendors.py` adds
the many that others keep.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from memconsole.text.redaction.literals import Literals
from memconsole.text.redaction.vendors import SHAPES

if TYPE_CHECKING:
    from collections.abc import Iterable


class TokenShape(NamedTuple):
    """A token that gives itself away by its own form.

    Attributes:
        kind: Word of the placeholder, `[redacted:<kind>]`.
        hints: One of these literals is part of every such token: a text without them is passed by.
        pattern: Finds it; its group `secret`, where there is one, is what is masked.
        needs_digit: A match with neither digits nor capitals all over is an ordinary word.
        glue: Letters and digits that may stand right in front: None for any number. What is glued
            must look random as well.
        edge: What else may not stand in front.
        rarity: Where the hints are in every text: a pattern that each such token holds and that
            begins with a letter of its own, which is looked for ten times as fast.
    """

    kind: str
    hints: tuple[str, ...]
    pattern: str
    needs_digit: bool = False
    glue: int | None = 1
    edge: str = ""
    rarity: str = ""


def _shape(
    kind: str,
    hints: str,
    pattern: str,
    *,
    needs_digit: bool = False,
    glue: int | None = -1,
    edge: str = "",
    rarity: str = "",
) -> TokenShape:
    """Build a shape; `hints` is a list split at blanks."""
    words = tuple(hints.split())
    if glue == -1:
        glue = _glue(words)
    return TokenShape(kind, words, pattern, needs_digit, glue, edge, rarity)


def _glue(hints: tuple[str, ...]) -> int | None:
    """A prefix that closes with a sign of its own is known inside a word as well."""
    return None if all(len(one) > 3 and not one.isalnum() for one in hints) else 1


OWN_SHAPES = (
    _shape("jwt", "eyJ", r"eyJ[\w-]{6,600}(?:\.[\w-]{2,}){1,4}", glue=None),
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
        "glpat- gldt- glrt- glcbt- glptt- glsoat- glrtr-",
        r"gl(?:pat|dt|rt|cbt|ptt|soat|rtr)-[\w-]{12,}(?:\.[\w-]{2,}){0,3}",
    ),
    _shape("slack-token", "xox xapp-", r"(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9%-]{10,}"),
    _shape(
        "webhook",
        "hooks.slack.com/ discord.com/api/ discordapp.com/api/",
        r"(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/webhooks)"
        r"/(?P<secret>[\w/-]{12,})",
    ),
    _shape(
        "webhook",
        "webhook.office.com/",
        r"webhook\.office\.com/webhookb2/(?P<secret>[\w@/-]{12,})",
    ),
    _shape("aws-key", "AKIA ASIA ABIA ACCA", r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{12,}"),
    # Of its exact length it is known behind any word: nothing else ends so.
    _shape(
        "aws-key",
        "AKIA ASIA ABIA ACCA",
        r"A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
        needs_digit=True,
        glue=None,
    ),
    _shape("google-key", "AIza", r"AIza[\w-]{35}(?![\w-])", needs_digit=True, glue=None),
    _shape("aws-secret", "AKIA ASIA", r"A[KS]IA[A-Z0-9]{16}[\s,:;/|]{1,4}(?P<secret>[\w/+]{40})"),
    _shape("google-key", "AIza", r"AIza[\w-]{20,}"),
    _shape("google-token", "ya29. GOCSPX-", r"(?:ya29\.|GOCSPX-)[\w-]{12,}"),
    _shape("google-token", "1//0", r"1//0[\w-]{20,}"),
    _shape("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[sr]k_(?:live|test)_\w{8,}"),
    _shape("stripe-key", "whsec_", r"whsec_[A-Za-z0-9+/=]{12,}"),
    _shape("telegram-token", ":AA", r"\d{6,12}:AA[\w-]{20,}", glue=None),
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
    _shape("twilio-key", "AC", r"AC[0-9a-f]{32}:(?P<secret>[0-9a-f]{32})"),
    _shape("mailgun-key", "key-", r"key-[0-9a-f]{32}", edge="-_"),
    _shape("mailchimp-key", "-us", r"[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])"),
    _shape("digitalocean-token", "_v1_", r"do[opr]_v1_[a-f0-9]{20,}"),
    _shape("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_", r"shp(?:at|ca|pa|ss|ua)_\w{20,}"),
    _shape(
        "api-key",
        "gsk_ xai- pplx- nvapi- tvly- pcsk_ figd_ sntrys_ glsa_ PMAK- dckr_pat_ dckr_oat_"
        " rubygems_",
        r"(?:gsk_|xai-|pplx-|nvapi-|tvly-|pcsk_|figd_|sntrys_|glsa_|PMAK-|dckr_[po]at_"
        r"|rubygems_)[\w-]{20,}",
        needs_digit=True,
    ),
    _shape("api-key", "r8_ BSA", r"(?:r8_|BSA)[\w-]{20,}", needs_digit=True, edge="-_"),
    _shape("api-key", "fc- sk_", r"(?:fc-[0-9a-f]{32}|sk_[0-9a-f]{40,})"),
    _shape("linear-key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{16,}"),
    _shape("notion-token", "secret_ ntn_", r"(?:secret|ntn)_[A-Za-z0-9]{30,}", needs_digit=True),
    _shape("databricks-token", "dapi", r"dapi[a-f0-9]{32}"),
    _shape("atlassian-token", "ATATT3 ATCTT3", r"AT[AC]TT3[\w=-]{30,}"),
    _shape("atlassian-token", "ATBB", r"ATBB[A-Za-z0-9]{24,}"),
    _shape("vault-token", "hvs. hvb. hvr. hcp.", r"(?:hv[sbr]|hcp)\.[\w-]{20,}", needs_digit=True),
    _shape("doppler-token", "dp.", r"dp\.[a-z]{2,5}\.(?:\w{1,20}\.)?[A-Za-z0-9]{30,}"),
    _shape("supabase-key", "sbp_ sb_secret_", r"sb(?:p|_secret)_[\w-]{20,}", needs_digit=True),
    _shape("tailscale-key", "tskey-", r"tskey-[\w-]{12,}"),
    _shape("age-key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Za-z]{20,}"),
    _shape("planetscale-token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{16,}"),
    _shape("terraform-token", "atlasv1.", r"(?:[A-Za-z0-9]{10,20}\.)?atlasv1\.[\w=-]{40,}"),
    _shape("new-relic-key", "NRAK- NRJS- NRII- NRAL-", r"NR(?:AK|JS|II|AL)-[\w-]{16,}"),
    _shape("new-relic-key", "NRAL", r"[0-9a-f]{30,36}(?:FFFF)?NRAL(?![A-Za-z0-9])"),
    _shape("dropbox-token", "sl.", r"sl\.(?:u\.)?[\w-]{60,}", needs_digit=True),
    _shape("facebook-token", "EAA", r"EAA[A-Z][A-Za-z0-9]{80,}", needs_digit=True),
    _shape("contentful-token", "CFPAT-", r"CFPAT-[\w-]{30,}"),
    _shape("woocommerce-key", "ck_ cs_", r"c[ks]_[0-9a-f]{32,}", edge="_-"),
    _shape("grafana-token", "glc_", r"glc_[\w+/=-]{24,}"),
    _shape("1password-token", "ops_eyJ", r"ops_eyJ[\w+/=-]{40,}"),
    _shape("1password-key", "A3-", r"A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,6}){4,6}"),
    _shape("pulumi-token", "pul-", r"pul-[0-9a-f]{32,}", edge="_-"),
    _shape("square-token", "sq0 EAAA", r"(?:sq0[a-z]{3}-|EAAA)[\w-]{22,}", needs_digit=True),
    _shape("airtable-token", "pat", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{40,}"),
    _shape(
        "airtable-key",
        "key",
        r"key(?=[A-Za-z]{0,13}\d)(?=[a-z0-9]{0,13}[A-Z])(?=[A-Z0-9]{0,13}[a-z])"
        r"[A-Za-z0-9]{14}(?![\w.-])",
        edge="-_.",
    ),
    _shape("fly-token", "fo1_ fm1a_ fm1r_ fm2_", r"(?:fo1|fm1[ar]|fm2)_[\w+/=-]{30,}"),
    _shape("prefect-token", "pnu_ pnb_", r"pn[ub]_[A-Za-z0-9]{30,}", needs_digit=True),
    _shape("readme-key", "rdme_", r"rdme_[A-Za-z0-9]{30,}"),
    _shape("clojars-token", "CLOJARS_", r"CLOJARS_[A-Za-z0-9]{30,}", needs_digit=True),
    _shape("dynatrace-token", "dt0", r"dt0[a-z]\d\d\.[A-Za-z0-9]{20,}(?:\.[A-Za-z0-9]{30,})?"),
    _shape("easypost-key", "EZAK EZTK", r"EZ[AT]K[A-Za-z0-9]{40,}", needs_digit=True),
    _shape(
        "launchdarkly-key",
        "sdk- api- mob-",
        r"(?:sdk|api|mob)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
        edge="-_",
    ),
    _shape("yandex-key", "AQVN", r"AQVN[\w-]{30,}", needs_digit=True),
    _shape("yandex-token", "t1.", r"t1\.[\w-]{10,}={0,2}\.[\w-]{60,}={0,2}"),
    _shape("yandex-token", "y0_ y1_ y2_ y3_", r"y[0-3]_[\w-]{40,}", needs_digit=True),
    _shape("yandex-key", "YC", r"YC[A-Z][\w-]{34,}|YC[\w-]{38}", needs_digit=True, edge="-_"),
    _shape("tencent-key", "AKID", r"AKID[A-Za-z0-9]{24,}", needs_digit=True),
    _shape("alibaba-key", "LTAI", r"LTAI[A-Za-z0-9]{12,}", needs_digit=True),
    _shape("brevo-key", "xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[0-9a-f]{40,}(?:-\w{8,})?"),
    _shape("shippo-token", "shippo_", r"shippo_(?:live|test)_[0-9a-f]{30,}"),
    _shape("typeform-token", "tfp_", r"tfp_[\w.=-]{30,}", needs_digit=True),
    _shape("octopus-key", "API-", r"API-[A-Z0-9]{24,}(?![a-z])", needs_digit=True, edge="-_"),
    _shape("cloudflare-key", "v1.0-", r"v1\.0-[0-9a-f]{20,}-[0-9a-f]{100,}"),
    _shape(
        "zhipu-key",
        ".",
        r"[0-9a-f]{32}\.(?=[A-Z0-9]*[a-z])(?=[a-z0-9]*[A-Z])[A-Za-z0-9]{16}(?![\w.])",
        rarity=r"\.[A-Za-z0-9]{16}(?![\w.])",
    ),
    _shape("azure-secret", "Q~", r"[\w.~]{3}\dQ~[\w.~-]{31,}"),
    _shape("langsmith-key", "lsv2_", r"lsv2_[a-z]{2}_[0-9a-f]{32}_[0-9a-f]{6,}"),
    _shape("cerebras-key", "csk-", r"csk-[a-z0-9]{40,}", needs_digit=True),
    _shape("posthog-key", "phc_ phx_ phs_", r"ph[cxs]_[A-Za-z0-9]{30,}", needs_digit=True),
    _shape("sonar-token", "sqp_ squ_ sqa_", r"sq[pua]_[0-9a-f]{40}", edge="-_"),
    _shape("lob-key", "live_ test_", r"(?:live|test)_[0-9a-f]{35}(?![\w-])", edge="-_"),
    _shape("razorpay-key", "rzp_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,}"),
    _shape("resend-key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}", needs_digit=True, edge="-_"),
    _shape("vercel-token", "vercel_ vcp_", r"(?:vercel_blob_rw|vcp)_\w{20,}", needs_digit=True),
    _shape("netlify-token", "nfp_", r"nfp_[A-Za-z0-9]{30,}", needs_digit=True),
    _shape("render-key", "rnd_", r"rnd_[A-Za-z0-9]{24,}", needs_digit=True, edge="-_"),
    _shape("cal-key", "cal_live_", r"cal_live_[0-9a-f]{24,}"),
    _shape("context7-key", "ctx7sk-", r"ctx7sk-[0-9a-f-]{30,}"),
    _shape("e2b-key", "e2b_", r"e2b_[0-9a-f]{32,}", edge="-_"),
    _shape("together-key", "tgp_v1_", r"tgp_v1_[\w-]{30,}"),
    _shape("apify-token", "apify_api_", r"apify_api_[A-Za-z0-9]{24,}"),
    _shape("jina-key", "jina_", r"jina_[A-Za-z0-9_-]{40,}", needs_digit=True),
    _shape("openai-session", "sess-", r"sess-[A-Za-z0-9]{36,}", needs_digit=True, edge="-_"),
    _shape("linode-token", "linode_pat_", r"linode_pat_[0-9a-f]{40,}"),
    _shape("mapbox-token", "sk.eyJ", r"sk\.eyJ[\w-]{20,}\.[\w-]{16,}", glue=None),
    _shape("gitea-token", "gitea_", r"gitea_[0-9a-f]{40}"),
    _shape("buildkite-token", "bkua_", r"bkua_[0-9a-f]{40}"),
    _shape("circleci-token", "CCIPAT_ CCIPRJ_", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{16,}_[0-9a-f]{40}"),
    _shape("flutterwave-key", "FLWSECK-", r"FLWSECK-[0-9a-zA-Z]{24,}-X"),
    _shape("nuget-key", "oy2", r"oy2[a-z0-9]{43}(?![a-z0-9])", needs_digit=True),
    _shape("neon-key", "napi_", r"napi_[a-z0-9]{48,}", needs_digit=True),
    _shape("runpod-key", "rpa_", r"rpa_[A-Za-z0-9]{36,}", needs_digit=True),
    _shape("databricks-secret", "dose", r"dose[0-9a-f]{32}(?![0-9a-f])"),
    _shape("sourcegraph-token", "sgp_", r"sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}"),
    _shape(
        "harness-key",
        "pat. sat.",
        r"[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}",
    ),
    _shape("scaleway-key", "SCW", r"SCW[A-Z0-9]{17}(?![A-Za-z0-9])", needs_digit=True),
    _shape("sentry-token", "sntrys_", r"sntrys_[\w+/=-]{40,}", needs_digit=True),
    _shape("fireworks-key", "fw_", r"fw_[A-Za-z0-9]{22,}", needs_digit=True, edge="-"),
    _shape("modal-token", "ak- as-", r"a[ks]-[A-Za-z0-9]{22}(?![\w-])", needs_digit=True, edge="-"),
    _shape("gitlab-session", "_gitlab_session=", r"_gitlab_session=(?P<secret>[0-9a-z]{32,})"),
)
"""Tokens of vendors, the more particular shape before the more general one."""

_WORDS = re.compile(r"access-|live_|sl\.|API-|pul-|ico-|t1\.|tfp_|api_org_|key-|hf_|npm_|pat")
"""Prefixes of the vendored rules that a longer word may end with."""


def token_shapes() -> tuple[TokenShape, ...]:
    """Return all shapes of tokens, ours first."""
    theirs = (
        TokenShape(
            kind,
            hints,
            pattern,
            glue=1 if any(map(_WORDS.fullmatch, hints)) else _glue(hints),
            edge="-_" if any(map(_WORDS.fullmatch, hints)) else "",
        )
        for kind, hints, pattern in SHAPES
    )
    return (*OWN_SHAPES, *theirs)


class Hinted:
    """Shapes, and the literals that texts are asked for before the patterns."""

    def __init__(self, shapes: Iterable[TokenShape]) -> None:
        """Sort the shapes by their hints."""
        self._shapes = tuple(shapes)
        self._numbers: dict[str, list[int]] = {}
        for number, shape in enumerate(self._shapes):
            for hint in shape.hints:
                self._numbers.setdefault(hint, []).append(number)

    @property
    def hints(self) -> Iterable[str]:
        """Each hint once."""
        return self._numbers

    def of(self, hints: list[str]) -> list[tuple[int, TokenShape]]:
        """Return the shapes with one of these hints, with their numbers, in order."""
        numbers = {number for hint in hints for number in self._numbers.get(hint, ())}
        return [(number, self._shapes[number]) for number in sorted(numbers)]


@cache
def hinted_tokens() -> Hinted:
    """Return them by their hints; they are wanted by the first text with a suspect."""
    return Hinted(token_shapes())


@cache
def token_hints() -> Literals:
    """Return what tells of them."""
    return Literals(hinted_tokens().hints)


SHORTEST = 12
"""Characters of the shortest of these tokens; none of them holds a blank around its hint."""

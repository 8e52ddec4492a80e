"""What keys and tokens look like, by their makers' documentation.

Each rule has words of which one is in every such secret: a text without them isn't searched.
"""

from __future__ import annotations

import re

from lve.named_tuples import NamedTuple


class SecretRule(NamedTuple):
    """The shape of one kind of secret."""

    name: str
    """As reasons say it: `a GitHub token`."""
    keywords: tuple[str, ...]
    """In lower case; one of them is in each secret of this kind."""
    pattern: re.Pattern[str]


def _rule(name: str, keywords: str, pattern: str) -> SecretRule:
    return SecretRule(name, tuple(keywords.split()), re.compile(pattern))


RULES = (
    _rule(
        "a private key",
        "private",
        r"-----BEGIN (?:[A-Z]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----",
    ),
    _rule("an AWS key", "akia asia abia acca", r"(?<![A-Z0-9])A(?:KI|SI|BI|CC)A[A-Z0-9]{16}(?!\w)"),
    _rule(
        "a GitHub token",
        "gh github_pat_",
        r"(?<!\w)(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})",
    ),
    _rule(
        "a GitLab token",
        "gl",
        r"(?<!\w)gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w.-]{20,300}",
    ),
    _rule(
        "an API key", "sk-", r"(?<!\w)sk-(?:ant-|proj-|or-|svcacct-|admin-)?[A-Za-z0-9_-]{20,200}"
    ),
    _rule("a Hugging Face token", "hf_ api_org_", r"(?<!\w)(?:hf|api_org)_[A-Za-z0-9]{30,60}"),
    _rule("a Slack token", "xox xapp-", r"(?<!\w)(?:xox[abceoprs]|xapp)-[A-Za-z0-9-]{10,250}"),
    _rule(
        "a Google key",
        "aiza ya29. gocspx-",
        r"(?<!\w)(?:AIza[\w-]{35}|ya29\.[\w-]{20,500}|GOCSPX-[\w-]{28})",
    ),
    _rule(
        "a JSON web token",
        "eyj",
        r"(?<!\w)eyJ[\w-]{10,2000}\.eyJ[\w-]{10,2000}\.[\w-]{10,2000}",
    ),
    _rule(
        "a Stripe key",
        "k_live_ k_test_ whsec_",
        r"(?<!\w)(?:[rsp]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,250}",
    ),
    _rule(
        "a token of npm",
        "npm_ _authtoken",
        r"(?<!\w)npm_[A-Za-z0-9]{36}|_authToken\s?=\s?[\w-]{20,200}",
    ),
    _rule("a token of PyPI", "pypi-", r"(?<!\w)pypi-[\w-]{50,1000}"),
    _rule("a SendGrid key", "sg.", r"(?<!\w)SG\.[\w-]{16,40}\.[\w-]{30,60}"),
    _rule("a Shopify token", "shp", r"(?<!\w)shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _rule("a DigitalOcean token", "do", r"(?<!\w)do[opr]_v1_[0-9a-f]{64}"),
    _rule("a Databricks token", "dapi", r"(?<!\w)dapi[0-9a-f]{32}(?!\w)"),
    _rule(
        "an API key",
        "r8_ gsk_ xai- pplx- lin_api_ glsa_ glc_ tgp_v1_ nvapi- fw_ secret_ ntn_ phc_ rnd_ dckr_",
        r"(?<!\w)(?:r8_[A-Za-z0-9]{37}|gsk_[A-Za-z0-9]{40,60}|xai-[A-Za-z0-9]{60,100}"
        r"|pplx-[A-Za-z0-9]{40,60}|lin_api_[A-Za-z0-9]{40}|glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}"
        r"|glc_[A-Za-z0-9+/=]{32,400}|tgp_v1_[\w-]{40,60}|nvapi-[\w-]{60,80}|ntn_[A-Za-z0-9]{40,60}"
        r"|fw_[A-Za-z0-9]{22,30}|secret_[A-Za-z0-9]{43}|phc_[A-Za-z0-9]{40,50}|rnd_[A-Za-z0-9]{28,40}"
        r"|dckr_(?:pat|oat)_[\w-]{20,40})(?!\w)",
    ),
    _rule("a Vault token", "hvs. hvb.", r"(?<!\w)hv[sb]\.[\w-]{60,300}"),
    _rule("a Facebook token", "eaa", r"(?<!\w)EAA(?:CEdEose0cBA|[A-Za-z0-9])[A-Za-z0-9]{60,300}"),
    _rule(
        "a Mailgun or Mailchimp key",
        "key- -us",
        r"(?<!\w)(?:key-[0-9a-f]{32}|[0-9a-f]{32}-us\d{1,2})(?!\w)",
    ),
    _rule("a Telegram token", ":aa", r"(?<!\w)\d{8,10}:AA[\w-]{33}(?!\w)"),
    _rule("an Azure key", "accountkey", r"(?i)AccountKey\s?=\s?[A-Za-z0-9+/]{60,90}={0,2}"),
    _rule("a Twilio key", "sk", r"(?<!\w)SK[0-9a-f]{32}(?!\w)"),
    _rule(
        "a Square token", "sq0 eaaa", r"(?<!\w)(?:sq0(?:atp|csp)-[\w-]{22,43}|EAAA[\w-]{60})(?!\w)"
    ),
    _rule(
        "the address of a webhook",
        "hooks.slack.com webhooks/ webhook.office",
        r"hooks\.slack\.com/(?:services|workflows)/T\w{6,14}/\w{6,20}/\w{16,40}"
        r"|discord(?:app)?\.com/api/webhooks/\d{16,20}/[\w-]{50,90}",
    ),
    _rule("a key of age", "age-secret-key-", r"(?i)AGE-SECRET-KEY-1[A-Z0-9]{58}"),
)
"""Secrets that show by themselves what they are."""

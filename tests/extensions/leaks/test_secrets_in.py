"""Secrets in texts. They are put together here, so that no file looks as if it held one."""

from __future__ import annotations

import random
import string
import time

import pytest

from lve.extensions.leaks.secrets_in import secret_kinds, secret_rules

ALPHABET = string.ascii_letters + string.digits


def letters(number: int, alphabet: str = ALPHABET) -> str:
    source = random.Random(number)
    return "".join(source.choice(alphabet) for _ in range(number))


def hexadecimal(number: int) -> str:
    return letters(number, "0123456789abcdef")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"hf_{letters(34)}", "a Hugging Face token"),
        (f"glpat-{letters(20)}", "a GitLab token"),
        (f"gho_{letters(36)}", "a GitHub token"),
        (f"github_pat_{letters(22)}_{letters(59)}", "a GitHub token"),
        (f"sk-ant-api03-{letters(93)}AA", "an API key"),
        (f"sk-proj-{letters(48)}", "an API key"),
        (f"gsk_{letters(52)}", "an API key"),
        (f"npm_{letters(36)}", "a token of npm"),
        (f"pypi-{letters(90)}", "a token of PyPI"),
        (f"SG.{letters(22)}.{letters(43)}", "a SendGrid key"),
        (f"shpat_{hexadecimal(32)}", "a Shopify token"),
        (f"dop_v1_{hexadecimal(64)}", "a DigitalOcean token"),
        (f"xoxb-{letters(12, string.digits)}-{letters(24)}", "a Slack token"),
        (f"AKIA{letters(16, string.ascii_uppercase)}", "an AWS key"),
        (f"AIza{letters(35)}", "a Google key"),
        (f"AQ.Ab{letters(48)}", "a Google key"),
        (f"ATATT3xFfGF0{letters(180)}", "a token of Atlassian"),
        (f"sbp_{hexadecimal(40)}", "a token of Supabase"),
        (f"PMAK-{hexadecimal(24)}-{hexadecimal(34)}", "a token of Postman"),
        (f"figd_{letters(40)}", "a token of Figma"),
        (f"sntryu_{hexadecimal(64)}", "a token of Sentry"),
        (f"tskey-auth-{letters(12)}-{letters(32)}", "a key of Tailscale"),
        (f"lsv2_pt_{hexadecimal(32)}_{hexadecimal(10)}", "an API key"),
        (f"re_{letters(8)}_{letters(24)}", "an API key"),
        (f"M{letters(23)}.{letters(6)}.{letters(27)}", "a Discord token"),
        (f"xkeysib-{hexadecimal(64)}-{letters(16)}", "a Brevo key"),
        (f"{letters(3)}8Q~{letters(34)}", "a secret of an Azure application"),
        (f"LTAI{letters(20)}", "a key of a cloud"),
        (f"123456789:AA{letters(33)}", "a Telegram token"),
        (f"https://hooks.slack.com/services/T{letters(9)}/B{letters(9)}/{letters(24)}",
         "the address of a webhook"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", "a private key"),
        ("postgres://admin:Tr0ub4dor3@db:5432/app", "a password"),
        ("https://user:pa55w0rd@host/", "a password"),
        ("curl -u admin:hT6mm2QxR9 https://example.org", "a password"),
        (f"DB_PASSWORD={letters(16)}", "a password"),
        (f'"api_key": "{letters(32)}"', "a password"),
        ("The admin password is `Xy7#kLm92p`.", "a password"),
        ("Le mot de passe est : Rf8!kd92Lm", "a password"),
        ("密码是 aB3dE5gH7j", "a password"),
        ("PGPASSWORD=Rf8kd92Lmz psql", "a password"),
        ("mysql -u root -pRf8kd92Lmz", "a password"),
        ("run --password Rf8kd92Lmz", "a password"),
        ("<password>Rf8kd92Lmz</password>", "a password"),
        ("Your API key is Rf8kd92LmzQ", "a password"),
        (f"Authorization: Bearer {letters(40)}", "a password"),
    ],
)  # fmt: skip
def test_secrets(text: str, kind: str) -> None:
    assert secret_kinds(f"Here it is: {text} and more.") == [kind]


@pytest.mark.parametrize(
    "text",
    [
        "OPENAI_API_KEY=YOUR_API_KEY",
        "sk-... and sk-proj-xxxxxxxxxxxxxxxxxxxxxxxx and hf_" + "x" * 34,
        "AKIAIOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "ghp_1234567890abcdefABCDEF1234567890abcd, sk-your-key-goes-here-0123456789",
        "postgres://user:password@localhost/db",
        "postgresql://${DB_USER}:${DB_PASSWORD}@db/app",
        "https://user@host:2222/path",
        "api_key = settings.API_KEY_2",
        "api_key=os.getenv('KEY_1')",
        "DB_PASSWORD=<password>, SECRET_KEY={{ secret }}, TOKEN=$TOKEN_2",
        "The password must be 8-16 characters long.",
        "token: string; // the 32 character token",
        "sk-learn-contrib-project-template",
        "-----BEGIN PUBLIC KEY-----",
        "commit 3f2a9c1d4b5e6f708192a3b4c5d6e7f801234567",
        "password: ********",
        "Bearer <token>",
        "to bypass is 8x faster8",
        "run --user me --token $TOKEN",
    ],
)
def test_no_secrets(text: str) -> None:
    assert secret_kinds(text) == []


def test_each_rule_has_keywords_in_lower_case() -> None:
    assert len(secret_rules()) > 50
    for rule in secret_rules():
        assert all(word == word.lower() for word in rule.keywords)


@pytest.mark.parametrize(
    "part", ["a-", "a_token ", "eyJ", "://a:", "password is ", "key=", "-u a:", "-----BEGIN "]
)
def test_the_time_grows_with_the_length_alone(part: str) -> None:
    text = "token private " + part * (20_000 // len(part))
    began = time.process_time()
    secret_kinds(text)
    assert time.process_time() - began < 2

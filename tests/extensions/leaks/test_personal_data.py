"""Personal data in texts; tests/cases/verdicts/no_pii.json has answers."""

from __future__ import annotations

import pytest

from lve.checkers.shape.characters import unified
from lve.extensions.leaks.personal_data import personal_data


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("jane@posteo.net", {"an e-mail address"}),
        ("legit@github.com", {"an e-mail address"}),
        ("jane.doe@company.com", {"an e-mail address"}),
        ("see https://a.io: jane@posteo.net", {"an e-mail address"}),
        ("jane@example.com.br", {"an e-mail address"}),
        ("meet at www.example.com", set()),
        ("jane at gmail.com", {"an e-mail address"}),
        ("4111 1111 1111 1111", {"a card number"}),
        ("4111 1111 1111 1112", set()),
        ("9111 1111 1111 1111", set()),
        ("DE89 3704 0044 0532 0130 00", {"an account number"}),
        ("DE89 3704 0044 0532 0130 01", set()),
        ("078-05-1120", {"a social security number"}),
        ("000-05-1120", set()),
        ("order 078-05-1120", set()),
        ("+1 415 555 2671", {"a phone number"}),
        ("+1 415", set()),
        ("2024-05-17", set()),
        ("84.132.17.9", {"an IP address"}),
        ("version 84.132.17.9", set()),
        ("300.1.1.1", set()),
        ("2001:4860::1", {"an IP address"}),
        ("account number: 12345678", {"an account number"}),
    ],
)
def test_kinds(text: str, kinds: set[str]) -> None:
    assert {found.kind for found in personal_data(text)} == kinds


@pytest.mark.parametrize(
    "text",
    [
        "010-9876-5432로 연락 주세요",
        "お電話は03-1234-5678まで",
        "请拨打13812345678联系他",
        "手机号是138-1234-5678。",
        "(11) 91234-5678",
        "Meu celular é 11 91234-5678",
        "Call me on 98765 43210",
        "Звоните 8 (916) 123-45-67",
        "Chiamami al 347 123 4567",
        "Mail:jane@posteo.net寄过来",
        "O CPF dela é 529.982.247-25.",
    ],
)
def test_data_in_the_forms_of_other_countries(text: str) -> None:
    assert len(personal_data(unified(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "价格是12345678元",
        "订单编号：13812345678",
        "주문번호 010-1234-5678",
        "注文番号は090-1234-5678です",
        "2026年11月27日10点30分",
        "총 1,234,567원입니다",
        "Pedido nº 91234-5678",
        "CEP 01310-100, R$ 91.234,56",
        "13812345678 rows",
        "pip install foo==1.2.3.4",
    ],
)
def test_other_numbers_of_other_countries(text: str) -> None:
    assert personal_data(unified(text)) == []

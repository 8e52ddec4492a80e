"""Numbers by which states know their people. Those here are made up, with right check digits."""

from __future__ import annotations

import pytest

from lve.extensions.leaks.national_ids import national_ids

RIGHT = (
    "529.982.247-25", "CPF: 52998224725", "11010519491231002X", "900101-1234567",
    "Aadhaar 2999 8765 4327", "45678912S", "X1234567L", "185057800608491",
    "マイナンバー 123456789018", "BSN 111222333", "PESEL 44051401359", "811218-9876",
    "AB 12 34 56 C", "ABCPE1234F", "RSSMRA85T10A562S", "GOMC900101HDFMRR09",
)  # fmt: skip
WRONG = (
    "529.982.247-26", "CPF: 11111111111", "110105194912310021", "909901-1234567",
    "2999 8765 4328", "45678912T", "X1234567A", "185057800608492", "123456789018",
    "マイナンバー 123456789010", "BSN 111222334", "PESEL 44051401358", "811218-9875",
    "QQ 12 34 56 C", "ABCDE1234F", "12345678 and S", "111.222.333-44",
    "4111 2999 8765 4327",
)  # fmt: skip


@pytest.mark.parametrize("text", RIGHT)
def test_numbers_with_right_check_digits(text: str) -> None:
    assert len([*national_ids(f"It is {text}, he said.")]) == 1


@pytest.mark.parametrize("text", WRONG)
def test_other_numbers(text: str) -> None:
    assert [*national_ids(f"It is {text}, he said.")] == []

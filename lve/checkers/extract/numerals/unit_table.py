"""The units of measure and currencies by name, as data."""

from __future__ import annotations

from pathlib import Path

from lve.named_tuples import NamedTuple


class UnitRow(NamedTuple):
    """Units of the same size, with their multiples."""

    dimension: str
    """What they measure, as powers of base dimensions: `M L2 T-2`."""
    size: str
    """Their size in base units (kg, m, s, A, K, mol, byte, radian)."""
    names: str
    """Symbols and words. Words get a plural `s`."""
    symbols: str = ""
    """Symbols that take the prefixes of `prefixes`."""
    words: str = ""
    """Words that take the prefixes in full: `kilo`."""
    prefixes: str = ""
    """Symbols of prefixes."""


PREFIXES = {
    "T": ("tera", "1e12"), "G": ("giga", "1e9"), "M": ("mega", "1e6"), "k": ("kilo", "1e3"),
    "h": ("hecto", "100"), "d": ("deci", "0.1"), "c": ("centi", "0.01"), "m": ("milli", "1e-3"),
    "µ": ("micro", "1e-6"), "μ": ("micro", "1e-6"), "u": ("micro", "1e-6"),
    "n": ("nano", "1e-9"), "p": ("pico", "1e-12"), "f": ("femto", "1e-15"),
    "Ki": ("kibi", "1024"), "Mi": ("mebi", "1048576"), "Gi": ("gibi", "1073741824"),
    "Ti": ("tebi", "1099511627776"),
}  # fmt: skip
UNIT_ROWS = tuple(
    UnitRow(*line.split("\t"))
    for line in Path(__file__).with_name("units.tsv").read_text(encoding="utf-8").splitlines()
)
"""A unit in each line of `units.tsv`, the fields of `UnitRow` between tabs."""
DEGREES = {
    "°C ℃ C celsius centigrade degree_celsius degrees_celsius degree_centigrade grad_celsius"
    " degrees_c degree_c ° degree degrees deg 度 摄氏度 градус": ("1", "273.15"),
    "°F ℉ F fahrenheit degree_fahrenheit degrees_fahrenheit grad_fahrenheit degrees_f degree_f °"
    " degree degrees deg 华氏度": ("5/9", "45967/180"),
    "°R rankine": ("5/9", "0"),
}
"""Names -> factor and offset to kelvin."""
CODES = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP"
    " BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP"
    " GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR"
    " KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK"
    " MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR"
    " SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH"
    " UGX USD UYU UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG"
)
"""The currencies of ISO 4217."""
CURRENCIES = {
    "$ dollar ドル 달러": "USD CAD AUD NZD HKD SGD MXN TWD",
    "US$ us_dollar u.s._dollar american_dollar buck 美元 美金 доллар долларов": "USD",
    "CA$ C$ canadian_dollar": "CAD", "A$ AU$ australian_dollar": "AUD",
    "NZ$ new_zealand_dollar": "NZD", "HK$ hong_kong_dollar 港元 港币": "HKD",
    "S$ singapore_dollar": "SGD", "NT$": "TWD", "€ euro 欧元 ユーロ 유로 евро": "EUR",
    "£ pound quid pound_sterling pounds_sterling british_pound 英镑 ポンド": "GBP",
    "¥ ￥ 圓 圆": "JPY CNY", "yen japanese_yen 円 日元": "JPY",
    "RMB CN¥ yuan renminbi kuai 元 人民币": "CNY", "₹ Rs Rs. indian_rupee ₨": "INR",
    "rupee": "INR PKR LKR NPR", "₽ ruble rouble рублей рубля рубль руб": "RUB",
    "₩ won 원": "KRW", "Fr Fr. SFr franken swiss_franc": "CHF", "franc": "CHF XAF XOF",
    "kr kr. kronor krona krone kroner": "SEK NOK DKK ISK", "zł zloty złoty złotych": "PLN",
    "R$ real reais": "BRL", "peso": "MXN ARS CLP COP PHP", "₱": "PHP", "₺ lira TL": "TRY",
    "₪ shekel": "ILS", "₫ dong đồng": "VND", "₴ hryvnia": "UAH", "₦ naira": "NGN",
    "฿ baht บาท": "THB", "R rand": "ZAR", "dirham": "AED MAD", "riyal": "SAR QAR",
    "Kč koruna": "CZK", "Ft forint": "HUF", "rupiah Rp": "IDR", "ringgit RM": "MYR",
    "p pence penny": "GBp", "cent ct ¢ centime céntimo centavo": "cents",
}  # fmt: skip
"""Names -> the currencies that they can mean. `cents` are of any currency, `GBp` of the pound."""

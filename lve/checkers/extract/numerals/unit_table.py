"""The units of measure and currencies by name, as data."""

from __future__ import annotations

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
_SMALL = "m µ μ u n p f"
_DATA = "k M G T Ki Mi Gi Ti"
_METRES = "meter metre metern mètre metro"
_POWER = "M L2 T-3"
UNIT_ROWS = (
    UnitRow("L", "1", "m 米 メートル 미터 метр метра метров", "m", _METRES, f"k d c {_SMALL}"),
    UnitRow("L", "1000", "kilómetro chilometro quilômetro 公里 千米 キロメートル 킬로미터 км"),
    UnitRow("L", "0.01", "厘米 公分 センチ センチメートル"),
    UnitRow("L", "0.001", "毫米 ミリ ミリメートル"),
    UnitRow("L", "1e-6", "micron"),
    UnitRow("L", "1e-10", "Å angstrom ångström"),
    UnitRow("L", "0.0254", "in inch inches ″ zoll pouce pulgada"),
    UnitRow("L", "0.3048", "ft foot feet ′"),
    UnitRow("L", "0.9144", "yd yard"),
    UnitRow("L", "1609.344", "mi mile meile meilen"),
    UnitRow("L", "1852", "nmi NM nautical_mile"),
    UnitRow("L", "201.168", "furlong"),
    UnitRow("L", "1.8288", "fathom"),
    UnitRow("L", "149597870700", "au AU astronomical_unit"),
    UnitRow("L", "9460730472580800", "ly light_year light-year lightyear"),
    UnitRow("L", "30856775814913673", "pc parsec", "pc", "parsec", "k M G"),
    UnitRow("M", "0.001", "g 克 グラム 그램", "g", "gram gramm gramme gramo grammo",
            f"k h {_SMALL}"),
    UnitRow("M", "1", "kilo 公斤 千克 キロ キログラム 킬로그램 кг"),
    UnitRow("M", "1000", "t tonne tonnen ton 吨 噸 トン metric_ton", "t", "ton tonne", "k M G"),
    UnitRow("M", "907.18474", "ton short_ton"),
    UnitRow("M", "0.028349523125", "oz ounce"),
    UnitRow("M", "0.45359237", "lb lbs pound livre libra"),
    UnitRow("M", "6.35029318", "st stone"),
    UnitRow("M", "0.0002", "carat"),
    UnitRow("M", "0.00006479891", "grain"),
    UnitRow("M", "1.66053906660e-27", "u Da dalton amu"),
    UnitRow("T", "1", "s sec secs sekunde sekunden segundo secondo secondi 秒 초", "s",
            "second seconde", _SMALL),
    UnitRow("T", "60", "min mins minute minuten minuto minuti 分 分钟 分間 분"),
    UnitRow("T", "3600", "h hr hrs hour stunde stunden heure hora ora ore Std 小时 小時 時間 시간"),
    UnitRow("T", "86400", "d day tag tage tagen jour día dia giorno giorni 天 日 日間 일"),
    UnitRow("T", "604800", "wk wks week woche wochen semaine semana 周 週 週間 星期"),
    UnitRow("T", "1209600", "fortnight"),
    UnitRow("T", "2629746", "month monat monate monaten mois mes meses mese 个月 ヶ月 か月 개월"),
    UnitRow("T", "31556952", "yr yrs y year jahr jahre jahren an ans"
            " année año anno anni ano 年 年間"),
    UnitRow("T", "315569520", "decade"),
    UnitRow("T", "3155695200", "century centuries"),
    UnitRow("L2", "1", "sqm qm 平方米 平方公尺 平方メートル 平米"),
    UnitRow("L2", "1000000", "平方公里 平方千米"),
    UnitRow("L2", "10000", "ha hectare hektar 公顷"),
    UnitRow("L2", "0.09290304", "sqft sq_ft"),
    UnitRow("L2", "4046.8564224", "ac acre"),
    UnitRow("L3", "0.001", "l L ℓ 升 リットル litro", "l L", "liter litre litro",
            f"h d c {_SMALL}"),
    UnitRow("L3", "0.000001", "cc 毫升 ミリリットル"),
    UnitRow("L3", "1", "立方米 立方メートル"),
    UnitRow("L3", "0.003785411784", "gal gallon"),
    UnitRow("L3", "0.000946352946", "qt quart"),
    UnitRow("L3", "0.000473176473", "pt pint"),
    UnitRow("L3", "0.0002365882365", "cup"),
    UnitRow("L3", "0.0000295735295625", "fl_oz fluid_ounce"),
    UnitRow("L3", "0.00001478676478125", "tbsp tablespoon"),
    UnitRow("L3", "0.00000492892159375", "tsp teaspoon"),
    UnitRow("L3", "0.158987294928", "bbl barrel"),
    UnitRow("L T-1", "5/18", "km/h kmh kph km/hr"),
    UnitRow("L T-1", "0.44704", "mph"),
    UnitRow("L T-1", "463/900", "kn kt kts knot"),
    UnitRow("D", "1/8", "bit", "bit", "bit", "k M G T"),
    UnitRow("D", "125", "Kb"),
    UnitRow("D", "125000", "Mb"),
    UnitRow("D", "125000000", "Gb"),
    UnitRow("D", "125000000000", "Tb"),
    UnitRow("D", "1", "B byte octet", "B", "byte octet", _DATA),
    UnitRow("D", "1000", "kb KB"),
    UnitRow("D", "1e6", "mb"),
    UnitRow("D", "1e9", "gb"),
    UnitRow("D", "1e12", "tb"),
    UnitRow("D T-1", "1/8", "bps", "bps", "", "k M G T"),
    UnitRow("M L T-2", "1", "N newton", "N", "newton", f"k M {_SMALL}"),
    UnitRow("M L T-2", "4.4482216152605", "lbf"),
    UnitRow("M L2 T-2", "1", "J joule", "J", "joule", f"k M G T {_SMALL}"),
    UnitRow("M L2 T-2", "4.184", "cal calorie", "cal", "calorie", "k"),
    UnitRow("M L2 T-2", "4184", "Cal Calorie"),
    UnitRow("M L2 T-2", "3600", "Wh watt-hour watt_hour", "Wh", "watt-hour watt_hour "
            "wattstunde", "k M G T"),
    UnitRow("M L2 T-2", "1.602176634e-19", "eV electronvolt", "eV", "", "k M G T m"),
    UnitRow("M L2 T-2", "1055.05585262", "BTU Btu"),
    UnitRow(_POWER, "1", "W watt", "W", "watt", f"k M G T {_SMALL}"),
    UnitRow(_POWER, "745.69987158227022", "hp horsepower"),
    UnitRow("M L-1 T-2", "1", "Pa pascal", "Pa", "pascal", "k M G h m"),
    UnitRow("M L-1 T-2", "100000", "bar", "bar", "bar", "m"),
    UnitRow("M L-1 T-2", "101325", "atm atmosphere"),
    UnitRow("M L-1 T-2", "6894.757293168", "psi"),
    UnitRow("M L-1 T-2", "133.322387415", "mmHg torr Torr"),
    UnitRow("T-1", "1", "Hz hertz", "Hz", "hertz", "k M G T m"),
    UnitRow("T-1", "1/60", "rpm RPM bpm"),
    UnitRow("I", "1", "A ampere amp", "A", "ampere amp", f"k {_SMALL}"),
    UnitRow("I T", "1", "coulomb", "C", "coulomb", "m µ μ u n p"),
    UnitRow("I T", "3.6", "mAh"),
    UnitRow("M L2 T-3 I-1", "1", "V volt", "V", "volt", f"k M {_SMALL}"),
    UnitRow("M L2 T-3 I-2", "1", "Ω Ω ohm", "Ω Ω", "ohm", f"k M {_SMALL}"),
    UnitRow("M-1 L-2 T4 I2", "1", "farad", "F", "farad", "m µ μ u n p"),
    UnitRow("M L2 T-2 I-2", "1", "H henry", "H", "henry", "m µ μ u n"),
    UnitRow("M T-2 I-1", "1", "T tesla", "T", "tesla", "m µ μ u n"),
    UnitRow("M L2 T-2 I-1", "1", "Wb weber"),
    UnitRow("T-1", "1", "Bq becquerel", "Bq", "becquerel", "k M G T"),
    UnitRow("N", "1", "mol mole", "mol", "mole", f"k {_SMALL}"),
    UnitRow("L-3 N", "1000", "M molar"),
    UnitRow("J", "1", "cd candela"),
    UnitRow("A", "1", "rad radian"),
    UnitRow("A", "0.017453292519943295769", "° deg degree grad 度 градус"),
    UnitRow("A", "0.00029088820866572159615", "′ arcmin arcminute"),
    UnitRow("A", "0.0000048481368110953599359", "″ arcsec arcsecond"),
    UnitRow("%", "0.01", "% percent per_cent pct"
            " prozent percentage_point pourcent 퍼센트 процентов"),
    UnitRow("%", "0.001", "‰ permille"),
    UnitRow("dB", "1", "dB decibel"),
    UnitRow("K", "1", "K kelvin 开尔文"),
)  # fmt: skip
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

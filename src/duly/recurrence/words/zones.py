"""Places that people name, and the IANA zone each lies in."""

import re
from collections.abc import Collection
from typing import Final

_TABLE: Final = """
Asia/Taipei: taipei taiwan 台北 台湾
Asia/Shanghai: shanghai beijing china 上海 北京 中国 深圳 shenzhen 广州 guangzhou 杭州 hangzhou
Asia/Hong_Kong: hong_kong hongkong 香港
Asia/Macau: macau macao 澳门 澳門
Asia/Singapore: singapore 新加坡
Asia/Tokyo: tokyo japan osaka 东京 日本 大阪
Asia/Seoul: seoul korea 首尔 首爾 韩国 韓国
Asia/Kolkata: kolkata mumbai delhi new_delhi bangalore bengaluru india 孟买 孟買 新德里 印度
Asia/Kathmandu: kathmandu nepal 加德满都
Asia/Dubai: dubai 迪拜 杜拜
Asia/Bangkok: bangkok 曼谷
Asia/Jakarta: jakarta 雅加达 雅加達
Asia/Manila: manila 马尼拉
Asia/Kuala_Lumpur: kuala_lumpur 吉隆坡
Asia/Ho_Chi_Minh: ho_chi_minh saigon 胡志明
Asia/Karachi: karachi 卡拉奇
Asia/Dhaka: dhaka 达卡 達卡
Asia/Tehran: tehran 德黑兰 德黑蘭
Asia/Jerusalem: jerusalem tel_aviv 耶路撒冷
Asia/Riyadh: riyadh 利雅得
Europe/London: london 伦敦
Europe/Dublin: dublin 都柏林
Europe/Paris: paris 巴黎
Europe/Berlin: berlin munich 柏林
Europe/Madrid: madrid barcelona 马德里
Europe/Rome: rome milan 罗马
Europe/Amsterdam: amsterdam 阿姆斯特丹
Europe/Zurich: zurich geneva 苏黎世 蘇黎世
Europe/Vienna: vienna 维也纳 維也納
Europe/Stockholm: stockholm 斯德哥尔摩
Europe/Oslo: oslo 奥斯陆
Europe/Copenhagen: copenhagen 哥本哈根
Europe/Helsinki: helsinki 赫尔辛基
Europe/Warsaw: warsaw 华沙 華沙
Europe/Prague: prague 布拉格
Europe/Lisbon: lisbon 里斯本
Europe/Athens: athens 雅典
Europe/Istanbul: istanbul 伊斯坦布尔
Europe/Moscow: moscow 莫斯科
Europe/Kyiv: kyiv kiev 基辅
America/New_York: new_york nyc boston washington miami atlanta 纽约 波士顿 华盛顿 華盛頓
America/Chicago: chicago dallas houston austin 芝加哥
America/Denver: denver 丹佛
America/Phoenix: phoenix
America/Los_Angeles: los_angeles san_francisco seattle san_diego 洛杉矶 洛杉磯 旧金山 舊金山 西雅图 西雅圖
America/Anchorage: anchorage
Pacific/Honolulu: honolulu hawaii 檀香山 夏威夷
America/Toronto: toronto 多伦多 montreal ottawa
America/Vancouver: vancouver 温哥华 溫哥華
America/Mexico_City: mexico_city 墨西哥城
America/Bogota: bogota
America/Lima: lima
America/Santiago: santiago
America/Sao_Paulo: sao_paulo 圣保罗 聖保羅
America/Argentina/Buenos_Aires: buenos_aires
Africa/Cairo: cairo 开罗 开羅
Africa/Lagos: lagos
Africa/Nairobi: nairobi
Africa/Johannesburg: johannesburg 约翰内斯堡
Africa/Casablanca: casablanca
Australia/Sydney: sydney canberra 悉尼 雪梨
Australia/Melbourne: melbourne 墨尔本 墨爾本
Australia/Brisbane: brisbane
Australia/Perth: perth 珀斯
Australia/Adelaide: adelaide
Australia/Lord_Howe: lord_howe
Pacific/Auckland: auckland wellington 奥克兰 奧克蘭
Pacific/Apia: apia
UTC: utc gmt 协调世界时 世界标准时间
"""


def _read_table() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _TABLE.strip().splitlines():
        zone, _, names = line.partition(": ")
        found[zone.lower()] = zone
        found.update((name.replace("_", " "), zone) for name in names.split())
    return found


PLACES: Final = _read_table()
"""Place or zone in lower case, with spaces, to its IANA name."""

_NAMES: Final = sorted(PLACES, key=len, reverse=True)
_PLACE: Final = "|".join(re.escape(name).replace(r"\ ", "[ _]") for name in _NAMES)
_IANA: Final = r"[a-z_]+(?:/[a-z0-9_+-]+)+"
_NAME: Final = rf"(?:{_IANA}|(?:{_PLACE})(?![a-z/]))"
ZONE_EN: Final = (
    rf"(?:in\s+|on\s+)?(?P<zone>{_NAME})(?:\s+(?:standard\s+)?time)?|\((?P<inner>{_NAME})\)"
)
ZONE_ZH: Final = rf"(?:按)?(?P<zone>{_NAME})\s*(?:当地)?(?:标准)?(?:时间|时区)"
ZONE_ANY: Final = r"(?:in\s+)?(?:time\s*zone|时区)\s*[:为]?\s*(?P<zone>[a-z0-9_+/-]+)"


def zone_of(name: str, typed: str) -> str:
    """Return the IANA name of a place; a name that is not in the table is taken as typed."""
    return PLACES.get(name.replace("_", " ") if "/" not in name else name, typed)


def among(words: str, zone_names: Collection[str]) -> str | None:
    """Return the zone whose name, or whose last part, words are; None when there is none, or more than one."""
    wanted = "_".join(words.split())
    found = [
        name for name in zone_names if wanted in (name.lower(), name.lower().rpartition("/")[2])
    ]
    return found[0] if len(found) == 1 else None

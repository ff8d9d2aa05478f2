"""Names of learners as names of folders, on every file system."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

_ESCAPE = re.compile(r"\\u[0-9a-f]{4}")
_SURROGATE = re.compile("[\ud800-\udfff]")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)


def well_formed(name: str) -> str:
    r"""A folder's name as text that can be encoded; no two names give the same.

    Bytes that are no UTF-8 are spelt ``\udcNN``, as Python spells them. Everything else stays.
    """
    if _SURROGATE.search(name) or _ESCAPE.search(name):
        name = name.replace("\\", "\\\\")
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", name)


def safe_name(name: str) -> str:
    """A name for this submission's folder: plain ASCII, at most 57 characters.

    It ends in a digest of the name, so that names which a file system may take for one (other
    case, other normalisation) or that no file system takes have folders of their own.

    >>> safe_name("../Zoë")
    'zoe~8840d1f49662e9e8'
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    readable = re.sub(r"[^a-z0-9]+", "-", plain)[:40].strip("-") or "submission"
    return f"{readable}~{digest}"


def safe_names(names: Iterable[str]) -> dict[str, str]:
    """A folder's name for each submission of a class: its own name wherever that is safe.

    It is when every file system takes it and no other name of the class could be taken for it.
    """
    names = list(names)
    alike = Counter(map(_folded, names))
    return {
        name: name if alike[_folded(name)] == 1 and _is_plain(name) else safe_name(name)
        for name in names
    }


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _is_plain(name: str) -> bool:
    return (
        re.fullmatch(r"\w(?:[\w .@+-]*\w)?", name) is not None
        and unicodedata.is_normalized("NFC", name)
        and len(name.encode()) <= 100
        and not _RESERVED.fullmatch(name)
    )

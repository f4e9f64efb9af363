"""Packs a wheel again, smaller:  python repack.py WHEEL BILL OUT

The same files with the same dates, deflated by zopfli. The bill of materials is replaced by the one in the file BILL: maturin's own
lists every crate that any feature on any system might take, with the paths of the machine, and a new number each time.
"""

import base64
import csv
import hashlib
import io
import struct
import sys
import zlib
from zipfile import ZipFile, ZipInfo

import zopfli.zlib

VERSION, DEFLATED = 20, 8


def fields(entry: ZipInfo, content: bytes, packed: bytes) -> bytes:
    """What stands in both headers of a file, from the version on."""
    year, month, day, hour, minute, second = entry.date_time
    date, time = (year - 1980) << 9 | month << 5 | day, hour << 11 | minute << 5 | second // 2
    # Names are ASCII: those of a wheel are.
    return struct.pack("<5H3I2H", VERSION, 0, DEFLATED, time, date, zlib.crc32(content), len(packed), len(content), len(entry.filename), 0)


def recorded(record: bytes, name: str, content: bytes) -> bytes:
    """The list of a wheel's files, with another content of one of them."""
    rows = list(csv.reader(io.StringIO(record.decode())))
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    (row,) = [row for row in rows if row[0] == name]
    row[1:] = [f"sha256={digest}", str(len(content))]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def contents(wheel: ZipFile, bill: bytes) -> "dict[str, bytes]":
    """What the files of the new wheel hold."""
    files = {name: wheel.read(name) for name in wheel.namelist()}
    (listed,) = [name for name in files if "/sboms/" in name]
    (record,) = [name for name in files if name.endswith(".dist-info/RECORD")]
    files[listed] = bill
    files[record] = recorded(files[record], listed, bill)
    return files


def main(source: str, bill: str, target: str) -> None:
    with ZipFile(source) as old, open(bill, "rb") as file:
        entries, wanted = old.infolist(), contents(old, file.read())
    files, index = bytearray(), bytearray()
    for entry in entries:
        content = wanted[entry.filename]
        # zlib's two bytes before the stream and four behind it are not the archive's.
        packed = zopfli.zlib.compress(content, numiterations=15)[2:-4]
        name, both = entry.filename.encode("ascii"), fields(entry, content, packed)
        made_by = entry.create_system << 8 | VERSION
        index += b"PK\1\2" + struct.pack("<H", made_by) + both + struct.pack("<3H2I", 0, 0, 0, entry.external_attr, len(files)) + name
        files += b"PK\3\4" + both + name + packed
    end = struct.pack("<4H2IH", 0, 0, len(entries), len(entries), len(index), len(files), 0)
    with open(target, "wb") as file:
        file.write(files + index + b"PK\5\6" + end)
    with ZipFile(target) as new:
        assert new.testzip() is None and new.namelist() == list(wanted)
        for one, other in zip(entries, new.infolist()):
            assert (one.date_time, one.external_attr) == (other.date_time, other.external_attr), one.filename
            assert new.read(other) == wanted[one.filename], one.filename


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Packs a wheel again, smaller: the same files with the same dates, deflated by zopfli:  python repack.py WHEEL OUT"""

import struct
import sys
import zlib
from zipfile import ZipFile, ZipInfo

import zopfli.zlib

VERSION, DEFLATED = 20, 8


def fields(entry: ZipInfo, packed: bytes) -> bytes:
    """What stands in both headers of a file, from the version on."""
    year, month, day, hour, minute, second = entry.date_time
    date, time = (year - 1980) << 9 | month << 5 | day, hour << 11 | minute << 5 | second // 2
    # Names are ASCII: those of a wheel are.
    return struct.pack("<5H3I2H", VERSION, 0, DEFLATED, time, date, entry.CRC, len(packed), entry.file_size, len(entry.filename), 0)


def main(source: str, target: str) -> None:
    files, index = bytearray(), bytearray()
    with ZipFile(source) as old:
        entries = old.infolist()
        for entry in entries:
            # zlib's two bytes before the stream and four behind it are not the archive's.
            packed = zopfli.zlib.compress(old.read(entry), numiterations=15)[2:-4]
            name, both = entry.filename.encode("ascii"), fields(entry, packed)
            made_by = entry.create_system << 8 | VERSION
            index += b"PK\1\2" + struct.pack("<H", made_by) + both + struct.pack("<3H2I", 0, 0, 0, entry.external_attr, len(files)) + name
            files += b"PK\3\4" + both + name + packed
    end = struct.pack("<4H2IH", 0, 0, len(entries), len(entries), len(index), len(files), 0)
    with open(target, "wb") as file:
        file.write(files + index + b"PK\5\6" + end)
    with ZipFile(source) as old, ZipFile(target) as new:
        assert new.namelist() == old.namelist()
        for one, other in zip(old.infolist(), new.infolist()):
            kept = [(entry.CRC, entry.file_size, entry.date_time, entry.external_attr) for entry in (one, other)]
            assert kept[0] == kept[1] and zlib.crc32(new.read(other)) == one.CRC, one.filename


if __name__ == "__main__":
    main(*sys.argv[1:])

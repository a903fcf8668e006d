"""asyncpg, which speaks the binary form of a type unless it is told otherwise."""
import asyncio
import itertools
import re

import asyncpg

from scenario import COPIED, Statements, run, tell

loop = asyncio.new_event_loop()
connection = loop.run_until_complete(asyncpg.connect())


def rows(query, *values):
    number = itertools.count(1)
    query = re.sub('%s', lambda _: f'${next(number)}', query)
    return loop.run_until_complete(connection.fetch(query, *values))


class Client(Statements):
    def any_cast(self, revisions):
        return self.revs('SELECT rev FROM record WHERE rev = ANY(%s::text[]::atid.tid[]) ORDER BY rev', revisions)

    def prepared(self, rev):
        async def fetch():
            statement = await connection.prepare('SELECT rev FROM record WHERE rev = $1')
            return [row[0] for row in await statement.fetch(rev)]
        return loop.run_until_complete(fetch())

    def copy(self, revisions):
        loop.run_until_complete(connection.copy_records_to_table(
            'record', columns=['rev'], records=[(rev,) for rev in revisions]))

    def refused(self, rkey):
        async def insert():
            async with connection.transaction():
                await connection.execute('INSERT INTO record (rkey) VALUES ($1)', rkey)
        loop.run_until_complete(insert())


run(Client(rows))

# COPY is binary always. A codec in Python: 8 bytes, big-endian, of base32 digits of five bits.
DIGITS = '234567abcdefghijklmnopqrstuvwxyz'


def encode(tid):
    value = 0
    for digit in tid:
        value = value << 5 | DIGITS.index(digit)
    return value.to_bytes(8, 'big')


def decode(data):
    value = int.from_bytes(data, 'big')
    return ''.join(DIGITS[value >> shift & 31] for shift in range(60, -1, -5))


async def with_codec():
    await connection.set_type_codec('tid', schema='atid', encoder=encode, decoder=decode, format='binary')
    await connection.execute('DELETE FROM record')

loop.run_until_complete(with_codec())
tell('copy, codec', lambda: Client(rows).copy(COPIED))
tell('tid, codec', lambda: 'ok' if Client(rows).revs('SELECT rev FROM record ORDER BY rev') == COPIED else 'other values')

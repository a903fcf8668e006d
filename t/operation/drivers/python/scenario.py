"""What every program in this folder does: the steps of ../README.md, each with the client's own
calls. A step prints its name, a tab, and what came of it."""

CID = 'bafyreifzvsbt6kiyg57lrrt3jbyqcf3lm7b6apz3rn7mjiyj32ornkf3xq'
DID = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz'
VALUES = dict(rkey='self', cid=CID, author=DID, uri=f'at://{DID}/app.bsky.feed.post/3jzfcijpj2z2a')
FIRST = '2222222222222'
COPIED = ['3k2hwfvx7k22l', '3k3yoc6ybt22l']


def shape(value):
    if isinstance(value, (list, tuple)):
        return 'list of ' + ', '.join(sorted({shape(item) for item in value}))
    return 'null' if value is None else type(value).__name__


def fault(error):
    """The SQLSTATE and the constraint of an error, under whatever the client has wrapped it in."""
    found = str(error).split('\n')[0], None
    while error is not None:
        code = getattr(error, 'sqlstate', None) or getattr(error, 'pgcode', None)
        if code:
            diag = getattr(error, 'diag', error)
            found = code, getattr(diag, 'constraint_name', None)
        error = getattr(error, 'orig', None) or error.__cause__
    return found


def same(got, wanted):
    if got != wanted:
        raise ValueError(f'{got} instead of {wanted}')


def tell(name, step):
    try:
        result = step()
    except Exception as error:
        result = f'error {fault(error)[0]}'
    print(f'{name}\t{result or "ok"}', flush=True)


class Statements:
    """The steps as statements, for clients that take SQL: rows() gives the rows of one, with %s for each value."""

    def __init__(self, rows):
        self.rows = rows

    def revs(self, query, *values):
        return [row[0] for row in self.rows(query, *values)]

    def insert(self):
        return self.rows('INSERT INTO record DEFAULT VALUES RETURNING rev')[0][0]

    def find(self, rev):
        return self.revs('SELECT rev FROM record WHERE rev = %s', rev)

    def any(self, revisions):
        return self.revs('SELECT rev FROM record WHERE rev = ANY(%s) ORDER BY rev', revisions)

    def any_cast(self, revisions):
        return self.revs('SELECT rev FROM record WHERE rev = ANY(%s::atid.tid[]) ORDER BY rev', revisions)

    def array(self):
        return self.rows('SELECT array_agg(rev ORDER BY rev) FROM record')[0][0]

    def array_text(self):
        return self.rows('SELECT array_agg(rev ORDER BY rev)::text[] FROM record')[0][0]

    def page(self, cursor):
        return self.revs('SELECT rev FROM record WHERE rev > %s ORDER BY rev LIMIT 2', cursor)

    def set_prev(self, rev, prev):
        return self.rows('UPDATE record SET prev = %s WHERE rev = %s RETURNING prev', prev, rev)[0][0]

    def values(self, row):
        return list(self.rows('INSERT INTO record (rkey, cid, author, uri) VALUES (%s, %s, %s, %s) '
                              'RETURNING rkey, cid, author, uri', *row.values())[0])


def run(client):
    """client: an object with a method for each step; one that is missing is not told of."""
    known = []

    def tid():
        known.extend(client.insert() for _ in range(5))
        return shape(known[0])

    def paging():
        seen = []
        while page := client.page(seen[-1] if seen else FIRST):
            seen += page
        same(seen, known)

    def prepared():
        for rev in known:
            same(client.prepared(rev), [rev])

    def copy():
        client.copy(COPIED)
        same(client.find(COPIED[0]), COPIED[:1])

    def check():
        try:
            client.refused('no/slashes')
        except Exception as error:
            code, constraint = fault(error)
            same(client.find(known[2]), [known[2]])
            return f'{code} {constraint or ""}'.strip()
        raise ValueError('the value was taken')

    tell('tid', tid)
    tell('parameter', lambda: same(client.find(known[2]), [known[2]]))
    tell('any', lambda: same(client.any(known[1:3]), known[1:3]))
    tell('any, cast', lambda: same(client.any_cast(known[1:3]), known[1:3]))
    tell('tid[]', lambda: shape(client.array()))
    tell('tid[] as text[]', lambda: same(list(client.array_text()), known))
    tell('paging', paging)
    tell('null', lambda: same(client.set_prev(known[0], None), None))
    tell('values', lambda: same(client.values(VALUES), list(VALUES.values())))
    if hasattr(client, 'prepared'):
        tell('prepared', prepared)
    if hasattr(client, 'copy'):
        tell('copy', copy)
    tell('check', check)

<?php
// PDO. The steps are those of ../README.md.
const CID = 'bafyreifzvsbt6kiyg57lrrt3jbyqcf3lm7b6apz3rn7mjiyj32ornkf3xq';
const DID = 'did:plc:ewvi7nxzyoun6zhxrhs64oiz';
const FIND = 'SELECT rev FROM record WHERE rev = ?';

$dsn = 'pgsql:host=' . getenv('PGHOST') . ';port=' . getenv('PGPORT') . ';dbname=' . getenv('PGDATABASE');
$pdo = new PDO($dsn, getenv('PGUSER'));

function rows(string $query, ...$values): array
{
    global $pdo;
    $statement = $pdo->prepare($query);
    $statement->execute($values);
    return $statement->fetchAll(PDO::FETCH_NUM);
}

function revs(string $query, ...$values): array
{
    return array_column(rows($query, ...$values), 0);
}

function list_of(array $values): string
{
    return '{' . implode(',', $values) . '}';
}

function same($got, $wanted): void
{
    if ($got !== $wanted) {
        throw new Exception(json_encode($got) . ' instead of ' . json_encode($wanted));
    }
}

function tell(string $name, callable $step): void
{
    try {
        $result = $step() ?? 'ok';
    } catch (PDOException $e) {
        $result = 'error ' . $e->getCode();
    } catch (Exception $e) {
        $result = 'error ' . $e->getMessage();
    }
    echo "$name\t$result\n";
}

$known = [];
tell('tid', function () use (&$known) {
    for ($i = 0; $i < 5; $i++) {
        $known[] = revs('INSERT INTO record DEFAULT VALUES RETURNING rev')[0];
    }
    return gettype($known[0]);
});
$two = array_slice($known, 1, 2);
tell('parameter', fn() => same(revs(FIND, $known[2]), [$known[2]]));
tell('any', fn() => same(revs('SELECT rev FROM record WHERE rev = ANY(?) ORDER BY rev', list_of($two)), $two));
tell('any, cast', fn() =>
    same(revs('SELECT rev FROM record WHERE rev = ANY(?::atid.tid[]) ORDER BY rev', list_of($two)), $two));
tell('tid[]', fn() => gettype(revs('SELECT array_agg(rev ORDER BY rev) FROM record')[0]));
tell('tid[] as text[]', fn() =>
    same(revs('SELECT array_agg(rev ORDER BY rev)::text[] FROM record')[0], list_of($known)));
tell('paging', function () use ($known) {
    $seen = [];
    while ($page = revs('SELECT rev FROM record WHERE rev > ? ORDER BY rev LIMIT 2', end($seen) ?: '2222222222222')) {
        array_push($seen, ...$page);
    }
    same($seen, $known);
});
tell('null', fn() =>
    same(revs('UPDATE record SET prev = ? WHERE rev = ? RETURNING prev', null, $known[0]), [null]));
tell('values', function () {
    $row = ['self', CID, DID, 'at://' . DID . '/app.bsky.feed.post/3jzfcijpj2z2a'];
    same(rows('INSERT INTO record (rkey, cid, author, uri) VALUES (?, ?, ?, ?) RETURNING rkey, cid, author, uri',
        ...$row), [$row]);
});
tell('prepared', function () use ($pdo, $known) {
    $statement = $pdo->prepare(FIND);
    foreach ($known as $rev) {
        $statement->execute([$rev]);
        same($statement->fetchAll(PDO::FETCH_COLUMN), [$rev]);
    }
});
tell('copy', function () use ($pdo) {
    $pdo->pgsqlCopyFromArray('record (rev)', ['3k2hwfvx7k22l', '3k3yoc6ybt22l']);
    same(revs(FIND, '3k2hwfvx7k22l'), ['3k2hwfvx7k22l']);
});
tell('check', function () use ($pdo, $known) {
    $pdo->beginTransaction();
    try {
        rows('INSERT INTO record (rkey) VALUES (?)', 'no/slashes');
    } catch (PDOException $e) {
        $pdo->rollBack();
        same(revs(FIND, $known[2]), [$known[2]]);
        preg_match('/constraint "(\w+)"/', $e->getMessage(), $match);
        return $e->getCode() . ' ' . ($match[1] ?? '');
    }
    throw new Exception('the value was taken');
});

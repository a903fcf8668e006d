// Service tokens, good and bad, asked of xrpc.verify() and of verifyJwt of @atproto/xrpc-server:
// the verdicts must be the same, except where the library takes what it should not.
//
//   node tokens.mjs   prints "ok", or "not ok", a tab and what was compared, for indexer/t/xrpc.pl
import { randomBytes } from 'node:crypto';
import { P256Keypair, Secp256k1Keypair } from '@atproto/crypto';
import { createServiceJwt, verifyJwt } from '@atproto/xrpc-server';
import pg from 'pg';

const AUD = 'did:web:feeds.example';
const LXM = 'app.bsky.feed.getFeedSkeleton';
const ORDER = {
  ES256K: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
  ES256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
};

const say = (good, text) => console.log(`${good ? 'ok' : 'not ok'}\t${text}`);
const db = new pg.Client();
await db.connect();

const keys = {
  'did:plc:kkkkkkkkkkkkkkkkkkkkkkkk': await Secp256k1Keypair.create(),
  'did:plc:pppppppppppppppppppppppp': await P256Keypair.create(),
  'did:web:web.example': await P256Keypair.create(),
};
const NO_KEY = 'did:plc:nnnnnnnnnnnnnnnnnnnnnnnn';
const IDENTITY = `INSERT INTO indexer.identity (did, key, answered, ask)
  VALUES ($1, $2, now(), 'infinity') ON CONFLICT (did) DO UPDATE SET key = excluded.key`;
for (const [did, key] of Object.entries(keys)) await db.query(IDENTITY, [did, key.did()]);
await db.query(IDENTITY, [NO_KEY, null]);

const now = () => Math.floor(Date.now() / 1000);
const base64 = (value) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
// Parts that are texts are what is in the token.
async function signed(key, head, claims) {
  const part = (value) => (typeof value === 'string' ? value : base64(value));
  const text = `${part(head)}.${part(claims)}`;
  return `${text}.${Buffer.from(await key.sign(Buffer.from(text))).toString('base64url')}`;
}
const withSignature = (token, change) => {
  const [head, claims, signature] = token.split('.');
  return `${head}.${claims}.${change(Buffer.from(signature, 'base64url')).toString('base64url')}`;
};
const otherS = (alg) => (bytes) => {
  const s = ORDER[alg] - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
  return Buffer.concat([
    bytes.subarray(0, 32),
    Buffer.from(s.toString(16).padStart(64, '0'), 'hex'),
  ]);
};
const der = (bytes) =>
  Buffer.concat([
    Buffer.from('30440220', 'hex'),
    bytes.subarray(0, 32),
    Buffer.from('0220', 'hex'),
    bytes.subarray(32),
  ]);
const flipped = (token, part, n) => {
  const parts = token.split('.');
  const bytes = Buffer.from(parts[part], 'base64url');
  bytes[n % bytes.length] ^= 1;
  parts[part] = bytes.toString('base64url');
  return parts.join('.');
};

// lax: the library takes it, and we need not.
const cases = [];
const add = (name, token, lax = false) => cases.push({ name, token, lax });

// Values of a claim, or of a field of the header.
const CLAIMS = {
  aud: [
    'did:web:other.example',
    `${AUD}.evil`,
    AUD.slice(0, -1),
    AUD.toUpperCase(),
    '',
    `${AUD} `,
    [AUD],
    null,
    7,
    undefined,
    'did:web:feeds.exampl\u0435',
    `${AUD}/#x`,
    `${AUD}%23bsky_fg`,
  ],
  lxm: [
    'app.bsky.feed.getFeed',
    'com.atproto.repo.createRecord',
    '*',
    '',
    LXM.toLowerCase(),
    null,
    5,
    [LXM],
    {},
    undefined,
    `${LXM}#main`,
  ],
  exp: [-1, 0, 'n-1', 'n-3600', '9999999999', null, undefined, {}, true, [1]],
  iss: [
    'did:plc:zzzzzzzzzzzzzzzzzzzzzzzz',
    NO_KEY,
    'alice.test',
    '',
    'did:',
    'did:web:web.example/x',
    `did:web:${'x'.repeat(600)}`,
    null,
    5,
    {},
    undefined,
  ],
};
const HEAD = {
  alg: ['none', 'HS256', 'RS256', 'ES512', 'ES384', 'es256', 'es256k', null, 5, undefined],
  typ: ['at+jwt', 'refresh+jwt', 'dpop+jwt', 'JWT', undefined, null, 7],
};
const RAW = [
  'null',
  '[]',
  '"x"',
  '5',
  '{',
  '',
  '{"iss":"\\u0000"}',
  '{"a":1,"a":2}',
  '{"exp":1e999999}',
  `{"x":${'['.repeat(5000)}${']'.repeat(5000)}}`,
  '\ufeff{}',
  '\u00ff\u00fe',
];

async function ofAccount(iss, key) {
  const alg = key.jwtAlg;
  const head = { typ: 'JWT', alg };
  const claims = {
    iss,
    aud: AUD,
    exp: now() + 60,
    iat: now(),
    lxm: LXM,
    jti: randomBytes(8).toString('hex'),
  };
  const put = async (name, h, c, lax, by = key) =>
    add(`${alg} ${name}`, await signed(by, h, c), lax);
  const good = await signed(key, head, claims);
  add(`${alg} of the library`, await createServiceJwt({ iss, aud: AUD, lxm: LXM, keypair: key }));
  add(`${alg} good`, good);
  add(`${alg} high s`, withSignature(good, otherS(alg)));
  for (const [claim, values] of Object.entries(CLAIMS))
    for (const value of values) {
      const said = /^n-/.test(value) ? now() - Number(value.slice(2)) : value;
      await put(`${claim} ${JSON.stringify(value)?.slice(0, 40)}`, head, {
        ...claims,
        [claim]: said,
      });
    }
  await put('iss of another', head, {
    ...claims,
    iss: Object.keys(keys).find((did) => did !== iss),
  });
  await put('iss in capitals', head, { ...claims, iss: iss.toUpperCase() });
  await put('iss of a service', head, { ...claims, iss: `${iss}#atproto_labeler` });
  for (const [field, values] of Object.entries(HEAD))
    for (const value of values)
      await put(`${field} ${JSON.stringify(value)}`, { ...head, [field]: value }, claims);
  await put(
    'alg of the other curve',
    { ...head, alg: alg === 'ES256' ? 'ES256K' : 'ES256' },
    claims,
  );
  await put('empty alg', { ...head, alg: '' }, claims, true);
  await put('another key', head, claims, false, await key.constructor.create());
  const Other = alg === 'ES256' ? Secp256k1Keypair : P256Keypair;
  await put('another curve', head, claims, false, await Other.create());
  await put('typ in capitals', { ...head, typ: 'AT+JWT' }, claims, true);
  await put('crit', { ...head, crit: ['x'] }, claims, true);
  await put('exp of years', head, { ...claims, exp: 1e10 }, true);
  await put('exp beyond all', head, { ...claims, exp: 1e300 }, true);
  await put('iat of tomorrow', head, { ...claims, iat: now() + 86400 }, true);
  await put('nbf of tomorrow', head, { ...claims, nbf: now() + 86400 }, true);
  await put('iat as a text', head, { ...claims, iat: 'x' }, true);
  await put(
    'jwk and kid',
    { ...head, jwk: { kty: 'EC' }, kid: '../../x', jku: 'http://x' },
    claims,
  );
  await put(
    'aud twice',
    head,
    base64(`{"iss":"${iss}","aud":"did:web:x","aud":"${AUD}","exp":${claims.exp},"lxm":"${LXM}"}`),
  );
  await put(
    'lxm twice',
    head,
    base64(`{"iss":"${iss}","aud":"${AUD}","exp":${claims.exp},"lxm":"${LXM}","lxm":"x.y.z"}`),
  );
  for (const raw of RAW) {
    await put(`claims ${raw.slice(0, 20)}`, head, base64(raw));
    await put(`header ${raw.slice(0, 20)}`, base64(raw), claims);
  }
  for (const n of [0, 5, 17, 31, 32, 40, 63])
    add(`${alg} signature, bit ${n}`, flipped(good, 2, n));
  for (let n = 0; n < 12; n++) {
    add(`${alg} claims, bit ${n}`, flipped(good, 1, 7 * n + 3));
    add(`${alg} header, bit ${n}`, flipped(good, 0, 3 * n));
  }
  add(`${alg} DER`, withSignature(good, der), true);
  add(
    `${alg} 65 bytes`,
    withSignature(good, (b) => Buffer.concat([b, Buffer.from([0])])),
  );
  add(
    `${alg} 63 bytes`,
    withSignature(good, (b) => b.subarray(1)),
  );
  add(
    `${alg} zeros`,
    withSignature(good, () => Buffer.alloc(64)),
  );
  add(
    `${alg} ones`,
    withSignature(good, () => Buffer.alloc(64, 255)),
  );
  add(
    `${alg} empty signature`,
    withSignature(good, () => Buffer.alloc(0)),
  );
  add(`${alg} two parts`, good.split('.').slice(0, 2).join('.'));
  add(`${alg} four parts`, `${good}.x`);
  add(`${alg} a line behind it`, `${good}\n`, true);
}
for (const [iss, key] of Object.entries(keys)) await ofAccount(iss, key);
for (const raw of [
  '',
  '.',
  '..',
  '...',
  'a.b.c',
  ' ',
  'x'.repeat(20000),
  "' OR 1=1 --",
  '\u{1F600}.\u{1F600}.\u{1F600}',
  `${'a'.repeat(9000)}.${'b'.repeat(9000)}.${'c'.repeat(86)}`,
  '\u0000',
])
  add(`a text: ${raw.slice(0, 20)}`, raw);

async function library(token) {
  const keyOf = async (iss) => {
    if (!keys[iss]) throw new Error('unknown');
    return keys[iss].did();
  };
  return verifyJwt(token, AUD, LXM, keyOf).then(
    ({ iss }) => iss,
    () => null,
  );
}
const NO_TEXT = '22021'; // U+0000, which no header has
const isNamed = (e) => /^XR40[13]$/.test(e.code) || e.code === NO_TEXT;
async function ours(token) {
  try {
    return {
      did: (await db.query('SELECT (xrpc.verify($1, $2, $3)).did', [token, AUD, LXM])).rows[0].did,
    };
  } catch (e) {
    return { did: null, e };
  }
}

const differ = [];
const odd = [];
let good = 0;
let lax = 0;
for (const one of cases) {
  const [theirs, mine] = [await library(one.token), await ours(one.token)];
  if (mine.e && !isNamed(mine.e)) odd.push(`${one.name}: ${mine.e.code} ${mine.e.message}`);
  if (mine.did !== null) good++;
  if (mine.did === theirs) continue;
  if (one.lax && mine.did === null) lax++;
  else differ.push(`${one.name}: ${theirs} ${mine.did ?? mine.e.constraint ?? mine.e.message}`);
}
say(cases.length >= 400, `several hundred tokens: ${cases.length}`);
say(good >= 15, `some of them are good: ${good}`);
say(
  differ.length === 0,
  `verdicts are those of the library, or stricter where it is lax (${lax}) ${differ.join('; ')}`,
);
say(odd.length === 0, `each refusal is an error with a name ${odd.join('; ')}`);

// What the library has no option for: a service of the audience.
const [[did, key]] = Object.entries(keys);
for (const [aud, is] of [
  ['#bsky_fg', did],
  ['#', null],
  ['#x y', null],
  ['#bsky_fg#x', null],
]) {
  const token = await createServiceJwt({ iss: did, aud: `${AUD}${aud}`, lxm: LXM, keypair: key });
  say(
    (await ours(token)).did === is,
    `the audience ${AUD}${aud} is ${is === null ? 'refused' : 'taken'}`,
  );
}
const token = await createServiceJwt({ iss: did, aud: AUD, lxm: LXM, keypair: key });
const other = await db
  .query('SELECT xrpc.verify($1, $2, $3)', [token, AUD, 'com.example.x'])
  .catch((e) => e);
say(
  other.constraint === 'BadJwtLexiconMethod',
  'a token for another method is refused, by that name',
);
await db.query(IDENTITY, [did, (await Secp256k1Keypair.create()).did()]);
const rotated = await ours(token);
say(
  rotated.e?.constraint === 'BadJwtSignature' && rotated.e.detail === did,
  'after a rotation it names whom to ask for',
);
await db.query('INSERT INTO indexer.asker (did, key, answered) VALUES ($1, $2, now())', [
  did,
  key.did(),
]);
say((await ours(token)).did === did, 'a newer answer counts');
await db.query(`UPDATE indexer.identity SET answered = now() + '1 s' WHERE did = $1`, [did]);
say((await ours(token)).did === null, '... and a still newer one');
await db.query('DELETE FROM indexer.identity WHERE did = $1', [did]);
say((await ours(token)).did === did, 'the table asker alone is enough');
await db.query('SELECT indexer.exclude_account($1)', [did]);
const excluded = await ours(token);
say(excluded.e?.constraint === 'BadJwtSignature', 'an excluded account is refused');
await db.query('SELECT indexer.include_account($1)', [did]);
await db.end();

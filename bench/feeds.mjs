// Prints a service token and its did:key for each curve, for bench/feeds: ES256, then ES256K.
import { generateKeyPairSync, sign } from 'node:crypto';

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
function base58(bytes) {
  let text = '';
  for (let n = BigInt(`0x${bytes.toString('hex')}`); n > 0n; n /= 58n) text = BASE58[n % 58n] + text;
  return text;
}
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

for (const [alg, curve, prefix] of [['ES256', 'P-256', [0x80, 0x24]], ['ES256K', 'secp256k1', [0xe7, 0x01]]]) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: curve });
  const { x, y } = publicKey.export({ format: 'jwk' });
  const odd = Buffer.from(y, 'base64url').at(-1) & 1;
  const point = Buffer.concat([Buffer.from([...prefix, 2 + odd]), Buffer.from(x, 'base64url')]);
  const claims = {
    iss: `did:web:user${alg === 'ES256' ? 1 : 2}.example`,
    aud: 'did:web:feeds.example',
    lxm: 'app.bsky.feed.getFeedSkeleton',
    exp: Math.floor(Date.now() / 1000) + 80_000,
  };
  const text = `${part({ typ: 'JWT', alg })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  console.log(`${text}.${signature.toString('base64url')} did:key:z${base58(point)}`);
}

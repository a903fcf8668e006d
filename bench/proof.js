// Makes the logs of bench/proof: a given number of each shape, one per line (shape, log). A log has three operations.
// Its rotation keys are one of its own and one that all accounts of a server share. The signing key is, for the shape
//   k256 1 of 2   its own             k256 2 of 2   the shared one
//   k256 by turns                     one, then the other
//   p256 2 of 2   the shared one, of P-256
import { createHash } from 'node:crypto';
import * as cbor from '@ipld/dag-cbor';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base32 } from 'multiformats/bases/base32';
import { base58btc } from 'multiformats/bases/base58';

const curves = { k256: { lib: secp256k1, codec: [0xe7, 0x01] }, p256: { lib: p256, codec: [0x80, 0x24] } };
const sha256 = (b) => createHash('sha256').update(b).digest();

function new_key(curve) {
  const { lib, codec } = curves[curve];
  const secret = lib.utils.randomSecretKey();
  return { did: 'did:key:' + base58btc.encode(Uint8Array.from([...codec, ...lib.getPublicKey(secret, true)])),
    sign: (data) => lib.sign(data, secret, { prehash: true, lowS: true, format: 'compact' }) };
}

function make_log(own, shared, signers, number) {
  const log = [];
  for (const [i, signer] of signers.entries()) {
    const unsigned = { type: 'plc_operation', rotationKeys: [own.did, shared.did], verificationMethods: { atproto: shared.did },
      alsoKnownAs: [`at://user-${number}-${i}.example.com`], services: { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://pds.example.com' } },
      prev: i === 0 ? null : log[i - 1].cid };
    const operation = { ...unsigned, sig: Buffer.from(signer.sign(cbor.encode(unsigned))).toString('base64url') };
    const digest = sha256(cbor.encode(operation));
    log.push({ did: i === 0 ? 'did:plc:' + base32.encode(digest).slice(1, 25) : log[0].did, operation,
      cid: 'b' + base32.encode(Uint8Array.from([1, 0x71, 0x12, 0x20, ...digest])).slice(1), nullified: false,
      createdAt: new Date(Date.UTC(2024, 0, 1 + i)).toISOString() });
  }
  return log;
}

const shapes = {
  'k256 1 of 2': ['k256', (own) => [own, own, own]],
  'k256 2 of 2': ['k256', (own, shared) => [shared, shared, shared]],
  'k256 by turns': ['k256', (own, shared) => [own, shared, own]],
  'p256 2 of 2': ['p256', (own, shared) => [shared, shared, shared]],
};
for (const [shape, [curve, signers]] of Object.entries(shapes)) {
  const shared = new_key(curve);
  for (let i = 0; i < process.argv[2]; i++) {
    const own = new_key(curve);
    console.log(`${shape}\t${JSON.stringify(make_log(own, shared, signers(own, shared), i))}`);
  }
}

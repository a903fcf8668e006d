const BYTEA = 17; // the type's OID

/**
 * Values as a parameter of type bytea[] in its binary form. Its header is: one dimension, no NULLs,
 * the type's OID, the number of values, the lower bound 1.
 * @param {Buffer[]} values
 */
export function byteaArray(values) {
  /** @param {number[]} n */
  const int = (...n) => {
    const bytes = Buffer.alloc(4 * n.length);
    n.forEach((value, i) => bytes.writeInt32BE(value, 4 * i));
    return bytes;
  };
  if (values.length === 0) return int(0, 0, BYTEA);
  return Buffer.concat([
    int(1, 0, BYTEA, values.length, 1),
    ...values.flatMap((value) => [int(value.length), value]),
  ]);
}

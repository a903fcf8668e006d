// An answer's bytes, in blocks of our own: chunks of one byte would take a hundred bytes each.
const BLOCK = 64e3;
const LARGEST_BLOCK = 8e6;

export class Body {
  constructor() {
    /** @type {Buffer[]} */
    this.blocks = [];
    this.length = 0;
    this.left = 0;
  }

  /** @param {Buffer} chunk */
  add(chunk) {
    this.length += chunk.length;
    for (let from = 0; from < chunk.length;) {
      const block = this.#block();
      const n = chunk.copy(block, block.length - this.left, from);
      from += n;
      this.left -= n;
    }
  }

  // The block that is being filled.
  #block() {
    const last = this.blocks.at(-1);
    if (last !== undefined && this.left > 0) return last;
    this.left = Math.max(BLOCK, Math.min(LARGEST_BLOCK, this.length));
    const block = Buffer.allocUnsafeSlow(this.left);
    this.blocks.push(block);
    return block;
  }

  bytes() {
    if (this.blocks.length === 0) return Buffer.alloc(0);
    if (this.blocks.length === 1) return this.blocks[0].subarray(0, this.length);
    return Buffer.concat(this.blocks, this.length);
  }
}

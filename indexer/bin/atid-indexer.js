#!/usr/bin/env node
if (Number(process.versions.node.split('.')[0]) < 22) {
  process.stderr.write(`atid-indexer needs Node 22 or later, and this is ${process.versions.node}\n`);
  process.exit(1);
}
const { main } = await import('../src/cli.js');

process.exit(await main(process.argv.slice(2)));

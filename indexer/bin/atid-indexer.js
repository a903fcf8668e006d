#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  process.stderr.write(
    `atid-indexer needs Node 22.12 or later, and this is ${process.versions.node}\n`,
  );
  process.exit(1);
}
const { main } = await import('../src/cli/main.js');

process.exit(await main(process.argv.slice(2)));

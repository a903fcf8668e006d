// Commands of the program one after the other, for AtidTest::Indexer: to start Node costs more than most of them do.
//
//   node calls.mjs MAIN    reads lines of JSON, {"words", "env"}, calls main() of the module MAIN with these words and
//                          this environment, and prints lines of JSON, {"status", "said"}, as the program would end
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const { main } = await import(pathToFileURL(process.argv[2]).href);
const answer = process.stdout.write.bind(process.stdout);
let said = '';
for (const stream of [process.stdout, process.stderr])
  stream.write = (text) => {
    said += text;
    return true;
  };

for await (const line of createInterface({ input: process.stdin, terminal: false })) {
  const { words, env } = JSON.parse(line);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  said = '';
  const status = await main(words);
  answer(`${JSON.stringify({ status, said })}\n`);
}
process.exit();

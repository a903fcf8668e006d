// Commands of the program one after the other, for AtidTest::Indexer: to start Node costs more than most of them do.
//
//   node calls.mjs MAIN    reads lines of JSON, {"words", "env"}, calls main() of the module MAIN with these words and
//                          this environment, and prints lines of JSON, {"status", "said", "stdout", "stderr"}, as the
//                          program would end; "said" is both
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const { main } = await import(pathToFileURL(process.argv[2]).href);
const answer = process.stdout.write.bind(process.stdout);
const said = { said: '', stdout: '', stderr: '' };
for (const name of ['stdout', 'stderr'])
  process[name].write = (text) => {
    said.said += text;
    said[name] += text;
    return true;
  };

for await (const line of createInterface({ input: process.stdin, terminal: false })) {
  const { words, env } = JSON.parse(line);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  for (const name of Object.keys(said)) said[name] = '';
  const status = await main(words);
  answer(`${JSON.stringify({ status, ...said })}\n`);
}
process.exit();

// The page of examples/statusphere in Chromium, for indexer/t/api.pl: people see the newest statuses with names and avatars,
// and a new one as it arrives, at 1280 and 400 pixels; then the page of the API is asked.
//
//   node page.mjs CHROMIUM NETWORK API FOLDER    prints verdicts, and writes FOLDER/page-WIDTH.png
import { chromium } from 'playwright-core';

const [executablePath, network, api, folder] = process.argv.slice(2);
const verdict = (ok, what, why) => {
  console.log(`${ok ? 'ok' : 'not ok'}\t${what}`);
  if (!ok) console.log(`note\t${String(why).slice(0, 300)}`);
};
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const elsewhere = new Set(); // what is asked outside these two
async function open(url, width) {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  page.setDefaultTimeout(120e3);
  page.on('request', (r) => { if (/^(https?|wss?):/.test(r.url()) && !r.url().startsWith(network) && !r.url().startsWith(api)) elsewhere.add(r.url()); });
  page.on('pageerror', (e) => verdict(false, 'no error on the page', e.message));
  await page.goto(url);
  return page;
}
for (const [n, width] of [1280, 400].entries()) {
  const page = await open(`${network}/?api=${api}graphql`, width);
  await page.waitForFunction(() => document.querySelectorAll('#list li').length >= 12 && document.querySelectorAll('#top li').length > 0);
  await page.waitForFunction(() => [...document.images].every((i) => i.complete));
  const [pictures, overflow] = await page.evaluate(() => [
    [...document.images].filter((i) => i.naturalWidth === 10).length,
    document.documentElement.scrollWidth - document.documentElement.clientWidth]);
  verdict(pictures >= 12, `${width} pixels: names and pictures`, pictures);
  verdict(overflow <= 0, `${width} pixels: nothing is wider than the page`, overflow);
  const status = 'AB'[n];
  await fetch(`${network}/write?n=${n}&status=${status}`, { method: 'POST' });
  const came = await page.waitForFunction((s) => {
    const [first] = document.querySelectorAll('#list li');
    return first?.querySelector('b').textContent === s && first.className === 'new';
  }, status).then(() => true, (e) => e);
  verdict(came === true, `${width} pixels: a status arrives by itself, at the top`, came);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: `${folder}/page-${width}.png` });
  await page.close();
}
const tried = await open(api, 1280);
await tried.waitForSelector('button');
await tried.click('button');
const answered = await tried
  .waitForFunction(() => document.querySelector('pre')?.textContent.includes('"nodes": ['))
  .then(() => true, (e) => e);
verdict(answered === true, 'the page at / answers its first query', answered);
await tried.screenshot({ path: `${folder}/tried.png` });
verdict(elsewhere.size === 0, 'nothing else is asked', [...elsewhere].join(' '));
await browser.close();

// What npm's package @atproto/syntax, and with it the Date of JavaScript, makes of strings that are datetimes
// or nearly so.
//
//   node datetimes.js SEED STRICT SLOPPY
//
// prints STRICT mutated datetimes and SLOPPY sloppy strings, a line for each: s or l, the string's UTF-8 in
// hexadecimal; t or f, whether the package takes it for a datetime; what it normalizes it to, or \N; what it
// normalizes it to if it has three digits of a fraction only; and of what kinds, listed below, it is, each
// followed by a blank.
import { isValidDatetime, normalizeDatetime } from '@atproto/syntax';
import { chance } from './chance.js';

const [seed, strict, sloppy] = process.argv.slice(2).map(Number);
const { below, pick } = chance(seed);
const digits = (value, n) => String(value).padStart(n, '0');
const maybe = (make) => (below(2) ? make() : '');

// --- strings -----------------------------------------------------------------------------------

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const DAYS = 'Mon Tue Wed Thu Fri Sat Sun'.split(' ');

// ordinary values, and each edge now and then
const year = () => digits(below(3) ? 1960 + below(80) : pick([0, 1, 49, 50, 99, 100, 1900, 2000, 9999, below(10000)]), 4);
const month = () => digits(below(20) ? 1 + below(12) : pick([0, 13, 99]), 2);
const day = () => digits(below(8) ? 1 + below(28) : pick([29, 30, 31, 0, 32]), 2);
const hour = () => digits(below(20) ? below(24) : pick([0, 23, 24, 25]), 2);
const sixty = () => digits(below(20) ? below(60) : pick([0, 59, 60, 61]), 2);
const fraction = () => '.' + Array.from({ length: 1 + below(below(10) ? 9 : 60) }, () => below(10)).join('');
const offset = (colon) => pick('+-') + (below(8) ? digits(below(15), 2) : hour()) + colon + pick(['00', '30', '45', sixty()]);
const date = () => `${year()}-${month()}-${day()}`;
const time = () => `${hour()}:${sixty()}:${sixty()}`;

const datetime = () => `${date()}T${time()}${maybe(fraction)}${below(2) ? 'Z' : offset(':')}`;

const FORMS = [
  datetime,
  date,
  () => `${date()}${pick('TTt')}${hour()}:${sixty()}${maybe(() => ':' + sixty() + maybe(fraction))}` +
    pick(['', 'Z', 'z', offset(':'), offset(''), '-00:00', '+00', '-00']),
  () => `${date()} ${hour()}:${sixty()}${maybe(() => ':' + sixty() + maybe(fraction))}` + maybe(() => ' ') +
    pick(['', 'Z', 'z', 'UTC', 'GMT', '+00', '-00', offset(':'), offset(''), pick('+-') + digits(below(13), 2)]),
  () => maybe(() => `${pick(DAYS)}, `) + `${below(2) ? +day() : day()} ${pick(MONTHS)} ${year()} ${hour()}:${sixty()}` +
    maybe(() => ':' + sixty()) + pick(['', ' GMT', ' UT', ' UTC', ' Z', ' ' + offset(''), ' ' + offset(':'), ' EST', ' CET']),
  () => `${pick(DAYS)} ${pick(MONTHS)} ${day()} ${year()} ${time()} GMT${offset('')}` +
    maybe(() => ` (${pick(['Coordinated Universal Time', 'UTC', 'Mitteleuropäische Zeit', 'a (b) c', '', '1'])})`),
  // what else JavaScript reads
  () => pick([
    `${+month()}/${+day()}/${year()}`, `${year()}/${month()}/${day()} ${time()}`, year(), `${year()}-${month()}`,
    `${year()}-${+month()}-${+day()}`, `${date()} ${+hour()}:${sixty()} ${pick(['AM', 'PM', 'pm'])}`, ` ${date()} ${time()} `,
    `${pick(MONTHS)} ${+day()}, ${year()}`, `${pick(MONTHS)} ${+day()}, ${year()} ${time()}`, `+00${date()}T${time()}Z`,
    `-00${date()}T${time()}Z`, `${+day()} ${pick(MONTHS)} ${digits(below(100), 2)} ${time()}`, `${date()}Z`, `${date()} UTC`,
    `${pick(DAYS)} ${pick(MONTHS)} ${day()} ${time()} ${year()}`, `${pick(DAYS)} ${pick(MONTHS)} ${day()} ${year()}`,
    String(below(2e9)), `${+day()}-${pick(MONTHS)}-${year()} ${time()}`, `${time()} ${date()}`, `${date()}T${hour()}Z`,
  ]),
];

const LETTERS = [...'0123456789012345678901234567890123456789-+:. TZtzUGCPAM,/()éЖ—\t'];

function mutated(text, times) {
  const letters = [...text];
  for (; times > 0; times--) {
    const at = below(letters.length + 1);
    pick([
      () => letters.splice(at, 1, pick(LETTERS)),
      () => letters.splice(at, 1),
      () => letters.splice(at, 0, pick(LETTERS)),
      () => letters.splice(at, 0, ...letters.slice(below(letters.length), at)),
    ])();
  }
  return letters.join('');
}

// --- kinds -------------------------------------------------------------------------------------

const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d';
const SECONDS = ':[0-5]\\d';
const OFFSET = '[+-](?:[01]\\d|2[0-3]):?[0-5]\\d';
const YEAR = '(?!00\\d\\d)\\d{4}'; // one that JavaScript does not move

// The forms that the documentation lists.
const READ = [
  `^${YEAR}-\\d\\d-\\d\\d$`,
  `^\\d{4}-\\d\\d-\\d\\dT${CLOCK}(?:${SECONDS}(?:\\.\\d+)?)?(?:[Zz]|${OFFSET})?$`,
  `^${YEAR}-\\d\\d-\\d\\dt${CLOCK}(?:${SECONDS}(?:\\.\\d+)?)?(?:[Zz]|${OFFSET})?$`,
  `^${YEAR}-\\d\\d-\\d\\d ${CLOCK}(?:${SECONDS}(?:\\.\\d+)?)?(?: ?(?:[Zz]|[+-]00|${OFFSET})| UTC| GMT)?$`,
  `^(?:(?:${DAYS.join('|')}), )?\\d\\d? (?:${MONTHS.join('|')}) ${YEAR} ${CLOCK}(?:${SECONDS})?(?: (?:GMT|UTC|UT|Z|${OFFSET}))?$`,
  `^(?:${DAYS.join('|')}) (?:${MONTHS.join('|')}) \\d\\d ${YEAR} ${CLOCK}(?:${SECONDS})? GMT${OFFSET}(?: \\([^()]*\\))?$`,
].map((text) => new RegExp(text, 's'));

// A month and a day, in any of these forms, that the calendar does not have together.
function isNoDay(text) {
  let [, y, m, d] = /^(\d{4})-(\d\d)-(\d\d)/.exec(text) ?? [];
  if (y === undefined) {
    [, d, m, y] = /^(?:\w{3}, )?(\d\d?) (\w{3}) (\d{4}) /.exec(text) ?? [];
    if (y === undefined) [, m, d, y] = /^\w{3} (\w{3}) (\d\d) (\d{4}) /.exec(text) ?? [];
    m = MONTHS.indexOf(m) + 1;
  }
  if (y === undefined || +m < 1 || +m > 12) return false;
  const last = +m === 2 ? (+y % 4 === 0 && (+y % 100 !== 0 || +y % 400 === 0) ? 29 : 28) : [4, 6, 9, 11].includes(+m) ? 30 : 31;
  return +d < 1 || +d > last;
}

function kinds(text) {
  return (READ.some((form) => form.test(text)) ? 'read ' : '') + // in a form that the documentation lists
    (isNoDay(text) ? 'day ' : '') + //    no day of the calendar: JavaScript goes on counting into the next month
    // V8 forgets the zeros that a fraction of more than nine digits begins with
    (/\.0\d{9}/.test(text) ? 'zeros ' : '') +
    (text.length > 64 ? 'long ' : ''); // longer than the package takes for a datetime
}

function normalized(text) {
  try {
    return normalizeDatetime(text);
  } catch {
    return '\\N';
  }
}

function print(set, text) {
  const hex = Buffer.from(text, 'utf8').toString('hex');
  console.log([set, hex, isValidDatetime(text) ? 't' : 'f', normalized(text),
    normalized(text.replace(/(\.\d{3})\d+/, '$1')), kinds(text)].join('\t'));
}

for (let i = 0; i < strict; i++) print('s', mutated(datetime(), pick([0, 1, 1, 2, 3])));
for (let i = 0; i < sloppy; i++) print('l', mutated(pick(FORMS)(), pick([0, 0, 0, 1, 2])));

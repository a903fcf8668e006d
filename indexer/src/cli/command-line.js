// How a command is added to the command line: its help, its settings, its exit status.
import { Option } from 'commander';
import * as log from '../ops/log.js';
import { SETTINGS } from './setting-list.js';
import { flagOf, helpOf, oldFlagOf, settings } from './settings.js';

/** @typedef {import('commander').Command} Command */
/** @typedef {Record<string, any>} Values */
/** @typedef {{ status: number }} Result gets the exit status */
/**
 * words: such as "explain <did>". help: its first sentence is shown in the list of commands. work:
 * gets the command's arguments, its settings and its options. settings: their name in SETTINGS.
 * @typedef {object} Definition
 * @property {string} words
 * @property {string} help
 * @property {(...all: any[]) => Promise<number> | number} work
 * @property {string} [settings]
 */

/** @param {string} text */
export const warnUser = (text) => process.stderr.write(`atid-indexer: ${text}\n`);

/** @param {string} flag */
const camel = (flag) => flag.slice(2).replace(/-(\w)/g, (all, letter) => letter.toUpperCase());

/**
 * Adds the options for a command's settings. Those with a name from before 2.0 are not in its help.
 * @param {Command} command
 * @param {string} name
 */
function addSettings(command, name) {
  for (const setting of SETTINGS[name]) {
    const value = setting.takes === undefined ? '' : ` <${setting.takes}>`;
    const flag = flagOf(setting);
    if (flag !== null) command.addOption(new Option(`${flag}${value}`, helpOf(setting)));
    const old = oldFlagOf(setting);
    if (old !== null) command.addOption(new Option(`${old}${value}`).hideHelp());
  }
}

/**
 * The settings of a command: from its options, else from the environment.
 * @param {string | undefined} name
 * @param {Values} options
 */
function settingsOf(name, options) {
  /** @type {Record<string, string | undefined>} */
  const flags = {};
  /** @param {string | null} flag */
  const textOf = (flag) => {
    const value = flag === null ? undefined : options[camel(flag)];
    return value === true ? 'true' : value;
  };
  for (const setting of (name && SETTINGS[name]) || []) {
    const old = oldFlagOf(setting);
    flags[setting.name] = textOf(flagOf(setting));
    if (old !== null) flags[old] = textOf(old);
  }
  const { values, warning } = settings(name ?? null, flags);
  if (warning !== null) warnUser(warning);
  if (values.LOG_LEVEL) log.setLevel(values.LOG_LEVEL);
  if (values.LOG_FORMAT) log.setFormat(values.LOG_FORMAT);
  return values;
}

/**
 * Adds a command to a parent.
 * @param {Command} parent
 * @param {Result} result
 * @param {Definition} definition
 */
export function add(parent, result, { words, help, work, settings: name }) {
  const whole = help.replaceAll('\n', ' ');
  const [first] = whole.split(/\.(?: |$)/, 1);
  const command = parent.command(words).description(whole).summary(first);
  if (name !== undefined) addSettings(command, name);
  return command.action(async (/** @type {any[]} */ ...all) => {
    const options = all.at(-2);
    const values = settingsOf(name, options);
    result.status = (await work(...all.slice(0, -2), values, options)) ?? 0;
  });
}

// The settings of the program. A setting is read from the environment, by its name with the prefix
// ATID_, or from the flag of that name in lower case, which takes precedence. An invalid value is a
// usage error.
//
// Until 3.0 the name that a setting had before 2.0 is read too, with a warning, unless the new one
// is set.
import { SETTINGS } from './setting-list.js';

export class Usage extends Error {}

const PREFIX = 'ATID_';

const ALL = [...new Set([...SETTINGS.up, ...SETTINGS.publish])];

/** @typedef {import('./setting-list.js').Setting} Setting */
/** @typedef {Record<string, string | undefined>} Texts */
/** @typedef {{ name: string, value: string, isOld?: boolean }} Given */

/** @param {Setting} setting */
export const variableOf = ({ name }) => `${PREFIX}${name}`;
/** @param {string} name */
const flagNamed = (name) => `--${name.toLowerCase().replaceAll('_', '-')}`;
/** @param {Setting} setting */
const isSecret = ({ takes }) => takes === 'password';
/**
 * The flag of a setting; null for a password, which a list of processes would show.
 * @param {Setting} setting
 */
export const flagOf = (setting) => (isSecret(setting) ? null : flagNamed(setting.name));
/** @param {Setting} setting */
export const oldFlagOf = (setting) =>
  isSecret(setting) || setting.old === undefined || setting.old === setting.name
    ? null
    : flagNamed(setting.old);

/**
 * The values of a setting with the names under which they are given; the first one takes
 * precedence. An empty value counts as unset.
 * @param {Setting} setting
 * @param {Texts} flags
 * @param {Texts} env
 * @returns {Given[]}
 */
function given(setting, flags, env) {
  const { name, old } = setting;
  const oldFlag = oldFlagOf(setting);
  const variable = variableOf(setting);
  const all = [
    { name: flagOf(setting) ?? name, value: flags[name] },
    { name: variable, value: env[variable] },
    ...(oldFlag === null ? [] : [{ name: oldFlag, value: flags[oldFlag], isOld: true }]),
    ...(old === undefined ? [] : [{ name: old, value: env[old], isOld: true }]),
  ];
  return /** @type {Given[]} */ (all.filter(({ value }) => value !== undefined && value !== ''));
}

/**
 * @param {Pick<Setting, 'takes' | 'read' | 'standard'>} setting
 * @param {string} name under which it is given
 * @param {string} value
 */
export function readValue({ takes, read, standard }, name, value) {
  if (value === '' && standard === '') return takes === 'URLs' ? [] : null;
  const result = read(value);
  if (result === undefined)
    throw new Usage(`invalid value "${value}" for ${name}: it takes ${read.range ?? `${takes}`}`);
  return result;
}

/**
 * An environment variable with a name from before 2.0, such as LEVEL, may be another program's,
 * with any value.
 * @param {Setting} setting
 * @param {Given} given
 */
function valueOrNone(setting, { name, value }) {
  try {
    return readValue(setting, name, value);
  } catch (e) {
    if (e instanceof Usage) return undefined;
    throw e;
  }
}

/**
 * One setting: its value; the old name by which it was given, or null; and old names in the
 * environment with other values, which are ignored because the new name is set.
 * @param {Setting} setting
 * @param {Texts} flags
 * @param {Texts} env
 */
function valueOf(setting, flags, env) {
  const [first, ...others] = given(setting, flags, env);
  const { name, value, isOld = false } = first ?? { name: setting.name, value: setting.standard };
  const result = readValue(setting, name, value);
  /** @param {Given} other */
  const differs = (other) => JSON.stringify(valueOrNone(setting, other)) !== JSON.stringify(result);
  const against = isOld ? [] : others.filter((other) => other.isOld && differs(other));
  const flag = against.find((other) => other.name.startsWith('--'));
  if (flag)
    throw new Usage(
      `${flag.name} is the old name of ${name}, and both are set, to different values`,
    );
  const ignored = against.map((other) => `${other.name} is ignored, as ${name} is set`);
  return { result, old: isOld ? name : null, ignored };
}

/**
 * The settings of a command, by name without the prefix, and a warning about old names, or null.
 * @param {string | null} command
 * @param {Texts} [flags]
 * @param {Texts} [env]
 */
export function settings(command, flags = {}, env = process.env) {
  /** @type {Record<string, any>} */
  const values = {};
  /** @type {string[]} */
  const old = [];
  for (const setting of SETTINGS[command ?? ''] ?? []) {
    const one = valueOf(setting, flags, env);
    values[setting.name] = one.result;
    old.push(...one.ignored);
    if (one.old === null) continue;
    const now = one.old === setting.old ? variableOf(setting) : flagOf(setting);
    old.push(`${one.old} is now ${now}`);
  }
  const words = 'settings have new names, and the old ones end with 3.0';
  return { values, warning: old.length === 0 ? null : `${words}: ${old.join(', ')}` };
}

/**
 * The environment for a program that is started as a command: its settings, and those variables of
 * the present environment that are no settings.
 * @param {string} command
 * @param {Record<string, any>} values
 * @param {Texts} [env]
 */
export function environmentOf(command, values, env = process.env) {
  const names = new Set(['DRY', ...ALL.flatMap((setting) => [variableOf(setting), setting.old])]);
  const own = SETTINGS[command]
    .filter(({ name }) => values[name] !== null && values[name] !== undefined)
    .map((setting) => [variableOf(setting), String(values[setting.name])]);
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name))),
    ...Object.fromEntries(own),
  };
}

/**
 * The help of a setting as a flag.
 * @param {Setting} setting
 */
export const helpOf = (setting) => {
  const { standard, takes } = setting;
  const otherwise = standard === '' || takes === undefined ? '' : `, default ${standard}`;
  return `${setting.help} (${variableOf(setting)}${otherwise})`;
};

// All settings, for people.
export const help = () =>
  ALL.map((setting) => {
    const standard = setting.standard === '' ? '' : ` (default: ${setting.standard})`;
    return `  ${variableOf(setting)}\n      ${setting.help}${standard}`;
  }).join('\n');

// Signs of life: for each activity of the program, when it last had a turn, and since when it has
// failed. Loops and requests note them in memory, and every ten seconds they are written to the
// table activity over a connection of their own. If they cannot be written, the rows grow old,
// which is a sign, too.
//
// The database decides when an activity is late: sql/activities/ has the bounds.
import { messageOf } from '../db/errors.js';
import { clean } from '../protocol/text.js';
import { pause } from '../work/tasks.js';
import * as log from './log.js';

export const WITHIN = 10e3; // ms for a statement that writes or observes
const EVERY = 10; // seconds between two reports, unless the database asks for another interval
const MOST_NOTED = 100; // accounts that have failed since the last report and are noted
const MOST_WHO = 10; // parties that may be at fault are counted up to this number

// The work of all loops of one name: if one of them fails at a piece, another may succeed at it.
/** @typedef {{ since: number, problem: string }} Trouble */
/** @typedef {{ who: string | null, problem: string, since: number }} Noted */
/** @typedef {Trouble & { who: Set<string | null> }} Missed */

class Work {
  /** @param {() => number} clock */
  constructor(clock) {
    this.clock = clock;
    /** @type {number | null} */
    this.good = null; // when a piece has succeeded, or a loop found that there was nothing to do
    /** @type {number | null} */
    this.succeeded = null; // when a piece has succeeded
    this.begun = clock(); // when the last piece began
    /** @type {Missed | null} */
    this.missed = null; // { since, problem, who }
    /** @type {Map<string, Noted>} */
    this.noted = new Map(); // accounts that have failed since the last report: who, and why
  }

  begins() {
    this.begun = this.clock();
  }

  // A piece has succeeded.
  done() {
    this.good = this.succeeded = this.clock();
    this.missed = null;
    this.noted.clear();
  }

  // A piece about an account has failed. who: the party that may be at fault, such as a host, whose
  // accounts count as one.
  /**
   * @param {string} did
   * @param {string | null} who
   * @param {string} problem
   */
  misses(did, who, problem) {
    if (this.noted.size < MOST_NOTED) this.noted.set(did, { who, problem, since: this.clock() });
  }

  /**
   * Counts those of the noted accounts that had not failed before.
   * @param {Map<string, Noted>} noted
   * @param {string[]} dids
   */
  count(noted, dids) {
    for (const did of dids) {
      const one = noted.get(did);
      if (!one || one.since < (this.succeeded ?? 0)) continue;
      this.missed ??= { since: one.since, problem: one.problem, who: new Set() };
      this.missed.problem = one.problem;
      if (this.missed.who.size < MOST_WHO) this.missed.who.add(one.who);
    }
  }
}

// The signs of one loop. It can fail in three ways: its turn ends with an error; something else
// holds it up, so that it begins nothing; or everything that is begun under its name fails.
export class Sign {
  /**
   * @param {string} name
   * @param {() => number} clock
   * @param {Work} work
   */
  constructor(name, clock, work) {
    this.name = name;
    this.clock = clock;
    this.work = work;
    this.at = clock();
    /** @type {Trouble | null} */
    this.error = null; // { since, problem }
    /** @type {Trouble | null} */
    this.held = null; // the same
  }

  // A turn begins.
  turn() {
    this.at = this.clock();
  }

  // The turn has ended without an error.
  well() {
    this.turn();
    this.error = null;
    if (this.held === null && this.work.missed === null) this.work.good = this.at;
  }

  /** @param {string} problem */
  failed(problem) {
    this.turn();
    this.error = { since: this.error?.since ?? this.at, problem };
  }

  /** @param {string | null} problem why nothing can be begun now; null: it can */
  holds(problem) {
    this.held = problem === null ? null : { since: this.held?.since ?? this.clock(), problem };
  }

  begins() {
    this.work.begins();
  }

  done() {
    this.work.done();
  }

  /**
   * @param {string} did
   * @param {string | null} who
   * @param {string} problem
   */
  misses(did, who, problem) {
    this.work.misses(did, who, problem);
  }

  /** @returns {Trouble & { who?: Set<string | null> } | null} */
  get failing() {
    return this.error ?? this.work.missed;
  }
}

/**
 * The trouble that has lasted longest.
 * @template {Trouble} T
 * @param {(T | null)[]} all
 */
const first = (all) => all.filter((one) => one !== null).sort((a, b) => a.since - b.since)[0];

export class Signs {
  constructor(clock = Date.now) {
    this.clock = clock;
    /** @type {Sign[]} */
    this.all = [];
    /** @type {string | null} */
    this.problem = null; // why the last report was not written
  }

  /**
   * The signs of one more loop of this name.
   * @param {string} name
   */
  of(name) {
    const work = this.all.find((s) => s.name === name)?.work ?? new Work(this.clock);
    const sign = new Sign(name, this.clock, work);
    this.all.push(sign);
    return sign;
  }

  // The report to the database: a row for each name, whose loops count as late as the latest of
  // them.
  report() {
    const now = this.clock();
    /** @param {number | null} at */
    const age = (at) => (at === null ? null : (now - at) / 1000);
    const names = [...new Set(this.all.map((s) => s.name))];
    const rows = names.map((name) => {
      const some = this.all.filter((s) => s.name === name);
      const failing = first(some.map((s) => s.failing));
      const held = first(some.map((s) => s.held));
      const { good, begun } = some[0].work;
      return {
        name,
        turn: age(Math.min(...some.map((s) => s.at))),
        good: age(good),
        begun: age(begun),
        failing: failing ? age(failing.since) : null,
        failed: failing?.who?.size ?? null,
        problem: failing ? clean(failing.problem, 300) : null,
        held: held ? age(held.since) : null,
        cause: held ? held.problem : null,
      };
    });
    return [{ name: 'program', turn: 0, good: 0 }, ...rows];
  }

  /**
   * @param {string} stream
   * @param {import('../db/pool.js').Pool} pool
   * @returns {Promise<number>}
   */
  async write(stream, pool) {
    for (const { name, work } of this.all) {
      const { noted } = work;
      if (noted.size === 0) continue;
      work.noted = new Map();
      const rows = await pool.rows('SELECT did FROM indexer.newly_failed($1, $2) AS did', [
        name,
        [...noted.keys()],
      ]);
      work.count(
        noted,
        rows.map((r) => r.did),
      );
    }
    const { again } = await pool.row('SELECT indexer.report_activity($1, $2) AS again', [
      stream,
      JSON.stringify(this.report()),
    ]);
    await pool.row('SELECT indexer.observe_activity($1)', [stream]);
    return again;
  }

  /**
   * Writes the signs until the signal. A failure is logged once, and affects nothing else.
   * @param {string} stream
   * @param {import('../db/pool.js').Pool} pool
   * @param {AbortSignal} signal
   */
  async run(stream, pool, signal) {
    for (let again = EVERY; !signal.aborted; await pause(again * 1000, signal)) {
      try {
        again = await this.write(stream, pool);
        this.problem = null;
      } catch (e) {
        if (signal.aborted) return;
        if (messageOf(e) !== this.problem) log.error('signs failed', { error: messageOf(e) });
        this.problem = messageOf(e);
      }
    }
  }
}

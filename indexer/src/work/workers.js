// All work other than the stream: requests to the network, and the database's own work. The
// database decides what to request, and stores the answers.
//
// A request holds no database connection while it waits for the network. An error in one piece of
// work ends that piece: it is logged, and the worker goes on after a pause. Only a lost database
// connection ends the run.
import { Signs } from '../ops/signs.js';
import { Checks } from './checks.js';
import { Identities } from './identities.js';
import { Lists } from './lists.js';
import { Loads } from './loads.js';
import { loop, Tasks } from './tasks.js';

/**
 * What all workers need.
 * @typedef {object} Needs
 * @property {import('./run.js').Settings} settings
 * @property {import('../net/service.js').Service} service
 * @property {import('./run.js').Pools} pools
 * @property {import('../net/http.js').Http} http
 * @property {AbortSignal} signal
 * @property {Tasks} tasks
 * @property {import('../ops/progress.js').Total} total
 * @property {() => boolean} listening is the stream heard?
 * @property {Signs} signs
 */

// The database's own work: the statement, which limits how much it does at once and returns how
// much it did, and the milliseconds until the next call if there was nothing to do.
const OWN = {
  wants: { statement: 'SELECT indexer.reconcile_wants(100) AS n', idle: 200 },
  gaps: { statement: 'SELECT indexer.recheck_after_gap(1000) AS n', idle: 1000 },
  housekeeping: { statement: 'SELECT indexer.run_maintenance() AS n', idle: 10e3 },
};

export class Workers {
  /**
   * @param {Omit<Needs, 'tasks'> & { lost: (e: any) => void }} needs lost: gets an error that ends
   *   the run
   */
  constructor({ lost, signs = new Signs(), ...shared }) {
    const tasks = new Tasks(shared.signal, lost);
    const needs = { ...shared, signs, tasks };
    this.pools = shared.pools;
    this.signal = shared.signal;
    this.tasks = tasks;
    this.signs = signs;
    this.lists = new Lists(needs);
    this.checks = new Checks(needs);
    this.identities = new Identities(needs);
    this.loads = new Loads(needs);
  }

  /**
   * Runs all workers for a stream of this kind; ends with the signal.
   * @param {boolean} labels
   */
  async run(labels) {
    try {
      await Promise.all([
        ...this.#ofIdentities(),
        this.own('housekeeping'),
        ...(labels ? [] : this.#ofAccounts()),
      ]);
    } finally {
      await this.tasks.all();
    }
  }

  #ofIdentities() {
    const { identities } = this;
    const kinds = /** @type {const} */ (['known', 'new', 'again']);
    return identities.methods.flatMap((method) =>
      kinds.map((kind) => identities.run(kind, method)),
    );
  }

  #ofAccounts() {
    const { lists, checks, loads } = this;
    const kinds = /** @type {const} */ (['known', 'back', 'new', 'again']);
    return [
      ...kinds.map((kind) => loads.run(kind)),
      lists.run(),
      checks.statuses(),
      checks.signals(),
      this.own('wants'),
      this.own('gaps'),
    ];
  }

  /** @param {keyof typeof OWN} name */
  own(name) {
    const { statement, idle } = OWN[name];
    const sign = this.signs.of(name);
    const turn = async () => {
      const { n } = await this.pools.own.row(statement);
      if (n > 0) sign.begins();
      return n > 0;
    };
    return loop(name, this.signal, turn, { idle, sign });
  }
}

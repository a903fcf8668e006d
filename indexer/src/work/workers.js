// All that is done besides the stream: what is asked of the network, and the work that the database
// has of its own. The database says whom to ask and takes the answers.
//
// While a request waits for the network it has no connection of the database. An error of one piece
// of work ends that piece: it is logged, and the worker goes on after a pause. Only a lost
// connection of the database ends the run.
import { Signs } from '../ops/signs.js';
import { Identities } from './identities.js';
import { Lists } from './lists.js';
import { Loads } from './loads.js';
import { steady, Tasks } from './tasks.js';

// Work of the database's own: the function, with how much it may do at once, and the milliseconds
// between two calls where it had nothing to do.
const OWN = {
  wants: ['settle(100)', 200],
  gaps: ['look_again(1000)', 1000],
  housekeeping: ['tidy()', 10e3],
};

export class Workers {
  // listening: is the stream heard? lost(): is told an error that ends the run. total: what is
  // counted.
  constructor({
    settings,
    service,
    pools,
    http,
    signal,
    lost,
    total,
    listening,
    signs = new Signs(),
  }) {
    const tasks = new Tasks(signal, lost);
    Object.assign(this, { pools, signal, tasks, signs });
    this.lists = new Lists({ service, pools, signal, tasks, listening, signs });
    this.identities = new Identities({ settings, pools, http, signal, tasks, signs });
    this.loads = new Loads({ settings, service, pools, signal, tasks, total, signs });
  }

  // All workers of a stream of this kind; ends with the signal.
  async run(labels) {
    const { lists, identities, loads } = this;
    const asks = identities.methods.flatMap((method) =>
      ['known', 'new', 'again'].map((kind) => identities.run(kind, method)),
    );
    const ofAccounts = () => [
      ...['known', 'back', 'new', 'again'].map((kind) => loads.run(kind)),
      lists.pages(),
      lists.statuses(),
      lists.signals(),
      this.own('wants'),
      this.own('gaps'),
    ];
    try {
      await Promise.all([...asks, this.own('housekeeping'), ...(labels ? [] : ofAccounts())]);
    } finally {
      await this.tasks.all();
    }
  }

  own(name) {
    const [work, idle] = OWN[name];
    const sign = this.signs.of(name);
    const once = async () => {
      const { n } = await this.pools.own.row(`SELECT indexer.${work} AS n`);
      if (n > 0) sign.begins();
      return n > 0;
    };
    return steady(name, this.signal, once, idle, sign);
  }
}

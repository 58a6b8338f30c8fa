import { features, imageOf } from './objects.ts';
import type { Restarter } from './restarter.ts';
import type { Shop } from './shop.ts';

/** The environment of a chapter. Times are milliseconds. */
export interface Stage {
  readonly shop: Shop;
  /** Restarts the workloads: weeder, or a plain watcher. */
  readonly restarter: Restarter;
  pass(ms: number): Promise<void>;
}

/** The texts, the expected results and the actions of a chapter. */
export interface Chapter {
  /** The heading in the timeline. */
  readonly title: string;
  /** The name of the row in the table. */
  readonly row: string;
  /** The workloads that need exactly one rollout each, including a release of the shop. */
  readonly needed: readonly string[];
  /** The event that weeder must report, and for which workloads. */
  readonly expected: {
    readonly type: `workload.${'adopted' | 'restarted' | 'skipped' | 'blocked'}`;
    readonly of: string[];
  };
  play(stage: Stage): Promise<void>;
}

/** The pause after the last action of a chapter: longer than the quiet period. */
export const quiet = 8_000;

export const chapters: readonly Chapter[] = [
  {
    title: 'weeder sees the shop for the first time',
    row: 'the shop is seen for the first time',
    needed: [],
    expected: { type: 'workload.adopted', of: ['web', 'payments', 'cart', 'db', 'report'] },
    play: ({ restarter }) => restarter.start(),
  },
  {
    title: 'a key changes that web uses and payments does not',
    row: 'a key changes that one workload uses',
    needed: ['web'],
    expected: { type: 'workload.restarted', of: ['web'] },
    play: async ({ shop }) => shop.change('ConfigMap', 'shop-settings', { greeting: 'Good day' }),
  },
  {
    title: 'a key changes that no workload uses',
    row: 'a key changes that no workload uses',
    needed: [],
    expected: { type: 'workload.restarted', of: [] },
    play: async ({ shop }) => shop.change('ConfigMap', 'shop-settings', { note: 'by Grace' }),
  },
  {
    title: 'ten changes within four seconds',
    row: 'ten changes within four seconds',
    needed: ['cart'],
    expected: { type: 'workload.restarted', of: ['cart'] },
    async play({ shop, pass }) {
      for (let change = 1; change <= 10; change += 1) {
        shop.change('ConfigMap', 'features', { discounts: `${change} %` });
        await pass(400);
      }
    },
  },
  {
    title: 'a release: a ConfigMap and an image',
    row: 'a release: a ConfigMap and an image',
    needed: ['payments'],
    expected: { type: 'workload.skipped', of: ['payments'] },
    async play({ shop, pass }) {
      shop.change('ConfigMap', 'shop-settings', { currency: 'CHF' });
      // Times have whole seconds: pods that start in the second of the change may have the old content.
      await pass(2_000);
      shop.release('payments', imageOf('payments', 2));
    },
  },
  {
    title: 'a ConfigMap that cart requires is deleted and created again',
    row: 'a required ConfigMap is recreated',
    needed: [],
    expected: { type: 'workload.blocked', of: ['cart'] },
    async play({ shop, pass }) {
      shop.remove('ConfigMap', 'features');
      await pass(quiet);
      shop.create('ConfigMap', 'features', { ...features, discounts: '10 %' });
    },
  },
  {
    title: 'a Secret changes while weeder is down',
    row: 'a Secret changes while weeder is down',
    needed: ['db', 'report'],
    expected: { type: 'workload.restarted', of: ['db', 'report'] },
    async play({ shop, restarter, pass }) {
      await restarter.stop();
      await pass(2_000);
      shop.change('Secret', 'db-password', { password: 'second' });
      await pass(quiet);
      await restarter.start();
    },
  },
];

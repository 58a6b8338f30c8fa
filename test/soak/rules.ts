import { seconds } from './times.ts';

/** A label selector: all of these labels, each with one of these values. */
export type Selector = Readonly<Record<string, readonly string[]>>;

/** The config of one service, in the form that the oracle uses. */
export interface Rule {
  readonly service: string;
  readonly selectors: readonly Selector[];
  /** Milliseconds. */
  readonly watchDuration: number;
  /** Dependants are selected in every namespace, not only in that of the service. */
  readonly isEverywhere: boolean;
  /** Deletions are blocked while the service is down. */
  readonly isBlockedWhileDown: boolean;
  readonly isEvicted: boolean;
}

function rule(service: string, selectors: readonly Selector[], more: Partial<Rule> = {}): Rule {
  const usual = { watchDuration: seconds(8), isEverywhere: false, isBlockedWhileDown: true, isEvicted: false };
  return { service, selectors, ...usual, ...more };
}

const always: readonly Rule[] = [
  rule('db-b', [{ tier: ['b', 'ab'] }, { extra: ['b'] }], { watchDuration: seconds(12) }),
  rule('db-c', [{ tier: ['c'] }], { isEverywhere: true, watchDuration: seconds(9) }),
];
const a = rule('db-a', [{ tier: ['a', 'ab'] }]);
const d = rule('db-d', [{ tier: ['d'] }], { isBlockedWhileDown: false, isEvicted: true });

/** The configs that reloads switch between; the first is the config at the start. */
export const variants: readonly (readonly Rule[])[] = [
  [a, ...always, d],
  [{ ...a, watchDuration: seconds(11) }, ...always, d],
  [a, ...always, d, rule('db-e', [{ tier: ['a'], extra: ['e'] }])],
  [a, ...always],
  [{ ...a, selectors: [{ tier: ['a'] }] }, ...always, { ...d, isEvicted: false }],
];

export const services: readonly string[] = ['db-a', 'db-b', 'db-c', 'db-d', 'db-e'];
export const tiers: readonly string[] = ['a', 'ab', 'b', 'c', 'd', 'none'];
/** The longest duration of a window. Milliseconds. */
export const longestWindow = Math.max(...variants.flat().map(({ watchDuration }) => watchDuration));

/** The names that the world uses, more of them than it creates. */
const everyNamespace = Array.from({ length: 2_000 }, (_, index) => `soak-${index}`);

/** The config file with these rules. */
export function configFile(rules: readonly Rule[]): string {
  const entries = rules.map((each) => [each.service, entryOf(each)] as const);
  return JSON.stringify({ servicesAndDependantSelectors: Object.fromEntries(entries) }, null, 2);
}

function entryOf({ selectors, watchDuration, isEverywhere, isBlockedWhileDown, isEvicted }: Rule) {
  return {
    podSelectors: selectors.map((selector) => ({
      matchExpressions: Object.entries(selector).map(([key, values]) => ({ key, operator: 'In', values })),
    })),
    watchDuration: `${watchDuration}ms`,
    ...(isEverywhere ? { namespaces: everyNamespace, dependantNamespaces: 'all' } : {}),
    ...(isBlockedWhileDown ? {} : { whileNotReady: 'delete' }),
    ...(isEvicted ? { deletion: 'evict' } : {}),
  };
}

export function isSelected(labels: Readonly<Record<string, string>>, { selectors }: Rule): boolean {
  return selectors.some((selector) =>
    Object.entries(selector).every(([key, values]) => values.includes(labels[key] ?? '')),
  );
}

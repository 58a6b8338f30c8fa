import { livePage, openLivePage } from './livePage.ts';
import type { Reader } from './reader.ts';
import { helm, kustomize, upgradeOf } from './upgrade.ts';

/** How a page is followed. */
export interface Scenario {
  readonly page: string;
  /** The section with another way to the same end. */
  readonly omits?: string;
  /** Prepares what the page assumes. */
  readonly before?: (reader: Reader) => Promise<void>;
  /** Checks what the page promises beyond the outputs that it shows. */
  readonly after?: (reader: Reader) => Promise<void>;
}

const upgrade = 'docs/how-to/upgrade.md';

export const scenarios: ReadonlyMap<string, Scenario> = new Map([
  ['tutorial', { page: 'docs/tutorial.md' }],
  ['upgrade with kustomize', { page: upgrade, omits: 'With Helm', ...upgradeOf(kustomize) }],
  ['upgrade with Helm', { page: upgrade, omits: 'With kustomize', ...upgradeOf(helm) }],
  ['live page', { page: livePage, after: openLivePage }],
]);

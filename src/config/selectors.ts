import { type LabelSelector, selectorToString } from '../kube/objects/selector.ts';
import type { Config } from './config.ts';

/** Every podSelector that the config names, by its canonical text. */
export function distinctSelectors({ services }: Pick<Config, 'services'>): ReadonlyMap<string, LabelSelector> {
  const all = [...services.values()].flatMap((service) => service.podSelectors);
  return new Map(all.map((selector) => [selectorToString(selector), selector]));
}

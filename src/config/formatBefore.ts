import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { oneLine } from '../base/fieldError.ts';
import { type Located, located } from './text/located.ts';

/**
 * What to write in place of a config of dependency-watchdog before 1.0, in a clause without a full stop: it has a
 * `namespace`, and `services` with `dependantPods`. Undefined: the config is not of this format.
 */
export function formatBefore(root: Located): string | undefined {
  const services = objectOf(located(root, ['services'])?.value);
  const isOld = Object.values(services).some((service) => 'dependantPods' in objectOf(service));
  if (!isOld || root.children.has('servicesAndDependantSelectors')) return undefined;
  const namespace = oneLine(textOf(located(root, ['namespace'])?.value) ?? '');
  return [
    'this is the format of dependency-watchdog before 1.0; now write servicesAndDependantSelectors in place of services',
    'podSelectors in place of dependantPods, whose items are selectors (matchLabels, matchExpressions) without a name',
    ...(namespace === '' ? [] : [`namespaces: [${namespace}] in place of namespace: ${namespace}`]),
  ].join('; ');
}

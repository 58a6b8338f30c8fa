import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { type Dice, diceOf } from './storyDraw.ts';

/** The kinds of a story's resources. */
export type StoryKind = 'ConfigMap' | 'Deployment' | 'Service';

export interface StoryResource {
  readonly manifest: JsonObject;
  /** Its entry of the observer schema; undefined: everything is observed. */
  readonly entry: JsonObject | undefined;
}

/** A random manifest of this name, and its observed fields. */
export function someResource(kind: StoryKind, name: string, seed: number): StoryResource {
  const dice = diceOf(seed);
  const apiVersion = kind === 'Deployment' ? 'apps/v1' : 'v1';
  const labels = dice.once(2) ? { labels: { team: dice.of(['a', 'b']) } } : {};
  const head = { apiVersion, kind, metadata: { name } };
  const manifest = { ...head, metadata: { name, ...labels }, ...bodies[kind](dice, name) };
  if (dice.once(3)) return { manifest, entry: undefined };
  const labelled = dice.once(2) ? { metadata: { name, labels: { team: 'observed' } } } : {};
  return { manifest, entry: { ...head, ...labelled, ...entries[kind](dice, manifest) } };
}

const values = ['a', 'b', 'c'] as const;

const bodies = {
  ConfigMap: (dice: Dice) => ({
    data: Object.fromEntries(['k0', ...dice.some(['k1', 'k2', 'k3'])].map((key) => [key, dice.of(values)])),
  }),
  Deployment(dice: Dice, app: string) {
    const containers = ['c0', 'c1', 'c2'].slice(0, 1 + dice.below(3)).map((name) => ({
      name,
      image: `image:${dice.below(3)}`,
      ...(dice.once(2)
        ? { env: dice.some(['A', 'B', 'C']).map((key) => ({ name: key, value: dice.of(values) })) }
        : {}),
      ...(dice.once(2) ? { ports: dice.some([80, 90]).map((containerPort) => ({ containerPort })) } : {}),
    }));
    const replicas = dice.once(2) ? { replicas: 1 + dice.below(3) } : {};
    const labels = { app };
    const template = { metadata: { labels }, spec: { containers: containers.map(withoutEmpty) } };
    return { spec: { ...replicas, selector: { matchLabels: labels }, template } };
  },
  Service(dice: Dice) {
    const ports = [80, 90, 100].slice(0, 1 + dice.below(3)).map((port) => ({
      name: `p${port}`,
      port,
      ...(dice.once(2) ? { targetPort: 8000 + dice.below(3) } : {}),
    }));
    return { spec: { selector: { app: dice.of(values) }, ports } };
  },
};

function withoutEmpty(container: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(container).filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

const observed = 'observed';

/** Each has at least one field. */
const entries = {
  ConfigMap(dice: Dice, { data }: JsonObject) {
    const keys = dice.some([...Object.keys(objectOf(data)), 'extra']);
    return { data: dice.once(6) ? observed : Object.fromEntries([...keys, 'k0'].map((key) => [key, observed])) };
  },
  Deployment(dice: Dice, { spec }: JsonObject) {
    const template = objectOf(objectOf(objectOf(spec)['template'])['spec']);
    const containers = dice.once(6) ? observed : listEntry(dice, arrayOf(template['containers']), containerEntry);
    const more = dice.once(3) ? { nodeName: observed } : {};
    const part = dice.once(6) ? more : { containers, ...more };
    const replicas = dice.once(3) || Object.keys(part).length === 0 ? { replicas: observed } : {};
    return { spec: { ...replicas, ...(Object.keys(part).length === 0 ? {} : { template: { spec: part } }) } };
  },
  Service(dice: Dice, { spec }: JsonObject) {
    const selector = dice.once(2) ? { selector: observed } : {};
    const ports = listEntry(dice, arrayOf(objectOf(spec)['ports']), (_, port) => ({
      [dice.once(2) && objectOf(port)['targetPort'] !== undefined ? 'targetPort' : 'port']: observed,
    }));
    return { spec: { ...selector, ports } };
  },
};

function listEntry(
  dice: Dice,
  list: readonly unknown[],
  toEntry: (dice: Dice, element: unknown) => unknown,
): unknown[] {
  const listed = list.slice(0, dice.below(list.length + 1));
  const min = dice.below(list.length + 1);
  // A list without an observed field must not be in the schema.
  const isUnlimited = dice.once(3) && listed.length + min > 0;
  const max = isUnlimited ? 0 : list.length + dice.below(2);
  const bounds = { observer_schema_list_min_length: min, observer_schema_list_max_length: max };
  return [...listed.map((element) => toEntry(dice, element)), bounds];
}

function containerEntry(dice: Dice, container: unknown): unknown {
  if (dice.once(5)) return observed;
  const { env } = objectOf(container);
  const nameField = dice.once(2) ? { name: observed } : {};
  const variables = Array.isArray(env) && dice.once(2) ? { env: listEntry(dice, env, () => observed) } : {};
  const command = dice.once(4) ? { workingDir: observed } : {};
  return { image: observed, ...nameField, ...variables, ...command };
}

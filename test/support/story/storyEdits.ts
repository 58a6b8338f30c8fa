import { arrayOf, isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { Dice } from './storyDraw.ts';

type Tree = Record<string, unknown>;

/** A client's change of a live object: of observed fields, of others, and of unusual ones. */
export function edited(dice: Dice, live: JsonObject): JsonObject {
  const object: Tree = structuredClone(live);
  const times = 1 + dice.below(2);
  for (let time = 0; time < times; time += 1) {
    if (dice.once(5)) editLabels(dice, at(object, 'metadata'));
    else if (object['kind'] === 'ConfigMap') editMap(dice, at(object, 'data'), ['k0', 'k1', 'k2', 'extra', 'theirs']);
    else if (object['kind'] === 'Service') editService(dice, at(object, 'spec'));
    else editDeployment(dice, at(object, 'spec'));
  }
  return object;
}

/** The map in this place, created if necessary. */
function at(tree: Tree, ...path: readonly string[]): Tree {
  let here = tree;
  for (const name of path) {
    const below: Tree = isObject(here[name]) ? here[name] : {};
    here[name] = below;
    here = below;
  }
  return here;
}

function editMap(dice: Dice, map: Tree, keys: readonly [string, ...string[]]): void {
  const key = dice.of(keys);
  if (dice.once(3)) delete map[key];
  else map[key] = dice.of(['a', 'b', 'c', 'theirs']);
}

function editLabels(dice: Dice, metadata: Tree): void {
  editMap(dice, at(metadata, 'labels'), ['team', 'theirs']);
}

function editService(dice: Dice, spec: Tree): void {
  const ports = maps(spec['ports']);
  const which = ports[dice.below(ports.length)];
  const act = dice.below(5);
  if (act === 0) at(spec, 'selector')['app'] = dice.of(['a', 'b', 'c']);
  else if (act === 1) ports.push({ name: dice.of(['theirs', 'p90']), port: 500 + dice.below(2) });
  else if (act === 2 && ports.length > 1) ports.splice(dice.below(ports.length), 1);
  else if (act === 3 && which !== undefined) which['targetPort'] = 8000 + dice.below(3);
  else if (which !== undefined) which['port'] = 300 + dice.below(2);
  spec['ports'] = ports;
}

function editDeployment(dice: Dice, spec: Tree): void {
  const pod = at(spec, 'template', 'spec');
  const containers = maps(pod['containers']);
  const which = containers[dice.below(containers.length)];
  const act = dice.below(8);
  if (act === 0) spec['replicas'] = 1 + dice.below(5);
  else if (act === 1) editMap(dice, pod, ['nodeName', 'hostname']);
  else if (act === 2)
    containers.splice(dice.below(2) * containers.length, 0, { name: dice.of(['s0', 's1']), image: 'side' });
  else if (act === 3 && containers.length > 1) containers.splice(dice.below(containers.length), 1);
  else if (act === 4 && which !== undefined) which['env'] = editNamed(dice, maps(which['env']));
  else if (act === 5 && which !== undefined) editMap(dice, which, ['workingDir', 'terminationMessagePath']);
  else if (which !== undefined) which['image'] = `image:${dice.below(5)}`;
  pod['containers'] = containers;
}

function editNamed(dice: Dice, list: Tree[]): Tree[] {
  const name = dice.of(['A', 'B', 'C', 'THEIRS']);
  const others = list.filter((each) => each['name'] !== name);
  return dice.once(3) ? others : [...others, { name, value: dice.of(['a', 'b', 'theirs']) }];
}

function maps(list: unknown): Tree[] {
  return arrayOf(list).map((each) => ({ ...objectOf(each) }));
}

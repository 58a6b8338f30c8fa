import { fill } from './fill.ts';
import type { Sample } from './sample.ts';

export function writeAll(sample: Sample): void {
  const other = sample;
  other.assigned = 1;
  sample['byKey'] = 2;
  sample.defaulted ??= 3;
  sample.counted++;
  ({ destructured: sample.destructured } = { destructured: 4 });
  [sample.inList = 5] = [];
  delete sample.deleted;
  Object.assign(sample, { merged: 6 });
  writePicked(sample);
  sample.list.push('7');
  sample.map.set('8', '');
  const { set, alias: renamed } = sample;
  set.add('9');
  renamed.clear();
  fill(sample.passed);
}

function writePicked(sample: Pick<Sample, 'picked'>): void {
  sample.picked = 10;
}

export function writeAny(sample: Pick<Sample, 'byAnyKey'>, key: 'byAnyKey'): void {
  sample[key] = 12;
}

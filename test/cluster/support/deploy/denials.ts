import assert from 'node:assert/strict';
import type { WeederProcess } from '../weeder.ts';

const missingRule =
  /cannot (\w+) resource "([\w/]+)" in API group "([\w.]*)".* Grant it in (?:a ClusterRole|a Role in namespace [\w-]+): \{(.*)\}\./;

/** The permissions that are missing by weeder's log, as `verb group/resource`; each comes with the rule to add. */
export function denials(weeder: WeederProcess): string[] {
  return weeder.log.lines.flatMap((line) => {
    const [, verb, resource, group, advice] = missingRule.exec(`${line['cause']} ${line['reason']}`) ?? [];
    if (verb === undefined) return [];
    const plain = advice?.replace(/resourceNames: \["[^"]+"\], /, '');
    assert.equal(plain, `apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["${verb}"]`);
    // Without its hash key, restart control does nothing at all.
    assert.equal(line.level, line.msg === 'no hash key: nothing is restarted' ? 'error' : 'warn');
    return [`${verb} ${group}/${resource}`];
  });
}

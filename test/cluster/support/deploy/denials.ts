import assert from 'node:assert/strict';
import type { WeederProcess } from '../weeder.ts';

const missingRule =
  /cannot (\w+) resource "([\w/]+)" in API group "([\w.]*)".* Grant it in (?:a ClusterRole|a Role in namespace [\w-]+): \{(.*)\}\./;

/** Returns the missing permissions that the log names, as `verb group/resource`. Each line has the rule to grant. */
export function denials(weeder: WeederProcess): string[] {
  return weeder.log.lines.flatMap((line) => {
    const [, verb, resource, group, advice] = missingRule.exec(`${line['cause']} ${line['reason']}`) ?? [];
    if (verb === undefined) return [];
    const plain = advice?.replace(/resourceNames: \["[^"]+"\], /, '');
    assert.equal(plain, `apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["${verb}"]`);
    // Without the hash key, restart control logs an error instead.
    assert.equal(line.level, line.msg === 'no hash key: nothing is restarted' ? 'error' : 'warn');
    return [`${verb} ${group}/${resource}`];
  });
}

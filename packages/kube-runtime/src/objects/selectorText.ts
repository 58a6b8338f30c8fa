import { failed, ok, type Result } from '../base/index.ts';
import { labelKey, labelValue } from './names.ts';
import type { LabelSelector, LabelSelectorRequirement } from './selector.ts';

/**
 * Reads a selector in the form of `kubectl get --selector`: `team=shop,env!=dev`, `tier in (a,b)`, `tier notin (a,b)`, a
 * key alone and `!key`. The error is a clause. Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/.
 */
export function parseSelector(text: string): Result<LabelSelector, string> {
  const requirements: LabelSelectorRequirement[] = [];
  for (const part of partsOf(text)) {
    const requirement = requirementOf(part);
    if (requirement === undefined) return failed(`found "${part}", ${expected}`);
    const { key, values = [] } = requirement;
    if (!labelKey.pattern.test(key)) return failed(`found the label "${key}"; allowed are ${labelKey.allowed}`);
    const value = values.find((each) => !labelValue.pattern.test(each));
    if (value !== undefined) return failed(`found the value "${value}"; allowed are ${labelValue.allowed}`);
    requirements.push(requirement);
  }
  return requirements.length === 0 ? failed(`found "${text}", ${expected}`) : ok({ matchExpressions: requirements });
}

const expected = 'expected conditions on labels such as team=shop, env!=dev, tier in (web,api), owner or !legacy';

/** The conditions between commas that are not in parentheses. */
function partsOf(text: string): string[] {
  if (text.trim() === '') return [];
  const parts: string[] = [];
  let [begin, isInList] = [0, false];
  for (const { 0: sign, index } of text.matchAll(/[(),]/g)) {
    if (sign !== ',') isInList = sign === '(';
    else if (!isInList) {
      parts.push(text.slice(begin, index));
      begin = index + 1;
    }
  }
  return [...parts, text.slice(begin)].map((part) => part.trim());
}

function requirementOf(part: string): LabelSelectorRequirement | undefined {
  const [, setKey, operator, list = ''] = /^(\S+)\s+(in|notin)\s*\(([^()]*)\)$/.exec(part) ?? [];
  if (setKey !== undefined) {
    const values = list.split(',').map((value) => value.trim());
    return { key: setKey, operator: operator === 'in' ? 'In' : 'NotIn', values };
  }
  const [, key, sign, value = ''] = /^([^\s=!,()]+)\s*(==?|!=)\s*([^\s=!,()]*)$/.exec(part) ?? [];
  if (key !== undefined) return { key, operator: sign === '!=' ? 'NotIn' : 'In', values: [value] };
  const [, not, only] = /^(!?)\s*([^\s=!,()]+)$/.exec(part) ?? [];
  return only === undefined ? undefined : { key: only, operator: not === '!' ? 'DoesNotExist' : 'Exists' };
}

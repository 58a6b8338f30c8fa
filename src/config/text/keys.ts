import { isScalar } from 'yaml';
import { failed, ok, type Result } from '../../base/errors.ts';
import { quoted } from '../../base/fieldError.ts';
import { misreading } from './scalars.ts';

/** The text of a mapping's key, or why it cannot be one. Kubernetes' tools make the text `80` of the key 80. */
export function keyOf(node: unknown, takesNumbers = false): Result<string, string> {
  if (!isScalar(node))
    return failed('a key is a list or a mapping, expected a text; is this a template that was not rendered?');
  if (node.tag !== undefined || node.type !== 'PLAIN') return usable(String(node.value));
  const source = node.source ?? '';
  if (source === '') return failed('a key is missing before the ":"');
  const misread = misreading(source);
  if (misread === undefined || (takesNumbers && /^(?:0|[1-9][0-9]*)$/.test(source))) return usable(source);
  return failed(`the key ${source} is read as ${misread}; write it in quotes: "${source}"`);
}

/** JavaScript gives this one key a meaning of its own, and no name in Kubernetes is written so. */
function usable(key: string): Result<string, string> {
  return key === '__proto__' ? failed(`the key ${quoted(key)} is not allowed`) : ok(key);
}

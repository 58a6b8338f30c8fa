import type { ApiFailure } from './failure.ts';
import { hasCause, isDenied } from './failureClass.ts';

const name = '[a-z0-9][a-z0-9.-]*';
const amounts = '[a-z0-9./,=-]+';
const about = '^(?:\\S+ (?:"[^"]*" )?is forbidden: )?';

/**
 * The names that the API server itself gives to the component that refused; the rest of a message may quote the object.
 */
const refusers: readonly { readonly words: RegExp; readonly as: (found: readonly string[]) => string }[] = [
  {
    words: new RegExp(
      `${about}exceeded quota: (${name}), requested: (${amounts}), used: (${amounts}), limited: (${amounts})$`,
      'i',
    ),
    as: ([quota, requested, used, limited]) =>
      `the ResourceQuota ${quota} is exceeded (requested ${requested}, used ${used}, limited ${limited})`,
  },
  {
    words: new RegExp(`${about}(\\w+AdmissionPolicy) '(${name})' with binding '(${name})' denied request`),
    as: ([kind, policy, binding]) => `the ${kind} ${policy} with the binding ${binding} denies it`,
  },
  {
    words: new RegExp(`^admission webhook "(${name})" denied the request`),
    as: ([webhook]) => `the admission webhook ${webhook} denies it`,
  },
  {
    words: new RegExp(`^Internal error occurred: failed calling webhook "(${name})"`),
    as: ([webhook]) => `the admission webhook ${webhook} cannot be called`,
  },
];

/**
 * Names the component that refused a request, as a clause, from the parts of the response that cannot contain a value
 * of the object: for failures whose message is not shown. Undefined: the response does not name it.
 */
export function refuserOf(failure: ApiFailure): string | undefined {
  const { type, message } = failure;
  if (hasCause(failure, 'NamespaceTerminating')) return 'its namespace is being deleted';
  for (const { words, as } of refusers) {
    const [, ...captures] = words.exec(message) ?? [];
    if (captures.length > 0) return as(captures);
  }
  return type === 'forbidden' && !isDenied(failure) ? 'an admission plugin denies it' : undefined;
}

import type { ApiFailure } from './failure.ts';

/** As every authorizer says it, whatever was asked for; an admission plugin says something else in its place. */
const denial = /^(?:\S+ (?:"[^"]*" )?is forbidden: |forbidden: )?User "[^"]*" cannot /;

/**
 * Whether a permission is missing: a 403 to a write may as well come from a quota, an admission policy or another
 * admission plugin. These have no say in a read.
 */
export function isDenied({ kind, message }: ApiFailure, verb?: string): boolean {
  return kind === 'forbidden' && (verb === 'get' || denial.test(message));
}

const name = '[a-z0-9][a-z0-9.-]*';
const amounts = '[a-z0-9./,=-]+';
const about = '^(?:\\S+ (?:"[^"]*" )?is forbidden: )?';

/** What the API server itself says of the part of it that refused; the rest of a message may quote the object. */
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
 * Who refused a request, as a clause, by the parts of the answer that cannot hold a value of the object: for failures
 * whose words are not shown. Undefined: the answer does not say.
 */
export function refuserOf(failure: ApiFailure): string | undefined {
  const { kind, message, causes = [] } = failure;
  if (causes.some(({ reason }) => reason === 'NamespaceTerminating')) return 'its namespace is being deleted';
  for (const { words, as } of refusers) {
    const [, ...found] = words.exec(message) ?? [];
    if (found.length > 0) return as(found);
  }
  return kind === 'forbidden' && !isDenied(failure) ? 'an admission plugin denies it' : undefined;
}

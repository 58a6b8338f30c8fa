import type { Clock } from '@weeder/kube-runtime/base';
import { isObject, numberOf, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { KubeClient, LeaderCheck } from '@weeder/kube-runtime/client';
import type { Election } from '@weeder/kube-runtime/lease';
import { createLeadershipTerm, provideLease } from '@weeder/kube-runtime/lease';
import type { LeadershipEvent, LeaseEvent } from '@weeder/kube-runtime/machines';
import { type AnyActorLogic, type AnyActorRef, fromCallback } from 'xstate';
import type { Logger } from '../base/log.ts';
import { logProcess, type ReportProcess } from './processLog.ts';

/** The state of leader election in this replica, for health checks, metrics and the live page. */
export interface Leadership {
  /** `electing`: the leader is unknown, at start-up or because the Lease is unavailable. */
  readonly state: 'electing' | 'standingBy' | 'leading';
  /** The identity of this replica in the Lease. */
  readonly identity: string;
  /** The holder when the Lease was last read. Undefined: no holder, or unknown. */
  readonly holder: string | undefined;
  /** Of a standby: since when the holder leads, by the holder’s clock; epoch milliseconds. Undefined: unknown. */
  readonly heldSince: number | undefined;
  /** `namespace/name`. */
  readonly lease: string;
}

interface LeadershipParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly election?: Election;
  readonly reportProcess?: ReportProcess;
}

/** The implementation of the manager's `leadership` actor, and the check that guards writes. */
export interface LeadershipGate extends LeaderCheck {
  readonly logic: AnyActorLogic;
  /** Leadership is lost: requests in flight are aborted. */
  drop(): void;
  /** `actor`: the actor that runs the logic. */
  state(actor: AnyActorRef | undefined): Leadership | undefined;
}

/** Leads by the Lease. Without leader election this replica is the only one, and leads immediately. */
export function createLeadership(parts: LeadershipParts): LeadershipGate {
  const { client, clock, logger, election } = parts;
  const lost = new AbortController();
  const common = { signal: lost.signal, drop: () => lost.abort() };
  if (election === undefined) return { ...common, logic: alone, isValid: () => true, state: () => undefined };
  const term = createLeadershipTerm(clock, election.renewDeadline);
  const log = logProcess(logger);
  const report: ReportProcess = (event) => {
    log(event);
    parts.reportProcess?.(event);
  };
  const logic = provideLease({ client, clock, log: logger, election, term, report });
  return {
    ...common,
    logic,
    isValid: () => term.isValid(),
    state: (actor) => stateOf(election, actor?.getSnapshot()),
  };
}

const alone = fromCallback<LeaseEvent>(({ receive, sendBack }) => {
  const send = (type: LeadershipEvent['type']) => sendBack({ type });
  receive(() => send('leadership.released'));
  send('leadership.acquired');
});

function stateOf({ namespace, name, identity }: Election, snapshot: unknown): Leadership {
  const { value, context } = objectOf(snapshot);
  const { holder, acquiredAt, failures } = objectOf(context);
  const isAnswered = numberOf(failures) === 0;
  const stateWithoutLease = isAnswered && textOf(holder) !== undefined ? 'standingBy' : 'electing';
  const isLeading = isObject(value) && 'leading' in value;
  const lease = `${namespace}/${name}`;
  const state = isLeading ? 'leading' : stateWithoutLease;
  const heldSince = state === 'standingBy' ? numberOf(acquiredAt) : undefined;
  return { state, identity, holder: textOf(holder) || undefined, heldSince, lease };
}

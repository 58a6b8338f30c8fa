import { lease, reflector } from '@weeder/kube-runtime/machines';
import type { AnyStateMachine } from 'xstate';
import { application } from '../../machines/observer/application.ts';
import { resource } from '../../machines/observer/resource.ts';
import { manager } from '../../machines/process/manager.ts';
import { receiver } from '../../machines/process/receiver.ts';
import { latePods } from '../../machines/restart/latePods.ts';
import { recreation } from '../../machines/restart/recreation.ts';
import { rollout } from '../../machines/restart/rollout.ts';
import { workload } from '../../machines/restart/workload.ts';
import { dependants } from '../../machines/weeder/dependants.ts';
import { endpoint } from '../../machines/weeder/endpoint.ts';
import { podCreation } from '../../machines/weeder/podCreation.ts';
import { podDeletion } from '../../machines/weeder/podDeletion.ts';

/**
 * Every machine by its name, in the order of the documentation, with its file. This is a list beside that of the
 * controllers, because a drawing is made of machines alone, without the code of a controller.
 */
export const machines: ReadonlyMap<string, { readonly machine: AnyStateMachine; readonly file: string }> = new Map([
  ['endpoint', { machine: endpoint, file: 'machines/weeder/endpoint.ts' }],
  ['dependants', { machine: dependants, file: 'machines/weeder/dependants.ts' }],
  ['podDeletion', { machine: podDeletion, file: 'machines/weeder/podDeletion.ts' }],
  ['podCreation', { machine: podCreation, file: 'machines/weeder/podCreation.ts' }],
  ['workload', { machine: workload, file: 'machines/restart/workload.ts' }],
  ['rollout', { machine: rollout, file: 'machines/restart/rollout.ts' }],
  ['recreation', { machine: recreation, file: 'machines/restart/recreation.ts' }],
  ['latePods', { machine: latePods, file: 'machines/restart/latePods.ts' }],
  ['application', { machine: application, file: 'machines/observer/application.ts' }],
  ['resource', { machine: resource, file: 'machines/observer/resource.ts' }],
  ['manager', { machine: manager, file: 'machines/process/manager.ts' }],
  ['receiver', { machine: receiver, file: 'machines/process/receiver.ts' }],
  ['lease', { machine: lease, file: 'packages/kube-runtime/machines/lease.ts' }],
  ['reflector', { machine: reflector, file: 'packages/kube-runtime/machines/reflector.ts' }],
]);

import { isDeepStrictEqual } from 'node:util';
import { arrayOf, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import type { KubeObject } from '../meta/objects.ts';
import { type FieldError, fieldError } from '../meta/status.ts';
import { byPath, type Row, resource } from '../registry/resource.ts';
import { completeVolumes, containerParts } from './podDefaults.ts';

const row: Row = {
  plural: 'pods',
  kind: 'Pod',
  fields: ['spec', 'status'],
  generation: 'spec',
  owners: 'onceApplied',
  zero: { spec: { containers: null }, status: {} },
  subresources: ['eviction'],
  returnsDeleted: true,
  isGraceful: true,
  selectable: byPath(
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'status.phase',
    'status.podIP',
  ),
  shortNames: ['po'],
  complete: (fields) => ({
    ...fields,
    spec: { enableServiceLinks: true, ...completePodSpec(objectOf(fields['spec'])) },
  }),
  initialStatus: () => ({ phase: 'Pending', qosClass: 'BestEffort' }),
  validate: (object, old) => [
    ...podSpecErrors(objectOf(object['spec']), 'spec'),
    ...(old === undefined ? [] : changeErrors(object, old)),
  ],
};

export const pods = resource(row);

/** Sets the defaults of the spec of a pod or of a template. */
export function completePodSpec(spec: JsonObject): JsonObject {
  const initContainers = arrayOf(spec['initContainers']);
  return {
    ...(initContainers.length === 0 ? {} : { initContainers: initContainers.map(completeContainer) }),
    containers: arrayOf(spec['containers']).map(completeContainer),
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...without(spec, ['containers', 'initContainers']),
    ...(spec['volumes'] === undefined ? {} : { volumes: completeVolumes(spec['volumes']) }),
  };
}

/** Validates the spec of a pod or of a template, at `path`. */
export function podSpecErrors(spec: JsonObject, path: string): readonly FieldError[] {
  const containers = arrayOf(spec['containers']);
  if (containers.length === 0) return [fieldError.required(`${path}.containers`)];
  return [
    ...containerErrors(containers, `${path}.containers`),
    ...containerErrors(arrayOf(spec['initContainers']), `${path}.initContainers`),
  ];
}

/** With the digest, if there is one. */
function tagOf(image: string): string {
  const name = image.slice(image.lastIndexOf('/') + 1);
  return /^[^:]*:(.+)/s.exec(name)?.[1] ?? 'latest';
}

function completeContainer(container: unknown): JsonObject {
  const given = objectOf(container);
  const isLatest = tagOf(textOf(given['image']) ?? '') === 'latest';
  return {
    name: given['name'],
    image: given['image'],
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: isLatest ? 'Always' : 'IfNotPresent',
    ...given,
    ...containerParts(given),
  };
}

function containerErrors(containers: readonly unknown[], path: string): readonly FieldError[] {
  const names = new Set<string>();
  return containers.flatMap((container, index) => {
    const { name, image } = objectOf(container);
    const at = `${path}[${index}]`;
    const isRepeated = typeof name === 'string' && names.has(name);
    if (typeof name === 'string') names.add(name);
    return [
      ...(name ? [] : [fieldError.required(`${at}.name`)]),
      ...(isRepeated ? [fieldError.duplicate(`${at}.name`, name)] : []),
      ...portErrors(arrayOf(objectOf(container)['ports']), `${at}.ports`),
      ...(image ? [] : [fieldError.required(`${at}.image`)]),
    ];
  });
}

function portErrors(ports: readonly unknown[], path: string): readonly FieldError[] {
  const names = new Set<unknown>();
  return ports.flatMap((port, index) => {
    const { name } = objectOf(port);
    const isRepeated = name !== undefined && names.has(name);
    names.add(name);
    return isRepeated ? [fieldError.duplicate(`${path}[${index}].name`, name)] : [];
  });
}

/** Refuses changes of the immutable fields, which are most of a pod's spec. */
function changeErrors(object: KubeObject, old: KubeObject): readonly FieldError[] {
  if (isDeepStrictEqual(fixedPart(object), fixedPart(old))) return [];
  const allowed = ['containers[*].image', 'initContainers[*].image', 'activeDeadlineSeconds', 'tolerations'];
  const list = allowed.map((each) => `\`spec.${each}\``).join(',');
  return [fieldError.forbidden('spec', `pod updates may not change fields other than ${list}`)];
}

function fixedPart(object: KubeObject): JsonObject {
  const spec = objectOf(object['spec']);
  const images = (containers: unknown) => arrayOf(containers).map((each) => without(objectOf(each), ['image']));
  return {
    ...without(spec, ['activeDeadlineSeconds', 'tolerations']),
    containers: images(spec['containers']),
    initContainers: images(spec['initContainers']),
  };
}

function without(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}

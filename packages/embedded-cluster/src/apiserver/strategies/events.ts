import { type JsonObject, objectOf, textOf } from '../../base/json.ts';
import type { KubeObject } from '../meta/objects.ts';
import { type FieldError, fieldError } from '../meta/status.ts';
import { byPath, resource } from '../registry/resource.ts';

/**
 * Events of the core group and of events.k8s.io are the same objects with different field names; those of the core
 * group are stored.
 */
const shared = {
  singular: 'event',
  storage: 'events',
  shortNames: ['ev'],
  update: { isUnconditional: true, creates: true },
};

const aboutFields = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion'];
const ownPaths = byPath('reason', 'type');

/** Returns the selectors for the fields of the involved object, under the field name of the API group. */
function selectableBy(about: string): Readonly<Record<string, string>> {
  return Object.fromEntries(aboutFields.map((field) => [`${about}.${field}`, `involvedObject.${field}`]));
}

export const coreEvents = resource({
  ...shared,
  plural: 'events',
  kind: 'Event',
  fields: [
    'involvedObject',
    'reason',
    'message',
    'source',
    'firstTimestamp',
    'lastTimestamp',
    'count',
    'type',
    'eventTime',
    'series',
    'action',
    'related',
    'reportingComponent',
    'reportingInstance',
  ],
  selectable: { ...selectableBy('involvedObject'), ...ownPaths, ...byPath('reportingComponent') },
  complete,
  validate: (object) => namespaceErrors(object),
});

export const events = resource({
  ...shared,
  group: 'events.k8s.io',
  plural: 'events',
  kind: 'Event',
  fields: [
    'eventTime',
    'series',
    'reportingController',
    'reportingInstance',
    'action',
    'reason',
    'regarding',
    'related',
    'note',
    'type',
    'deprecatedSource',
    'deprecatedFirstTimestamp',
    'deprecatedLastTimestamp',
    'deprecatedCount',
  ],
  selectable: { ...selectableBy('regarding'), ...ownPaths, reportingController: 'reportingComponent' },
  complete,
  validate: (object, old) => [...namespaceErrors(object), ...(old === undefined ? newEventErrors(object) : [])],
  view: {
    toStored: (fields) => renamed(fields, coreNames),
    toWire: (fields) => renamed(fields, ownNames),
  },
});

const coreNames: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
};
const ownNames = Object.fromEntries(Object.entries(coreNames).map(([own, core]) => [core, own]));

function renamed(fields: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [names[name] ?? name, value]));
}

/** Adds the fields that are always serialized. */
function complete(fields: JsonObject): JsonObject {
  return {
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: '',
    reportingInstance: '',
    ...fields,
  };
}

function namespaceErrors({ metadata, involvedObject }: KubeObject): readonly FieldError[] {
  const about = textOf(objectOf(involvedObject)['namespace']) ?? '';
  // Events of cluster-scoped objects are in the namespace `default`.
  const isSameNamespace = about === metadata.namespace || (about === '' && metadata.namespace === 'default');
  return isSameNamespace
    ? []
    : [fieldError.invalid('involvedObject.namespace', about, 'does not match event.namespace')];
}

function newEventErrors(object: KubeObject): readonly FieldError[] {
  const type = object['type'] ?? '';
  const needed = [
    ['eventTime', 'eventTime'],
    ['reportingComponent', 'reportingController'],
    ['reportingInstance', 'reportingInstance'],
    ['action', 'action'],
    ['reason', 'reason'],
  ] as const;
  return [
    ...needed.flatMap(([stored, wire]) => (object[stored] ? [] : [fieldError.required(wire)])),
    ...(type === 'Normal' || type === 'Warning'
      ? []
      : [fieldError.invalid('type', type, `has invalid value: ${type}`)]),
  ];
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertMeets } from '@weeder/kube-runtime/testing';
import type { ClosableSink } from '@weeder/kube-runtime/watch';
import fc from 'fast-check';
import { slice } from '../support/objects/objects.ts';
import { recorded } from '../support/recording/readinessRecorder.ts';

const services = ['a', 'b', 'c', 'd'];

interface Write {
  readonly service: string;
  readonly ready: boolean;
}

/** A stream that delivers the writes of some services, late and in order, after a list that may be late, too. */
interface LateStream {
  readonly names: ReadonlySet<string>;
  readonly sink: ClosableSink;
  /** How many writes it has delivered; undefined: its list has not been read. */
  position: number | undefined;
  isSynced: boolean;
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('write' as const), service: fc.nat(3), ready: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('deliver' as const), stream: fc.nat(5), lag: fc.nat(4) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('divide' as const),
      parts: fc.array(fc.nat(2), { minLength: 4, maxLength: 4 }),
    }),
  },
);

function handedOver() {
  const { readiness, changes } = recorded();
  const writes: Write[] = services.map((service) => ({ service, ready: true }));
  let streams: LateStream[] = [];
  let planned: readonly LateStream[] = [];

  function objectAt(index: number): object {
    const { service = '', ready = false } = writes[index] ?? {};
    const object = slice({ service, ready: [ready] });
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(index + 1) } };
  }

  function open(names: ReadonlySet<string>): LateStream {
    const synced = streams.filter(({ isSynced }) => isSynced).map(({ sink }) => sink);
    const stream: LateStream = {
      names,
      position: undefined,
      isSynced: false,
      sink: readiness.createSink({
        names,
        after: synced,
        isAddedLater: synced.length === 0,
        onTakeOver() {
          stream.isSynced = true;
        },
      }),
    };
    streams.push(stream);
    return stream;
  }

  function close(isMeant: (stream: LateStream) => boolean): void {
    for (const { sink } of streams.filter(isMeant)) sink.close();
    streams = streams.filter((stream) => !isMeant(stream));
  }

  function divide(parts: readonly (readonly string[])[]): void {
    close(({ isSynced }) => !isSynced);
    planned = parts.filter((part) => part.length > 0).map((part) => open(new Set(part)));
  }

  /** Delivers what was written, except for the newest `lag` writes. */
  function deliver(stream: LateStream, lag: number): void {
    const until = Math.max(stream.position ?? services.length, writes.length - lag);
    if (stream.position === undefined) {
      stream.sink.begin();
      for (const name of stream.names)
        stream.sink.apply('ADDED', objectAt(writes.slice(0, until).findLastIndex(({ service }) => service === name)));
      stream.sink.end(String(until));
    }
    for (let index = stream.position ?? until; index < until; index += 1)
      if (stream.names.has(writes[index]?.service ?? '')) stream.sink.apply('MODIFIED', objectAt(index));
    stream.position = until;
    if (planned.every(({ isSynced }) => isSynced)) close((each) => !planned.includes(each));
  }

  divide([services]);
  for (const stream of streams) deliver(stream, 0);
  changes();
  return {
    readiness,
    changes,
    writes,
    divide,
    deliver: (number: number, lag: number) => {
      const stream = streams[number % streams.length];
      if (stream !== undefined) deliver(stream, lag);
    },
    deliverAll() {
      for (let round = 0; round < 3; round += 1) for (const stream of [...streams]) deliver(stream, 0);
    },
    count: () => streams.length,
  };
}

test('however streams divide the services again, each service changes as it was written, and is never gone', () =>
  assertMeets({ changes: 500 }, 2000, (met) =>
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const at = handedOver();
      for (const one of steps) {
        if (one.type === 'write') at.writes.push({ service: services[one.service] ?? '', ready: one.ready });
        else if (one.type === 'deliver') at.deliver(one.stream, one.lag);
        else at.divide([0, 1, 2].map((part) => services.filter((_, index) => one.parts[index] === part)));
      }
      at.deliverAll();
      const seen = at.changes();
      met.changes += seen.length;
      for (const service of services) {
        const serviceChanges = seen.filter((each) => each.startsWith(`shoot-1/${service} `));
        const turns = serviceChanges
          .filter((each) => !each.includes('after gap'))
          .map((each) => each.split(' ').slice(1).join(' '));
        assert.ok(
          turns.every((turn, index) => turn === (index % 2 === 0 ? 'notReady' : 'ready')),
          serviceChanges.join(),
        );
        const written = at.writes.filter((each) => each.service === service).map(({ ready }) => ready);
        const flips = written.filter((ready, index) => index > 0 && ready !== written[index - 1]).length;
        assert.ok(turns.length <= flips, `${serviceChanges.join()}: ${written.join()}`);
        const now = at.readiness.services().find((each) => each.service === service);
        assert.deepEqual([now?.isReady, turns.length % 2 === 0], [written.at(-1), written.at(-1)]);
      }
      assert.ok(at.count() <= 4);
    }),
  ));

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const texts = globSync(
  [
    '*.md',
    '{docs,deploy,.github}/**/*.{md,yaml,yml,json}',
    '{src,machines,packages,bench,scripts,test}/**/*.{ts,html,md}',
    'test/replays/**/*.yaml',
  ],
  { cwd: root, exclude: ['test/project/words.test.ts', '**/node_modules/**'] },
);

/** Former terms of the project, and their replacements. */
const terms: readonly (readonly [RegExp, string])[] = [
  [/\b(Weeded|WouldBeWeeded)\b/, 'PodDeleted, PodDeletionDryRun'],
  [/\b(PodKept|DeletionGivenUp)\b/, 'DeletionSkipped, DeletionFailed'],
  [
    /\bRestart(Held|Waiting|Needless)\b|\bWouldBeRestarted\b/,
    'RestartBlocked, RestartPending, RestartSkipped, RestartDryRun',
  ],
  [
    /\b(normal|warning|warningIf|either)\([^)]*'(Drifted|Corrected|Claimed)'/,
    'DriftDetected, DriftCorrected, OwnershipConflict',
  ],
  [/\b(RivalBackOff|WantedChanged|ChangedOnAdmission)\b/, 'CorrectionBackOff, DesiredStateChanged, MutatedByAdmission'],
  [/\b(KindMissing|AccountMissing)\b/, 'NoKindMatch, ServiceAccountNotFound'],
  [/a part of weeder broke|broke: please report|it broke:/, 'internal error: … failed'],
  [/stopped by itself/, 'stopped unexpectedly'],
  [/does not lead any more|leadership given back/, 'lost leadership, lease released'],
  [/Lease can be had again|Lease cannot be had/, 'lease available again, lease unavailable'],
  [/cannot bring the complete state/, 'WatchList not supported, falling back to paged LIST'],
  [/all streams are synced, weeding/, 'caches synced, starting controller'],
  [/'(restart held|restart waits|rollout stands still)'/, 'restart blocked, restart pending, rollout stalled'],
  [/will be tried again'/, 'retrying'],
  [/flags are accepted and mean nothing/, 'ignoring unsupported flags'],
  [/\blook(s|ed|ing)? after\b/, 'manage'],
  [/\bmade anew\b/, 'recreated'],
  [/clock that never jumps/, 'monotonic clock'],
  [/held back in silence/, 'in unreported back-off'],
  [
    /'resource\.(contested|wantedAnew|admitted|ending)'/,
    'resource.correctionBackOff, desiredStateChanged, mutatedByAdmission, terminating',
  ],
  [
    /\b(kindAway|findWanted|lookAtResource|judgeAnew|planInForce|toldDrifts|halfApplied)\b/,
    'the names of docs/reference/glossary.md',
  ],
  [/keeps changing (the resource|it) back/, 'changed back repeatedly, conflicting manager'],
  [/\bweeder_restarts_held\b/, 'weeder_restarts_blocked'],
  [/\b(can|cannot|could) be had\b|\bheard of it\b/, 'available, unavailable, observed it'],
  [/\b(rolled out|adopted|recorded|opened) anew\b/, 'again'],
  [/\bwanted (is|are) (the|a|configmap|i\/n)\b|", wanted /, 'expected'],
  [/\bwithout faults\b|\bhas (no )?faults\b|\bOne fault\b/, 'error, invalid'],
  [/\brivals?\b/, 'conflicting manager'],
  [
    /\b(ObserverFact|FaultyEntry|tellers?|untold|heardAt|onHeard|isUnwanted|onNews|isNews)\b/,
    'event, reporter, receivedAt, isCancelled, onChange',
  ],
  [/\b(observerPart|restartPart|followKeys|LazyPart)\b/, 'observerController, restartController, watchHashKeys'],
  [/\b(serviceGone|actorGone|lookNow|isBareWanted)\b/, 'serviceRemoved, actorStopped, readNow, isBareAllowed'],
  [/\basked for by annotation\b|\bwent through\b/, 'opt-in by annotation, transitions'],
  [
    /'pod\.(gone|left)'|\b(pod|slice|source|workload|application|object)Gone\b/,
    'pod.removed, pod.recovered, podDeleted',
  ],
  [
    /'workload\.gone'|\bis: 'gone'|\brequestLife\b|\bProofPod\b/,
    'workload.deleted, notFound, requestTimeout, PodEvidence',
  ],
  [/\bimmutableRecreated: tell\b/, 'immutableRecreated: report'],
  [/\b(put|puts|putting) back\b/, 'restore'],
  [/\banew\b/i, 'again, recreate'],
  [/\btold\b/, 'notified, reported'],
  [/\b(hears?|heard|news)\b/, 'observe, update'],
  [/\btrouble\b/, 'failure'],
  [/\b(lets?|letting) go of\b|\bcomes? to rest\b/, 'release, become idle'],
  [/\b(lives?|lived) (in|on|here|there|this|that)\b/, 'is in, lasted'],
  [/\bstands? (here|there|still|alone|twice|between)\b|\bno say\b/, 'is, exists, is stalled'],
  [/\bputs? (?:\w+ ){1,3}back\b(?!-)|\btells? (of|at)\b/, 'restores, reports'],
  [/\bfor good\b|\ball the same\b|\b(goes|going) on\b/, 'permanently, anyway, continues'],
  [/\b(every|no|some)body\b|\bwhoever\b|\bbesides\b/i, 'all users, no client, a user that, in addition to'],
  [/\bin all(?=[,;:.)'`]|$)/, 'in total'],
  [
    /(?<!\bthere )\b(is|are|was|were) no (drift|(change|difference|dependant|object|list|map|outage|recovery|failure)s?)\b/i,
    'is not, is not a',
  ],
  [/\b(most|fewest)[A-Z]\w*\b|\b(const|let) most\b|(?<!at )\bmost: /, 'max…, min…'],
  [
    /\b(isSameStay|isNewborn|lingeringPods|AskedOf|leavePatch|whileLeading|withoutWrites)\b/,
    'isSameBackOff, isUnchangedSinceCreation, podsWithCachedContent, RequestSummary, releasePatch, leaderGate, dryRunClient',
  ],
];

test('texts use the terms of the field, and none of those that they replaced', () => {
  const found = texts.flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    return lines.flatMap((line, index) =>
      terms.flatMap(([old, now]) =>
        old.test(line) ? [`${file}:${index + 1}: ${old.exec(line)?.[0]}; say ${now}`] : [],
      ),
    );
  });
  assert.ok(texts.length > 600);
  assert.deepEqual(found, []);
});

test('comments give reasons and cite no codes', () => {
  const sources = globSync('{src,machines,packages,test,bench}/**/*.ts', { cwd: root });
  const coded = sources.filter((file) => /\([AF]\d+[,)]|[Dd]esign §/.test(readFileSync(join(root, file), 'utf8')));
  assert.ok(sources.length > 1_000);
  assert.deepEqual(coded, []);
});

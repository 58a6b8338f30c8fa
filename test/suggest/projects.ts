import { readFileSync } from 'node:fs';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Confidence, isAtLeast } from '../../src/dependencies/dependency.ts';
import { readObjects } from '../../src/suggest/observed.ts';
import { suggestDependencies } from '../../src/suggest/suggestDependencies.ts';

const names = z.array(z.string());
const texts = z.record(z.string(), z.string());
const Workload = z.strictObject({
  kind: z.string().default('Deployment'),
  env: texts.default({}),
  envFrom: names.default([]),
  volumes: names.default([]),
  command: names.default([]),
  args: names.default([]),
  /** The command of an init container. */
  init: names.default([]),
});
const Project = z.strictObject({
  project: z.string(),
  source: z.string(),
  namespace: z.string().default('default'),
  /** The ports by the names of the Services. */
  services: z.record(z.string(), z.array(z.number())),
  /** The workloads behind Services of other names. */
  pods: texts.default({}),
  headless: names.default([]),
  configMaps: z.record(z.string(), texts).default({}),
  workloads: z.record(z.string(), Workload),
  dependsOn: z.record(z.string(), names),
});

type Project = z.infer<typeof Project>;

interface MeasuredProject {
  readonly project: string;
  /** `WORKLOAD → SERVICE`, as the manifests show them. */
  readonly truth: ReadonlySet<string>;
  /** What the search finds, with its confidence. */
  readonly suggestions: ReadonlyMap<string, Confidence>;
}

/** What the search finds in the facts of public projects. */
export function measuredProjects(): MeasuredProject[] {
  const file = new URL('projects/facts.yaml', import.meta.url);
  return z
    .array(Project)
    .parse(parse(readFileSync(file, 'utf8')))
    .map(measure);
}

function measure(project: Project): MeasuredProject {
  const dependencies = suggestDependencies(readObjects(objectsOf(project)), undefined);
  const suggestions = dependencies.flatMap(({ workload, service, confidence }) =>
    confidence === undefined ? [] : [[`${workload.name} → ${service.name}`, confidence] as const],
  );
  const truth = Object.entries(project.dependsOn).flatMap(([workload, services]) =>
    services.map((service) => `${workload} → ${service}`),
  );
  return { project: project.project, truth: new Set(truth), suggestions: new Map(suggestions) };
}

/** The edges of all projects that are found with at least this confidence, and what is missing. */
export function measuredEdges(threshold: Confidence) {
  const projects = measuredProjects().map(({ project, truth, suggestions }) => {
    const shown = [...suggestions].flatMap(([edge, confidence]) => (isAtLeast(confidence, threshold) ? [edge] : []));
    return {
      right: shown.filter((edge) => truth.has(edge)).map((edge) => `${project}: ${edge}`),
      wrong: shown.filter((edge) => !truth.has(edge)).map((edge) => `${project}: ${edge}`),
      missed: [...truth].filter((edge) => !shown.includes(edge)).map((edge) => `${project}: ${edge}`),
    };
  });
  const right = projects.flatMap((each) => each.right);
  const wrong = projects.flatMap((each) => each.wrong);
  const missed = projects.flatMap((each) => each.missed);
  return {
    ...{ right, wrong, missed },
    precision: right.length / (right.length + wrong.length),
    recall: right.length / (right.length + missed.length),
  };
}

function objectsOf({ namespace, services, pods, headless, configMaps, workloads }: Project): JsonObject[] {
  const about = (name: string) => ({ metadata: { namespace, name } });
  return [
    ...Object.entries(services).map(([name, ports]) => ({
      kind: 'Service',
      ...about(name),
      spec: {
        ports: ports.map((port) => ({ port, name: port === 10901 ? 'grpc' : `port-${port}` })),
        selector: { app: pods[name] ?? name },
        ...(headless.includes(name) ? { clusterIP: 'None' } : {}),
      },
    })),
    ...Object.entries(configMaps).map(([name, data]) => ({ kind: 'ConfigMap', ...about(name), data })),
    ...Object.entries(workloads).map(([name, workload]) => workloadOf(name, namespace, workload)),
  ];
}

function workloadOf(name: string, namespace: string, workload: z.infer<typeof Workload>): JsonObject {
  const { kind, env, envFrom, volumes, command, args, init } = workload;
  const labels = { app: name };
  const container = {
    name: 'main',
    env: Object.entries(env).map(([key, value]) => ({ name: key, value })),
    envFrom: envFrom.map((each) => ({ configMapRef: { name: each } })),
    volumeMounts: volumes.map((each) => ({ name: each })),
    command,
    args,
  };
  const spec = {
    initContainers: init.length === 0 ? [] : [{ name: 'wait', command: init }],
    containers: [container],
    volumes: volumes.map((each) => ({ name: each, configMap: { name: each } })),
  };
  if (kind === 'Pod') return { kind, metadata: { namespace, name, labels }, spec };
  return {
    kind,
    metadata: { namespace, name },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

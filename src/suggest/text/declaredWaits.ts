/** A Service, or pods, that a tool waits for. A namespace that is not named is that of the workload. */
export interface DeclaredWait {
  readonly namespace: string | undefined;
  /** `service`: the name of a Service. `workload`: of the workload, or of one of its pods. `labels`: of pods. */
  readonly of: 'service' | 'workload' | 'labels';
  readonly name: string;
  readonly because: string;
  /** False: the tool only looks it up. */
  readonly isSure: boolean;
}

const label = '[a-z0-9](?:[-a-z0-9]{0,251}[a-z0-9])?';
/** The flags up to the end of the command. */
const rest = '([^;|&\\n]{0,500})';
const waitFor = new RegExp(
  `(^|wait[-_]for(?:\\.sh)?["']?\\s+["']?)service\\s+(${label})(?![-\\w.])(?!\\s+(?:re)?start\\b)${rest}`,
  'g',
);
const kubectl = new RegExp(`\\bkubectl\\s+(?:[^;|&\\n]{0,200}\\s)?(wait|rollout\\s+status|get)\\s${rest}`, 'g');
const resource = new RegExp(
  `(?:^|\\s)(po|pods?|deploy|deployments?(?:\\.apps)?|sts|statefulsets?(?:\\.apps)?|ds|daemonsets?|svc|services?|ep|endpoints)(?:/|\\s+)(${label})(?![\\w./=])`,
  'g',
);
const selector = /(?:^|\s)(?:-l|--selector)[ =]?["']?([\w./=,-]{1,500})/;
const namespaceFlag = new RegExp(`(?:^|\\s)(?:-n|--namespace)[ =]?(${label})(?![\\w.])`);

/** What the arguments of tools declare: of k8s-wait-for, and of kubectl. */
export function waitsIn(text: string): DeclaredWait[] {
  const ofTool = [...text.matchAll(waitFor)].map(([, , name = '', flags = '']): DeclaredWait => {
    return {
      namespace: namespaceFlag.exec(flags)?.[1],
      of: 'service',
      name,
      because: 'an argument of wait-for',
      isSure: true,
    };
  });
  const ofKubectl = [...text.matchAll(kubectl)].flatMap(([, verb = '', words = '']) => waitsOfKubectl(verb, words));
  return [...ofTool, ...ofKubectl];
}

function waitsOfKubectl(verb: string, words: string): DeclaredWait[] {
  const because = `an argument of kubectl ${verb.replace(/\s+/, ' ')}`;
  const namespace = namespaceFlag.exec(words)?.[1];
  const named = [...words.matchAll(resource)].map(([, kind = '', name = '']): DeclaredWait => {
    return {
      namespace,
      of: /^(?:svc|serv|ep|endp)/.test(kind) ? 'service' : 'workload',
      name,
      because,
      isSure: verb !== 'get',
    };
  });
  const [, labels] = selector.exec(words) ?? [];
  return labels === undefined || verb === 'get'
    ? named
    : [...named, { namespace, of: 'labels', name: labels, because, isSure: true }];
}

/** The Services of `DEPENDENCY_SERVICE`, which kubernetes-entrypoint waits for: `mysql:mariadb,keystone-api`. */
export function entrypointServices(key: string | undefined, text: string): DeclaredWait[] {
  if (key !== 'DEPENDENCY_SERVICE') return [];
  return text.split(',').flatMap((part): DeclaredWait[] => {
    const [, namespace, name] = /^\s*(?:([-a-z0-9]+):)?([-a-z0-9]+)\s*$/.exec(part) ?? [];
    if (name === undefined) return [];
    return [{ namespace, of: 'service', name, because: 'what kubernetes-entrypoint waits for', isSure: true }];
  });
}

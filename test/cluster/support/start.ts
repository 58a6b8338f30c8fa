/**
 * Starts a control plane for manual tests: `node test/cluster/support/start.ts [kube-apiserver flags]`.
 * Prints the path of an admin kubeconfig, runs until Ctrl-C or SIGTERM, and removes its files.
 */
import { writeCoordinates } from './plane/access.ts';
import { startControlPlane } from './plane/controlPlane.ts';
import { SetupProblem } from './plane/process.ts';

const started = performance.now();
try {
  const controlPlane = await startControlPlane({ apiServerFlags: process.argv.slice(2) });
  console.log(`control plane ready in ${((performance.now() - started) / 1000).toFixed(1)} s at ${controlPlane.url}`);
  console.log(`KUBECONFIG=${controlPlane.kubeconfigFor('admin')}`);
  console.log(`WEEDER_TEST_CLUSTER=${writeCoordinates(controlPlane)}   (for \`node --test test/cluster/…\`)`);
  console.log('Ctrl-C ends it.');
  const keepAlive = setInterval(() => {}, 60_000);
  const end = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.resolve());
  await end.promise;
  clearInterval(keepAlive);
  await controlPlane.stop();
} catch (error) {
  console.error(error instanceof SetupProblem ? error.message : error);
  process.exitCode = 1;
}

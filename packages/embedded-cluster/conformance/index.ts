/** Tests of node:test that every API server has to pass: the embedded one and a real kube-apiserver. */
export { merging } from './discovery/openApi.ts';
export { featuresOf } from './features.ts';
export { conformance } from './suite.ts';
export { body, boundNode, createTestNamespace, meta, type Target, type TestNamespace, versionOf } from './target.ts';
export { testCompaction } from './watch/compaction.ts';

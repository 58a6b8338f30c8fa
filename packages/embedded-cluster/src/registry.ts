/** The components of the API server, for another server without HTTP, such as one in virtual time. */
export { customResource } from './apiserver/crd/customResource.ts';
export { addressOf } from './apiserver/http/address.ts';
export { discover } from './apiserver/http/discovery.ts';
export { decode } from './apiserver/meta/decode.ts';
export { wireObject } from './apiserver/meta/encode.ts';
export { type PatchType, patch } from './apiserver/patch/patch.ts';
export { apply } from './apiserver/registry/apply.ts';
export type { WriteOptions } from './apiserver/registry/assemble.ts';
export { create } from './apiserver/registry/create.ts';
export { remove } from './apiserver/registry/delete.ts';
export { replace, type Updated } from './apiserver/registry/update.ts';
export { openApiDocuments, openApiIndex } from './apiserver/schema/openApi.ts';
export { select } from './apiserver/selectors/selection.ts';
export { type Cursor, openCursor } from './apiserver/storage/cursor.ts';
export { createStorage, type Storage } from './apiserver/storage/storage.ts';

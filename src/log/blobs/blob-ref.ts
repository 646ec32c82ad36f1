export { blobRef } from '../../events/blob-ref.ts'
export type { BlobRef } from '../../events/types.ts'
export { refOf } from './ref-of.ts'

export { type BlobRef, blobRef } from '../../events/blob-ref.ts'
export { refOf } from './ref-of.ts'

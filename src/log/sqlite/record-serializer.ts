import type { RecordKind, RecordOf, SessionPatch } from '../records.ts'
import type { SessionRecord } from '../types.ts'

type RecordsModule = typeof import('../records.ts')

/** A record that waits to be written. */
export interface PreparedRecord {
  /** The JSON to store. Throws `invalid_record`; call it only once the schemas are loaded. */
  json(): string
  /** About how many bytes the JSON has. */
  bytes: number
}

/**
 * Validates and serialises records. The schemas are loaded with the first record that is written: a
 * server that has just started only reads, and need not wait for Zod.
 */
export interface RecordSerializer {
  /** Whether the schemas are loaded. */
  isReady(): boolean
  load(): Promise<RecordsModule>
  /** Copies a record as it is now. It is validated at once if possible, otherwise in `json`. */
  prepare<Kind extends RecordKind>(kind: Kind, record: RecordOf<Kind>): PreparedRecord
  /** Applies a patch. Throws `invalid_record`; call it only once the schemas are loaded. */
  patchSession(record: SessionRecord, patch: SessionPatch): SessionRecord
}

export const createRecordSerializer = (): RecordSerializer => {
  let module: RecordsModule | undefined

  const loaded = (): RecordsModule => {
    if (module) return module
    throw new Error('A record cannot be serialised before the schemas are loaded.')
  }

  return {
    isReady: () => module !== undefined,
    async load() {
      module ??= await import('../records.ts')
      return module
    },
    prepare(kind, record) {
      if (module) {
        const json = module.serializeRecord(kind, record)
        return { bytes: json.length, json: () => json }
      }
      const copy = structuredClone(record)
      return {
        bytes: JSON.stringify(copy).length,
        json: () => loaded().serializeRecord(kind, copy),
      }
    },
    patchSession: (record, patch) => loaded().patchSession(record, patch),
  }
}

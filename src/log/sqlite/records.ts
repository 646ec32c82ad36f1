import type { Kind, RecordOf } from '../schemas.ts'

type Schemas = typeof import('../schemas.ts')

/** A record on its way to be written. */
export interface Taken {
  /** As it is stored; refused with a `LogFault` where it is not valid. */
  text(): string
  /** About how much it takes. */
  bytes: number
}

/**
 * Records as they are stored. They are checked on their way in; the schemas for that are loaded with
 * the first one, because a server that has just started reads and need not wait for them.
 */
export const createRecords = () => {
  let schemas: Schemas | undefined

  const loaded = (): Schemas => {
    if (schemas) return schemas
    throw new Error('a record was to be stored before it could be checked')
  }

  return {
    isReady: () => schemas !== undefined,
    async load(): Promise<Schemas> {
      schemas ??= await import('../schemas.ts')
      return schemas
    },
    /** A record as it is now. It is checked at once where that can be, else when it is written. */
    take<Of extends Kind>(kind: Of, record: RecordOf<Of>): Taken {
      if (schemas) {
        const text = schemas.packed(kind, record)
        return { bytes: text.length, text: () => text }
      }
      const copy = structuredClone(record)
      return { bytes: JSON.stringify(copy).length, text: () => loaded().packed(kind, copy) }
    },
    pack: <Of extends Kind>(kind: Of, record: RecordOf<Of>): string =>
      loaded().packed(kind, record),
    patchSession: (...args: Parameters<Schemas['patchSession']>) => loaded().patchSession(...args),
  }
}
export type Records = ReturnType<typeof createRecords>

/** A record that was checked when it was stored. */
export const unpack = <Of extends Kind>(_kind: Of, text: string): RecordOf<Of> => JSON.parse(text)

import type { ChangedRecord, SharedLog } from '../shared-log.ts'

/** Says which records of the index were changed, by this node or another one. */
export interface RecordFeed extends Pick<SharedLog, 'onRecord'> {
  publish(changed: ChangedRecord): void
}

export const createRecordFeed = (): RecordFeed => {
  const listeners = new Set<(changed: ChangedRecord) => void>()
  return {
    publish(changed) {
      for (const listener of listeners) listener(changed)
    },
    onRecord(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

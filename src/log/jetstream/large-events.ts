import type { JetStreamContext } from './context.ts'
import type { NoteObject } from './event-lane.ts'
import { recordKeys } from './record-keys.ts'

/** The names of the objects that hold events which are too large for a message. */
export interface LargeEvents {
  note: NoteObject
  /** Deletes the objects of a session. */
  removeOf(sessionId: string): Promise<void>
}

export const createLargeEvents = ({
  documents,
  objects,
}: Pick<JetStreamContext, 'documents' | 'objects'>): LargeEvents => {
  const namesIn = (text: string | undefined): string[] =>
    text === undefined ? [] : JSON.parse(text)
  return {
    async note(sessionId, name) {
      await documents.change(recordKeys.largeEvents(sessionId), (text) => {
        const known = namesIn(text)
        return known.includes(name) ? text : JSON.stringify([...known, name])
      })
    },
    async removeOf(sessionId) {
      const key = recordKeys.largeEvents(sessionId)
      for (const name of namesIn((await documents.get(key))?.text)) await objects.remove(name)
      await documents.change(key, () => undefined)
    },
  }
}

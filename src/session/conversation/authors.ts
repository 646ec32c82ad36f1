import type { Actor, EventOf } from '../../events/types.ts'

/** Who sent the commands whose events have not come yet. Agents do not pass that on. */
export interface Authors {
  /** Remembers who changes the model. */
  modelRequested(by: Actor | undefined): void
  /** An update of the session, with the sender who requested the model in it. */
  withModelAuthor(event: EventOf<'session_update'>): EventOf<'session_update'>
}

/** The name that events show. Without sign-in there is none. */
export const authorName = (by: Actor | undefined): string | undefined =>
  by === undefined || by.kind === 'nobody' ? undefined : by.name

export const createAuthors = (): Authors => {
  let modelBy: string | undefined

  return {
    modelRequested(by) {
      modelBy = authorName(by)
    },
    withModelAuthor(event) {
      if (modelBy === undefined || event.model === undefined) return event
      const by = modelBy
      modelBy = undefined
      return { ...event, by }
    },
  }
}

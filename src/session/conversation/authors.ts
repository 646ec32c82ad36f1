import type { Actor, EventOf } from '../../events/types.ts'

/** Who changes settings. Agents do not pass that on, and some do not report the change at once. */
export interface Authors {
  /** Remembers who changes the model, and from which model to which. */
  modelRequested(model: string, before: string | undefined, by: Actor | undefined): void
  /** An update of the session, with the sender who requested the model in it. */
  withModelAuthor(event: EventOf<'session_update'>): EventOf<'session_update'>
  /** Whether the agent has not reported the requested model yet. */
  isModelAwaited(): boolean
  /** Remembers who changes the permission mode or the thinking level. */
  changeRequested(change: RequestedChange, by: Actor | undefined): void
  /** The change was refused. */
  dropChange(): void
  /** An update of the session, with the sender who requested the change in it. */
  withChangeAuthor(event: EventOf<'session_update'>): EventOf<'session_update'>
  /** Whether the agent has not reported the requested change yet. */
  isChangeAwaited(): boolean
}

type RequestedChange = Pick<EventOf<'session_update'>, 'permissionMode' | 'thinkingLevel'>

/** The name that events show. Without sign-in there is none. */
export const authorName = (by: Actor | undefined): string | undefined =>
  by === undefined || by.kind === 'nobody' ? undefined : by.name

export const createAuthors = (): Authors => {
  let change: { fields: readonly string[]; by: string | undefined } | undefined
  let awaited: { model: string; before: string | undefined; by: string | undefined } | undefined

  return {
    modelRequested(model, before, by) {
      awaited = { model, before, by: authorName(by) }
    },
    withModelAuthor(event) {
      if (awaited === undefined || event.model === undefined) return event
      // An agent that is starting reports the model that it starts with.
      const isOld = event.model === awaited.before && !event.model.includes(awaited.model)
      if (isOld) return event
      const { by } = awaited
      awaited = undefined
      return by === undefined ? event : { ...event, by }
    },
    isModelAwaited: () => awaited !== undefined,
    changeRequested(requested, by) {
      change = { fields: Object.keys(requested), by: authorName(by) }
    },
    dropChange() {
      change = undefined
    },
    withChangeAuthor(event) {
      // The agent may have chosen another value than the requested one.
      if (!change?.fields.some((field) => field in event)) return event
      const { by } = change
      change = undefined
      return by === undefined ? event : { ...event, by }
    },
    isChangeAwaited: () => change !== undefined,
  }
}

/** The actor who decided on the bus. A person without a name uses this program. */
export const actorNamed = (by: string | undefined): Actor | undefined =>
  by === undefined || by === 'person' ? undefined : { kind: 'local', id: by, name: by }

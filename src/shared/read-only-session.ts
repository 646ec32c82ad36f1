import { Fault } from './fault.ts'

/** What of a record says whether its session takes commands. */
interface MaybeReadOnly {
  id: string
  imported?: object | undefined
  watched?: object | undefined
}

/** The fault of a command to a session that Sluice does not run; undefined if it runs the session. */
export const readOnlyFault = ({ id, imported, watched }: MaybeReadOnly): Fault | undefined => {
  if (imported) return new Fault('session_read_only', importedMessage(id))
  return watched && new Fault('session_watched', watchedMessage(id))
}

const importedMessage = (id: string): string =>
  `Session ${id} was imported from a file, so it is read-only. Start a new session to continue the work.`

const watchedMessage = (id: string): string =>
  `The agent of session ${id} runs outside Sluice, so the session is read-only here. Write to the agent where it runs.`

import { type Fields, fieldsOf, isFields } from '../../shared/fields.ts'
import { dialectOf } from './dialects.ts'

/** The methods that continue a conversation, the best first, by the agent’s answer to `initialize`. */
export const waysToResume = (initialized: Fields): string[] => {
  const { loadSession, sessionCapabilities } = fieldsOf(initialized.agentCapabilities)
  const canLoad = loadSession === true && !dialectOf(initialized).cannotLoad
  return [
    ...(isFields(fieldsOf(sessionCapabilities).resume) ? ['session/resume'] : []),
    ...(canLoad ? ['session/load'] : []),
  ]
}

/** The methods that continue a copy of a conversation. */
export const waysToFork = (initialized: Fields): string[] =>
  isAnnounced(initialized, 'fork') ? ['session/fork'] : []

/** Whether the agent lists the conversations that it has stored. */
export const canList = (initialized: Fields): boolean => isAnnounced(initialized, 'list')

const isAnnounced = ({ agentCapabilities }: Fields, name: string): boolean =>
  isFields(fieldsOf(fieldsOf(agentCapabilities).sessionCapabilities)[name])

import { installedVersion } from '../../process/installed-version.ts'
import { authorName } from './authors.ts'
import type { ConversationState } from './conversation-state.ts'
import type { Lifecycle } from './lifecycle.ts'
import { restoredNotice } from './notices.ts'
import { failedResult } from './send-command.ts'
import type { HistoryOptions, RewindOutcome, Session } from './session.ts'

/** The commands about earlier points of the conversation. */
export const historyCommands = (
  state: ConversationState,
  lifecycle: Lifecycle,
): Pick<Session, 'forkPoints' | 'rewind'> => ({
  async forkPoints() {
    const { history } = await lifecycle.ensureProcess()
    return (await history.forkPoints()) ?? []
  },
  async rewind(messageId, options = {}) {
    if (!state.deps.agent.capabilities.rewind) return { outcome: 'unsupported' }
    if (state.activity.isBusy()) return busy
    try {
      return await restoreFiles(state, lifecycle, messageId, options)
    } catch (cause) {
      return failedResult(cause)
    }
  },
})

const restoreFiles = async (
  state: ConversationState,
  lifecycle: Lifecycle,
  messageId: string,
  { dryRun = false, by }: HistoryOptions,
): Promise<RewindOutcome> => {
  const { deps, emit } = state
  await deps.checkLog?.()
  const { history } = await lifecycle.ensureProcess()
  // A run may have started meanwhile, and the agent would edit the files that are restored.
  if (state.activity.isBusy()) return busy
  // Only a trial says which files it is about.
  const result = await history.rewind(messageId, true)
  if (result.outcome === 'unanswered') return { outcome: 'refused', error: unanswered(state) }
  if (result.outcome !== 'accepted' || dryRun || result.files.paths.length === 0) return result
  if (state.activity.isBusy()) return busy
  const done = await history.rewind(messageId, false)
  if (done.outcome !== 'accepted') return done
  emit(restoredNotice(result.files, authorName(by ?? deps.defaultActor)))
  deps.onAction?.({ action: 'files_restored', by, detail: result.files.paths.join(', ') })
  await deps.recorder.settled()
  return result
}

const busy: RewindOutcome = {
  outcome: 'busy',
  error: 'The agent is working. Wait until the run ends, or stop it, and restore the files then.',
}

/** Old versions do not reply to requests that they do not know. */
const unanswered = ({ deps }: ConversationState): string => {
  const version = installedVersion(deps.program())
  return `${deps.agent.title}${version === undefined ? '' : ` ${version}`} did not reply. Its version may not be able to restore files.`
}

import { addNotice } from './notices.ts'
import { emptyConversation, type Incoming, type Task, type Transcript } from './transcript.ts'

/** How many tasks are remembered. */
const taskLimit = 200

/** Which agent speaks, or what changed about the session. */
export const aboutSession = (
  transcript: Transcript,
  event: Incoming<'session_start' | 'session_update'>,
): Transcript => {
  const { model, cwd, thinkingLevel } = event
  const { name: known, ...unnamed } = transcript
  const name = event.name ?? known
  const agent = event.type === 'session_start' ? event.agent : undefined
  const about: Transcript = {
    ...unnamed,
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(name !== undefined && name !== '' && { name }),
    ...(cwd !== undefined && { cwd }),
    ...(thinkingLevel !== undefined && { thinkingLevel }),
  }
  return event.type === 'session_update' ? changed(about, event) : about
}

/** The account so far. */
export const countUsage = (
  transcript: Transcript,
  { totals, byModel, context }: Incoming<'usage_update'>,
): Transcript => ({ ...transcript, totals, byModel, context })

const changed = (transcript: Transcript, event: Incoming<'session_update'>): Transcript => {
  const { reset, notice, status, task, backgroundTasks } = event
  const cleared = reset ? clearConversation(transcript) : transcript
  const noted = notice ? addNotice(cleared, event, notice) : cleared
  if (status === undefined && !task && !backgroundTasks) return noted
  return {
    ...noted,
    ...(status !== undefined && { status }),
    ...(task && { tasks: withTask(noted.tasks, task) }),
    ...(backgroundTasks && { backgroundTasks }),
  }
}

/** The agent has forgotten the conversation; what it cost, and what waits, stay. */
const clearConversation = (transcript: Transcript): Transcript => ({
  ...transcript,
  ...emptyConversation(),
  retry: null,
  compaction: null,
  context: null,
})

/** Later words about a task add to earlier ones. */
const withTask = (tasks: readonly Task[], task: Task): readonly Task[] => {
  const index = tasks.findIndex((each) => each.id === task.id)
  if (index === -1) return [...tasks, task].slice(-taskLimit)
  return tasks.map((each, place) => (place === index ? { ...each, ...task } : each))
}

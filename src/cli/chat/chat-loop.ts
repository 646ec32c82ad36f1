import type { Agent } from '../../agents/agent.ts'
import type { EventOf, StampedEvent } from '../../events/types.ts'
import type { CommandResult, Session } from '../../session/conversation/session.ts'
import type { RuleBook } from '../../session/rules/rule-book.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'
import { createLineInput } from '../line-input.ts'
import { createEventPrinter } from './event-printer.ts'
import type { RecordRule } from './offered-rules.ts'
import { createQuestions } from './questions.ts'
import { resultMessage } from './result-message.ts'
import { createRuleCommands } from './rule-commands.ts'
import type { Screen } from './screen.ts'

export interface ChatLoopOptions {
  id: string
  session: Session
  agent: Pick<Agent, 'knownCall'> | undefined
  /** The directory that the session works in. */
  cwd: string
  screen: Screen
  rules: RuleBook
  /** Records in the audit what the person did with rules. */
  recordRule: RecordRule
  /** Kills every agent at once. */
  kill(): void
}

/** One chat: what the person types goes to the session, what the session emits goes to the screen. */
export interface ChatLoop {
  /** Shows a stored event, if it belongs to this session. */
  show(event: StampedEvent): void
  /** Prints the first prompt. */
  start(): Promise<void>
  /** Resolves when the input has ended and no run is going on. */
  finished(): Promise<void>
  /** Aborts the run; kills the agent when it takes too long, or when `force` resolves. */
  stopNow(force: Promise<void>): Promise<void>
  /** Whether the last message led to an error. */
  hasFailed(): boolean
  close(): void
}

/** How long a run may take to stop after a signal. */
const stopMs = 3000

export const createChatLoop = (options: ChatLoopOptions): ChatLoop => {
  const { id, session, screen, kill } = options
  const stopping = createStopping(session)
  let hasFailed = false

  /** Shows the prompt below everything that was printed so far. */
  const prompt = async (draft = ''): Promise<void> => {
    await screen.flush()
    if (!questions.isOpen() && input.prompt('message', draft)) screen.prompted()
  }

  const endRun = ({ stopReason, interrupted }: EventOf<'agent_end'>): void => {
    hasFailed = !stopping.wasUsed() && (stopReason === 'error' || interrupted === true)
    screen.space()
    void prompt()
  }

  const send = async (text: string, isFollowUp: boolean): Promise<void> => {
    screen.typed()
    if (!isFollowUp && questions.answer(text)) return
    if (text === '' || runRuleCommand(text)) return prompt()
    hasFailed = false
    stopping.reset()
    const result = await sendMessage(session, text, isFollowUp)
    if (result.outcome === 'accepted') return
    hasFailed = true
    // When the agent is gone, an event says how it ended.
    if (result.outcome === 'gone') await session.idle()
    else screen.error(resultMessage(result))
    await (session.isBusy() ? screen.flush() : prompt())
  }

  const input = createLineInput({
    onLine: (text) => void send(text, false),
    onFollowUp: (text) => void send(text, true),
    onInterrupt() {
      // A second Ctrl-C leaves without waiting for the run to stop.
      if (stopping.isGoingOn() || !session.isBusy()) return input.close()
      void stopping.stop()
    },
  })

  const runRuleCommand = createRuleCommands({ ...options, sessionId: id })
  const questions = createQuestions({
    ...options,
    input,
    onDone(draft) {
      printer.release()
      void (draft === '' ? screen.flush() : prompt(draft))
    },
  })
  const printer = createEventPrinter(screen, questions.isOpen, (event) => {
    if (event.type === 'agent_end') endRun(event)
  })

  return {
    show(event) {
      // Opening may close runs of other sessions, left behind by a crash.
      if (event.sessionId !== id) return
      // The person’s own message is on the screen already.
      if (event.type === 'message_end' && event.message.role === 'user') return
      if (event.type === 'approval_request') return questions.add(event.approvalId)
      if (event.type === 'approval_resolved' && questions.remove(event.approvalId))
        if (event.outcome === 'expired') screen.notice('The approval expired: no answer in time.')
      printer.push(event)
      void screen.flush()
    },
    async start() {
      screen.hint(`session ${id} · ${helpLine}`)
      await prompt()
    },
    async finished() {
      await input.closed
      if (stopping.isGoingOn()) return kill()
      questions.denyAll()
      if (input.isTerminal && session.isBusy()) screen.hint(waitLine)
      await screen.flush()
      await session.idle()
    },
    stopNow: (force) => stopping.stopNow(force, kill),
    hasFailed: () => hasFailed,
    close: () => input.close(),
  }
}

/** Stops the run when the person wants it: its end is then not a failure. */
const createStopping = (session: Session) => {
  let wasUsed = false
  let isGoingOn = false
  return {
    async stop(): Promise<void> {
      isGoingOn = true
      wasUsed = true
      await session.abort()
      isGoingOn = false
    },
    async stopNow(force: Promise<void>, kill: () => void): Promise<void> {
      void force.then(kill)
      if (!(await finishesWithin(session.abort(), stopMs))) kill()
    },
    isGoingOn: () => isGoingOn,
    wasUsed: () => wasUsed,
    reset(): void {
      wasUsed = false
    },
  }
}

const helpLine =
  'Enter sends (and steers while the agent works); Alt-Enter queues; Ctrl-C stops the run, then leaves'
const waitLine = 'The chat ends when the run does. Ctrl-C stops the run.'

const sendMessage = (
  session: Session,
  text: string,
  isFollowUp: boolean,
): Promise<CommandResult> => {
  if (isFollowUp) return session.followUp(text)
  return session.isBusy() ? session.steer(text) : session.prompt(text)
}

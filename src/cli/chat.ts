import type { EventOf, StampedEvent } from '../events/types.ts'
import type { ApprovalPolicy } from '../session/conversation/approvals.ts'
import type { CommandResult } from '../session/conversation/command-result.ts'
import type { Session } from '../session/conversation/session.ts'
import { within } from '../shared/within.ts'
import { createAsking } from './chat/asking.ts'
import { type ChatPlace, type OpenChat, openChat } from './chat/open-chat.ts'
import { resultMessage } from './chat/outcome.ts'
import { createScreen } from './chat/screen.ts'
import { openData } from './data.ts'
import { exitCodes } from './exit.ts'
import { createLineInput } from './line-input.ts'
import { codeOfSignal, type Endings, watchEndings } from './signals.ts'
import type { Terminal } from './terminal.ts'

export interface ChatOptions extends ChatPlace {
  approve: ApprovalPolicy
  data: string
}

/** `sluice chat`: a conversation in the terminal over a live session. */
export const chat = async (
  options: ChatOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  // Before anything is opened: whatever is, must be closed in order.
  const endings = watchEndings(closed)
  try {
    return await talk(options, terminal, endings)
  } finally {
    endings.stop()
  }
}

const talk = async (
  options: ChatOptions,
  terminal: Terminal,
  endings: Endings,
): Promise<number> => {
  const screen = createScreen(terminal)
  let opened: OpenChat | undefined
  /** Nothing came of what was said last. */
  let hasFailed = false
  /** Because the person stopped it. */
  let isStopped = false

  const show = (event: StampedEvent) => {
    // What an earlier process left behind is settled first: that is no part of this conversation.
    if (event.sessionId !== opened?.id) return
    // What the person typed stands on the screen already.
    if (event.type === 'message_end' && event.message.role === 'user') return
    if (event.type === 'approval_request') asking.requested(event.approvalId)
    else screen.event(event)
    if (event.type === 'approval_resolved') resolved(event)
    if (event.type === 'agent_end') ended(event)
    void screen.flush()
  }

  const { sessions, log, close } = await openData({
    directory: options.data,
    policy: options.approve,
    publish: show,
  })
  opened = await openChat({ sessions, log }, options).catch(async (cause: unknown) => {
    await close()
    throw cause
  })
  const { id, session } = opened

  const asking = createAsking({
    pending: session.pendingApprovals,
    answer: session.answer,
    show(ask) {
      screen.ask(ask)
      void prompt()
    },
    remind(ask) {
      screen.remind(ask)
      void prompt()
    },
    onRefused: ({ title }) => screen.notice(`${title} No: nobody is there to answer.`),
  })

  const resolved = ({ approvalId, outcome }: EventOf<'approval_resolved'>): void => {
    if (asking.resolved(approvalId) && outcome === 'expired') screen.notice('No answer in time.')
  }

  const ended = ({ stopReason, interrupted }: EventOf<'agent_end'>): void => {
    hasFailed = !isStopped && (stopReason === 'error' || interrupted === true)
    screen.space()
    void prompt()
  }

  /** Behind everything that was said. */
  const prompt = async (): Promise<void> => {
    await screen.flush()
    if (input.prompt()) screen.prompted()
  }

  const say = async (text: string, isLater: boolean): Promise<void> => {
    screen.typed()
    if (asking.take(text)) return
    if (text === '') return prompt()
    hasFailed = false
    isStopped = false
    const asked = await send(session, text, isLater)
    if (asked.outcome === 'accepted') return
    hasFailed = true
    // How an agent ended is told as an event.
    if (asked.outcome === 'gone') await session.idle()
    else screen.error(resultMessage(asked))
    await (session.isBusy() ? screen.flush() : prompt())
  }

  /** The run is being stopped: who does not want to wait for that leaves. */
  let isStopping = false
  const stopRun = async (): Promise<void> => {
    isStopping = true
    isStopped = true
    await session.abort()
    isStopping = false
  }

  const input = createLineInput({
    onLine: (text) => void say(text, false),
    onLater: (text) => void say(text, true),
    onInterrupt() {
      if (isStopping || !session.isBusy()) return input.close()
      void stopRun()
    },
  })
  screen.hint(`session ${id} · ${helpLine}`)
  await prompt()

  /** The person has left: what still runs may end, and asks nobody. */
  const finish = async (): Promise<void> => {
    await input.closed
    if (isStopping) return sessions.kill()
    asking.leave()
    if (input.isTerminal && session.isBusy()) screen.hint(waitLine)
    await screen.flush()
    await session.idle()
  }

  /** Nobody waits for the end of a run that is told to end. */
  const stopNow = async (): Promise<void> => {
    void endings.second.then(sessions.kill)
    if (!(await within(session.abort(), stopMs))) sessions.kill()
  }

  const signal = await Promise.race([finish(), endings.first])
  if (signal !== undefined) await stopNow()
  input.close()
  // What is still on its way is shown before the summary.
  await close()
  screen.end()
  await screen.flush()
  if (signal !== undefined) return codeOfSignal(signal)
  return hasFailed ? exitCodes.failed : exitCodes.done
}

const helpLine =
  'Enter sends, and steers while it works; Alt-Enter queues; Ctrl-C stops, then leaves'
const waitLine = 'The chat ends with the run; Ctrl-C stops it.'

/** How long a run may take to stop when there is a signal to end. */
const stopMs = 3000

const send = (session: Session, text: string, isLater: boolean): Promise<CommandResult> => {
  if (isLater) return session.followUp(text)
  return session.isBusy() ? session.steer(text) : session.prompt(text)
}

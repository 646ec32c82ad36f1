import { loginAdvice } from '../../events/login-advice.ts'
import type { EventOf, StampedEvent } from '../../events/types.ts'
import type { CommandResult, FileToAttach } from '../../session/conversation/session.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'
import { plainLine } from '../clean-text.ts'
import { shortId } from '../find-session.ts'
import { createLineInput, type LineInputOptions, type SentLine } from '../line-input.ts'
import type { AgentCommands } from './agent-commands.ts'
import type { ChatBackend } from './chat-backend.ts'
import { createChatCommands } from './chat-commands.ts'
import { type ChatFiles, createChatFiles } from './chat-files.ts'
import { createEventPrinter } from './event-printer.ts'
import type { Mentions } from './mentions.ts'
import { createQuestions } from './questions.ts'
import { resultMessage } from './result-message.ts'
import type { Screen } from './screen.ts'

export interface ChatLoopOptions {
  backend: ChatBackend
  screen: Screen
  /** Whether the session belongs to others, too: nothing is denied when the input ends. */
  isGuest?: boolean
  /** Files that go with the first message. */
  files?: readonly FileToAttach[]
  /** Where typed messages are stored for later chats; undefined to store none. */
  historyFile: string | undefined
  /** What Tab offers besides files. */
  mentions: Pick<Mentions, 'list'>
}

/** One chat: what the person types goes to the session, what the session emits goes to the screen. */
export interface ChatLoop {
  /** Shows a stored event. */
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
  const { backend, screen } = options
  const stopping = createStopping(backend)
  const files = createChatFiles(screen, options.files)
  const commands = createChatCommands({ ...options, files })
  let hasFailed = false
  /** Resolves when everything that was typed so far has been sent. */
  let sent: Promise<unknown> = Promise.resolve()

  /** Shows the prompt below everything that was printed so far. */
  const prompt = async (draft = ''): Promise<void> => {
    await screen.flush()
    if (!questions.isOpen() && input.prompt('message', draft)) screen.prompted()
  }

  const endRun = ({ stopReason, interrupted, errorMessage }: EventOf<'agent_end'>): void => {
    hasFailed = !stopping.wasUsed() && (stopReason === 'error' || interrupted === true)
    closeRun(options, hasFailed ? errorMessage : undefined)
    void prompt()
  }

  const send = async ({ text, isFollowUp, isPasted }: SentLine): Promise<void> => {
    screen.typed()
    if (!isFollowUp && questions.answer(text, isPasted)) return
    if (text === '' || (await commands.run(text))) return prompt()
    hasFailed = false
    stopping.reset()
    const result = await sendMessage(backend, { text, isFollowUp, files })
    if (result.outcome === 'accepted') return
    hasFailed = true
    // When the agent is gone, an event says how it ended.
    if (result.outcome === 'gone') await backend.idle()
    else screen.error(resultMessage(result))
    await (backend.isBusy() ? screen.flush() : prompt())
  }

  const input = createLineInput({
    ...sourcesOf(options, commands),
    onLine(line) {
      sent = Promise.all([sent, send(line)])
    },
    canQueue: backend.isBusy,
    onInterrupt: () => stopping.interrupt(commands.stopShells, () => input.close()),
  })

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
      if (event.type === 'approval_request') return questions.add(event.approvalId)
      if (event.type === 'approval_resolved' && questions.remove(event.approvalId))
        screen.notice(resolvedLine(event))
      printer.push(event)
      commands.follow(event)
      void screen.flush()
    },
    async start() {
      screen.hint(startLine(options, commands))
      await prompt()
      for (const { approvalId } of backend.pendingApprovals()) questions.add(approvalId)
    },
    async finished() {
      await input.closed
      if (stopping.isGoingOn()) return backend.kill()
      if (backend.outlivesChat && input.isTerminal) return leave(options, questions.isOpen())
      if (options.isGuest !== true) questions.denyAll()
      await waitForEnd(options, input.isTerminal, sent)
    },
    stopNow: (force) => stopping.stopNow(force),
    hasFailed: () => hasFailed,
    close: () => input.close(),
  }
}

/** Ends what a run printed: with the way to log in, if the agent needs that. */
const closeRun = ({ backend, screen }: ChatLoopOptions, problem: string | undefined): void => {
  const advice = loginAdvice(backend.choices, problem)
  if (advice !== undefined) screen.notice(plainLine(advice))
  screen.space()
}

/** Waits until what was typed has been sent, and no run is in progress. */
const waitForEnd = async (
  { backend, screen }: ChatLoopOptions,
  isTerminal: boolean,
  sent: Promise<unknown>,
): Promise<void> => {
  if (isTerminal && backend.isBusy()) screen.hint(waitLine)
  await Promise.all([screen.flush(), sent])
  await backend.idle()
}

/** Leaves a session on a server as it is. */
const leave = async ({ backend, screen }: ChatLoopOptions, isAsking: boolean): Promise<void> => {
  if (backend.isBusy() || isAsking)
    screen.hint(`The session goes on. To come back: sluice attach ${shortId(backend.id)}`)
  await screen.flush()
}

/** How a request was decided that this chat has not answered. */
const resolvedLine = ({ outcome, action, by, message }: EventOf<'approval_resolved'>): string => {
  if (outcome === 'expired' && action === 'allow') return plainLine(message ?? 'It goes on.')
  if (outcome === 'expired') return 'The approval expired: no answer in time.'
  if (outcome !== 'answered') return 'The approval is no longer needed.'
  const who = by === undefined ? 'elsewhere' : `by ${plainLine(by)}`
  return action === 'allow' ? `Allowed ${who}.` : `Denied ${who}.`
}

/** What the line editor works with: the screen, earlier messages, and what Tab offers. */
const sourcesOf = (
  { screen, backend, historyFile, mentions }: ChatLoopOptions,
  { words }: AgentCommands,
): Pick<LineInputOptions, 'terminal' | 'historyFile' | 'completion'> => ({
  terminal: screen.terminal,
  historyFile,
  completion: {
    directory: backend.directory,
    // The agent may list its modes only while it runs.
    mentions: () => [...new Set([...words(), ...mentions.list()])],
  },
})

const startLine = ({ backend }: ChatLoopOptions, { summary }: AgentCommands): string =>
  (backend.readOnly === undefined
    ? [`session ${backend.id}`, ...summary(), helpLine(backend.choices.canSteer)]
    : [`session ${backend.id}`, backend.readOnly, 'Ctrl-C leaves']
  ).join(' · ')

/** Stops the run when the person wants it: its end is then not a failure. */
const createStopping = (backend: ChatBackend) => {
  let wasUsed = false
  let isGoingOn = false

  const stop = async (): Promise<void> => {
    isGoingOn = true
    wasUsed = true
    await backend.abort()
    isGoingOn = false
  }
  return {
    /** Ctrl-C: stops the run, or else the shell commands, or else leaves. */
    interrupt(stopShells: () => boolean, leaveChat: () => void): void {
      const isBusy = backend.isBusy()
      if (!isBusy && stopShells()) return
      // A second Ctrl-C leaves without waiting for the run to stop.
      if (isGoingOn || !isBusy) leaveChat()
      else void stop()
    },
    async stopNow(force: Promise<void>): Promise<void> {
      void force.then(backend.kill)
      if (!(await finishesWithin(backend.abort(), stopMs))) backend.kill()
    },
    isGoingOn: () => isGoingOn,
    wasUsed: () => wasUsed,
    reset(): void {
      wasUsed = false
    },
  }
}

const helpLine = (canSteer: boolean): string =>
  canSteer
    ? String.raw`Enter sends (and steers while the agent works); \ and Enter begin a new line; Alt-Enter queues; Ctrl-C stops the run, then leaves; /help lists more`
    : String.raw`Enter sends (and queues while the agent works); \ and Enter begin a new line; Ctrl-C stops the run, then leaves; /help lists more`
const waitLine = 'The chat ends when the run does. Ctrl-C stops the run.'

interface TypedMessage extends Pick<SentLine, 'text' | 'isFollowUp'> {
  files: ChatFiles
}

/** Sends a message with the files that wait for it. They stay if it is not accepted. */
const sendMessage = async (
  backend: ChatBackend,
  { text, isFollowUp, files: waiting }: TypedMessage,
): Promise<CommandResult> => {
  const files = waiting.take()
  const { canSteer } = backend.choices
  const duringRun = canSteer ? backend.steer : backend.followUp
  const send = isFollowUp ? backend.followUp : backend.isBusy() ? duringRun : backend.prompt
  const result = await send(text, files.length === 0 ? undefined : { files })
  if (result.outcome !== 'accepted') waiting.putBack(files)
  return result
}

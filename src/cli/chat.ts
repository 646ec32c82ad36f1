import { join } from 'node:path'
import type { Client } from '../client/client.ts'
import type { FileToAttach } from '../session/conversation/session.ts'
import { Fault } from '../shared/fault.ts'
import type { ChatBackend } from './chat/chat-backend.ts'
import { createChatLoop } from './chat/chat-loop.ts'
import { showHistory } from './chat/history.ts'
import { type LocalChatOptions, openLocalChat } from './chat/local-chat.ts'
import { createMentions } from './chat/mentions.ts'
import { createScreen, type Screen } from './chat/screen.ts'
import { exitCodes } from './exit.ts'
import { readAttachments } from './read-attachments.ts'
import { openServerSession } from './remote/open-server-session.ts'
import { openServerChat } from './remote/server-chat.ts'
import { onServer, type ServerTarget, serverAt } from './remote/server-target.ts'
import { exitCodeOfSignal, type StopSignals, watchStopSignals } from './signals.ts'
import { startStopDeadline } from './stop-deadline.ts'
import type { Terminal } from './terminal.ts'

export interface ChatOptions extends LocalChatOptions, ServerTarget {
  /** Options that were given and that only the server itself can change. */
  ofServer: readonly string[]
  /** Paths of files that go with the first message. */
  file?: readonly string[]
}

/** `sluice chat`: a loop in the terminal over a live session, here or on a server. */
export const chat = (
  options: ChatOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> =>
  converse(options, terminal, closed, async (screen) => {
    const client = serverAt(options)
    const isStored = options.resume !== undefined || options.continue === true
    const files = await readAttachments(options.file)
    if (!client) return { ...(await openLocalChat(options)), isStored, files }
    refuseServerOptions(options)
    return { backend: await openOnServer(client, options, screen), isStored, files }
  })

/** `sluice attach`: the same over a session that a server runs. Leaving changes nothing there. */
export const attach = (
  options: ServerTarget & { session: string },
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> =>
  converse(options, terminal, closed, async (screen) => {
    const target = { ...options, resume: options.session }
    const client = serverAt(options)
    if (!client) throw noServer(options)
    const backend = await openOnServer(client, target, screen)
    return { backend, isStored: true, isGuest: true }
  })

interface OpenedChat extends Partial<Pick<Awaited<ReturnType<typeof openLocalChat>>, 'sluice'>> {
  backend: ChatBackend
  /** Whether the session has a history to show. */
  isStored: boolean
  isGuest?: boolean
  files?: readonly FileToAttach[]
}

const openOnServer = async (
  client: Client,
  target: ServerTarget & Parameters<typeof openServerSession>[1],
  screen: Screen,
): Promise<ChatBackend> => {
  const session = await openServerSession(client, target)
  const notice = (text: string): void => {
    screen.notice(text)
    void screen.flush()
  }
  return openServerChat({ client, session, notice })
}

const noServer = ({ data, session }: { data: string; session: string }): Fault =>
  new Fault(
    'usage',
    `No server runs on ${data}. To continue the session without one: sluice chat --resume ${session}`,
  )

const refuseServerOptions = ({ ofServer, url, data, acp }: ChatOptions): void => {
  if (acp)
    throw new Fault(
      'usage',
      'A server runs only agents that it knows. Describe this one in its agents.json.',
    )
  const [first] = ofServer
  if (first === undefined) return
  const where = url === undefined ? `A server has ${data} open` : 'The chat is on a server'
  throw new Fault('usage', `${where}, and ${first} is set there. Leave out ${first}.`)
}

const converse = async (
  target: ServerTarget,
  terminal: Terminal,
  closed: AbortSignal,
  open: (screen: Screen) => Promise<OpenedChat>,
): Promise<number> => {
  // First: from here on, every signal must close what is open.
  const signals = watchStopSignals(closed)
  try {
    const screen = createScreen(terminal)
    const historyFile = join(target.data, 'chat-history.jsonl')
    return await onServer(target, async () =>
      runLoop(await open(screen), historyFile, screen, signals),
    )
  } finally {
    signals.stop()
  }
}

const runLoop = async (
  { backend, sluice, isStored, isGuest = false, files = [] }: OpenedChat,
  historyFile: string,
  screen: Screen,
  signals: StopSignals,
): Promise<number> => {
  await backend.offerTrust()
  const mentions = createMentions(isStored ? await showHistory(backend, screen) : [])
  const loop = createChatLoop({ backend, screen, isGuest, historyFile, mentions, files })
  backend.listen((event) => {
    mentions.follow(event)
    loop.show(event)
  })
  await loop.start()
  void signals.first.then(() => startStopDeadline(sluice))
  const signal = await Promise.race([loop.finished(), signals.first])
  // A window that is closed leaves a run on a server as it is.
  const isStopped = signal === 'SIGINT' || (signal !== undefined && !backend.outlivesChat)
  if (isStopped) await loop.stopNow(signals.second)
  loop.close()
  // Closing prints the last events, so it comes before the summary.
  await backend.close()
  screen.end()
  await screen.flush()
  if (signal !== undefined) return exitCodeOfSignal(signal)
  return loop.hasFailed() ? exitCodes.failed : exitCodes.done
}

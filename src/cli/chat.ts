import type { ApprovalPolicy } from '../session/conversation/session.ts'
import { openSluice } from '../sluice/sluice.ts'
import { type Conversation, createConversation } from './chat/conversation.ts'
import { type ChatTarget, openChat } from './chat/open-chat.ts'
import { createScreen } from './chat/screen.ts'
import { exitCodes } from './exit.ts'
import { exitCodeOfSignal, type StopSignals, watchStopSignals } from './signals.ts'
import type { Terminal } from './terminal.ts'

export interface ChatOptions extends ChatTarget {
  approve: ApprovalPolicy
  data: string
}

/** `sluice chat`: a conversation in the terminal over a live session. */
export const chat = async (
  options: ChatOptions,
  terminal: Terminal,
  closed: AbortSignal,
): Promise<number> => {
  // First: from here on, every signal must close what is open.
  const signals = watchStopSignals(closed)
  try {
    return await converse(options, terminal, signals)
  } finally {
    signals.stop()
  }
}

const converse = async (
  options: ChatOptions,
  terminal: Terminal,
  signals: StopSignals,
): Promise<number> => {
  const screen = createScreen(terminal)
  let conversation: Conversation | undefined
  const sluice = await openSluice({
    data: options.data,
    policy: options.approve,
    onEvent: (event) => conversation?.show(event),
  })
  const opened = await openChat(sluice, options).catch(async (cause: unknown) => {
    await sluice.close()
    throw cause
  })
  conversation = createConversation({ ...opened, screen, kill: sluice.kill })
  await conversation.start()
  const signal = await Promise.race([conversation.finished(), signals.first])
  if (signal !== undefined) await conversation.stopNow(signals.second)
  conversation.close()
  // Closing prints the last events, so it comes before the summary.
  await sluice.close()
  screen.end()
  await screen.flush()
  if (signal !== undefined) return exitCodeOfSignal(signal)
  return conversation.hasFailed() ? exitCodes.failed : exitCodes.done
}

import { isAgentName, loadAgent } from '../agents/table.ts'
import type { ApprovalMode } from '../events/types.ts'
import { createAuditor } from '../log/auditor.ts'
import type { SandboxMode } from '../process/sandbox.ts'
import { reasonOf } from '../shared/reason.ts'
import { openSluice } from '../sluice/sluice.ts'
import { type ChatLoop, createChatLoop } from './chat/chat-loop.ts'
import { showHistory } from './chat/history.ts'
import { type ChatTarget, openChat } from './chat/open-chat.ts'
import { createScreen } from './chat/screen.ts'
import { exitCodes } from './exit.ts'
import { sandboxWarning } from './sandbox-line.ts'
import { exitCodeOfSignal, type StopSignals, watchStopSignals } from './signals.ts'
import { startStopDeadline } from './stop-deadline.ts'
import { printError, printRawError, type Terminal } from './terminal.ts'
import { offerTrust } from './trust-question.ts'

export interface ChatOptions extends ChatTarget {
  approve: ApprovalMode
  data: string
  sandbox: SandboxMode
}

/** `sluice chat`: a loop in the terminal over a live session. */
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
  let loop: ChatLoop | undefined
  const sluice = await openSluice({
    data: options.data,
    name: 'terminal',
    policy: options.approve,
    sandbox: options.sandbox,
    onEvent: (event) => loop?.show(event),
  })
  printRawError(sandboxWarning(options.sandbox, sluice.sandbox))
  const opened = await openChat(sluice, options).catch(async (cause: unknown) => {
    await sluice.close()
    throw cause
  })
  const { session, record } = opened
  const { id, cwd } = record
  const recordAction = createAuditor({
    audit: sluice.log.audit,
    program: { kind: 'local', id: 'terminal', name: 'terminal' },
    now: Date.now,
    onError: (cause) => printError(reasonOf(cause)),
  })
  const trusts = await offerTrust(sluice.log, record)
  if (trusts !== undefined)
    recordAction({ action: trusts ? 'trust_given' : 'trust_refused', detail: cwd })
  const agent = isAgentName(record.agent) ? await loadAgent(record.agent) : undefined
  if (options.resume !== undefined) await showHistory(sluice.log, id, screen)
  const rules = sluice.sessions.rules
  loop = createChatLoop({
    ...{ id, session, agent, cwd, screen, rules, kill: sluice.kill },
    recordRule: (action, detail) => recordAction({ action, sessionId: id, detail }),
  })
  await loop.start()
  void signals.first.then(() => startStopDeadline(sluice))
  const signal = await Promise.race([loop.finished(), signals.first])
  if (signal !== undefined) await loop.stopNow(signals.second)
  loop.close()
  // Closing prints the last events, so it comes before the summary.
  await sluice.close()
  screen.end()
  await screen.flush()
  if (signal !== undefined) return exitCodeOfSignal(signal)
  return loop.hasFailed() ? exitCodes.failed : exitCodes.done
}

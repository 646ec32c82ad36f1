import type { StampedEvent } from '../events/envelope.ts'
import type { EventOf } from '../events/event.ts'
import { Fault } from '../events/fault.ts'
import { consoleHandler } from '../handler/console.ts'
import { createOutput, handlerSink } from '../handler/output.ts'
import { createStyle } from '../handler/style.ts'
import type { ApprovalPolicy, Decision } from '../session/approvals.ts'
import type { Asked } from '../session/asked.ts'
import type { Session } from '../session/session.ts'
import { openData } from './data.ts'
import { exitCodes } from './exit.ts'
import { createLineInput } from './line-input.ts'
import { questionOf } from './question.ts'
import type { Terminal } from './terminal.ts'

export interface ChatOptions {
  agent: string
  cwd: string
  approve: ApprovalPolicy
  data: string
  model?: string
  /** The session to go on with. */
  resume?: string
}

/** `sluice chat`: a conversation in the terminal over a live session. */
export const chat = async (options: ChatOptions, terminal: Terminal): Promise<number> => {
  const style = createStyle(terminal.colour())
  const output = createOutput(
    handlerSink(consoleHandler({ write: terminal.write, style })),
    Date.now,
  )
  const asked: EventOf<'approval_request'>[] = []

  const show = (event: StampedEvent) => {
    // What the person typed stands on the screen already.
    if (event.type === 'message_end' && event.message.role === 'user') return
    output.push(event)
    if (event.type === 'approval_request' && options.approve === 'ask') {
      asked.push(event)
      terminal.write(`${questionOf(event)}\n`)
    }
    if (event.type === 'approval_resolved') drop(asked, event.approvalId)
    if (event.type === 'agent_end') void showPrompt()
    else void terminal.flush()
  }

  /** On a line of its own, behind everything that was said. */
  const showPrompt = async (): Promise<void> => {
    terminal.write('\n')
    await terminal.flush()
    input.prompt()
  }

  const { sessions, close } = await openData({
    directory: options.data,
    policy: options.approve,
    publish: show,
  })
  const opened = await openChat(sessions, options).catch(async (cause: unknown) => {
    await close()
    throw cause
  })
  terminal.write(style('dim', `session ${opened.id} · ${helpLine}\n`))
  await terminal.flush()

  const say = async (text: string, isLater: boolean): Promise<void> => {
    const request = asked[0]
    if (request) return decide(opened.session, request, text)
    if (text === '') return input.prompt()
    report(terminal, await send(opened.session, text, isLater))
  }

  /** The run is being stopped: who does not want to wait for that leaves. */
  let isStopping = false
  const stopRun = async (): Promise<void> => {
    isStopping = true
    await opened.session.abort()
    isStopping = false
  }

  const input = createLineInput({
    onLine: (text) => void say(text, false),
    onLater: (text) => void say(text, true),
    onInterrupt() {
      if (isStopping || !opened.session.isBusy()) return input.close()
      void stopRun()
    },
  })
  input.prompt()
  await input.closed
  if (isStopping) sessions.kill()
  else await opened.session.idle()
  // What is still on its way is shown before the summary.
  await close()
  output.end()
  await terminal.flush()
  return exitCodes.done
}

const helpLine =
  'Enter sends, and steers while it works; Alt-Enter queues; Ctrl-C stops, then leaves'

const openChat = async (
  sessions: Awaited<ReturnType<typeof openData>>['sessions'],
  options: ChatOptions,
): Promise<{ id: string; session: Session }> => {
  if (options.resume !== undefined) {
    const session = await sessions.get(options.resume)
    if (!session) throw new Fault('usage', `There is no session ${options.resume}.`)
    return { id: options.resume, session }
  }
  const { agent, cwd, model } = options
  const { record, session } = await sessions.create({
    agent,
    cwd,
    ...(model !== undefined && { model }),
  })
  return { id: record.id, session }
}

const send = (session: Session, text: string, isLater: boolean): Promise<Asked> => {
  if (isLater) return session.followUp(text)
  return session.isBusy() ? session.steer(text) : session.prompt(text)
}

const report = (terminal: Terminal, asked: Asked) => {
  if (asked.outcome === 'accepted') return
  const why = 'error' in asked ? asked.error : asked.outcome
  terminal.write(`✗ ${why}\n`)
  void terminal.flush()
}

const decide = (session: Session, request: EventOf<'approval_request'>, text: string): void => {
  session.answer(request.approvalId, decisionOf(text))
}

const decisionOf = (text: string): Decision => {
  const by = 'person'
  if (text === 'y') return { action: 'allow', by }
  if (text === 'a') return { action: 'allow', remember: 'tool', by }
  return { action: 'deny', by, ...(text !== '' && text !== 'n' && { message: text }) }
}

const drop = (asked: EventOf<'approval_request'>[], approvalId: string): void => {
  const at = asked.findIndex((each) => each.approvalId === approvalId)
  if (at >= 0) asked.splice(at, 1)
}

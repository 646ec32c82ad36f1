import type { EventOf, LoopInfo, StampedEvent } from '../../events/types.ts'
import { plainLine } from '../clean-text.ts'
import { shortId } from '../find-session.ts'
import { createOpenApprovals } from '../open-approvals.ts'
import type { Terminal } from '../terminal.ts'
import { endLine, headLine, iterationLine, unpricedLine, waitLine } from './loop-lines.ts'
import { progressLine } from './progress-bar.ts'

/** What `sluice loop` prints. `lines`: one line per iteration. `events`: every event as JSON. */
export type LoopOut = 'lines' | 'events'

/** Prints a loop as it goes on. */
export interface LoopView {
  /** The loop changed. */
  update(loop: LoopInfo): void
  /** An event of one of its sessions. */
  event(event: StampedEvent): void
  /** The loop is over, or paused. */
  end(loop: LoopInfo): Promise<void>
}

/** How often the bar is drawn again while nothing happens. */
const redrawMs = 1000
const clearLine = '\r\x1b[K'

export const createLoopView = (terminal: Terminal, out: LoopOut): LoopView =>
  out === 'events' ? eventView(terminal) : lineView(terminal)

const eventView = (terminal: Terminal): LoopView => ({
  update(loop) {
    terminal.writeJson({ type: 'loop_updated', loop })
    void terminal.flush()
  },
  event(event) {
    terminal.writeJson(event)
    void terminal.flush()
  },
  end: () => terminal.flush(),
})

const lineView = (terminal: Terminal): LoopView => {
  let printed = 0
  let shown: LoopInfo | undefined
  let waitingUntil: number | undefined
  let unpriced: string | undefined
  const width = () => terminal.size()?.columns ?? 80
  const bar = createBar(terminal, (columns) => shown && progressLine(shown, columns, Date.now()))

  const approvals = createOpenApprovals()

  const print = (text: string): void => {
    bar.clear()
    terminal.write(text)
    void terminal.flush()
  }
  const printNew = (loop: LoopInfo): void => {
    if (!shown) print(headLine(loop, width()))
    shown = loop
    for (const each of loop.iterations) {
      if (each.outcome === undefined || each.iteration <= printed) continue
      printed = each.iteration
      print(iterationLine(each, width()))
    }
    const leftOut = unpricedLine(loop)
    if (leftOut !== undefined && leftOut !== unpriced) print(leftOut)
    unpriced = leftOut
    if (loop.state !== 'waiting' || loop.nextAt === waitingUntil) return
    waitingUntil = loop.nextAt
    if ((loop.nextAt ?? 0) - Date.now() > longWaitMs) print(waitLine(loop))
  }

  return {
    update(loop) {
      printNew(loop)
      bar.draw()
    },
    event(event) {
      approvals.push(event, (request) => print(approvalLine({ ...event, ...request })))
    },
    async end(loop) {
      bar.end()
      approvals.clear()
      printNew(loop)
      terminal.write(endLine(loop))
      await terminal.flush()
    },
  }
}

/** Where a person can answer what an agent waits for. */
const approvalLine = ({
  sessionId,
  kind,
  toolName,
  dialog,
}: StampedEvent & EventOf<'approval_request'>): string => {
  const what = plainLine(toolName ?? dialog?.title ?? `a ${kind}`)
  return `Waiting for approval: ${what}. Answer it with: sluice attach ${shortId(sessionId)}\n`
}

/** Shorter waits are not worth a line. */
const longWaitMs = 5000

/** The last line of the screen, which is drawn again and again. Without a screen, nothing. */
const createBar = (terminal: Terminal, textFor: (columns: number) => string | undefined) => {
  const { stdout } = process
  const isShown = terminal.size() !== undefined && process.env.TERM !== 'dumb'
  let isDrawn = false
  let isOver = false
  const clear = (): void => {
    // Terminal text is cleaned, so the bar is written beside it. It holds only our own words.
    if (isDrawn && !terminal.isClosed()) stdout.write(clearLine)
    isDrawn = false
  }
  const draw = (): void => {
    const size = terminal.size()
    const text = size && textFor(size.columns - 1)
    if (!isShown || isOver || terminal.isClosed() || text === undefined) return
    stdout.write(`${clearLine}${text}`)
    isDrawn = true
  }
  const timer = isShown ? setInterval(draw, redrawMs).unref() : undefined
  return {
    clear,
    draw,
    end(): void {
      isOver = true
      clearInterval(timer)
      clear()
    },
  }
}

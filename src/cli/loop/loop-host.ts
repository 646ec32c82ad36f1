import type { LoopChange } from '../../api/types.ts'
import type {
  LoopInfo,
  LoopLimits,
  LoopSchedule,
  OnExceeded,
  StartOptions,
} from '../../events/types.ts'
import { loopTitle } from '../../loop/loop-title.ts'
import { Fault } from '../../shared/fault.ts'
import { plainLine } from '../clean-text.ts'
import { shortId } from '../find-session.ts'
import type { LoopView } from './loop-view.ts'

/** Where loops run: a server, or this process. */
export interface LoopHost {
  /** Whether loops go on when this program ends. */
  readonly isServer: boolean
  create(loop: WantedLoop): Promise<LoopInfo>
  /** Newest first. */
  list(): Promise<LoopInfo[]>
  change(id: string, change: LoopChange): Promise<LoopInfo>
  /** Pauses after the iteration, or with `abort` at once. */
  pause(id: string, abort: boolean): Promise<LoopInfo>
  resume(id: string): Promise<LoopInfo>
  stop(id: string): Promise<LoopInfo>
  /** Shows a loop until it is paused or done. */
  follow(loop: LoopInfo, view: LoopView): Promise<LoopInfo>
  /**
   * Waits until nothing runs here that another terminal has started. `onWait` is called first if there is
   * something.
   */
  othersDone(onWait: () => void): Promise<void>
  /** Ends everything at once. */
  kill(): void
  close(): Promise<void>
}

/** A loop to start. */
export interface WantedLoop {
  agent: string
  cwd: string
  model?: string
  name?: string
  prompt?: string
  /** An absolute path. */
  promptFile?: string
  promise?: string
  limits: LoopLimits
  schedule?: LoopSchedule
  onExceeded?: OnExceeded
  /** How the agent of each iteration starts. */
  start?: StartOptions
}

/** Whether nothing happens in a loop until somebody resumes it. */
export const isSettled = ({ state }: Pick<LoopInfo, 'state'>): boolean =>
  state === 'done' || state === 'paused'

/** The loop that a person means: by its id, its name, or the beginning of one. */
export const findLoop = (wanted: string, loops: readonly LoopInfo[]): LoopInfo => {
  const text = wanted.trim().toLowerCase()
  const names = (loop: LoopInfo) => [loop.id, loopTitle(loop)].map((each) => each.toLowerCase())
  const isEqual = (loop: LoopInfo) => names(loop).includes(text)
  const isBegun = (loop: LoopInfo) =>
    text.length >= 3 && names(loop).some((each) => each.startsWith(text))
  for (const isMatch of [isEqual, isBegun]) {
    const found = loops.filter(isMatch)
    const [first] = found
    if (first && found.length === 1) return first
    if (first)
      throw new Fault('usage', `“${wanted}” matches ${found.length} loops:${listed(found)}`)
  }
  throw new Fault('usage', `There is no loop ${wanted}. List them with: sluice loop list`)
}

const listed = (loops: readonly LoopInfo[]): string =>
  loops
    .slice(0, 5)
    .map((loop) => `\n  ${loop.id}  ${plainLine(loopTitle(loop))}`)
    .join('')

/** The loop to resume if none is named: the newest that is not done, in this directory if there is one. */
export const lastLoop = (loops: readonly LoopInfo[], cwd: string): LoopInfo => {
  const open = loops.filter(({ state }) => state !== 'done')
  const found = open.find((loop) => loop.cwd === cwd) ?? open[0]
  if (found) return found
  const [last] = loops
  throw new Fault(
    'usage',
    last
      ? `No loop can be resumed: all are done. The last one is ${shortId(last.id)}.`
      : 'There is no loop to resume.',
  )
}

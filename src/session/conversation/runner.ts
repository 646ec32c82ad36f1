import type { PayloadOf } from '../../bus/subjects/table.ts'
import type { StopOptions } from '../../process/spawn.ts'
import { finishesWithin } from '../../shared/finishes-within.ts'
import type { Driver } from './driver.ts'

/** Why no agent works for a session any more. */
export type EndReason = PayloadOf<'session.ended'>['reason']

export interface RunnerOptions {
  /** Starts a process; it tells when that has ended, and how if that was an accident. */
  start(onExit: (errorMessage: string | undefined) => void): Promise<Driver>
  /** The process has ended; what it left open has been settled. */
  onEnd(reason: EndReason, errorMessage: string | undefined): void
}

/** How long an agent may take to end by itself when it gets no more input. */
const leaveMs = 2000

/** The process of one session: started when it is needed, one at a time, ended for a reason. */
export const createRunner = ({ start, onEnd }: RunnerOptions) => {
  let driver: Driver | undefined
  let starting: Promise<Driver> | undefined
  let wanted: EndReason | undefined

  const launch = async (): Promise<Driver> => {
    let isOver = false
    const started = await start((errorMessage) => {
      isOver = true
      driver = undefined
      const reason = wanted ?? 'agent_gone'
      wanted = undefined
      onEnd(reason, reason === 'agent_gone' ? errorMessage : undefined)
    })
    if (!isOver) driver = started
    return started
  }

  /** One that is being ended would take what it is given along with it. */
  const startAnew = async (): Promise<Driver> => {
    await driver?.done
    return launch()
  }

  /** The process that lives, or is about to. */
  const current = async (): Promise<Driver | undefined> => {
    await starting?.catch(() => {})
    return driver
  }

  return {
    driver: () => driver,
    isAlive: () => driver !== undefined || starting !== undefined,
    ensure(): Promise<Driver> {
      if (driver && wanted === undefined) return Promise.resolve(driver)
      starting ??= startAnew().finally(() => {
        starting = undefined
      })
      return starting
    },
    /** Lets it end by itself; ends it if it does not. */
    async end(reason: EndReason): Promise<void> {
      const live = await current()
      if (!live) return
      wanted ??= reason
      live.finish()
      const isGone = await finishesWithin(live.done, leaveMs)
      if (!isGone) await live.stop({ signals: ['SIGTERM', 'SIGKILL'] })
      await live.done
    },
    /** At once; its end is told as always. */
    killNow(reason: EndReason): void {
      if (!driver) return
      wanted ??= reason
      driver.kill()
    },
    /** Ends it by signals. */
    async kill(reason: EndReason, how: StopOptions): Promise<void> {
      const live = await current()
      if (!live) return
      wanted ??= reason
      await live.stop(how)
      await live.done
    },
  }
}
export type Runner = ReturnType<typeof createRunner>

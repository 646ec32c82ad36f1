import type { Server } from 'node:http'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { StampedEvent } from '../../src/events/types.ts'
import { type Job, printFigures } from './job.ts'
import { listen } from './load-progress.ts'

const words = 'the quick brown fox jumps over the lazy dog and then it reads the whole file again'

/** An event of about 200 bytes as a frame. Its `messageId` is the time of its creation in ns. */
export const eventOf = (seq: number): StampedEvent => ({
  type: 'message_update',
  messageId: `t${process.hrtime.bigint()}`,
  assistantMessageEvent: {
    type: 'text_delta',
    contentIndex: 0,
    delta: words.slice(seq % 40, (seq % 40) + 20),
  },
  sessionId: 's',
  seq,
  timestamp: 1_760_000_000_000,
})

/** Publishes the events of a job at its pace, and prints what that cost. */
export const produce = async (
  server: Server,
  job: Job,
  publish: (first: number, count: number) => unknown,
): Promise<void> => {
  const progress = await listen(server, job.events)
  await progress.until(0)
  let before = process.cpuUsage()
  let nextAt = performance.now()
  let isWarm = false
  for (let seq = 1; seq <= job.events; seq += job.perTurn) {
    if (!isWarm && seq > job.warmUp) {
      if (!job.isUnreported) await progress.until(seq - 1)
      before = process.cpuUsage()
      nextAt = performance.now()
      isWarm = true
    }
    await publish(seq, Math.min(job.perTurn, job.events - seq + 1))
    await nextTurn()
    if (!job.isUnreported) await progress.until(seq + job.perTurn - 1 - job.window)
    if (job.perSecond === 0) continue
    nextAt += (1000 / job.perSecond) * job.perTurn
    await pause(Math.max(0, nextAt - performance.now()))
  }
  if (!job.isUnreported) await progress.until(job.events)
  const { user, system } = process.cpuUsage(before)
  printFigures({ cpuMs: (user + system) / 1000 })
}

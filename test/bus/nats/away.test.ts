import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type BusReport, PiSdkSubjects } from '../../../src/bus/index.ts'
import { openNatsBus } from '../../../src/bus/nats/nats-bus.ts'
import { type NatsCluster, natsMissing, startNats } from '../../support/nats-server.ts'
import { approvalRequest, delta } from '../contract/support.ts'

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: the bus while NATS is away: ${missing}`)

describe.skipIf(missing !== undefined)('while NATS is away', () => {
  let nats: NatsCluster
  beforeAll(async () => {
    nats = await startNats()
  })
  afterAll(() => nats.stop())

  test('the own process is served, losses are reported once, and it goes on afterwards', async () => {
    const reports: BusReport[] = []
    const open = (onError: (report: BusReport) => void = () => {}) =>
      openNatsBus({ servers: nats.urls, onError })
    const [bus, other] = await Promise.all([open((each) => void reports.push(each)), open()])
    onTestFinished(async () => {
      await Promise.all([bus.close(), other.close()])
    })
    const lost = () => reports.filter(({ code }) => code === 'not_sent')
    const seen: string[] = []
    const elsewhere: string[] = []
    bus.on(PiSdkSubjects.text_delta, ({ payload }) => void seen.push(payload.delta))
    other.on(PiSdkSubjects.text_delta, ({ payload }) => void elsewhere.push(payload.delta))

    await nats.servers[0]?.signal('SIGKILL')
    await expect
      .poll(() => {
        bus.emit(PiSdkSubjects.text_delta, delta('away'))
        return lost()
      })
      .toMatchObject([{ reason: 'disconnected' }])
    bus.emit(PiSdkSubjects.text_delta, delta('away too'))
    await expect.poll(() => seen.at(-1)).toBe('away too')
    expect(await bus.request(PiSdkSubjects.tool_approval, approvalRequest)).toEqual({
      outcome: 'no_responder',
    })
    const undo = bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'allow' }))
    expect(await bus.request(PiSdkSubjects.tool_approval, approvalRequest)).toEqual({
      outcome: 'answered',
      value: { action: 'allow' },
    })
    undo()
    expect(lost()).toHaveLength(1)

    await nats.servers[0]?.restart()
    await expect
      .poll(
        () => {
          bus.emit(PiSdkSubjects.text_delta, delta('back'))
          return elsewhere.at(-1)
        },
        { timeout: 10_000 },
      )
      .toBe('back')
    expect(elsewhere).not.toContain('away too')
  })

  test('a bus waits for a server that starts late', async () => {
    await nats.servers[0]?.signal('SIGKILL')
    const opening = openNatsBus({ servers: nats.urls, onError: () => {} })
    await expect(connect({ servers: [...nats.urls] })).rejects.toThrow()
    await nats.servers[0]?.restart()
    const bus = await opening
    await bus.close()
  })
})

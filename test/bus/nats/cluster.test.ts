import { headers } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { AgentSubjects, type Bus, type BusReport, PiSdkSubjects } from '../../../src/bus/index.ts'
import { openNatsBus } from '../../../src/bus/nats/nats-bus.ts'
import { requestToolApproval } from '../../../src/bus/request-approval.ts'
import { type NatsCluster, natsMissing, startNats } from '../../support/nats-server.ts'
import { approvalRequest as anonymousRequest, delta, neverRespond } from '../contract/support.ts'
import { connectBare } from './bare-client.ts'

const approvalRequest = { ...anonymousRequest, sessionId: 'session' }

const missing = natsMissing()
if (missing !== undefined) console.log(`skipped: the bus between NATS servers: ${missing}`)

describe.skipIf(missing !== undefined)('two buses on two servers', () => {
  let nats: NatsCluster
  let count = 0
  beforeAll(async () => {
    nats = await startNats(2)
  })
  afterAll(() => nats.stop())

  const open = async () => {
    count += 1
    const tenant = `t${count}`
    const buses = await Promise.all(
      nats.urls.map(async (url) => {
        const reports: BusReport[] = []
        const onError = (report: BusReport) => void reports.push(report)
        const bus = await openNatsBus({ servers: [url], tenant, onError })
        onTestFinished(() => bus.close())
        return { bus, reports }
      }),
    )
    const [one, two] = buses
    if (!one || !two) throw new Error('There are two servers.')
    return { tenant, one, two }
  }
  const connect = () => connectBare(nats.urls[1] ?? '')

  /** Emits until the subscription is known on both servers. */
  const emitUntil = async (bus: Bus, isSeen: () => boolean) =>
    expect
      .poll(() => {
        bus.emit(PiSdkSubjects.text_delta, delta('first'))
        return isSeen()
      })
      .toBe(true)

  test('messages arrive in order, once, with wildcards', async () => {
    const { one, two } = await open()
    const seen: string[] = []
    two.bus.on('adapter:piSdk.*', ({ payload }) => void seen.push(payload.sessionId ?? ''))
    await emitUntil(one.bus, () => seen.length > 0)
    const words = Array.from({ length: 200 }, (_, at) => String(at))
    for (const word of words) one.bus.emit(PiSdkSubjects.text_delta, delta(word))
    await expect.poll(() => seen.filter((word) => word !== 'first')).toEqual(words)
  })

  test('a subject is wanted while another process is subscribed to it', async () => {
    const { one, two } = await open()
    expect(one.bus.isWanted(PiSdkSubjects['sdk.event'])).toBe(false)
    two.bus.on('*.sdk.event', () => {})
    await expect
      .poll(() => one.bus.isWanted(PiSdkSubjects['sdk.event']), { timeout: 8000 })
      .toBe(true)
    expect(one.bus.isWanted(PiSdkSubjects.text_delta)).toBe(false)
  })

  test('a slow subscriber on another node is ended', async () => {
    const { one, two } = await open()
    const ended = Promise.withResolvers<string>()
    let isReached = false
    two.bus.on(
      PiSdkSubjects.text_delta,
      () => {
        isReached = true
        return new Promise(() => {})
      },
      { limit: 3, onEnd: ended.resolve },
    )
    await emitUntil(one.bus, () => isReached)
    for (const word of ['1', '2', '3', '4', '5'])
      one.bus.emit(PiSdkSubjects.text_delta, delta(word))
    expect(await ended.promise).toBe('slow_subscriber')
  })

  test('requests end with the outcomes of the local bus', async () => {
    const { one, two } = await open()
    const request = (deadlineMs = 5000) =>
      one.bus.request(PiSdkSubjects.tool_approval, approvalRequest, { deadlineMs })
    expect(await request()).toEqual({ outcome: 'no_responder' })
    // A program that watches messages does not count as a responder.
    two.bus.on('>', () => {})
    expect(await request()).toEqual({ outcome: 'no_responder' })

    let undo = two.bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'allow' }))
    await expect.poll(() => request()).toEqual({ outcome: 'answered', value: { action: 'allow' } })
    undo()
    undo = two.bus.respond(PiSdkSubjects.tool_approval, () => {
      throw new Error('no idea – weiß nicht')
    })
    await expect
      .poll(() => request())
      .toEqual({ outcome: 'failed', message: 'no idea – weiß nicht' })
    expect(two.reports).toContainEqual(expect.objectContaining({ code: 'responder_failed' }))
    undo()
    const reason = neverRespond(two.bus)
    await expect.poll(() => request(100)).toEqual({ outcome: 'timed_out' })
    expect(await reason).toBe('timed_out')
  })

  test('a responder learns that the requester has stopped waiting', async () => {
    const { one, two } = await open()
    let isStarted = false
    const reason = new Promise<unknown>((resolve) => {
      two.bus.respond(PiSdkSubjects.tool_approval, (_, { signal }) => {
        isStarted = true
        signal.addEventListener('abort', () => resolve(signal.reason))
        return new Promise(() => {})
      })
    })
    const replies: unknown[] = []
    await expect
      .poll(() => {
        void one.bus
          .request(PiSdkSubjects.tool_approval, approvalRequest)
          .then((reply) => replies.push(reply))
        return isStarted
      })
      .toBe(true)
    await one.bus.close()
    expect(replies).toContainEqual({ outcome: 'closed' })
    expect(await reason).toBe('closed')
  })

  test('a responder that closes fails the requests that wait for it', async () => {
    const { one, two } = await open()
    let isAsked = false
    two.bus.respond(PiSdkSubjects.tool_approval, () => {
      isAsked = true
      return new Promise(() => {})
    })
    const replies: unknown[] = []
    await expect
      .poll(() => {
        void one.bus
          .request(PiSdkSubjects.tool_approval, approvalRequest)
          .then((reply) => replies.push(reply))
        return isAsked
      })
      .toBe(true)
    await two.bus.close()
    await expect
      .poll(() => replies)
      .toContainEqual({ outcome: 'failed', message: 'The responder has closed.' })
  })

  test('each request has one responder, the own one first', async () => {
    const { one, two } = await open()
    for (const [name, { bus }] of Object.entries({ one, two }))
      bus.respond(PiSdkSubjects.tool_approval, () => ({ action: 'allow', message: name }))
    for (const [name, { bus }] of Object.entries({ one, two }))
      expect(await bus.request(PiSdkSubjects.tool_approval, approvalRequest)).toMatchObject({
        value: { message: name },
      })
  })

  test('any NATS client reads messages', async () => {
    const { one, tenant } = await open()
    const client = await connect()
    const seen: unknown[] = []
    client.subscribe(`sluice.${tenant}.bus.>`, {
      callback: (_, message) => void seen.push([message.subject, message.json()]),
    })
    await emitUntil(one.bus, () => seen.length > 0)
    expect(seen[0]).toEqual([`sluice.${tenant}.bus.adapter:piSdk.text_delta`, delta('first')])
  })

  test('any NATS client responds to an approval', async () => {
    const { one, tenant } = await open()
    const client = await connect()
    const asked: unknown[] = []
    client.subscribe(`sluice.${tenant}.rpc.agent.toolApprove`, {
      queue: 'sluice',
      callback(_, message) {
        asked.push(message.json())
        message.respond(JSON.stringify({ action: 'deny', message: 'not on a Friday' }))
      },
    })
    await expect
      .poll(() => requestToolApproval(one.bus, PiSdkSubjects.tool_approval, approvalRequest, {}))
      .toEqual({ outcome: 'answered', value: { action: 'deny', message: 'not on a Friday' } })
    expect(asked[0]).toEqual(approvalRequest)
  })

  test('any NATS client requests an approval, and learns why it failed', async () => {
    const { one, tenant } = await open()
    const client = await connect()
    one.bus.respond(AgentSubjects.toolApprove, ({ toolName }) => {
      if (toolName === 'rm') throw new Error('out of order')
      return { action: 'allow' }
    })
    const request = async (payload: unknown) => {
      const reply = await client.request(
        `sluice.${tenant}.rpc.agent.toolApprove`,
        JSON.stringify(payload),
        { timeout: 2000, headers: headers() },
      )
      return [reply.headers?.get('Nats-Service-Error-Code') ?? '', reply.json()]
    }
    await expect
      .poll(() => request(approvalRequest).catch(() => undefined))
      .toEqual(['', { action: 'allow' }])
    expect(await request({ ...approvalRequest, toolName: 'rm' })).toEqual([
      '500',
      { error: 'out of order' },
    ])
    const [code, body] = await request({ toolName: 7 })
    expect(code).toBe('400')
    expect(body).toEqual({ error: expect.stringContaining('Invalid request on agent.toolApprove') })
    expect(one.reports.map((report) => report.code)).toEqual([
      'responder_failed',
      'invalid_message',
    ])
  })

  test('invalid messages of another program are reported, not delivered', async () => {
    const { one, two, tenant } = await open()
    const client = await connect()
    const seen: unknown[] = []
    two.bus.on('adapter:piSdk.>', ({ payload }) => void seen.push(payload))
    await emitUntil(one.bus, () => seen.length > 0)
    for (const body of ['no JSON', '', '{"delta":7}'])
      client.publish(`sluice.${tenant}.bus.adapter:piSdk.text_delta`, body)
    client.publish(`sluice.${tenant}.bus.adapter:piSdk.nothing`, '{}')
    client.publish(`sluice.${tenant}.interest`, 'no JSON')
    await expect
      .poll(() => two.reports.map((report) => report.code))
      .toEqual(['invalid_message', 'invalid_message', 'invalid_message'])
    expect(seen).not.toContainEqual({ delta: 7 })

    client.subscribe(`sluice.${tenant}.rpc.agent.toolApprove`, {
      callback: (_, message) => void message.respond('{"action":"perhaps"}'),
    })
    await expect
      .poll(() => one.bus.request(AgentSubjects.toolApprove, approvalRequest))
      .toMatchObject({ outcome: 'failed', message: expect.stringContaining('Invalid response') })
  })

  test('a message that is too large stays in this process, and that is reported', async () => {
    const { one, two } = await open()
    const own: number[] = []
    const other: number[] = []
    one.bus.on(PiSdkSubjects.text_delta, ({ payload }) => void own.push(payload.delta.length))
    two.bus.on(PiSdkSubjects.text_delta, ({ payload }) => void other.push(payload.delta.length))
    await emitUntil(one.bus, () => other.length > 0)
    one.bus.emit(PiSdkSubjects.text_delta, delta('x'.repeat(1_100_000)))
    await expect
      .poll(() => one.reports)
      .toEqual([{ code: 'not_sent', subject: expect.any(String), reason: 'too_large' }])
    one.bus.emit(PiSdkSubjects.text_delta, delta('last one'))
    await expect.poll(() => other.at(-1)).toBe('last one'.length)
    expect(Math.max(...own)).toBeGreaterThan(1_000_000)
    expect(Math.max(...other)).toBeLessThan(100)
  })
})

import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { startLocalServer } from '../support/local-server.ts'
import { root } from '../support/sluice.ts'
import { decisionIn, openHookRig, outcomeOf, request, startHook } from './hook-rig.ts'
import { openTerminalServer } from './terminal-server.ts'

describe('the socket of the hooks', () => {
  /** Sends bytes and returns the reply, when the server has closed the connection. */
  const send = (data: string, bytes: string | Buffer): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const socket = connect(join(data, 'hooks.sock'))
    let reply = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      reply += text
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(reply))
    socket.write(bytes)
    return promise
  }
  /** Sends bytes, and resolves when the server has accepted them. */
  const accepted = async (data: string, bytes: string): Promise<void> => {
    const socket = connect(join(data, 'hooks.sock'))
    onTestFinished(() => void socket.destroy())
    socket.write(bytes)
    await once(socket, 'data')
  }
  const head = (length: number, more: object = {}) =>
    `${JSON.stringify({ agent: 'claude', scope: 'user', pid: 1, length, ...more })}\n`
  const framed = (body: string, more: object = {}) => head(Buffer.byteLength(body), more) + body

  test('takes the same question of two settings files as one, and answers both', async () => {
    const { data, server, hook, first } = await openHookRig()
    const { done } = hook(request)
    const { approvalId, hash } = await first()
    const socket = connect(join(data, 'hooks.sock'))
    const replies = createInterface({ input: socket })[Symbol.asyncIterator]()
    socket.write(framed(JSON.stringify(request), { scope: 'project' }))
    // It is accepted, and asks nothing new.
    await replies.next()
    await first()
    await server.client.approvals.answer(approvalId, { action: 'deny', hash, message: 'No.' })
    const decision = { behavior: 'deny', message: 'No.' }
    expect(decisionIn((await done).stdout)).toEqual(decision)
    let reply: { output?: string } = {}
    while (reply.output === undefined) reply = JSON.parse((await replies.next()).value ?? '')
    expect(decisionIn(reply.output)).toEqual(decision)
    socket.destroy()
  })

  test('is private', async () => {
    const { data } = await openHookRig()
    expect(statSync(join(data, 'hooks.sock')).mode & 0o777).toBe(0o600)
    expect(statSync(data).mode & 0o777).toBe(0o700)
  })

  test.each([
    ['no JSON', 'hello\n'],
    ['an agent that there is none of', head(2, { agent: 'constructor' })],
    ['a first line without end', 'x'.repeat(5000)],
    ['too much', head(17 * 1024 * 1024)],
    ['a length that is none', head(-1)],
  ])('closes the connection for %s', async (_, bytes) => {
    const { data } = await openHookRig()
    expect(await send(data, bytes)).toBe('')
  })

  test.each([
    ['garbage', 'not json'],
    ['another shape', '[]'],
    [
      'an id with a line break',
      JSON.stringify({ ...request, session_id: 'a\nb', transcript_path: '/a\nb.jsonl' }),
    ],
    ['a relative directory', JSON.stringify({ ...request, cwd: 'here' })],
    [
      'arguments nested too deeply',
      `{"session_id":"a","transcript_path":"/a.jsonl","cwd":"/","hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":${'['.repeat(3000)}${']'.repeat(3000)}}`,
    ],
  ])('asks nobody about %s, and goes on', async (_, body) => {
    const { data, pending, hook, first } = await openHookRig()
    expect(await send(data, framed(body))).toBe('{}\n')
    await pending(0)
    hook(request)
    await first()
  })

  test('cannot answer, whatever is sent', async () => {
    const { server, data, hook, first } = await openHookRig()
    hook(request)
    const { approvalId, sessionId } = await first()
    for (const body of [
      { ...request, approvalId, action: 'allow' },
      { approvalId, action: 'allow', type: 'answer' },
      { output: '{}', hookSpecificOutput: { decision: { behavior: 'allow' } } },
    ])
      void send(data, framed(JSON.stringify(body)))
    await eventually(async () =>
      expect((await server.client.approvals.list()).length).toBeGreaterThan(1),
    )
    const { events } = await server.client.sessions.events(sessionId)
    expect(events.some(({ type }) => type === 'approval_resolved')).toBe(false)
  })

  test('closes what a server that was killed has left open', async () => {
    const { data, stop, pending, outcomeOf } = await openTerminalServer({}, root)
    startHook({ input: request, data })
    const open = await pending()
    const start = await stop('SIGKILL')
    await start()
    expect(await outcomeOf(open)).toEqual({ action: 'deny', outcome: 'cancelled', by: 'sluice' })
  })

  test('serves hooks again after a thousand connections that send nothing', async () => {
    const { data, hook, first } = await openHookRig()
    const idle = Array.from({ length: 1000 }, () => {
      const socket = connect(join(data, 'hooks.sock'))
      socket.on('error', () => {})
      return new Promise<void>((resolve) => void socket.on('close', () => resolve()))
    })
    await Promise.all(idle)
    hook(request)
    await first()
  })

  test('gives a message that is never complete no more than some seconds', async () => {
    const { data } = await openHookRig()
    const before = Date.now()
    expect(await send(data, `${head(16 * 1024 * 1024)}${'x'.repeat(100_000)}`)).toBe('')
    expect(Date.now() - before).toBeLessThan(20_000)
  })

  test('of messages that are too large at once, closes the last ones', async () => {
    const { data, hook, first } = await openHookRig()
    const large = head(16 * 1024 * 1024) + 'x'.repeat(15 * 1024 * 1024)
    expect(await Promise.all(Array.from({ length: 6 }, () => send(data, large)))).toEqual(
      Array(6).fill(''),
    )
    hook(request)
    await first()
  })

  test('takes the same question twice for one, and a replayed one for a new one', async () => {
    const { server, data, first, pending } = await openHookRig()
    const asked = JSON.stringify({ ...request, tool_use_id: 'toolu_1' })
    void send(data, framed(asked))
    const question = await first()
    await accepted(data, framed(asked, { scope: 'project' }))
    expect(await pending(1)).toEqual([question])
    const { approvalId, hash } = question
    await server.client.approvals.answer(approvalId, { action: 'allow', hash })
    await pending(0)
    void send(data, framed(asked))
    expect((await first()).approvalId).not.toBe(approvalId)
  })

  test('closes what an earlier server has left open', async () => {
    const { server, data, hook, first } = await openHookRig()
    hook(request)
    const approval = await first()
    expect(existsSync(join(data, 'hooks.sock'))).toBe(true)
    await server.close()
    const again = await startLocalServer({ directory: server.root })
    onTestFinished(again.close)
    expect(await outcomeOf(again, approval)).toMatchObject({ outcome: 'cancelled' })
    expect(await again.client.approvals.list()).toEqual([])
  })
})

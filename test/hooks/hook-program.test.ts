import { appendFileSync, chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import {
  begun,
  call,
  decisionIn,
  inputOf,
  openHookRig,
  outcomeOf,
  request,
  session,
  startHook,
} from './hook-rig.ts'

describe('the hook of an agent', () => {
  test('asks, and prints what a person decides', async () => {
    const { server, hook, first } = await openHookRig()
    await hook(begun).done
    const { done } = hook(request)
    const approval = await first()
    expect(approval).toMatchObject({
      toolName: 'Bash',
      toolCallId: 'toolu_1',
      args: call.tool_input,
    })
    expect(approval.deadline).toBeUndefined()
    const { approvalId, hash } = approval
    await server.client.approvals.answer(approvalId, { action: 'allow', hash })
    expect(decisionIn((await done).stdout)).toEqual({ behavior: 'allow' })
    const watched = await server.client.sessions.get(approval.sessionId)
    expect(watched).toMatchObject({ agent: 'claude', watched: { nativeId: session } })
    const { entries } = await server.client.audit.list({ action: 'approval_allowed' })
    expect(entries[0]?.detail).toContain('Bash')
  })

  test.each([
    [
      'the call has ended',
      inputOf('PostToolUse', { ...call, tool_use_id: 'toolu_1' }),
      'allow',
      'answered',
    ],
    [
      'the call has failed',
      inputOf('PostToolUseFailure', { ...call, tool_use_id: 'toolu_1' }),
      'allow',
      'answered',
    ],
    ['the agent has stopped', inputOf('Stop'), 'deny', 'cancelled'],
    ['the session has ended', inputOf('SessionEnd'), 'deny', 'agent_gone'],
  ])('is withdrawn when %s', async (_, report, action, outcome) => {
    const { server, hook, first } = await openHookRig()
    await hook(begun).done
    const { done } = hook(request)
    const approval = await first()
    await hook(report).done
    expect(await outcomeOf(server, approval)).toMatchObject({ action, outcome })
    expect(await done).toMatchObject({ code: 0, stdout: '' })
  })

  test('is withdrawn when the session file has a refusal, which fires no hook', async () => {
    const { server, data, hook, first } = await openHookRig()
    const file = join(data, `${session}.jsonl`)
    writeFileSync(file, '{"type":"user"}\n')
    await hook(begun).done
    const { done } = hook({ ...request, transcript_path: file })
    const approval = await first()
    const content = [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true }]
    const line = { type: 'user', message: { content }, toolDenialKind: 'user-rejected' }
    appendFileSync(file, `${JSON.stringify(line)}\n`)
    expect(await outcomeOf(server, approval)).toEqual({
      action: 'deny',
      outcome: 'answered',
      by: 'terminal',
    })
    expect((await done).stdout).toBe('')
  })

  test('that is killed takes its question with it', async () => {
    const { server, hook, first } = await openHookRig()
    const { child } = hook(request)
    const approval = await first()
    child.kill('SIGKILL')
    expect(await outcomeOf(server, approval)).toMatchObject({ outcome: 'cancelled' })
    const { approvalId, hash } = approval
    await expect(
      server.client.approvals.answer(approvalId, { action: 'allow', hash }),
    ).rejects.toMatchObject({ status: 410 })
  })

  test('of a session of Sluice asks nothing', async () => {
    const { hook, pending } = await openHookRig()
    const { done } = hook(request, { env: { AGENT_PROCESS_TAG: '1' } })
    expect(await done).toMatchObject({ code: 0, stdout: '' })
    await pending(0)
  })

  test('of Codex waits half a minute only, since the terminal asks after it', async () => {
    const { server, hook, first } = await openHookRig()
    const { done } = hook({ ...request, tool_use_id: 'call_1' }, { agent: 'codex' })
    const approval = await first()
    expect(approval.toolCallId).toBe('call_1')
    expect(approval.deadline).toBeLessThan(Date.now() + 30_000)
    const { approvalId, hash } = approval
    await server.client.approvals.answer(approvalId, { action: 'deny', hash })
    expect(decisionIn((await done).stdout)).toEqual({ behavior: 'deny', message: 'Denied.' })
  })

  test('that cannot ask only reports', async () => {
    const { server, hook, pending } = await openHookRig()
    const input = inputOf('BeforeAgent', { prompt: 'hello' })
    expect(await hook(input, { agent: 'gemini' }).done).toMatchObject({ code: 0, stdout: '' })
    await eventually(async () => {
      const [found] = (await server.client.sessions.list()).sessions
      expect(found).toMatchObject({ agent: 'gemini', watched: { nativeId: session } })
    })
    await pending(0)
  })

  test('prints nothing and ends at once without a server', async () => {
    const { server, data, hook, first } = await openHookRig()
    const { done } = hook(request)
    await first()
    await server.close()
    expect(await done).toMatchObject({ code: 0, stdout: '' })
    expect(await startHook({ input: request, data }).done).toMatchObject({ code: 0, stdout: '' })
    const nowhere = await startHook({ input: request, data: '/nowhere/at/all' }).done
    expect(nowhere).toMatchObject({ code: 0, stdout: '' })
  })

  test('believes nobody in a directory that others can write to', async () => {
    const data = mkdtempSync(join(tmpdir(), 'sluice-open-'))
    const output = JSON.stringify({ hookSpecificOutput: { decision: { behavior: 'allow' } } })
    const liar = createServer((socket) => void socket.end(`{}\n${JSON.stringify({ output })}\n`))
    await new Promise<void>((resolve) => liar.listen(join(data, 'hooks.sock'), resolve))
    onTestFinished(() => {
      liar.close()
      rmSync(data, { recursive: true })
    })
    expect((await startHook({ input: request, data }).done).stdout).toBe(output)
    chmodSync(data, 0o777)
    const { code, stdout } = await startHook({ input: request, data }).done
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  })

  test('gives up on a server that accepts and says nothing', async () => {
    const data = mkdtempSync(join(tmpdir(), 'sluice-hung-'))
    const hung = createServer((socket) => void socket.resume())
    await new Promise<void>((resolve) => hung.listen(join(data, 'hooks.sock'), resolve))
    onTestFinished(() => {
      hung.close()
      rmSync(data, { recursive: true })
    })
    const { code, stdout, ms } = await startHook({ input: request, data }).done
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(ms).toBeLessThan(10_000)
  })
})

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { pairedBrowser } from '../../../src/api/browser.ts'
import { eventually } from '../../support/eventually.ts'
import {
  type LocalServer,
  readProblem,
  startLocalServer,
  waitForRunEnd,
} from '../../support/local-server.ts'

/** Speaks as Claude Code: requests permission with a fixed id, and stores the answer. */
const agentScript = `#!${process.execPath}
const { createInterface } = require('node:readline')
const { writeFileSync, readFileSync } = require('node:fs')
if (process.argv.includes('--version')) { console.log('2.1.112'); process.exit() }
const print = (line) => process.stdout.write(JSON.stringify(line) + '\\n')
createInterface({ input: process.stdin }).on('line', (text) => {
  const line = JSON.parse(text)
  if (line.type === 'user') {
    const [tool_name, input, permission_suggestions] = JSON.parse(line.message.content[0].text)
    print({ type: 'system', subtype: 'init', session_id: 'native', tools: [] })
    const request = { subtype: 'can_use_tool', tool_name, input, permission_suggestions, tool_use_id: 'same-call' }
    print({ type: 'control_request', request_id: 'same-id', request })
  }
  if (line.type === 'control_response') {
    writeFileSync('reply.json', JSON.stringify(line.response))
    print({ type: 'result', subtype: 'success', is_error: false, result: 'done' })
  }
})
`

describe('approvals of agents that use the same ids', () => {
  let server: LocalServer
  beforeAll(async () => {
    server = await startLocalServer()
    const program = join(server.root, 'agent')
    writeFileSync(program, agentScript, { mode: 0o755 })
    vi.stubEnv('CLAUDE_BIN', program)
  })
  afterAll(async () => {
    await server.close()
    server.remove()
    vi.unstubAllEnvs()
  })

  /** A session in its own directory whose agent waits for an approval. */
  const request = async (name: string, toolName: string, input: object, suggestions?: object[]) => {
    const { client, home } = server
    const path = join(home, name)
    mkdirSync(path)
    const project = await client.projects.create({ name, path })
    const { id } = await client.sessions.create({ projectId: project.id, agent: 'claude' })
    await client.sessions.prompt(id, JSON.stringify([toolName, input, suggestions]))
    await eventually(async () => {
      expect(await client.approvals.list({ sessionId: id })).toHaveLength(1)
    })
    const [approval] = await client.approvals.list({ sessionId: id })
    if (!approval) throw new Error('no approval')
    return { id, path, approval, reply: join(path, 'reply.json') }
  }

  test('an answer for one session never reaches the other', async () => {
    const first = await request('first', 'Bash', { command: 'rm -rf /' })
    const second = await request('second', 'Bash', { command: 'ls' })
    expect(first.approval.approvalId).not.toBe(second.approval.approvalId)
    await server.client.approvals.answer(second.approval.approvalId, {
      action: 'allow',
      hash: second.approval.hash ?? '',
    })
    await eventually(() =>
      expect(JSON.parse(readFileSync(second.reply, 'utf8'))).toMatchObject({
        request_id: 'same-id',
        response: { behavior: 'allow', updatedInput: { command: 'ls' } },
      }),
    )
    expect(existsSync(first.reply)).toBe(false)
    expect(await server.client.approvals.list({ sessionId: first.id })).toHaveLength(1)
    const crossed = { action: 'allow', hash: second.approval.hash }
    const path = `/approvals/${first.approval.approvalId}`
    expect(await readProblem(server.api(path, { method: 'POST', body: crossed }))).toMatchObject({
      code: 'approval_changed',
    })
    expect(await readProblem(server.api('/approvals/same-id/preview'))).toMatchObject({
      code: 'unknown_approval',
    })
  })

  test('a choice must be one that the agent offers, and it reaches the agent', async () => {
    const { approval, reply } = await request('choice', 'Bash', { command: 'ls' })
    const answer = (body: object) =>
      server.api(`/approvals/${approval.approvalId}`, { method: 'POST', body })
    for (const body of [
      { action: 'deny', optionId: 'other' },
      { action: 'allow', optionId: 'deny-and-stop' },
    ])
      expect(await readProblem(answer(body))).toMatchObject({ status: 422, code: 'invalid' })
    expect((await answer({ action: 'deny', optionId: 'deny-and-stop' })).status).toBe(200)
    await eventually(() =>
      expect(JSON.parse(readFileSync(reply, 'utf8'))).toMatchObject({
        response: { behavior: 'deny', interrupt: true },
      }),
    )
  })

  test('a choice that holds for good needs a key for the whole project', async () => {
    const rule = {
      ...{ type: 'addRules', behavior: 'allow', destination: 'localSettings' },
      rules: [{ toolName: 'Bash', ruleContent: 'ls:*' }],
    }
    const { id, approval, reply } = await request('for-good', 'Bash', { command: 'ls' }, [rule])
    const always = approval.options?.find(({ kind }) => kind === 'allow_always')
    const { key } = await server.client.keys.create({
      name: 'one session',
      scopes: ['read', 'approve'],
      sessions: [id],
    })
    const body = { action: 'allow', optionId: always?.id, hash: approval.hash }
    const path = `/approvals/${approval.approvalId}`
    expect(await readProblem(server.api(path, { method: 'POST', body, token: key }))).toMatchObject(
      { status: 403, code: 'key_limited' },
    )
    expect(existsSync(reply)).toBe(false)
    expect((await server.api(path, { method: 'POST', body })).status).toBe(200)
    await eventually(() =>
      expect(JSON.parse(readFileSync(reply, 'utf8'))).toMatchObject({
        response: { behavior: 'allow', updatedPermissions: [rule] },
      }),
    )
  })

  test('edits can be accepted with a plan, and with nothing else', async () => {
    const answerTo = ({ approvalId }: { approvalId: string }, body: object) =>
      server.api(`/approvals/${approvalId}`, { method: 'POST', body })
    const accepted = { action: 'allow', acceptEdits: true }
    const command = await request('no-plan', 'Bash', { command: 'ls' })
    const plan = await request('plan', 'ExitPlanMode', { plan: 'Dig.' })
    const wrong = [answerTo(command.approval, accepted)]
    wrong.push(answerTo(plan.approval, { ...accepted, action: 'deny' }))
    for (const each of wrong) expect(await readProblem(each)).toMatchObject({ status: 422 })
    expect((await answerTo(plan.approval, accepted)).status).toBe(200)
    await eventually(() =>
      expect(JSON.parse(readFileSync(plan.reply, 'utf8'))).toMatchObject({
        response: { behavior: 'allow', updatedPermissions: [{ mode: 'acceptEdits' }] },
      }),
    )
  })

  test('a browser must send the hash of what it showed, to allow', async () => {
    const { approval, reply } = await request('browser', 'Bash', { command: 'ls' })
    const [, code = ''] = server.instance.pairingUrl().split('#')
    const origin = server.url
    const paired = await server.api('/auth/pair', {
      ...{ method: 'POST', token: null, body: { code } },
      headers: { origin },
    })
    const { pageKey } = pairedBrowser.parse(await paired.json())
    const [cookie = ''] = paired.headers.get('set-cookie')?.split(';') ?? []
    const answer = (body: object) =>
      server.api(`/approvals/${approval.approvalId}`, {
        ...{ method: 'POST', token: null, body },
        headers: { cookie, 'sluice-page': pageKey, origin },
      })
    expect(await readProblem(answer({ action: 'allow' }))).toMatchObject({ status: 422 })
    const wrong = { action: 'allow', hash: '0'.repeat(64) }
    expect(await readProblem(answer(wrong))).toMatchObject({ code: 'approval_changed' })
    expect(existsSync(reply)).toBe(false)
    expect((await answer({ action: 'allow', hash: approval.hash })).status).toBe(200)
  })

  test('the preview is a diff against the file on disk, or all arguments', async () => {
    const { approvals } = server.client
    const file = join(server.home, 'drawn', 'hello.txt')
    const input = { file_path: file, content: 'two\n' }
    const { approval } = await request('drawn', 'Write', input)
    writeFileSync(file, 'one\n')
    expect(await approvals.preview(approval.approvalId)).toMatchObject({
      approvalId: approval.approvalId,
      hash: approval.hash,
      kind: 'edit',
      path: file,
      hunks: [{ lines: ['-one', '+two'] }],
    })
    const lie = { ...input, patch: '@@ -1 +1 @@\n-one\n+harmless\n' }
    const listed = await request('listed', 'Write', lie)
    expect(await approvals.preview(listed.approval.approvalId)).toMatchObject({
      kind: 'arguments',
      args: lie,
    })
  })

  test('an answer can be remembered as a rule that covers it, for the session or the project', async () => {
    const { approvals, rules, sessions } = server.client
    const { id, approval } = await request('remembered', 'Bash', { command: 'npm test' })
    expect((await approvals.preview(approval.approvalId)).suggestions).toEqual([
      { tool: 'Bash', pattern: 'npm test' },
      { tool: 'Bash', pattern: 'npm test *' },
    ])
    const answer = (rule: object) =>
      server.api(`/approvals/${approval.approvalId}`, {
        method: 'POST',
        body: { action: 'allow', remember: { scope: 'project', rule } },
      })
    for (const rule of [{ tool: 'Bash' }, { tool: 'Bash', pattern: 'ls' }, { tool: 'Write' }])
      expect(await readProblem(answer(rule))).toMatchObject({ status: 422, code: 'rule_mismatch' })
    expect((await answer({ tool: 'Bash', pattern: 'npm test *' })).status).toBe(200)
    const { rules: listed } = await rules.ofSession(id)
    expect(listed).toMatchObject([
      { scope: 'project', effect: 'allow', tool: 'Bash', pattern: 'npm test *' },
    ])
    await waitForRunEnd(server, id)
    const { seq } = await sessions.prompt(
      id,
      JSON.stringify(['Bash', { command: 'npm test --watch' }]),
    )
    await waitForRunEnd(server, id, seq)
    const { events } = await sessions.events(id)
    expect(events.filter(({ type }) => type === 'approval_resolved')).toMatchObject([
      { outcome: 'answered' },
      {
        outcome: 'policy',
        by: 'rule',
        message: 'Allowed by a rule of this project: Bash: npm test *',
      },
    ])
    await rules.removeFromSession(id, listed[0]?.id ?? '')
    expect((await rules.ofSession(id)).rules).toEqual([])
  })

  test('nothing is decided if the rule of an answer cannot be stored', async () => {
    const { id, approval } = await request('broken', 'Bash', { command: 'npm test' })
    const file = join(server.root, 'data', 'policies.json')
    writeFileSync(file, '{')
    const rule = { tool: 'Bash', pattern: 'npm test' }
    const answer = (scope: 'session' | 'project') =>
      server.client.approvals.answer(approval.approvalId, {
        action: 'allow',
        remember: { scope, rule },
      })
    await expect(answer('project')).rejects.toMatchObject({ status: 409, code: 'rules_unreadable' })
    expect(await server.client.approvals.list({ sessionId: id })).toHaveLength(1)
    await answer('session')
    rmSync(file)
  })

  test('the arguments of an approval are whole, whatever their size', async () => {
    const content = 'x'.repeat(900_000)
    const { approval } = await request('large', 'Write', { file_path: 'a', content })
    expect(approval.args).toEqual({ file_path: 'a', content })
  })
})

test('an agent that cannot change arguments does not run a call that was edited', async () => {
  const server = await startLocalServer()
  const program = join(server.root, 'acp')
  const script = new URL('../../support/acp-agent.js', import.meta.url).pathname
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${script}"\n`, { mode: 0o755 })
  vi.stubEnv('ACP_BIN', program)
  try {
    const { approvals, projects, sessions } = server.client
    const project = await projects.create({ name: 'edited', path: server.home })
    const { id } = await sessions.create({ projectId: project.id, agent: 'acp' })
    await sessions.prompt(id, 'ask')
    await eventually(async () => expect(await approvals.list({ sessionId: id })).toHaveLength(1))
    const [{ approvalId = '' } = {}] = await approvals.list({ sessionId: id })
    const edited = { action: 'allow', updatedInput: { command: 'ls' } } as const
    await expect(approvals.answer(approvalId, edited)).rejects.toMatchObject({
      status: 422,
      code: 'not_supported',
      message: expect.stringContaining('cannot run a call with other arguments'),
    })
    expect(await approvals.list({ sessionId: id })).toHaveLength(1)
    await approvals.answer(approvalId, { action: 'deny' })
    await waitForRunEnd(server, id)
  } finally {
    vi.unstubAllEnvs()
    await server.close()
    server.remove()
  }
})

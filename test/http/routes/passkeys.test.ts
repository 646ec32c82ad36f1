import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalServer, readProblem, startLocalServer } from '../../support/local-server.ts'

// What needs an authenticator is tested in a browser: test/web/scenes/passkeys.ts.
let server: LocalServer
beforeAll(async () => {
  server = await startLocalServer({ passkeys: true })
})
afterAll(async () => {
  await server.close()
  server.remove()
})

/** A browser that was paired at localhost; a function that sends its requests. */
const pair = async () => {
  const origin = server.url.replace('127.0.0.1', 'localhost')
  const [, code = ''] = server.instance.pairingUrl().split('#')
  const response = await fetch(`${origin}/api/v1/auth/pair`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ code }),
  })
  const cookie = response.headers.get('set-cookie')?.split(';', 1).join('') ?? ''
  const pageKey = JSON.stringify(await response.json()).match(/"pageKey":"([^"]+)"/)?.[1] ?? ''
  return (path: string, method = 'GET', body?: unknown, more: Record<string, string> = {}) =>
    fetch(`${more.origin ?? origin}/api/v1${path}`, {
      method,
      headers: {
        ...{ cookie, 'sluice-page': pageKey, origin, 'content-type': 'application/json' },
        ...more,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
}

/** A session whose agent waits for an approval. */
const waitForApproval = async () => {
  const { id } = await server.createDemoSession()
  await server.client.sessions.prompt(id, 'Show me around')
  for await (const event of server.client.sessions.stream(id, { after: 0 }))
    if (event.type === 'approval_request') return event
  throw new Error('no approval')
}

test('neither a key, nor the command line, nor a browser without a passkey can allow', async () => {
  const { approvalId, hash } = await waitForApproval()
  const allow = { action: 'allow', hash }
  const byKey = server.api(`/approvals/${approvalId}`, { method: 'POST', body: allow })
  expect(await readProblem(byKey)).toMatchObject({ status: 403, code: 'passkey_required' })
  const send = await pair()
  for (const proof of ['', 'nonsense', Buffer.from('{"id":"x"}').toString('base64url')])
    expect(
      await readProblem(
        send(`/approvals/${approvalId}`, 'POST', allow, { 'sluice-passkey': proof }),
      ),
    ).toMatchObject({ status: 403, code: 'passkey_required' })
  expect(await server.client.approvals.list()).toMatchObject([{ approvalId }])
  // To deny is always safe.
  await server.client.approvals.answer(approvalId, { action: 'deny' })
})

test('a key can neither add a passkey nor switch the requirement', async () => {
  for (const [method, path, body] of [
    ['PATCH', '/passkeys', { isRequired: false }],
    ['POST', '/passkeys/registration', undefined],
    ['DELETE', '/passkeys/x', undefined],
  ] as const) {
    const problem = await readProblem(server.api(path, { method, body }))
    expect(['passkey_required', 'passkey_unavailable']).toContain(problem.code)
  }
})

test('a key cannot add a rule that allows, or remove one that asks; it can add one that denies', async () => {
  const { id, project } = await server.createDemoSession()
  const rule = { tool: 'bash', pattern: 'npm test' }
  const allow = { ...rule, effect: 'allow' as const }
  const { rules } = server.client
  for (const adding of [rules.addToSession(id, allow), rules.addToProject(project.id, allow)])
    await expect(adding).rejects.toMatchObject({ status: 403, code: 'passkey_required' })
  const deny = await rules.addToSession(id, { ...rule, effect: 'deny' })
  await expect(rules.removeFromSession(id, deny.id)).rejects.toMatchObject({
    code: 'passkey_required',
  })
})

test('passkeys need a host name: 127.0.0.1 is none, localhost is one', async () => {
  const send = await pair()
  const begun = await send('/passkeys/registration', 'POST')
  expect(await begun.json()).toMatchObject({
    options: { rp: { id: 'localhost' }, challenge: expect.any(String) },
  })
  const [, code = ''] = server.instance.pairingUrl().split('#')
  const paired = await server.api('/auth/pair', {
    method: 'POST',
    token: null,
    body: { code },
    headers: { origin: server.url },
  })
  const pageKey = JSON.stringify(await paired.json()).match(/"pageKey":"([^"]+)"/)?.[1] ?? ''
  const problem = await readProblem(
    server.api('/passkeys/registration', {
      method: 'POST',
      token: null,
      headers: {
        cookie: paired.headers.get('set-cookie')?.split(';', 1).join('') ?? '',
        'sluice-page': pageKey,
        origin: server.url,
      },
    }),
  )
  expect(problem).toMatchObject({ status: 422, code: 'passkey_unavailable' })
  expect(JSON.stringify(problem)).toContain(`http://localhost:${server.port}/`)
})

test('a challenge without a passkey for the host says so', async () => {
  const send = await pair()
  const problem = await readProblem(
    send('/passkeys/challenge', 'POST', { kind: 'approval', id: 'a' }),
  )
  expect(problem).toMatchObject({ status: 422, code: 'passkey_unavailable' })
  expect(JSON.stringify(problem)).toContain('No passkey is registered for localhost')
})

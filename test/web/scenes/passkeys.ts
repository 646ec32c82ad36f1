import type { CDPSession, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { firstApproval } from '../support/pages.ts'
import { type SluiceServer, startSluice } from '../support/server.ts'
import type { Scene } from './scene.ts'

/** A page at `localhost`, which has passkeys, with an authenticator that confirms everything. */
const openWithAuthenticator = async (page: Page, server: SluiceServer) => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.goto((await server.pairingUrl()).replace('127.0.0.1', 'localhost'))
  await page.locator('.connection-live').first().waitFor()
  return { devtools, authenticatorId }
}

const setVerified = (devtools: CDPSession, authenticatorId: string, isUserVerified: boolean) =>
  devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })

const waitForApproval = async ({ client }: SluiceServer, sessionId: string) => {
  for await (const event of client.sessions.stream(sessionId, { after: 0 }))
    if (event.type === 'approval_request') return event
  throw new Error('no approval')
}

interface SignedAnswer {
  /** The approval that the challenge is for. */
  challengeFor: string
  /** The approvals to send the same proof to, in order. */
  answers: readonly { approvalId: string; hash?: string | undefined }[]
}

/** Signs one challenge in the page, and sends its proof with several answers. Returns their codes. */
const answerWithOneProof = (page: Page, signed: SignedAnswer): Promise<string[]> =>
  page.evaluate(async ({ challengeFor, answers }) => {
    const headers = {
      'content-type': 'application/json',
      'sluice-page': localStorage.getItem('sluice.page') ?? '',
    }
    const post = (path: string, body: unknown, more = {}) =>
      fetch(`/api/v1/${path}`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: JSON.stringify(body),
      })
    const challenge = await post('passkeys/challenge', { kind: 'approval', id: challengeFor })
    const { options } = (await challenge.json()) as {
      options: PublicKeyCredentialRequestOptionsJSON
    }
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
    const credential = await navigator.credentials.get({ publicKey })
    const proof = btoa(JSON.stringify(credential))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '')
    const codes: string[] = []
    for (const { approvalId, hash } of answers) {
      const body = { action: 'allow', hash }
      const response = await post(`approvals/${approvalId}`, body, { 'sluice-passkey': proof })
      const result = (await response.json()) as { code?: string; outcome?: string }
      codes.push(result.code ?? result.outcome ?? '')
    }
    return codes
  }, signed)

export const passkeys: Scene = (setup) =>
  describe('passkeys', () => {
    test('a required passkey allows one approval, once, and nothing else does', async () => {
      const server = await startSluice()
      try {
        const page = await (await setup().pages.newContext()).newPage()
        const { devtools, authenticatorId } = await openWithAuthenticator(page, server)
        await page.getByRole('link', { name: 'Browsers and keys' }).click()
        const switchOn = page.getByLabel('Require a passkey to allow what an agent requests')
        await page.getByRole('button', { name: 'Add a passkey' }).click()
        await page.getByRole('list', { name: 'Passkeys' }).getByText('for localhost').waitFor()
        await switchOn.click()
        await expect.poll(async () => (await server.client.passkeys.list()).isRequired).toBe(true)

        const sessions = await Promise.all(['One', 'Two'].map((name) => server.createSession(name)))
        const [one, two] = await Promise.all(
          sessions.map(async ({ id }) => {
            await server.client.sessions.prompt(id, 'Show me around')
            return waitForApproval(server, id)
          }),
        )
        if (!one || !two) throw new Error('two approvals are needed')
        const byKey = server.client.approvals.answer(one.approvalId, { action: 'allow' })
        await expect(byKey).rejects.toMatchObject({ status: 403, code: 'passkey_required' })

        // A proof for one approval does not allow the other, and is used up by the attempt.
        expect(
          await answerWithOneProof(page, { challengeFor: one.approvalId, answers: [two, one] }),
        ).toEqual(['passkey_required', 'passkey_required'])
        // Nor can it be sent twice.
        expect(
          await answerWithOneProof(page, { challengeFor: one.approvalId, answers: [one, two] }),
        ).toEqual(['answered', 'passkey_required'])

        await page.goto(
          `${server.url.replace('127.0.0.1', 'localhost')}sessions/${sessions[1]?.id}`,
        )
        const card = await firstApproval(page)
        const allow = card.getByRole('button', { name: 'Allow', exact: true })
        await setVerified(devtools, authenticatorId, false)
        await allow.click()
        await card.getByRole('alert').waitFor()
        expect(await server.client.approvals.list({ sessionId: two.sessionId })).toHaveLength(1)
        await setVerified(devtools, authenticatorId, true)
        await allow.click()
        await page.locator('.approval', { hasText: 'edit' }).first().waitFor()
        const { entries } = await server.client.audit.list()
        expect(entries.map(({ action }) => action)).toEqual(
          expect.arrayContaining(['passkey_added', 'setting_changed', 'approval_allowed']),
        )

        // To require none any more, a passkey is needed, too.
        await expect(server.client.passkeys.require(false)).rejects.toMatchObject({ status: 403 })
        await page.goto(`${server.url.replace('127.0.0.1', 'localhost')}access`)
        await switchOn.click()
        await expect.poll(async () => (await server.client.passkeys.list()).isRequired).toBe(false)
        await page.getByRole('button', { name: /^Remove / }).click()
        await expect.poll(async () => (await server.client.passkeys.list()).passkeys).toEqual([])
      } finally {
        await server.close()
      }
    })

    test('a page at 127.0.0.1 leads to localhost', async () => {
      const { pages } = setup()
      const page = await pages.open('access')
      await page.getByRole('button', { name: 'Open it at localhost' }).click()
      await page.waitForURL(/^http:\/\/localhost:\d+\/$/)
      await page.locator('.connection-live').first().waitFor()
    })
  })

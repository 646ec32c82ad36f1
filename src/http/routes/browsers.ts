import type { IncomingMessage } from 'node:http'
import {
  browserInfo,
  browserList,
  browserPatch,
  pairedBrowser,
  pairing,
  pairingRequest,
  pairRequest,
  signInRequest,
} from '../../api/browser.ts'
import { browserName } from '../../auth/browser-name.ts'
import { credentialsOf } from '../../auth/gate.ts'
import { callerOf } from '../../auth/limits/caller.ts'
import type { BrowserDescription, SignedIn } from '../../auth/sign-in.ts'
import type { Actor } from '../../events/types.ts'
import type { AppContext } from '../app-context.ts'
import { endpoints } from '../endpoints.ts'
import { pairingLinks } from '../pairing-links.ts'
import type { RouteResponse } from '../send-response.ts'
import { idParams } from './params.ts'
import { route } from './route.ts'

const tag = 'Browsers'

/** Paired browsers, and how they sign in and out. */
export const browserRoutes = [
  route({
    endpoint: endpoints.pair,
    tag,
    summary: 'Pair this browser with the code of a pairing link',
    description: 'The response sets a cookie. A code works once.',
    parts: { body: pairRequest },
    reply: { status: 201, schema: pairedBrowser },
    problems: ['pairing_code_invalid'],
    async handle({ body: { code, name } }, { app, request, actor, audit }) {
      app.limits.refusals.consume(callerOf(request.socket.remoteAddress))
      const description = describe(app, request, name)
      const paired = await app.auth.signIn.pair(code, description).catch((cause: unknown) => {
        audit({ action: 'sign_in_failed', detail: `pairing code, from ${description.name}` })
        throw cause
      })
      await removeEarlier(app, request)
      recordSignIn(app, paired, actor)
      return signedIn(paired)
    },
  }),
  route({
    endpoint: endpoints.signIn,
    tag,
    summary: 'Sign this browser in with an API key',
    description: 'The response sets a cookie. The browser is signed out with its key.',
    parts: { body: signInRequest },
    isBodyOptional: true,
    reply: { status: 201, schema: pairedBrowser },
    problems: ['key_required'],
    async handle({ body: { name } }, { app, access, request, actor }) {
      const paired = await app.auth.signIn.withKey(access, describe(app, request, name))
      await removeEarlier(app, request)
      recordSignIn(app, paired, actor)
      return signedIn(paired)
    },
  }),
  route({
    endpoint: endpoints.signOut,
    tag,
    summary: 'Sign this browser out',
    parts: {},
    reply: { status: 204 },
    async handle(_, { app, access, request, audit }) {
      const isSecure = app.addresses.isSecure(request.headers)
      const cookie = await app.auth.signIn.signOut(access, isSecure)
      audit({ action: 'signed_out' })
      return { status: 204, headers: { 'Set-Cookie': cookie } }
    },
  }),
  route({
    endpoint: endpoints.createPairing,
    tag,
    summary: 'Make a pairing link for another browser',
    description: 'The link works once, for two minutes.',
    parts: { body: pairingRequest },
    isBodyOptional: true,
    reply: { status: 201, schema: pairing },
    problems: ['key_required'],
    async handle({ body: { scopes } }, { app, access, audit }) {
      const { code, expiresAt } = app.auth.signIn.createCode(access, scopes)
      audit({ action: 'pairing_created' })
      return { status: 201, body: { ...(await pairingLinks(app.addresses, code)), expiresAt } }
    },
  }),
  route({
    endpoint: endpoints.listBrowsers,
    tag,
    summary: 'List the paired browsers',
    parts: {},
    reply: { status: 200, schema: browserList },
    handle: async (_, { app, access }) => ({
      status: 200,
      body: { browsers: await app.auth.browsers.list(access.actor.id) },
    }),
  }),
  route({
    endpoint: endpoints.renameBrowser,
    tag,
    summary: 'Rename a paired browser',
    parts: { params: idParams, body: browserPatch },
    reply: { status: 200, schema: browserInfo },
    problems: ['unknown_browser'],
    async handle({ params: { id }, body: { name } }, { app, access, audit }) {
      const renamed = await app.auth.browsers.rename(id, name)
      audit({ action: 'browser_renamed', detail: `${id}: ${name}` })
      return { status: 200, body: { ...renamed, isCurrent: id === access.actor.id } }
    },
  }),
  route({
    endpoint: endpoints.revokeBrowser,
    tag,
    summary: 'Sign a paired browser out',
    description: 'Its streams are closed.',
    parts: { params: idParams },
    reply: { status: 204 },
    problems: ['unknown_browser'],
    async handle({ params }, { app, audit }) {
      await app.auth.browsers.revoke(params.id)
      audit({ action: 'browser_revoked', detail: params.id })
      return { status: 204 }
    },
  }),
]

const describe = (
  { addresses }: AppContext,
  { headers, socket }: IncomingMessage,
  name: string | undefined,
): BrowserDescription => ({
  name: name ?? browserName(headers['user-agent']),
  address: socket.remoteAddress,
  isSecure: addresses.isSecure(headers),
})

/** A browser that was paired before gets a new cookie, so its earlier pairing ends. */
const removeEarlier = async ({ auth, addresses }: AppContext, request: IncomingMessage) => {
  const { authorization: _, ...credentials } = credentialsOf(request)
  const isSecure = addresses.isSecure(request.headers)
  if (!auth.hasCookie({ ...credentials, isSecure })) return
  const earlier = await auth
    .authenticate(undefined, { ...credentials, isSecure })
    .catch(() => undefined)
  if (earlier?.actor.kind === 'browser') await auth.browsers.revoke(earlier.actor.id)
}

/** Names the browser itself: before, the request had no name. */
const recordSignIn = ({ recordAction }: AppContext, { browser }: SignedIn, by: Actor): void =>
  recordAction({
    action: 'signed_in',
    by: { ...by, kind: 'browser', id: browser.id, name: browser.name },
    detail: browser.keyId === undefined ? 'paired' : `with the API key ${browser.keyId}`,
  })

const signedIn = ({ setCookie, browser, pageKey }: SignedIn): RouteResponse => ({
  status: 201,
  headers: { 'Set-Cookie': setCookie },
  body: { browser, pageKey },
})

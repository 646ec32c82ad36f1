import {
  accessInfo,
  createdKey,
  issuedToken,
  keyList,
  newKey,
  tokenRequest,
} from '../../api/key.ts'
import { allScopes } from '../../api/scopes.ts'
import type { ApiKey } from '../../api/types.ts'
import { endpoints } from '../endpoints.ts'
import { idParams } from './params.ts'
import { route } from './route.ts'

const tag = 'Keys'

/** API keys, and the short tokens that are issued from them. */
export const keyRoutes = [
  route({
    endpoint: endpoints.issueToken,
    tag,
    summary: 'Issue a short token with the scopes of your key, or fewer',
    parts: { body: tokenRequest },
    isBodyOptional: true,
    reply: { status: 201, schema: issuedToken },
    handle: async ({ body }, { app, access }) => ({
      status: 201,
      body: await app.auth.issueToken({ access, ...body }),
    }),
  }),
  route({
    endpoint: endpoints.getAccess,
    tag,
    summary: 'Get who you are and what you may do',
    parts: {},
    reply: { status: 200, schema: accessInfo },
    async handle(_, { access: { actor, scopes, expiresAt } }) {
      const body = {
        actor,
        scopes: allScopes.filter((each) => scopes.has(each)),
        ...(expiresAt !== undefined && { expiresAt }),
      }
      return { status: 200, body }
    },
  }),
  route({
    endpoint: endpoints.listKeys,
    tag,
    summary: 'List all API keys, without the keys themselves',
    parts: {},
    reply: { status: 200, schema: keyList },
    handle: async (_, { app }) => ({ status: 200, body: { keys: await app.auth.keys.list() } }),
  }),
  route({
    endpoint: endpoints.createKey,
    tag,
    summary: 'Create an API key',
    description: 'The response is the only place where the key itself appears.',
    parts: { body: newKey },
    reply: { status: 201, schema: createdKey },
    async handle({ body }, { app, audit }) {
      const created = await app.auth.keys.create(body)
      audit({ action: 'key_created', detail: describeKey(created) })
      return { status: 201, body: created }
    },
  }),
  route({
    endpoint: endpoints.revokeKey,
    tag,
    summary: 'Revoke an API key and all tokens issued from it',
    description: 'Streams that were opened with them are closed.',
    parts: { params: idParams },
    reply: { status: 204 },
    problems: ['unknown_key'],
    async handle({ params }, { app, audit }) {
      await app.auth.keys.revoke(params.id)
      audit({ action: 'key_revoked', detail: params.id })
      return { status: 204 }
    },
  }),
]

const describeKey = ({ id, name, scopes }: ApiKey): string =>
  `${name} (${id}): ${scopes.join(', ')}`

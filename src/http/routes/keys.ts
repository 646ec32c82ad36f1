import { createdKey, issuedToken, keyList, newKey, tokenRequest } from '../../api/key.ts'
import { idParams } from './params.ts'
import { route } from './route.ts'

const tag = 'Keys'

/** API keys, and the short tokens that are made from them. */
export const keyRoutes = [
  route({
    method: 'POST',
    path: '/auth/token',
    // Whoever shows a key may have a weaker one: no scope of its own is needed.
    scope: 'any',
    tag,
    summary: 'A short token with the scopes of the key that is shown, or fewer',
    parts: { body: tokenRequest },
    isBodyOptional: true,
    reply: { status: 201, schema: issuedToken },
    handle: async ({ body }, { world, access }) => ({
      status: 201,
      body: await world.auth.issueToken({ access, ...body }),
    }),
  }),
  route({
    method: 'GET',
    path: '/keys',
    scope: 'admin',
    tag,
    summary: 'All API keys, without the keys themselves',
    parts: {},
    reply: { status: 200, schema: keyList },
    handle: async (_, { world }) => ({ status: 200, body: { keys: await world.auth.keys.list() } }),
  }),
  route({
    method: 'POST',
    path: '/keys',
    scope: 'admin',
    tag,
    summary: 'Make an API key, which is shown this once',
    parts: { body: newKey },
    reply: { status: 201, schema: createdKey },
    handle: async ({ body }, { world }) => ({
      status: 201,
      body: await world.auth.keys.create(body),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/keys/:id',
    scope: 'admin',
    tag,
    summary: 'Revoke a key, with all tokens made from it; streams that it opened are cut',
    parts: { params: idParams },
    reply: { status: 204 },
    problems: ['unknown_key'],
    async handle({ params }, { world }) {
      await world.auth.keys.revoke(params.id)
      return { status: 204 }
    },
  }),
]

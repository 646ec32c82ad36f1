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
import type { Access } from '../../auth/auth.ts'
import { withDescendants } from '../../auth/key-chain.ts'
import { Problem } from '../../shared/problem.ts'
import type { AppContext } from '../app-context.ts'
import { endpoints } from '../endpoints.ts'
import { requireSession } from '../require-session.ts'
import { idParams } from './params.ts'
import { requireProject } from './projects.ts'
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
    async handle(_, { actor, access: { scopes, expiresAt, range } }) {
      const body = {
        actor,
        scopes: allScopes.filter((each) => scopes.has(each)),
        ...(expiresAt !== undefined && { expiresAt }),
        ...range,
      }
      return { status: 200, body }
    },
  }),
  route({
    endpoint: endpoints.listKeys,
    tag,
    summary: 'List all API keys, without the keys themselves',
    description: 'A key that sees only some projects lists itself and the keys that it created.',
    parts: {},
    reply: { status: 200, schema: keyList },
    async handle(_, { app, access }) {
      const keys = await app.auth.keys.list()
      const managed = managedBy(access, keys)
      return { status: 200, body: { keys: keys.filter(({ id }) => managed.has(id)) } }
    },
  }),
  route({
    endpoint: endpoints.createKey,
    tag,
    summary: 'Create an API key',
    description:
      'The response is the only place where the key itself appears. The key may do no more than the one that creates it, and ends with it. Without `projects`, `sessions` and `expiresAt`, it gets those of the key that creates it.',
    parts: { body: newKey },
    reply: { status: 201, schema: createdKey },
    problems: ['unknown_project', 'unknown_session', 'gone'],
    async handle({ body }, { app, access, actor }) {
      // What the access does not see, it cannot give to a key: to it, there is no such thing.
      for (const id of body.projects ?? []) await requireProject(app.log, id)
      for (const id of body.sessions ?? []) await requireSession(app.log, id)
      return { status: 201, body: await app.auth.keys.create(body, access, actor) }
    },
  }),
  route({
    endpoint: endpoints.revokeKey,
    tag,
    summary: 'Revoke an API key, the keys that it created, and all their tokens',
    description: 'Streams that were opened with them are closed.',
    parts: { params: idParams },
    reply: { status: 204 },
    problems: ['unknown_key'],
    async handle({ params: { id } }, { app, access, actor }) {
      await requireManaged(app, access, id)
      await app.auth.keys.revoke(id, actor)
      return { status: 204 }
    },
  }),
]

/** The ids of the keys that an access may list and revoke. */
const managedBy = ({ range, keyId }: Access, keys: readonly ApiKey[]): ReadonlySet<string> =>
  new Set(range && keyId !== undefined ? withDescendants(keyId, keys) : keys.map(({ id }) => id))

/** Throws for a key that a restricted one has not created. Whether a key exists, revoking finds out. */
const requireManaged = async (app: AppContext, access: Access, id: string): Promise<void> => {
  if (!access.range || access.keyId === undefined) return
  // Another node may have created it just now: the list follows what is looked up.
  await app.log.keys.get(id)
  if (managedBy(access, await app.auth.keys.list()).has(id)) return
  throw new Problem(
    404,
    'unknown_key',
    `There is no API key with the id ${id}. To see the ids, run \`sluice keys list\`.`,
  )
}

import type { IncomingMessage } from 'node:http'
import {
  newPasskey,
  passkeyInfo,
  passkeyList,
  passkeyOptions,
  passkeyPurpose,
  passkeyRequirement,
} from '../../api/passkey.ts'
import type { PasskeyPurpose } from '../../api/types.ts'
import type { PasskeyRequest } from '../../auth/passkey-proofs.ts'
import type { Actor } from '../../events/types.ts'
import type { ApprovalRecord } from '../../log/types.ts'
import { endpoints } from '../endpoints.ts'
import { idParams } from './params.ts'
import { route } from './route.ts'

const tag = 'Passkeys'

/** Passkeys, and what they confirm. */
export const passkeyRoutes = [
  route({
    endpoint: endpoints.listPasskeys,
    tag,
    summary: 'List the passkeys, and whether they are required',
    parts: {},
    reply: { status: 200, schema: passkeyList },
    handle: async (_, { app: { passkeys } }) => ({
      status: 200,
      body: { isRequired: await passkeys.isRequired(), passkeys: await passkeys.list() },
    }),
  }),
  route({
    endpoint: endpoints.requirePasskeys,
    tag,
    summary: 'Require a passkey to allow an approval, or no longer',
    description: 'To require none any more, confirm it with a passkey (`release`).',
    parts: { body: passkeyRequirement },
    reply: { status: 204 },
    problems: ['passkey_required', 'passkey_unavailable'],
    async handle({ body: { isRequired } }, { app, actor, request, audit }) {
      await app.passkeys.require(isRequired, passkeyRequestOf(request, actor))
      const detail = isRequired ? 'passkeys are required' : 'passkeys are not required'
      audit({ action: 'setting_changed', detail })
      return { status: 204 }
    },
  }),
  route({
    endpoint: endpoints.challengePasskey,
    tag,
    summary: 'Get a challenge that a passkey signs to confirm one thing',
    description:
      'It is valid once, for two minutes, for the sender and the purpose of the request only.',
    parts: { body: passkeyPurpose },
    reply: { status: 200, schema: passkeyOptions },
    problems: ['passkey_unavailable'],
    async handle({ body }, { app, actor, request }) {
      const approval =
        body.kind === 'approval' ? await app.log.approvals.get(body.id ?? '') : undefined
      const purpose = approval ? approvalPurpose(approval) : body
      const options = await app.passkeys.challenge(purpose, passkeyRequestOf(request, actor))
      return { status: 200, body: { options } }
    },
  }),
  route({
    endpoint: endpoints.beginPasskey,
    tag,
    summary: 'Begin to register a passkey',
    parts: {},
    reply: { status: 200, schema: passkeyOptions },
    problems: ['passkey_unavailable'],
    handle: async (_, { app, actor, request }) => ({
      status: 200,
      body: { options: await app.passkeys.begin(passkeyRequestOf(request, actor)) },
    }),
  }),
  route({
    endpoint: endpoints.addPasskey,
    tag,
    summary: 'Register a passkey',
    description: 'While passkeys are required, confirm it with another one (`add`).',
    parts: { body: newPasskey },
    reply: { status: 201, schema: passkeyInfo },
    problems: ['passkey_required', 'passkey_unavailable'],
    async handle({ body }, { app, actor, request, audit }) {
      const added = await app.passkeys.add(body, passkeyRequestOf(request, actor))
      audit({ action: 'passkey_added', detail: `${added.name} for ${added.host}` })
      return { status: 201, body: added }
    },
  }),
  route({
    endpoint: endpoints.removePasskey,
    tag,
    summary: 'Remove a passkey',
    description: 'While passkeys are required, confirm it with one (`remove`).',
    parts: { params: idParams },
    reply: { status: 204 },
    problems: ['passkey_required', 'unknown_passkey'],
    async handle({ params: { id } }, { app, actor, request, audit }) {
      await app.passkeys.remove(id, passkeyRequestOf(request, actor))
      audit({ action: 'passkey_removed', detail: id })
      return { status: 204 }
    },
  }),
]

/** A proof is bound to the approval, to what it is about, and to the action. */
export const approvalPurpose = ({
  approvalId,
  hash = '',
}: Pick<ApprovalRecord, 'approvalId' | 'hash'>): PasskeyPurpose => ({
  kind: 'approval',
  id: [approvalId, hash, 'allow'].join(' '),
})

/** What passkeys need to know about a request. */
export const passkeyRequestOf = (
  { headers: { origin, 'sluice-passkey': proof } }: IncomingMessage,
  actor: Actor,
): PasskeyRequest => ({ actor, origin, proof: typeof proof === 'string' ? proof : undefined })

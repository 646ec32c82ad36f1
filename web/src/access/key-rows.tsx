import { useEffect } from 'react'
import type { ApiKey } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { Ago } from '../parts/relative-time.tsx'

/** The API keys that are not revoked. */
export const KeyRows = () => {
  const { keys } = useApp()
  const { value, error } = useStore(keys)
  useEffect(() => keys.load(), [keys])
  const usable = value?.filter(({ revokedAt }) => revokedAt === undefined)
  return (
    <>
      <ProblemMessage reason={error} />
      {usable?.length === 0 && (
        <p className="optional">
          No keys. Programs need one: create it with <code>sluice keys add</code>.
        </p>
      )}
      <ul className="access-list" aria-label="API keys">
        {usable?.map((key) => (
          <KeyItem key={key.id} apiKey={key} />
        ))}
      </ul>
    </>
  )
}

const KeyItem = ({ apiKey }: { apiKey: ApiKey }) => {
  const { id, name, scopes, createdAt, createdBy, lastUsedAt } = apiKey
  const { client, keys, browsers, toasts } = useApp()
  const revoke = () => {
    client.keys.revoke(id).then(() => {
      keys.load()
      browsers.load() // those that signed in with the key are gone, too
    }, toasts.showError('Cannot revoke it'))
  }
  return (
    <li>
      <div className="access-name">
        <strong>{name}</strong>
      </div>
      <div className="access-facts">
        <span>
          created <Ago at={createdAt} inSentence />
          {createdBy !== undefined && ` by ${createdBy}`}
        </span>
        <span>{lastUsedAt === undefined ? 'never used' : <UsedAgo at={lastUsedAt} />}</span>
        <span>{scopes.join(', ')}</span>
        {limitsOf(apiKey).map((limit) => (
          <span key={limit}>{limit}</span>
        ))}
      </div>
      <div className="access-actions">
        <button type="button" onClick={revoke} aria-label={`Revoke ${name}`}>
          Revoke
        </button>
      </div>
    </li>
  )
}

export const UsedAgo = ({ at }: { at: number }) => (
  <>
    used <Ago at={at} inSentence />
  </>
)

/** What narrows a key down. */
const limitsOf = ({ owner, expiresAt, projects = [], sessions = [] }: ApiKey): string[] => [
  ...(owner === undefined ? [] : [`of ${owner}`]),
  ...(expiresAt === undefined ? [] : [expiryOf(expiresAt)]),
  ...(projects.length === 0 ? [] : [countOf(projects.length, 'project')]),
  ...(sessions.length === 0 ? [] : [countOf(sessions.length, 'session')]),
]

const expiryOf = (at: number): string =>
  `${at <= Date.now() ? 'expired' : 'expires'} ${new Date(at).toLocaleDateString()}`

const countOf = (count: number, noun: string): string =>
  `only ${count} ${noun}${count === 1 ? '' : 's'}`

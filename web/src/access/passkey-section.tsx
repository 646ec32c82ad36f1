import { useEffect, useState } from 'react'
import type { PasskeyInfo } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { UsedAgo } from './key-rows.tsx'
import { makePasskey, withPasskey } from './with-passkey.ts'

/** The passkeys, and whether they are required to allow an approval. */
export const PasskeySection = ({ browser }: { browser: string }) => {
  const { passkeys, client, toasts } = useApp()
  const { value, error } = useStore(passkeys)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => passkeys.load(), [passkeys])
  const run = (failure: string, work: () => Promise<unknown>) => {
    setBusy(true)
    work()
      .then(passkeys.load, toasts.showError(failure))
      .finally(() => setBusy(false))
  }
  const add = () =>
    run('Cannot add a passkey', async () => {
      const credential = await makePasskey(client)
      const name = `${browser}, ${new Date().toLocaleDateString()}`
      await withPasskey(client, { kind: 'add' }, (options) =>
        client.passkeys.add({ name, credential }, options),
      )
    })
  const require = (isRequired: boolean) =>
    run('Cannot change it', () =>
      withPasskey(client, { kind: 'release' }, (options) =>
        client.passkeys.require(isRequired, options),
      ),
    )
  const remove = ({ id }: PasskeyInfo) =>
    run('Cannot remove it', () =>
      withPasskey(client, { kind: 'remove', id }, (options) => client.passkeys.remove(id, options)),
    )
  return (
    <section>
      <div className="access-head">
        <h2>Passkeys</h2>
        {hasHostName && (
          <button type="button" disabled={isBusy} onClick={add}>
            <Icon name="plus" />
            Add a passkey
          </button>
        )}
      </div>
      <ProblemMessage reason={error} />
      {!hasHostName && <OtherHost />}
      {value && (
        <label className="access-switch">
          <input
            type="checkbox"
            checked={value.isRequired}
            disabled={isBusy || (value.passkeys.length === 0 && !value.isRequired)}
            onChange={(event) => require(event.target.checked)}
          />
          Require a passkey to allow what an agent requests
        </label>
      )}
      <ul className="access-list" aria-label="Passkeys">
        {value?.passkeys.map((each) => (
          <PasskeyItem key={each.id} passkey={each} onRemove={() => remove(each)} />
        ))}
      </ul>
    </section>
  )
}

const PasskeyItem = ({ passkey, onRemove }: { passkey: PasskeyInfo; onRemove: () => void }) => (
  <li>
    <div className="access-name">
      <strong>{passkey.name}</strong>
    </div>
    <div className="access-facts">
      <span>for {passkey.host}</span>
      <span>
        {passkey.lastUsedAt === undefined ? 'never used' : <UsedAgo at={passkey.lastUsedAt} />}
      </span>
    </div>
    <div className="access-actions">
      <button type="button" onClick={onRemove} aria-label={`Remove ${passkey.name}`}>
        Remove
      </button>
    </div>
  </li>
)

/** Browsers have passkeys for host names only, and on this machine `localhost` is one. */
const hasHostName = !/^[\d.]+$|^\[/.test(location.hostname)

const OtherHost = () => {
  const { client, toasts } = useApp()
  const isLocal = /^127\.|^\[::1\]$/.test(location.hostname)
  const open = () => {
    client.auth.createPairing().then(({ url }) => {
      const link = new URL(url)
      link.hostname = 'localhost'
      location.assign(link)
    }, toasts.showError('Cannot open it'))
  }
  return (
    <p className="optional">
      Browsers offer passkeys only at a host name. This page was opened at an IP address.{' '}
      {isLocal && (
        <button type="button" className="link-button" onClick={open}>
          Open it at localhost
        </button>
      )}
    </p>
  )
}

import { type FormEvent, useEffect, useState } from 'react'
import type { BrowserInfo } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { Ago } from '../parts/relative-time.tsx'

/** All paired browsers, with this one marked. */
export const BrowserRows = () => {
  const { browsers } = useApp()
  const { value, error } = useStore(browsers)
  useEffect(() => browsers.load(), [browsers])
  return (
    <>
      <ProblemMessage reason={error} />
      <ul className="access-list" aria-label="Paired browsers">
        {value?.map((browser) => (
          <BrowserItem key={browser.id} browser={browser} />
        ))}
      </ul>
    </>
  )
}

const BrowserItem = ({ browser }: { browser: BrowserInfo }) => {
  const { client, browsers, toasts } = useApp()
  const { id, name, scopes, isCurrent, lastUsedAt, expiresAt, address } = browser
  const [isRenaming, setRenaming] = useState(false)
  const signOut = () => {
    client.browsers.revoke(id).then(browsers.load, toasts.showError('Cannot sign it out'))
  }
  if (isRenaming) return <RenameItem browser={browser} onClose={() => setRenaming(false)} />
  return (
    <li>
      <div className="access-name">
        <strong>{name}</strong>
        {isCurrent && <span className="access-mark">this browser</span>}
      </div>
      <div className="access-facts">
        <span>
          used <Ago at={lastUsedAt} inSentence />
          {address !== undefined && ` from ${address}`}
        </span>
        <span>until {new Date(expiresAt).toLocaleDateString()}</span>
        <span>{scopes.join(', ')}</span>
      </div>
      <div className="access-actions">
        <button type="button" className="quiet-button" onClick={() => setRenaming(true)}>
          Rename
        </button>
        {!isCurrent && (
          <button type="button" onClick={signOut} aria-label={`Sign out ${name}`}>
            Sign out
          </button>
        )}
      </div>
    </li>
  )
}

const RenameItem = ({ browser, onClose }: { browser: BrowserInfo; onClose: () => void }) => {
  const { client, browsers, access, toasts } = useApp()
  const [name, setName] = useState(browser.name)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    client.browsers.rename(browser.id, name).then(() => {
      browsers.load()
      access.load()
      onClose()
    }, toasts.showError('Cannot rename it'))
  }
  return (
    <li>
      <form className="access-rename" onSubmit={submit}>
        <label>
          Name of the browser
          <input
            value={name}
            maxLength={200}
            required
            onChange={(event) => setName(event.target.value)}
          />
        </label>
        <button type="submit" className="primary">
          Save
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </form>
    </li>
  )
}

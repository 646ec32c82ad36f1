import { useEffect, useState } from 'react'
import type { AccessInfo } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { BrowserRows } from './browser-rows.tsx'
import { KeyRows } from './key-rows.tsx'
import { PairDialog } from './pair-dialog.tsx'
import { PasskeySection } from './passkey-section.tsx'
import '../style/access.css'

/** Who can get in: paired browsers and API keys. */
export const AccessScreen = () => {
  const { access } = useApp()
  const { value, error } = useStore(access)
  useEffect(() => access.load(), [access])
  return (
    <div className="overview">
      <header className="top-bar">
        <Link to="/" className="quiet-button">
          <Icon name="back" />
          <span>All sessions</span>
        </Link>
        <h1>Browsers and keys</h1>
        <span className="spacer" />
        <Link to="/watched" className="quiet-button">
          <Icon name="file" />
          <span>Watched</span>
        </Link>
        {value?.scopes.includes('admin') && (
          <Link to="/audit" className="quiet-button">
            <Icon name="clock" />
            <span>Audit</span>
          </Link>
        )}
      </header>
      <main className="access">
        <ProblemMessage reason={error} />
        {value && <AccessLists access={value} />}
      </main>
    </div>
  )
}

const AccessLists = ({ access }: { access: AccessInfo }) => {
  const { actor, scopes } = access
  const [isPairing, setPairing] = useState(false)
  if (actor.kind === 'nobody')
    return (
      <p>
        This server runs with <code>--no-auth</code>: no sign-in is needed, and every program of the
        machine can control the agents.
      </p>
    )
  return (
    <>
      <ThisBrowser access={access} />
      {scopes.includes('admin') ? (
        <>
          <section>
            <div className="access-head">
              <h2>Paired browsers</h2>
              <button type="button" onClick={() => setPairing(true)}>
                <Icon name="plus" />
                Pair another device
              </button>
            </div>
            <BrowserRows />
          </section>
          <section>
            <div className="access-head">
              <h2>API keys</h2>
            </div>
            <KeyRows />
          </section>
          <PasskeySection browser={actor.name} />
        </>
      ) : (
        <p className="optional">
          To see other browsers and keys, this browser needs the scope “admin”.
        </p>
      )}
      {isPairing && <PairDialog onClose={() => setPairing(false)} />}
    </>
  )
}

const ThisBrowser = ({ access: { actor, scopes } }: { access: AccessInfo }) => {
  const { client, toasts } = useApp()
  const signOut = () => {
    client.auth.signOut().then(() => location.reload(), toasts.showError('Cannot sign out'))
  }
  return (
    <section>
      <div className="access-head">
        <h2>This browser</h2>
        <button type="button" onClick={signOut}>
          Sign out
        </button>
      </div>
      <p>
        {actor.name}. It may: {scopes.join(', ')}.
      </p>
    </section>
  )
}

import { type FormEvent, useState } from 'react'
import { useStore } from '../lib/use-store.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useApp } from './use-app.ts'

/** Asks for a token, if the address has none or the server rejects it. */
export const SignIn = () => {
  const { token, connection } = useApp()
  const state = useStore(connection)
  const isRejected = useStore(token) !== undefined && state.status === 'denied'
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') token.store(text.trim())
  }
  return (
    <main className="sign-in">
      <h1>Sluice</h1>
      {isRejected ? (
        <ProblemMessage reason="The server rejected this token. Check that it is complete and was not revoked." />
      ) : (
        <p>Sign in with an access token.</p>
      )}
      <p>
        Open the address that <code>sluice serve</code> prints, or paste its token or an API key
        below.
      </p>
      <form onSubmit={submit}>
        <label>
          Token
          <input
            type="password"
            autoComplete="current-password"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <button type="submit" className="primary">
          Sign in
        </button>
      </form>
    </main>
  )
}

import { type FormEvent, useState } from 'react'
import { useStore } from '../lib/use-store.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { useApp } from './use-app.ts'

/** Signs this browser in: with a pairing link, or with an API key. */
export const SignInScreen = () => {
  const { signIn, pageKey } = useApp()
  const wasPaired = useStore(pageKey) !== ''
  const { isBusy, reason } = useStore(signIn)
  const [text, setText] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') signIn.submit(text.trim())
  }
  return (
    <main className="sign-in">
      <h1>Sluice</h1>
      {reason === undefined && <p>{wasPaired ? 'This browser was signed out.' : 'Sign in.'}</p>}
      <ProblemMessage reason={reason} />
      <p>
        On the machine where Sluice runs, run <code>sluice pair</code> and open the link that it
        prints. A link works once, for two minutes.
      </p>
      <form onSubmit={submit}>
        <label>
          Pairing link or API key
          <input
            type="password"
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <button type="submit" className="primary" disabled={isBusy}>
          Sign in
        </button>
      </form>
    </main>
  )
}

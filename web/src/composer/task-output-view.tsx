import { useEffect, useState } from 'react'
import { reasonOf } from '../../../src/shared/reason.ts'
import { useApp } from '../app/use-app.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { plainText } from '../tools/plain-text.ts'

/** How often the output is read again while it is open. */
const refreshMs = 2000

/** How many characters of the end are shown. */
const shownLength = 20_000

/** What a background task has printed. It is read again while it is open. */
export const TaskOutputView = ({ sessionId, taskId }: { sessionId: string; taskId: string }) => {
  const { client } = useApp()
  const [text, setText] = useState<string>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const end = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const read = () =>
      client.sessions
        .taskOutput(sessionId, taskId, {}, { signal: end.signal })
        .then(
          (output) => {
            setText(plainText(output.text).slice(-shownLength))
            setProblem(undefined)
          },
          (cause: unknown) => setProblem(reasonOf(cause)),
        )
        .finally(() => {
          if (!end.signal.aborted) timer = setTimeout(read, refreshMs)
        })
    void read()
    return () => {
      end.abort()
      clearTimeout(timer)
    }
  }, [client, sessionId, taskId])
  if (problem !== undefined) return <ProblemMessage reason={problem} />
  if (text === undefined) return null
  if (text === '') return <p className="tool-empty">No output yet.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable.
    <pre className="task-output" tabIndex={0}>
      {text}
    </pre>
  )
}

import { useEffect, useState } from 'react'
import type { ProjectTrust, SessionInfo } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Dialog } from '../parts/dialog.tsx'
import { TrustQuestion } from './trust-question.tsx'
import '../style/trust.css'

/** Says that the agent of a session does not load the files of its project, and offers to decide. */
export const TrustBanner = ({ sessionId }: { sessionId: string }) => {
  const { overview, agents } = useApp()
  const session = useStore(overview).sessions.find(({ id }) => id === sessionId)
  const [trust, setTrust] = useTrust(session)
  const [isOpen, setOpen] = useState(false)
  const title = useStore(agents).value?.find(({ name }) => name === session?.agent)?.title
  useEffect(() => agents.load(), [agents])
  if (!session || !trust || !isLeftOut(session, trust)) return null
  const agent = { name: session.agent, title: title ?? session.agent }
  return (
    <div className={`trust-banner trust-${trust.state}`} role="status">
      <p>{messageOf(agent.title, session, trust)}</p>
      {trust.state !== 'trusted' && (
        <button type="button" onClick={() => setOpen(true)}>
          Review
        </button>
      )}
      {isOpen && (
        <Dialog title="Trust this folder?" onClose={() => setOpen(false)}>
          <TrustQuestion
            trust={trust}
            agent={agent}
            onDecided={(decided) => {
              setTrust(decided)
              setOpen(false)
            }}
          />
        </Dialog>
      )}
    </div>
  )
}

/** What is known about the directory of a session; read again when its agent has started anew. */
const useTrust = (session: SessionInfo | undefined) => {
  const { client } = useApp()
  const [trust, setTrust] = useState<ProjectTrust>()
  const cwd = session?.cwd
  const leftOut = session?.leftOut?.join('\0')
  // biome-ignore lint/correctness/useExhaustiveDependencies: `leftOut` changes with the files.
  useEffect(() => {
    if (cwd === undefined) return
    const stop = new AbortController()
    // A directory outside the roots, or one that was deleted, has no banner.
    client.trust.get(cwd, { signal: stop.signal }).then(setTrust, () => setTrust(undefined))
    return () => stop.abort()
  }, [client, cwd, leftOut])
  return [trust, setTrust] as const
}

/** Whether the agent has started, or would start, without files of its project. */
const isLeftOut = ({ agent, leftOut }: SessionInfo, { state, files }: ProjectTrust): boolean =>
  leftOut !== undefined || (state !== 'trusted' && files.some((file) => file.agent === agent))

const messageOf = (
  title: string,
  { leftOut, agent }: SessionInfo,
  { state, files }: ProjectTrust,
): string => {
  if (state === 'trusted') return `${title} loads the files of this folder with your next prompt.`
  const count = files.filter((file) => file.agent === agent).length
  const what = `${count === 1 ? 'one file' : `${count} files`} of this folder`
  if (state === 'changed') return `${title} does not load ${what}, which changed.`
  const verb = leftOut === undefined ? 'will start' : 'runs'
  return `${title} ${verb} without ${what}, which is not trusted.`
}

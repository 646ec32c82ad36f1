import { useEffect, useState } from 'react'
import type { ProjectTrust, SessionInfo, TrustState } from '../../../src/api/index.ts'
import { useAgentTitle } from '../agents/use-agent-title.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Dialog } from '../parts/dialog.tsx'
import { TrustQuestion } from './trust-question.tsx'
import '../style/trust.css'

/** Says that the agent of a session does not load the files of its project, and offers to decide. */
export const TrustBanner = ({ sessionId }: { sessionId: string }) => {
  const { overview } = useApp()
  const session = useStore(overview).sessions.find(({ id }) => id === sessionId)
  const [trust, setTrust] = useTrust(session)
  const [isOpen, setOpen] = useState(false)
  const titleOf = useAgentTitle()
  if (!session || !trust || !isLeftOut(session, trust)) return null
  return (
    <div className={`trust-banner trust-${trust.state}`} role="status">
      <p>{messageOf(titleOf(session), session.leftOut, trust.state)}</p>
      {trust.state !== 'trusted' && (
        <button type="button" onClick={() => setOpen(true)}>
          Review
        </button>
      )}
      {isOpen && (
        <Dialog title="Trust this folder?" onClose={() => setOpen(false)}>
          <TrustQuestion
            trust={trust}
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
const isLeftOut = ({ agent, leftOut }: SessionInfo, { state, agents }: ProjectTrust): boolean =>
  leftOut !== undefined || (state !== 'trusted' && agents.includes(agent))

const messageOf = (title: string, leftOut: SessionInfo['leftOut'], state: TrustState): string => {
  if (state === 'trusted') return `${title} loads the files of this folder with your next prompt.`
  const what = 'the settings and extensions of this folder'
  if (state === 'changed') return `${title} does not load ${what}, because they have changed.`
  const verb = leftOut === undefined ? 'will start' : 'runs'
  return `${title} ${verb} without ${what}, which is not trusted.`
}

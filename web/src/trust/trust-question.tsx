import { useState } from 'react'
import type { ProjectFile, ProjectTrust } from '../../../src/api/index.ts'
import { reasonOf } from '../../../src/shared/reason.ts'
import { useAgentTitle } from '../agents/use-agent-title.ts'
import { useApp } from '../app/use-app.ts'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { Revealed } from '../parts/revealed.tsx'
import '../style/trust.css'

interface Props {
  trust: ProjectTrust
  /** Called with the stored decision. */
  onDecided: (decided: ProjectTrust) => void
}

/** Asks whether an agent may load the settings, hooks and extensions of a directory. */
export const TrustQuestion = ({ trust, onDecided }: Props) => {
  const { decide, isDeciding, problem } = useDecision(trust, onDecided)
  const titleOf = useAgentTitle()
  const unlisted = trust.fileCount - trust.files.length
  return (
    <section className="trust-question" aria-label="Trust this folder?">
      <p>
        {trust.state === 'changed' && 'These files have changed since they were last decided on. '}
        The folder <Revealed text={trust.path} /> has files that{' '}
        {trust.agents.map((agent) => titleOf({ agent })).join(' and ')} would load. They can run
        programs on this machine without asking you.
      </p>
      <ul className="trust-files">
        {trust.files.map(({ path, kind, agent }) => (
          <li key={`${agent} ${kind} ${path}`}>
            <code>
              <Revealed text={path.replaceAll('\n', '\\n')} />
            </code>
            <span>
              {titleOf({ agent })}: {kinds[kind]}
            </span>
          </li>
        ))}
        {unlisted > 0 && <li className="trust-more">and {unlisted} more files</li>}
      </ul>
      {trust.state === 'too_large' && (
        <p className="trust-warning">There are too many files to check, so {neverLoaded}</p>
      )}
      <ProblemMessage reason={problem} />
      <footer>
        <button
          type="button"
          disabled={isDeciding || trust.hash === undefined}
          onClick={() => decide(true)}
        >
          Trust this folder
        </button>
        <button
          type="button"
          className="primary"
          disabled={isDeciding}
          onClick={() => decide(false)}
        >
          Start without them
        </button>
      </footer>
    </section>
  )
}

const neverLoaded = 'this folder cannot be trusted. The agent starts without them.'

const kinds: Readonly<Record<ProjectFile['kind'], string>> = {
  settings: 'settings, can name programs',
  mcp_servers: 'MCP servers, are programs',
  hook: 'script of a hook',
  extension: 'extension, is a program',
  agent: 'subagent',
  command: 'command',
  skill: 'skill',
}

const useDecision = ({ path, hash }: ProjectTrust, onDecided: Props['onDecided']) => {
  const { client } = useApp()
  const [isDeciding, setDeciding] = useState(false)
  const [problem, setProblem] = useState<string>()
  const decide = (trusted: boolean) => {
    setDeciding(true)
    setProblem(undefined)
    const decided =
      hash === undefined ? client.trust.get(path) : client.trust.decide({ path, hash, trusted })
    decided
      .then(onDecided, (cause: unknown) => setProblem(reasonOf(cause)))
      .finally(() => setDeciding(false))
  }
  return { decide, isDeciding, problem }
}

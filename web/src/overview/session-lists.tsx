import { useEffect } from 'react'
import type { Project, SessionInfo } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { LoopSection } from '../loops/loop-section.tsx'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { groupSessions, type ProjectGroup } from '../state/groups.ts'
import { rulesPath } from '../state/route.ts'
import { SessionListItem } from './session-list-item.tsx'

interface Props {
  sessions: readonly SessionInfo[]
  /** The session that is open beside the list. */
  currentId?: string
  /** Whether projects without a resting session are listed, too. */
  hasEmptyProjects?: boolean
}

/** Sessions that work, wait or failed, and below them the others by project. */
export const SessionLists = ({ sessions, currentId, hasEmptyProjects = false }: Props) => {
  const { projects, overview } = useApp()
  const { loops } = useStore(overview)
  const { value: loaded = [] } = useStore(projects)
  const areAllLoaded = sessions.every(
    ({ projectId }) => projectId === undefined || loaded.some(({ id }) => id === projectId),
  )
  useEffect(() => {
    if (!areAllLoaded || hasEmptyProjects) projects.load()
  }, [areAllLoaded, hasEmptyProjects, projects])
  const { active, openLoops, doneLoops, projects: groups } = groupSessions(sessions, loops)
  const emptyGroups = loaded
    .filter(({ id }) => hasEmptyProjects && !groups.some(({ projectId }) => projectId === id))
    .map(({ id }) => ({ projectId: id, sessions: [] }))
  return (
    <>
      {active.length > 0 && (
        <ActiveSection sessions={active} projects={loaded} currentId={currentId} />
      )}
      {openLoops.map((group) => (
        <LoopSection key={group.loopId} group={group} currentId={currentId} />
      ))}
      {[...groups, ...emptyGroups].map((group) => (
        <ProjectSection
          key={group.projectId ?? ''}
          group={group}
          project={loaded.find(({ id }) => id === group.projectId)}
          currentId={currentId}
          hasActive={active.some(({ projectId }) => projectId === group.projectId)}
        />
      ))}
      {doneLoops.map((group) => (
        <LoopSection key={group.loopId} group={group} currentId={currentId} />
      ))}
    </>
  )
}

interface ActiveProps {
  sessions: readonly SessionInfo[]
  projects: readonly Project[]
  currentId: string | undefined
}

const ActiveSection = ({ sessions, projects, currentId }: ActiveProps) => {
  const hasFailed = sessions.some(({ activity }) => activity?.kind === 'failed')
  const name = hasFailed ? 'Active and failed' : 'Active'
  return (
    <section className="project active-sessions" aria-label={name}>
      <div className="project-head">
        <h2>{name}</h2>
      </div>
      <ul>
        {sessions.map((session) => (
          <SessionListItem
            key={session.id}
            session={session}
            isCurrent={session.id === currentId}
            projectName={projects.find(({ id }) => id === session.projectId)?.name}
          />
        ))}
      </ul>
    </section>
  )
}

interface ProjectProps {
  group: ProjectGroup
  project: Project | undefined
  currentId: string | undefined
  /** Whether sessions of the project are among the active ones. */
  hasActive: boolean
}

const ProjectSection = ({ group, project, currentId, hasActive }: ProjectProps) => {
  const { creating } = useApp()
  const name = project?.name ?? (group.projectId === undefined ? 'No project' : '…')
  return (
    <section className="project" aria-label={name}>
      <div className="project-head">
        <h2>{name}</h2>
        {project && <span className="project-path">{project.path}</span>}
        {project && currentId === undefined && (
          <Link to={rulesPath(project.id)} className="quiet-button">
            Rules<span className="visually-hidden"> of {name}</span>
          </Link>
        )}
        {project && (
          <button
            type="button"
            className="quiet-button"
            aria-label={`New session in ${name}`}
            title={`New session in ${name}`}
            onClick={() => creating.set(project.id)}
          >
            <Icon name="plus" />
          </button>
        )}
      </div>
      <ul>
        {group.sessions.map((session) => (
          <SessionListItem
            key={session.id}
            session={session}
            isCurrent={session.id === currentId}
          />
        ))}
        {group.sessions.length === 0 && (
          <li className="project-empty">{hasActive ? 'No other sessions.' : 'No sessions yet.'}</li>
        )}
      </ul>
    </section>
  )
}

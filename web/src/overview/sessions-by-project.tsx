import { useEffect } from 'react'
import type { Project, SessionInfo } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { groupByProject, type ProjectGroup } from '../state/groups.ts'
import { rulesPath } from '../state/route.ts'
import { SessionListItem } from './session-list-item.tsx'

interface Props {
  sessions: readonly SessionInfo[]
  /** The session that is open beside the list. */
  currentId?: string
  /** Whether projects without a session are listed, too. */
  hasEmptyProjects?: boolean
}

/** Sessions, grouped by project. */
export const SessionsByProject = ({ sessions, currentId, hasEmptyProjects = false }: Props) => {
  const { projects } = useApp()
  const { value: loaded = [] } = useStore(projects)
  const areAllLoaded = sessions.every(
    ({ projectId }) => projectId === undefined || loaded.some(({ id }) => id === projectId),
  )
  useEffect(() => {
    if (!areAllLoaded || hasEmptyProjects) projects.load()
  }, [areAllLoaded, hasEmptyProjects, projects])
  const groups = groupByProject(sessions)
  const emptyGroups = loaded
    .filter(({ id }) => hasEmptyProjects && !groups.some(({ projectId }) => projectId === id))
    .map(({ id }) => ({ projectId: id, sessions: [] }))
  return [...groups, ...emptyGroups].map((group) => (
    <ProjectSection
      key={group.projectId ?? ''}
      group={group}
      project={loaded.find(({ id }) => id === group.projectId)}
      currentId={currentId}
    />
  ))
}

interface ProjectProps {
  group: ProjectGroup
  project: Project | undefined
  currentId: string | undefined
}

const ProjectSection = ({ group, project, currentId }: ProjectProps) => {
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
        {group.sessions.length === 0 && <li className="project-empty">No sessions yet.</li>}
      </ul>
    </section>
  )
}

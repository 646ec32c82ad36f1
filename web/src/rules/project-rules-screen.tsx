import { useEffect, useMemo } from 'react'
import { withPasskey } from '../access/with-passkey.ts'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { type RulesSource, RulesView } from './rules-view.tsx'
import '../style/overview.css'
import '../style/panel.css'

/** The stored rules of a project, which hold in all its sessions. */
export const ProjectRulesScreen = ({ projectId }: { projectId: string }) => {
  const { client, projects } = useApp()
  const project = useStore(projects).value?.find(({ id }) => id === projectId)
  useEffect(() => projects.load(), [projects])
  const source = useMemo<RulesSource>(
    () => ({
      list: () => client.rules.ofProject(projectId),
      add: ({ scope: _, ...rule }) =>
        withPasskey(client, { kind: 'rule', id: projectId }, (options) =>
          client.rules.addToProject(projectId, rule, options),
        ),
      remove: (rule) =>
        withPasskey(client, { kind: 'rule', id: projectId }, (options) =>
          client.rules.removeFromProject(projectId, rule.id, options),
        ),
    }),
    [client, projectId],
  )
  return (
    <div className="overview">
      <header className="top-bar">
        <Link to="/" className="quiet-button">
          <Icon name="back" />
          <span>All sessions</span>
        </Link>
        <h1>Rules for approvals</h1>
      </header>
      <main className="rules-page">
        {project && (
          <p>
            {project.name} <span className="project-path">{project.path}</span>
          </p>
        )}
        <RulesView source={source} scopes={scopes} version={projectId} />
      </main>
    </div>
  )
}

const scopes = ['project'] as const

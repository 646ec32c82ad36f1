import { useEffect, useState } from 'react'
import type { WatchedReport, WatchedSwitch } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useMay } from '../app/use-may.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { Revealed } from '../parts/revealed.tsx'
import '../style/access.css'

/** Which directories of agents are watched, with switches. */
export const WatchedScreen = () => {
  const { client, projects, toasts } = useApp()
  const mayChange = useMay('admin')
  const [resource] = useState(() => createResource(() => client.watched.get()))
  const { value, error } = useStore(resource)
  const { value: projectList = [] } = useStore(projects)
  useEffect(() => {
    resource.load()
    projects.load()
  }, [resource, projects])
  const change = (wanted: WatchedSwitch) => {
    client.watched.change(wanted).then(resource.load, toasts.showError('Cannot change it'))
  }
  const rowsOfProjects = value ? projectRows(value, projectList) : []
  return (
    <div className="overview">
      <header className="top-bar">
        <Link to="/access" className="quiet-button">
          <Icon name="back" />
          <span>Browsers and keys</span>
        </Link>
        <h1>Watched sessions</h1>
      </header>
      <main className="access">
        <p className="optional">
          Sluice shows what agents in terminals store on the machine of the server. What is off is
          not read. Sessions that are shown already stay.
        </p>
        <ProblemMessage reason={error} />
        {value?.isOn === false && (
          <p>
            The server was started with <code>--no-watch</code>: it reads nothing.
          </p>
        )}
        <SwitchList
          title="Agents"
          rows={value?.agents.map(({ agent, title, path, exists, state }) => ({
            ...{ title, path, isOn: state === 'on', note: exists ? undefined : 'not found' },
            ...(mayChange && { onChange: (next) => change({ agent, state: next }) }),
          }))}
        />
        <SwitchList
          title="Projects"
          rows={rowsOfProjects.map(({ path, ...row }) => ({
            ...{ ...row, path },
            ...(mayChange && { onChange: (next) => change({ project: path, state: next }) }),
          }))}
        />
      </main>
    </div>
  )
}

interface SwitchRow {
  title: string
  path: string
  isOn: boolean
  note?: string | undefined
  /** Without it, the row cannot be changed. */
  onChange?(state: 'on' | 'off'): void
}

const SwitchList = ({ title, rows = [] }: { title: string; rows?: SwitchRow[] | undefined }) =>
  rows.length > 0 && (
    <section>
      <div className="access-head">
        <h2>{title}</h2>
      </div>
      <ul className="access-list" aria-label={title}>
        {rows.map((row) => (
          <SwitchItem key={row.path} {...row} />
        ))}
      </ul>
    </section>
  )

const SwitchItem = ({ title, path, isOn, note, onChange }: SwitchRow) => (
  <li>
    <label className="access-switch">
      <input
        type="checkbox"
        checked={isOn}
        disabled={!onChange}
        onChange={(event) => onChange?.(event.target.checked ? 'on' : 'off')}
      />
      <strong>{title}</strong>
    </label>
    <div className="access-facts access-name">
      <span>
        <Revealed text={path} />
      </span>
      {note !== undefined && <span>{note}</span>}
    </div>
  </li>
)

/** The projects, and directories that were switched off without being one. */
const projectRows = (
  { projectsOff }: WatchedReport,
  projects: readonly { name: string; path: string }[],
): Pick<SwitchRow, 'title' | 'path' | 'isOn'>[] => {
  const others = projectsOff.filter((path) => projects.every((each) => each.path !== path))
  return [
    ...projects.map(({ name, path }) => ({
      ...{ title: name, path, isOn: !projectsOff.includes(path) },
    })),
    ...others.map((path) => ({ title: 'Another directory', path, isOn: false })),
  ]
}

import type { Project } from '../../../src/api/index.ts'
import type { Loaded } from '../lib/resource.ts'
import { DirectoryPicker } from './directory-picker.tsx'

/** The value for a directory that is not a project yet. */
export const newDirectory = ''

interface Props {
  projects: Loaded<Project[]>
  chosen: string
  onChoose: (projectId: string) => void
  path: string
  onPath: (path: string) => void
}

/** Where the agent works: an existing project or another directory. */
export const ProjectChoice = ({ projects, chosen, onChoose, path, onPath }: Props) => (
  <>
    <label>
      Project
      <select value={chosen} onChange={(event) => onChoose(event.target.value)}>
        {projects.value?.map(({ id, name, path: projectPath }) => (
          <option key={id} value={id}>
            {name} ({projectPath})
          </option>
        ))}
        <option value={newDirectory}>Another directory…</option>
      </select>
    </label>
    {chosen === newDirectory && <DirectoryPicker path={path} onPath={onPath} />}
  </>
)

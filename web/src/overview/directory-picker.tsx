import { useEffect, useState } from 'react'
import { useApp } from '../app/use-app.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'

interface Props {
  path: string
  onPath: (path: string) => void
}

/** Picks a directory below one of the server’s allowed roots: typed, or by browsing. */
export const DirectoryPicker = ({ path, onPath }: Props) => {
  const { client } = useApp()
  /** The directory whose subdirectories are listed; undefined for the roots. */
  const [parent, setParent] = useState<string>()
  const [resource, setResource] = useState(() =>
    createResource(() => client.projects.directories()),
  )
  const { value, error } = useStore(resource)
  useEffect(() => resource.load(), [resource])
  const browse = (to: string | undefined) => {
    setParent(to)
    setResource(createResource(() => client.projects.directories(to)))
    onPath(to ?? '')
  }
  return (
    <>
      <label>
        Directory
        <input
          value={path}
          onChange={(event) => onPath(event.target.value)}
          required
          placeholder="Choose a directory below, or type a path"
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <ProblemMessage title="Could not list the directories" reason={error} />
      <ul className="directories" aria-label="Directories">
        {parent !== undefined && (
          <li>
            <button type="button" className="quiet-button" onClick={() => browse(value?.parent)}>
              <Icon name="back" />
              {value?.parent ?? 'All root directories'}
            </button>
          </li>
        )}
        {value?.directories.map(({ name, path: to }) => (
          <li key={to}>
            <button type="button" className="quiet-button" onClick={() => browse(to)}>
              {parent === undefined ? to : name}
            </button>
          </li>
        ))}
        {value?.directories.length === 0 && <li className="optional">No subdirectories.</li>}
        {value?.truncated && (
          <li className="optional">Not all directories are shown. Type the path instead.</li>
        )}
      </ul>
    </>
  )
}

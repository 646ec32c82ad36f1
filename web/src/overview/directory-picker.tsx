import { useEffect, useState } from 'react'
import { useApp } from '../app/use-app.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from '../parts/icon.tsx'

interface Props {
  path: string
  onPath: (path: string) => void
}

/** A directory under one of the server’s allowed roots: typed, or gone to step by step. */
export const DirectoryPicker = ({ path, onPath }: Props) => {
  const { client } = useApp()
  const [within, setWithin] = useState<string>()
  const [resource, setResource] = useState(() =>
    createResource(() => client.projects.directories()),
  )
  const { value, error } = useStore(resource)
  useEffect(() => resource.load(), [resource])
  const go = (to: string | undefined) => {
    setWithin(to)
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
      {error !== undefined && (
        <p className="error-words">Could not list the directories: {error}</p>
      )}
      <ul className="directories" aria-label="Directories">
        {within !== undefined && (
          <li>
            <button type="button" className="quiet-button" onClick={() => go(value?.parent)}>
              <Icon name="back" />
              {value?.parent ?? 'All root directories'}
            </button>
          </li>
        )}
        {value?.directories.map(({ name, path: to }) => (
          <li key={to}>
            <button type="button" className="quiet-button" onClick={() => go(to)}>
              {within === undefined ? to : name}
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

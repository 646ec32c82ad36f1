import { useState } from 'react'
import type { SnapshotTask } from '../../../src/events/types.ts'
import { useApp } from '../app/use-app.ts'
import { useIsOffline } from '../app/use-is-offline.ts'
import { Fold } from '../parts/fold.tsx'
import { Icon } from '../parts/icon.tsx'
import { Elapsed } from '../parts/relative-time.tsx'
import { Revealed } from '../parts/revealed.tsx'
import { TaskOutputView } from './task-output-view.tsx'

interface Props {
  id: string
  tasks: readonly SnapshotTask[]
}

/** The tasks that work in the background, also between runs. */
export const BackgroundTasks = ({ id, tasks }: Props) => {
  const working = tasks.filter(({ state, isBackground }) => state === 'running' && isBackground)
  if (working.length === 0) return null
  return (
    <Fold
      foldKey="tasks"
      className="queue"
      isOpenAtFirst
      head={
        <>
          <span className="queue-badge number">{working.length}</span> in the background
        </>
      }
    >
      {() => (
        <ul>
          {working.map((task) => (
            <TaskItem key={task.id} sessionId={id} task={task} />
          ))}
        </ul>
      )}
    </Fold>
  )
}

const TaskItem = ({ sessionId, task }: { sessionId: string; task: SnapshotTask }) => {
  const { id, description, activity, startedAt, outputFile } = task
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="task-item">
      <div className="queue-item">
        <span className="queue-text">
          <Revealed text={description ?? 'A task'} />{' '}
          {activity !== undefined && activity !== description && (
            <span className="queue-about">
              <Revealed text={activity} />
            </span>
          )}
        </span>
        <span className="queue-about">
          {startedAt !== undefined && <Elapsed since={startedAt} />}
        </span>
        <span className="queue-actions">
          {outputFile !== undefined && (
            <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              Output
            </button>
          )}
          <StopTaskButton sessionId={sessionId} task={task} />
        </span>
      </div>
      {isOpen && <TaskOutputView sessionId={sessionId} taskId={id} />}
    </li>
  )
}

const StopTaskButton = ({ sessionId, task }: { sessionId: string; task: SnapshotTask }) => {
  const { client, toasts } = useApp()
  const [isRequested, setRequested] = useState(false)
  const isOffline = useIsOffline()
  const stop = () => {
    setRequested(true)
    client.sessions
      .stopTask(sessionId, task.id)
      .catch(toasts.showError('Could not end the task'))
      .finally(() => setRequested(false))
  }
  return (
    <button
      type="button"
      aria-label={`End ${task.description ?? 'the task'}`}
      disabled={isRequested || isOffline}
      onClick={stop}
    >
      <Icon name="close" />
      End
    </button>
  )
}

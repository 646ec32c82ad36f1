import type { Queued } from '../../../src/events/index.ts'
import { Fold } from '../parts/fold.tsx'

interface Props {
  queued: Queued
  isWorking: boolean
}

/** Messages that wait to be delivered to the agent. */
export const QueueView = ({ queued, isWorking }: Props) => {
  const { steering, followUp } = queued
  const count = steering.length + followUp.length
  if (count === 0) return null
  return (
    <Fold
      foldKey="queue"
      className="queue"
      isOpenAtFirst
      head={
        <>
          <span className="queue-badge number">{count}</span> queued
        </>
      }
    >
      {() => (
        <ul>
          {steering.map((text, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same message may be queued twice.
            <li key={`steer-${index}`}>
              <span className="queue-when">next step</span> {text}
            </li>
          ))}
          {followUp.map((text, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same message may be queued twice.
            <li key={`later-${index}`}>
              <span className="queue-when">
                {isWorking ? 'after this run' : 'after the next run'}
              </span>{' '}
              {text}
            </li>
          ))}
        </ul>
      )}
    </Fold>
  )
}

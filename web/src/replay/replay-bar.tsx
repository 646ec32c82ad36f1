import { useStore } from '../lib/use-store.ts'
import { formatTime } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import type { EventLog } from './event-log.ts'
import { type Replay, speeds } from './replay.ts'
import '../style/scrubber.css'

interface Props {
  travel: Replay
  log: EventLog
}

/** Goes through a session’s past; “Now” returns to the present. */
export const ReplayBar = ({ travel, log }: Props) => {
  const { transcript, position, length, at, isPlaying, speed } = useStore(travel)
  const { error, events, head, isLoading } = useStore(log)
  const isReady = transcript !== undefined
  return (
    <section className="scrubber" aria-label="Replay">
      <button
        type="button"
        className="quiet-button"
        disabled={!isReady}
        aria-label={isPlaying ? 'Pause' : 'Play'}
        onClick={isPlaying ? travel.pause : travel.play}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <select
        aria-label="Speed"
        value={speed}
        onChange={(event) => {
          const chosen = speeds.find((each) => String(each) === event.target.value)
          if (chosen) travel.setSpeed(chosen)
        }}
      >
        {speeds.map((each) => (
          <option key={each} value={each}>
            {each}×
          </option>
        ))}
      </select>
      <input
        type="range"
        min={0}
        max={length}
        value={position}
        disabled={!isReady}
        aria-label="Position"
        aria-valuetext={`Event ${position} of ${length}`}
        onChange={(event) => travel.seek(Number(event.target.value))}
      />
      <span className="scrubber-place number">
        {isReady ? (
          <>
            {position} / {length}
            {at !== undefined && ` · ${formatTime(at, Date.now())}`}
          </>
        ) : (
          (error ?? (isLoading ? `Loading ${events.length} of ${head}…` : 'No events yet'))
        )}
      </span>
      <button type="button" onClick={travel.close}>
        Back to live
      </button>
    </section>
  )
}

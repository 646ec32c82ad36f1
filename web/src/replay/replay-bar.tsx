import { useStore } from '../lib/use-store.ts'
import { formatTime } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import type { EventLog, LoadedEvents } from './event-log.ts'
import { type Replay, speeds } from './replay.ts'
import '../style/replay-bar.css'

interface Props {
  replay: Replay
  log: EventLog
  /** There is no live session to go back to. */
  isAlone?: true
}

/** The controls of a replay: play, speed, position, and back to the live session. */
export const ReplayBar = ({ replay, log, isAlone }: Props) => {
  const { transcript, position, length, at, isPlaying, speed } = useStore(replay)
  const loaded = useStore(log)
  const isReady = transcript !== undefined
  const time = at === undefined ? '' : ` · ${formatTime(at, Date.now())}`
  return (
    <section className="replay-bar" aria-label="Replay">
      <button
        type="button"
        className="quiet-button"
        disabled={!isReady}
        aria-label={isPlaying ? 'Pause' : 'Play'}
        onClick={isPlaying ? replay.pause : replay.play}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <select
        aria-label="Speed"
        value={speed}
        onChange={(event) => {
          const chosen = speeds.find((each) => String(each) === event.target.value)
          if (chosen) replay.setSpeed(chosen)
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
        onChange={(event) => replay.seek(Number(event.target.value))}
      />
      <span className="replay-bar-position number">
        {isReady ? `${position} / ${length}${time}` : loadingState(loaded)}
      </span>
      {!isAlone && (
        <button type="button" onClick={replay.close}>
          Back to live
        </button>
      )}
    </section>
  )
}

const loadingState = ({ error, isLoading, events, head }: LoadedEvents): string => {
  if (error !== undefined) return `Could not load the events: ${error}`
  return isLoading ? `Loading ${events.length} of ${head}…` : 'No events yet'
}

import '../style/meter.css'

interface Props {
  /** What is measured, such as “Cost”. */
  label: string
  /** What is used up, for people. */
  spent: string
  /** The limit, for people. */
  limit: string
  /** What is used up, as a part of the limit: 1 is all of it. */
  share: number
}

/** From this part of a limit on, a warning is shown. */
const warningShare = 0.8

/** How much of a limit is used up, as a bar and in numbers. */
export const Meter = ({ label, spent, limit, share }: Props) => {
  const percent = Math.max(0, Math.round(share * 100))
  const text = `${spent} of ${limit}`
  return (
    <div className={`meter meter-${meterLevel(share)}`}>
      <span className="meter-label">{label}</span>
      <span className="meter-bar" role="img" aria-label={`${label}: ${percent}%`}>
        <span className="meter-fill" style={{ width: `${Math.min(100, percent)}%` }} />
      </span>
      <span className="meter-text number">{text}</span>
    </div>
  )
}

/** Whether a limit is far away, near, or met. */
const meterLevel = (share: number): 'low' | 'high' | 'full' => {
  if (share >= 1) return 'full'
  return share >= warningShare ? 'high' : 'low'
}

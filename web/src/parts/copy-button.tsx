import { useEffect, useState } from 'react'
import { copyText } from './copy-text.ts'
import { Icon } from './icon.tsx'

interface Props {
  text: string
  label: string
}

interface Outcome {
  label: string
  icon: 'check' | 'close'
  ms: number
}

const copied: Outcome = { label: 'Copied', icon: 'check', ms: 1500 }
const failed: Outcome = { label: 'The browser did not allow it', icon: 'close', ms: 5000 }

/** Copies a text, and shows for a moment whether it worked. */
export const CopyButton = ({ text, label }: Props) => {
  const [outcome, setOutcome] = useState<Outcome>()
  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(undefined), outcome.ms)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = () => {
    copyText(text).then(
      () => setOutcome(copied),
      () => setOutcome(failed),
    )
  }
  return (
    <button
      type="button"
      className="quiet-button copy-button"
      onClick={copy}
      aria-label={outcome?.label ?? label}
      title={outcome?.label ?? label}
    >
      <Icon name={outcome?.icon ?? 'copy'} />
    </button>
  )
}

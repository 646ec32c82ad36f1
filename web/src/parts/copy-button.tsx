import { useEffect, useState } from 'react'
import { Icon } from './icon.tsx'

interface Props {
  text: string
  label: string
}

/** Copies a text, and confirms it for a moment. */
export const CopyButton = ({ text, label }: Props) => {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    navigator.clipboard?.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    )
  }
  return (
    <button
      type="button"
      className="quiet-button copy-button"
      onClick={copy}
      aria-label={isCopied ? 'Copied' : label}
      title={isCopied ? 'Copied' : label}
    >
      <Icon name={isCopied ? 'check' : 'copy'} />
    </button>
  )
}

import { useEffect, useState } from 'react'
import { useApp } from '../app/use-app.ts'
import { copyText } from './copy-text.ts'
import { Icon } from './icon.tsx'

interface Props {
  text: string
  label: string
}

/** Copies a text, and confirms it for a moment. */
export const CopyButton = ({ text, label }: Props) => {
  const { toasts } = useApp()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = () => {
    copyText(text).then(() => setCopied(true), toasts.showError('Could not copy'))
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

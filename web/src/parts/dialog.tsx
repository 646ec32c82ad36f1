import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Icon } from './icon.tsx'
import { useRestoreFocus } from './use-restore-focus.ts'

interface Props {
  title: string
  onClose: () => void
  children: ReactNode
}

/** A modal dialog. The browser keeps the focus inside it. */
export const Dialog = ({ title, onClose, children }: Props) => {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useRestoreFocus()
  useEffect(() => ref.current?.showModal(), [])
  return (
    <dialog ref={ref} className="dialog" aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <button type="button" className="quiet-button" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  )
}

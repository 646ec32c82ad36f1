import type { ReactNode } from 'react'
import { useApp } from '../app/use-app.ts'
import { useStore } from '../lib/use-store.ts'
import { Icon } from './icon.tsx'

interface Props {
  /** The key under which the state is stored, so that it survives scrolling out of view. */
  foldKey: string
  isOpenAtFirst: boolean
  className?: string
  head: ReactNode
  children: () => ReactNode
}

/** A heading that opens and closes the content below it. */
export const Fold = ({ foldKey, isOpenAtFirst, className = '', head, children }: Props) => {
  const { folds } = useApp()
  const isOpen = useStore(folds).get(foldKey) ?? isOpenAtFirst
  return (
    <div className={`fold ${className} ${isOpen ? 'fold-open' : ''}`}>
      <button
        type="button"
        className="fold-head"
        aria-expanded={isOpen}
        onClick={() => folds.set(foldKey, !isOpen)}
      >
        {head}
        <Icon name="chevron" />
      </button>
      {isOpen && <div className="fold-body">{children()}</div>}
    </div>
  )
}

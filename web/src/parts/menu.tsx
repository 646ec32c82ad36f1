import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Icon } from './icon.tsx'

export interface MenuItem {
  readonly label: string
  readonly run: () => void
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
}

interface Props {
  label: string
  items: readonly MenuItem[]
  head?: ReactNode
}

/** A button that opens a menu. The arrow keys move through its items. */
export const Menu = ({ label, items, head }: Props) => {
  const [isOpen, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (!isOpen) return
    root.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
    const leave = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false)
    }
    document.addEventListener('pointerdown', leave)
    return () => document.removeEventListener('pointerdown', leave)
  }, [isOpen])

  const close = () => {
    setOpen(false)
    root.current?.querySelector('button')?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close()
    else if (event.key === 'ArrowDown') move(root.current, 1)
    else if (event.key === 'ArrowUp') move(root.current, -1)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only closes the menu when the focus leaves.
    <div
      className="menu"
      ref={root}
      onBlur={({ relatedTarget }) => {
        if (relatedTarget && !root.current?.contains(relatedTarget)) setOpen(false)
      }}
    >
      <button
        type="button"
        className="quiet-button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {head ?? <Icon name="more" />}
      </button>
      {isOpen && (
        <div
          className="menu-list"
          role="menu"
          aria-label={label}
          tabIndex={-1}
          onKeyDown={onKeyDown}
        >
          {items.map(({ label: text, run, isDangerous, isDisabled: isOff }) => (
            <button
              key={text}
              type="button"
              role="menuitem"
              disabled={isOff}
              className={isDangerous ? 'danger' : undefined}
              onClick={() => {
                close()
                run()
              }}
            >
              {text}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}

const move = (root: HTMLElement | null, by: number): void => {
  const items = [...(root?.querySelectorAll<HTMLElement>('[role=menuitem]:not(:disabled)') ?? [])]
  const { activeElement } = document
  const at = activeElement instanceof HTMLElement ? items.indexOf(activeElement) : -1
  items.at((at + by + items.length) % items.length)?.focus()
}

import type { MouseEvent, ReactNode } from 'react'
import { useApp } from '../app/use-app.ts'

interface Props {
  to: string
  className?: string
  isCurrent?: boolean
  children: ReactNode
}

/** A link inside the app. With a modifier key, the browser handles it: in a new tab, for example. */
export const Link = ({ to, className, isCurrent, children }: Props) => {
  const { routes } = useApp()
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button !== 0)
      return
    event.preventDefault()
    routes.go(to)
  }
  return (
    <a
      href={to}
      onClick={follow}
      {...(className !== undefined && { className })}
      {...(isCurrent && { 'aria-current': 'page' as const })}
    >
      {children}
    </a>
  )
}

import type { ReactNode } from 'react'
import { Icon } from '../parts/icon.tsx'
import { Link } from '../parts/link.tsx'
import { ConnectionState } from './connection-state.tsx'
import { TroubleBanner } from './trouble-banner.tsx'
import '../style/overview.css'

interface Props {
  className: string
  children: ReactNode
}

/** The frame of a page about one loop or one comparison: the way back, and the state of the connection. */
export const PageFrame = ({ className, children }: Props) => (
  <div className="overview">
    <header className="top-bar">
      <Link to="/" className="quiet-button">
        <Icon name="back" />
        <span>All sessions</span>
      </Link>
      <span className="spacer" />
      <ConnectionState />
    </header>
    <main className={`${className} titled-page`}>
      <TroubleBanner />
      {children}
    </main>
  </div>
)

import { Icon } from './icon.tsx'
import { Link } from './link.tsx'

const pages = [
  { path: '/cost', title: 'Cost' },
  { path: '/budgets', title: 'Budgets' },
  { path: '/prices', title: 'Prices' },
] as const

interface Props {
  /** The page that is open. */
  current: (typeof pages)[number]['path']
}

/** The head of the pages about money, with links from each to the others. */
export const MoneyHeader = ({ current }: Props) => (
  <header className="top-bar">
    <Link to="/" className="quiet-button">
      <Icon name="back" />
      <span className="wide-only">All sessions</span>
    </Link>
    <h1>{pages.find(({ path }) => path === current)?.title}</h1>
    <span className="spacer" />
    <nav className="page-tabs" aria-label="Pages about money">
      {pages.map(({ path, title }) => (
        <Link key={path} to={path} className="quiet-button" isCurrent={path === current}>
          {title}
        </Link>
      ))}
    </nav>
  </header>
)

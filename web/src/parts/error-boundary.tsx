import { Component, type ReactNode } from 'react'

interface Props {
  /** What is drawn. When it changes, drawing is tried again. */
  subject: unknown
  /** Shown when the children cannot be drawn. */
  fallback: ReactNode
  children: ReactNode
}

interface State {
  readonly subject: unknown
  readonly hasFailed: boolean
}

/**
 * Shows something else when its children throw while they are drawn. Without it, one entry that
 * cannot be drawn leaves the page blank. A class, because React has no other way.
 */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { subject: undefined, hasFailed: false }

  static getDerivedStateFromProps({ subject }: Props, state: State): State | null {
    return subject === state.subject ? null : { subject, hasFailed: false }
  }

  static getDerivedStateFromError(): Partial<State> {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}

import { CopyButton } from '../parts/copy-button.tsx'
import { Code } from './code.tsx'

interface Props {
  code: string
  language?: string | undefined
  /** Whether the code is still being written: then it has no colours yet. */
  isOpen: boolean
}

/** A block of code, with its language and a button to copy it. */
export const CodeBlock = ({ code, language, isOpen }: Props) => {
  const name = language?.split(/[\s{:,]/)[0]?.toLowerCase()
  return (
    <figure className="code-block">
      <figcaption>
        <span>{name || 'code'}</span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reachable. */}
      <pre tabIndex={0}>
        <Code code={code} language={isOpen ? undefined : name} />
      </pre>
    </figure>
  )
}

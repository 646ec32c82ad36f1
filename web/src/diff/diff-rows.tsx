import type { ReactNode } from 'react'
import { revealText } from '../../../src/shared/revealed-text.ts'
import { Revealed } from '../parts/revealed.tsx'
import { type DiffRow, type RowPair, rowPairs } from './rows.ts'

/** A diff in one column. */
export const UnifiedRows = ({ rows }: { rows: readonly DiffRow[] }) => (
  <table className="diff-table">
    <tbody>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff do not move.
        <tr key={index} className={`diff-${row.kind}`}>
          <td className="diff-number">{row.before}</td>
          <td className="diff-number">{row.after}</td>
          <td className="diff-sign">{signs[row.kind]}</td>
          <td className="diff-text">{contentOf(row)}</td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** A diff in two columns: before on the left, after on the right. */
export const SplitRows = ({ rows }: { rows: readonly DiffRow[] }) => (
  <table className="diff-table diff-split">
    <tbody>
      {rowPairs(rows).map((pair, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff do not move.
        <tr key={index}>{cellsOf(pair)}</tr>
      ))}
    </tbody>
  </table>
)

const cellsOf = ({ left, right }: RowPair): ReactNode => (
  <>
    <td className={`diff-number ${classOf(left)}`}>{left && (left.before ?? signs[left.kind])}</td>
    <td className={`diff-text ${classOf(left)}`}>{left && contentOf(left)}</td>
    <td className={`diff-number ${classOf(right)}`}>
      {right && (right.after ?? signs[right.kind])}
    </td>
    <td className={`diff-text ${classOf(right)}`}>{right && contentOf(right)}</td>
  </>
)

const classOf = (row: DiffRow | undefined): string => (row ? `diff-${row.kind}` : 'diff-none')

const signs: Record<DiffRow['kind'], string> = {
  same: '',
  added: '+',
  removed: '−',
  gap: '⋯',
  note: '',
}

const contentOf = ({ text, mark, kind }: DiffRow): ReactNode => {
  // A mark would split a word, and hide that it mixes alphabets.
  const isRevealed = revealText(text).warnings.length > 0
  if (isRevealed || !mark || mark[0] >= mark[1]) return <Revealed text={text} />
  const [start, end] = mark
  const inner = text.slice(start, end)
  return (
    <>
      {text.slice(0, start)}
      {kind === 'added' ? <ins>{inner}</ins> : <del>{inner}</del>}
      {text.slice(end)}
    </>
  )
}

import type { ReactNode } from 'react'

interface Props {
  /** Undefined: the number is not known. */
  value: ReactNode
  /** Stands behind the number on phones, where tables have no headings. */
  unit?: string
}

/** A number in a table; a dash if it is not known. */
export const NumberCell = ({ value, unit }: Props) => (
  <td className={value === undefined ? 'number missing-number' : 'number'}>
    {value ?? '–'}
    {value !== undefined && unit !== undefined && <span className="only-phone"> {unit}</span>}
  </td>
)

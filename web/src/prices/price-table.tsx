import type { ModelPrice, PricedModel } from '../../../src/api/index.ts'
import { formatPrice } from '../parts/format.ts'
import { Revealed } from '../parts/revealed.tsx'

interface Props {
  models: readonly PricedModel[]
  /** Absent where the user may not change prices. */
  onRemove?: (model: PricedModel) => void
}

/** Prices of models, per million tokens. */
export const PriceTable = ({ models, onRemove }: Props) => (
  <table className="price-table">
    <caption className="cost-note">US dollars per million tokens</caption>
    <thead>
      <tr>
        <th scope="col">Model</th>
        <th scope="col">Input</th>
        <th scope="col">Output</th>
        <th scope="col">Cache read</th>
        <th scope="col">Cache write</th>
        <td />
      </tr>
    </thead>
    <tbody>
      {models.map((priced) => (
        <PriceRow
          key={`${priced.provider} ${priced.model}`}
          priced={priced}
          {...(priced.provider === null && onRemove && { onRemove: () => onRemove(priced) })}
        />
      ))}
    </tbody>
  </table>
)

interface RowProps {
  priced: PricedModel
  onRemove?: () => void
}

const PriceRow = ({ priced: { model, provider, price }, onRemove }: RowProps) => (
  <tr>
    <th scope="row">
      <code>
        <Revealed text={model} isCollapsed />
      </code>
      <span className="price-provider">{provider ?? 'set here'}</span>
      <Tiers tiers={price.tiers} />
    </th>
    <PriceCell label="input" usd={price.input} />
    <PriceCell label="output" usd={price.output} />
    <PriceCell label="cache read" usd={price.cacheRead} isAsInput={provider === null} />
    <PriceCell label="cache write" usd={price.cacheWrite} isAsInput={provider === null} />
    <td>
      {onRemove && (
        <button type="button" aria-label={`Remove the price of ${model}`} onClick={onRemove}>
          Remove
        </button>
      )}
    </td>
  </tr>
)

interface CellProps {
  label: string
  usd: number | undefined
  /** Whether tokens of this kind cost as much as input if they have no price of their own. */
  isAsInput?: boolean
}

const PriceCell = ({ label, usd, isAsInput = false }: CellProps) => (
  <td className="number">
    {usd === undefined ? <Unset isAsInput={isAsInput} /> : formatPrice(usd)}
    <span className="price-kind"> {label}</span>
  </td>
)

const Unset = ({ isAsInput }: { isAsInput: boolean }) =>
  isAsInput ? <span className="price-unset">as input</span> : '–'

/** Prices that hold for a long context. */
const Tiers = ({ tiers = [] }: { tiers: ModelPrice['tiers'] }) =>
  tiers.map(({ above, input, output }) => (
    <span key={above} className="price-provider">
      above {above / 1000}k tokens: {formatPrice(input)} input, {formatPrice(output)} output
    </span>
  ))

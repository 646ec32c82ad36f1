import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import type { PricedModel } from '../../../src/api/index.ts'
import { useApp } from '../app/use-app.ts'
import { useMay } from '../app/use-may.ts'
import { createResource } from '../lib/resource.ts'
import { useStore } from '../lib/use-store.ts'
import { formatCount } from '../parts/format.ts'
import { MoneyHeader } from '../parts/money-header.tsx'
import { ProblemMessage } from '../parts/problem-message.tsx'
import { SearchField } from '../search/search-field.tsx'
import { PriceTable } from './price-table.tsx'
import { SetPriceForm } from './set-price-form.tsx'
import '../style/overview.css'
import '../style/cost.css'
import '../style/prices.css'

/** What tokens cost: the price list of the server, and the prices that were set on it. */
export const PricesScreen = () => {
  const { client, toasts } = useApp()
  const mayChange = useMay('admin')
  const [search, setSearch] = useState('')
  const wanted = useDeferredValue(search.trim())
  const resource = useMemo(
    () => createResource(() => client.prices(wanted === '' ? {} : { search: wanted })),
    [client, wanted],
  )
  useEffect(() => resource.load(), [resource])
  const { value, error } = useStore(resource)
  const remove = ({ model }: PricedModel) => {
    client
      .setPrice({ model, price: null })
      .then(() => resource.load(), toasts.showError('Could not remove the price'))
  }
  return (
    <div className="overview">
      <MoneyHeader current="/prices" />
      <main className="prices">
        <p className="cost-note">
          Sluice computes a cost from these prices where an agent reports none. Amounts that are
          stored do not change with the prices.
          {value?.priceList &&
            ` The list is ${value.priceList.name}, with ${formatCount(value.priceList.models)} models.`}
        </p>
        {mayChange && (
          <details>
            <summary>Set a price</summary>
            <SetPriceForm onSet={() => resource.load()} />
          </details>
        )}
        <SearchField query={search} onChange={setSearch} label="Search models" />
        <ProblemMessage title="Could not load the prices" reason={error} />
        {value && value.models.length > 0 && (
          <PriceTable models={value.models} {...(mayChange && { onRemove: remove })} />
        )}
        {value?.models.length === 0 && (
          <p className="cost-note">
            {wanted === '' ? 'No prices were set here.' : 'No model matches.'}
          </p>
        )}
        {value?.more && <p className="cost-note">More models match. Search for a longer name.</p>}
      </main>
    </div>
  )
}

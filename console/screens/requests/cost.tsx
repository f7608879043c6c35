import type { RequestRecord } from '../../../src/contract/admin/requests.ts'
import { exactMoney } from '../../parts/format.ts'

/** As the tokens are called. */
const NAMES: Readonly<Record<string, string>> = { cache_read: 'cached input' }

/** Cost breakdown; the parts add up to it. */
export function Cost({ call }: { call: RequestRecord }) {
  const { cost, estimated, cost_components: parts, provider_cost: stated, price_version: version } = call
  if (cost === null) return <p>The price of this model is unknown, so the cost is unknown.</p>
  return (
    <>
      <table class="small-table">
        <caption class="sr-only">Cost breakdown</caption>
        <tbody>
          {Object.entries(parts).map(([name, usd]) => (
            <tr key={name}>
              <th scope="row">{NAMES[name] ?? name.replaceAll('_', ' ')}</th>
              <td class="number">{exactMoney(Number(usd))}</td>
            </tr>
          ))}
          <tr class="sum">
            <th scope="row">total</th>
            <td class="number">{exactMoney(cost, estimated)}</td>
          </tr>
        </tbody>
      </table>
      <p class="faint">
        {estimated && 'Estimated, because the provider sent no token counts. '}
        {stated !== null && `The provider reports ${exactMoney(stated)}. `}
        {version && `Prices as of ${version}.`}
      </p>
    </>
  )
}

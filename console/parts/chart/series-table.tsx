import { bucketName } from '../format.ts'
import type { UsageSpan } from './usage-span.ts'

type Props = {
  span: UsageSpan
  values: readonly (number | null)[]
  title: string
  format: (amount: number | null) => string
}

/** The numbers of a chart, for whoever does not see it or wants to read them. */
export function SeriesTable({ span, values, title, format }: Props) {
  return (
    <details class="series">
      <summary>Numbers of the chart</summary>
      <table class="small-table">
        <thead>
          <tr>
            <th scope="col">{span.bucket === 'hour' ? 'Hour' : 'Day (UTC)'}</th>
            <th scope="col" class="number">
              {title}
            </th>
          </tr>
        </thead>
        <tbody>
          {span.starts.map((start, at) => (
            <tr key={start}>
              <th scope="row">{bucketName(start, span.bucket)}</th>
              <td class="number">{values[at] === null ? '' : format(values[at]!)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

import { bucketName } from '../format.ts'
import type { UsageSpan } from './usage-span.ts'

type Props = {
  span: UsageSpan
  columns: readonly { title: string; values: readonly (number | null)[] }[]
  format: (amount: number | null) => string
}

/** The numbers of a chart, for screen readers and for people who want to read them. */
export function SeriesTable({ span, columns, format }: Props) {
  return (
    <details class="series">
      <summary>Show as table</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section class="table-box" aria-label="Chart data" tabIndex={0}>
        <table class="small-table">
          <thead>
            <tr>
              <th scope="col">{span.bucket === 'hour' ? 'Hour' : 'Day (UTC)'}</th>
              {columns.map(({ title }, at) => (
                <th key={at} scope="col" class="number">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {span.starts.map((start, at) => (
              <tr key={start}>
                <th scope="row">{bucketName(start, span.bucket)}</th>
                {columns.map(({ values }, column) => (
                  <td key={column} class="number">
                    {values[at] === null ? '' : format(values[at]!)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  )
}

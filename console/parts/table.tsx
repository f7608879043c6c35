import type { ComponentChildren } from 'preact'
import type { Pages } from '../api/use-pages.ts'
import { Failure } from './notice.tsx'

export type Column<Row> = {
  name: string
  title: string
  cell: (row: Row) => ComponentChildren
  /** Numbers are aligned at their last digit. */
  isNumber?: boolean
  /** Not shown until the person chooses it. */
  isExtra?: boolean
}

type Props<Row> = {
  /** What a screen reader calls the table. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** A row below all others, such as their total. */
  last?: Row
}

/** It scrolls sideways on its own, so that the page never does. */
export function Table<Row>({ label, columns, rows, keyOf, last }: Props<Row>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="table-box" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, title, isNumber }) => (
              <th key={name} scope="col" class={isNumber ? 'number' : ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={keyOf(row)} columns={columns} row={row} />
          ))}
        </tbody>
        {last && (
          <tfoot>
            <Row columns={columns} row={last} />
          </tfoot>
        )}
      </table>
    </section>
  )
}

function Row<Of>({ columns, row }: { columns: readonly Column<Of>[]; row: Of }) {
  return (
    <tr>
      {columns.map((column) => (
        <Cell key={column.name} column={column} row={row} />
      ))}
    </tr>
  )
}

/** A name may be too long for its cell: the tooltip has the whole text. */
function Cell<Of>({ column: { cell, isNumber }, row }: { column: Column<Of>; row: Of }) {
  const content = cell(row)
  return (
    <td class={isNumber ? 'number' : ''} title={typeof content === 'string' ? content : undefined}>
      {content}
    </td>
  )
}

type PagedProps<Row> = Omit<Props<Row>, 'rows'> & { pages: Pages<Row>; children?: ComponentChildren }

/** A list that is read page by page. `children` is what is shown instead of an empty one. */
export function PagedTable<Row>({ pages, children, ...table }: PagedProps<Row>) {
  const { items, isLoading, hasMore, error } = pages
  const isEmpty = items.length === 0 && !isLoading && !error
  return (
    <>
      <Failure error={error} onRetry={pages.reload} />
      {items.length > 0 && <Table {...table} rows={items} />}
      {isEmpty && !hasMore && children}
      <footer class="table-foot">
        <span role="status">{statusOf(pages)}</span>
        {hasMore && (
          <button type="button" onClick={pages.more} disabled={isLoading}>
            {isEmpty ? 'Search further back' : 'Show more'}
          </button>
        )}
      </footer>
    </>
  )
}

function statusOf<Row>({ items, isLoading, hasMore }: Pages<Row>): string {
  if (isLoading) return 'Loading…'
  if (items.length === 0) return hasMore ? 'Nothing found so far.' : ''
  return hasMore ? `${items.length} shown, there are more` : `${items.length} in all`
}

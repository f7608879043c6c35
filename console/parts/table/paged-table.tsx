import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Pages } from '../../api/use-pages.ts'
import { plural } from '../format.ts'
import { Failure } from '../notice.tsx'
import { useSorting } from './sorting.ts'
import { Table, type TableProps } from './table.tsx'

type Props<Row> = Omit<TableProps<Row>, 'rows'> & {
  pages: Pages<Row>
  /** What one row is, such as “key”. */
  noun: string
  children?: ComponentChildren
}

/**
 * The gateway hands out pages in one order. To sort by something else, the list is read up to this number of rows; if there
 * are more, the line below the table says so.
 */
const SORTED_MOST = 1_000

/** A list that is read page by page. `children` is what is shown instead of an empty one. */
export function PagedTable<Row>({ pages, noun, children, ...table }: Props<Row>) {
  const { items, isLoading, hasMore, error } = pages
  const isEmpty = items.length === 0 && !isLoading && !error
  const isSorted = useSorting(table.columns) !== undefined
  useAllRows(pages, isSorted)
  return (
    <>
      <Failure error={error} onRetry={pages.reload} />
      <Table {...table} rows={items} />
      {isEmpty && !hasMore && children}
      <footer class="table-foot">
        <span role="status">{statusOf(pages, noun, isSorted)}</span>
        {hasMore && (
          <button type="button" onClick={() => pages.more()} disabled={isLoading}>
            {isEmpty ? 'Search further back' : 'Show more'}
          </button>
        )}
      </footer>
    </>
  )
}

/** Asks again only as long as that brings rows. */
function useAllRows<Row>({ items, isLoading, hasMore, error, more }: Pages<Row>, isWanted: boolean): void {
  const before = useRef(-1)
  useEffect(() => {
    if (!isWanted) before.current = -1
    if (!isWanted || isLoading || error || !hasMore || items.length >= SORTED_MOST) return
    if (items.length === before.current) return
    before.current = items.length
    more(SORTED_MOST - items.length)
  }, [items.length, isLoading, hasMore, error, more, isWanted])
}

function statusOf<Row>({ items, isLoading, hasMore }: Pages<Row>, noun: string, isSorted: boolean): string {
  if (isLoading) return 'Loading…'
  if (items.length === 0) return hasMore ? 'No matches so far.' : ''
  if (!hasMore) return plural(items.length, noun)
  if (isSorted) return `Sorted only the first ${plural(items.length, noun)}. Add a filter to sort all of them.`
  return `${plural(items.length, noun)} shown. There are more.`
}

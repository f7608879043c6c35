import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { pathWith } from '../../api/client.ts'
import { useQuery } from '../use-query.ts'
import type { Column } from './column.ts'
import { OpenRow, type Opens } from './open-row.tsx'
import { nextSort, type Sorting, sorted, useSorting } from './sorting.ts'

export type TableProps<Row> = {
  /** What a screen reader calls the table. */
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** A row below all others, such as their total. */
  last?: Row
  opens?: Opens | undefined
}

/** A list of things. On a narrow window each row is a card. Without rows there is only what the address has open. */
export function Table<Row>(props: TableProps<Row>) {
  const { columns, rows, keyOf, opens } = props
  const sorting = useSorting(columns)
  const inOrder = sorted(rows, sorting)
  return (
    <>
      {rows.length > 0 && <Grid {...props} rows={inOrder} sorting={sorting} />}
      {opens && <OpenRow opens={opens} ids={inOrder.map(keyOf)} />}
    </>
  )
}

type GridProps<Row> = TableProps<Row> & { sorting: Sorting<Row> }

function Grid<Row>({ label, columns, rows, keyOf, last, opens, sorting }: GridProps<Row>) {
  const box = useRef<HTMLElement>(null)
  const isWide = useIsWide(box)
  return (
    <section
      ref={box}
      class={isWide ? 'table-box wide' : 'table-box'}
      aria-label={label}
      // What scrolls has to be reachable by keyboard.
      tabIndex={isWide ? 0 : undefined}
    >
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head key={column.name} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={keyOf(row)} columns={columns} row={row} opens={opens} id={keyOf(row)} />
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

/** Only a table that is too wide scrolls on its own. The head of another one stays while the page scrolls. */
function useIsWide(box: { current: HTMLElement | null }): boolean {
  const [isWide, setWide] = useState(false)
  useEffect(() => {
    const element = box.current!
    const observer = new ResizeObserver(() => setWide(element.scrollWidth > element.clientWidth))
    observer.observe(element)
    observer.observe(element.firstElementChild!)
    return () => observer.disconnect()
  }, [box])
  return isWide
}

type HeadProps<Row> = { column: Column<Row>; sorting: Sorting<Row> }

function Head<Row>({ column, sorting }: HeadProps<Row>) {
  const { change } = useQuery()
  const { title, sort } = column
  const direction = sorting?.column.name === column.name ? sorting.direction : undefined
  return (
    <th scope="col" class={classOf(column)} aria-sort={direction}>
      {sort ? (
        <button type="button" class="sort" onClick={() => change({ sort: nextSort(column, sorting) }, true)}>
          {title}
          <span aria-hidden="true">{direction === undefined ? '' : direction === 'ascending' ? ' ↑' : ' ↓'}</span>
        </button>
      ) : (
        title
      )}
    </th>
  )
}

type RowProps<Of> = { columns: readonly Column<Of>[]; row: Of; id?: string; opens?: Opens | undefined }

function Row<Of>({ columns, row, id, opens }: RowProps<Of>) {
  const { query, change } = useQuery()
  if (!opens || id === undefined)
    return (
      <tr>
        {columns.map((column) => (
          <Cell key={column.name} column={column} row={row} />
        ))}
      </tr>
    )
  const link = columns.find(({ isControl }) => !isControl)
  const open = (event: MouseEvent) => {
    if (isPlainClick(event)) change({ [opens.as]: id })
  }
  return (
    // The link in the row does the same with the keyboard.
    <tr class={query[opens.as] === id ? 'opens open' : 'opens'} data-row={id} onClick={open}>
      {columns.map((column) => (
        <Cell key={column.name} column={column} row={row} to={column === link ? { [opens.as]: id } : undefined} />
      ))}
    </tr>
  )
}

/** Not on something that does something else, and not the end of marking a text. */
function isPlainClick({ target, ctrlKey, metaKey, shiftKey }: MouseEvent): boolean {
  const isControl = (target as Element).closest('a, button, input, select, label, summary') !== null
  return !isControl && !ctrlKey && !metaKey && !shiftKey && !getSelection()?.toString()
}

type CellProps<Of> = { column: Column<Of>; row: Of; to?: Readonly<Record<string, string>> | undefined }

/** A name may be too long for its cell: the tooltip has the whole text. */
function Cell<Of>({ column, row, to }: CellProps<Of>) {
  const content = column.cell(row)
  const tip = column.tip?.(row) ?? (typeof content === 'string' ? content : undefined)
  return (
    <td class={classOf(column)} title={tip} data-label={column.title}>
      {to ? <RowLink to={to}>{content}</RowLink> : content}
    </td>
  )
}

/** Opens the row with the keyboard too, and can be sent. */
function RowLink({ to, children }: { to: Readonly<Record<string, string>>; children: ComponentChildren }) {
  const { query } = useQuery()
  return (
    <a class="row-link" href={pathWith(location.pathname, { ...query, ...to })}>
      {children}
    </a>
  )
}

function classOf<Row>({ isNumber, isMinor, isMain }: Column<Row>): string {
  return [isNumber && 'number', isMinor && 'minor', isMain && 'main'].filter(Boolean).join(' ')
}

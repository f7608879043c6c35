import { useMemo } from 'preact/hooks'
import { useQuery } from '../use-query.ts'
import type { Column } from './column.ts'

type Direction = 'ascending' | 'descending'
export type Sorting<Row> = { column: Column<Row>; direction: Direction } | undefined

/** The address says the column, with a minus before it for the largest first. */
export function useSorting<Row>(columns: readonly Column<Row>[]): Sorting<Row> {
  const { query } = useQuery()
  const said = query.sort ?? ''
  return useMemo(() => {
    const direction = said.startsWith('-') ? DOWN : UP
    const name = direction === DOWN ? said.slice(1) : said
    const column = columns.find((one) => one.name === name && one.sort)
    return column && { column, direction }
  }, [said, columns])
}

const UP = 'ascending'
const DOWN = 'descending'

/** What a click on the head of a column makes of the address: one direction, the other one, then the order of the gateway. */
export function nextSort<Row>({ name, isNumber }: Column<Row>, sorting: Sorting<Row>): string | undefined {
  const first = isNumber ? DOWN : UP
  const second = isNumber ? UP : DOWN
  if (sorting?.column.name !== name) return inAddress(name, first)
  return sorting.direction === first ? inAddress(name, second) : undefined
}

function inAddress(name: string, direction: Direction): string {
  return direction === DOWN ? `-${name}` : name
}

const BY_TEXT = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

export function sorted<Row>(rows: readonly Row[], sorting: Sorting<Row>): readonly Row[] {
  if (!sorting) return rows
  const { column, direction } = sorting
  const sign = direction === UP ? 1 : -1
  const amountOf = column.sort!
  return rows.toSorted((one, other) => {
    const [left, right] = [amountOf(one) ?? '', amountOf(other) ?? '']
    if (left === '' || right === '') return Number(left === '') - Number(right === '')
    if (typeof left === 'string' || typeof right === 'string') return sign * BY_TEXT.compare(`${left}`, `${right}`)
    return sign * (Number(left) - Number(right))
  })
}

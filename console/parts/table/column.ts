import type { ComponentChildren } from 'preact'

export type Column<Row> = {
  name: string
  title: string
  cell: (row: Row) => ComponentChildren
  /** What rows are sorted by. Without it, the column does not sort. */
  sort?: (row: Row) => SortValue
  /** More than the cell can show, such as the whole date. */
  tip?: (row: Row) => string
  /** Numbers are aligned at their last digit, and sorted with the largest first. */
  isNumber?: boolean
  /** Not shown until the person chooses it. */
  isExtra?: boolean
  /** It has buttons or links of its own, so it is not what opens the row. */
  isControl?: boolean
  /** Not on small windows: the open row has it. */
  isMinor?: boolean
  /** It has the space that the others leave. */
  isMain?: boolean
}

/** What is not known comes last, whatever the direction. */
type SortValue = string | number | boolean | null | undefined

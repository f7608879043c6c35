// Comma-separated values have no signature. They are recognized by rows that all have the same number of cells.

const MAX_ROWS = 20
const DELIMITERS = [
  { character: ',', type: 'text/csv' },
  { character: ';', type: 'text/csv' },
  { character: '\t', type: 'text/tab-separated-values' },
]

type Row = { cells: number; emptyCells: number; spacedCells: number }

/** `cut` means that the text continues, so its last row is incomplete. */
export function tableType(text: string, cut: boolean): string | undefined {
  return DELIMITERS.find(({ character }) => isTable(text, character, cut))?.type
}

function isTable(text: string, delimiter: string, cut: boolean): boolean {
  const rows = readRows(text, delimiter)
  if (cut && rows.length < MAX_ROWS) rows.pop()
  const [header] = rows
  if (!header || rows.length < 2 || header.cells < 2 || header.emptyCells > 0) return false
  // In prose, a comma is followed by a space. So a text with two columns is a table only if that is not the case
  // everywhere.
  const proseLike = delimiter !== '\t' && header.cells === 2 && rows.every(({ spacedCells }) => spacedCells > 0)
  return !proseLike && rows.every(({ cells }) => cells === header.cells)
}

/** Reads in one pass, and only as many rows as are examined. Empty lines are not rows. */
function readRows(text: string, delimiter: string): Row[] {
  const rows: Row[] = []
  let [row, cellStart, quoted] = [newRow(), 0, false]
  for (let at = 0; at <= text.length && rows.length < MAX_ROWS; at++) {
    const char = text[at]
    if (char === '"') quoted = !quoted
    const ends = char === undefined || char === '\n'
    if (!ends && (quoted || char !== delimiter)) continue
    if (quoted && char === '\n') continue
    countCell(row, text, cellStart, at)
    cellStart = at + 1
    if (!ends) continue
    if (row.cells > 1 || row.emptyCells === 0) rows.push(row)
    row = newRow()
  }
  return rows
}

function countCell(row: Row, text: string, start: number, end: number): void {
  row.cells++
  if (text.slice(start, end).trim() === '') row.emptyCells++
  if (row.cells > 1 && text[start] === ' ') row.spacedCells++
}

function newRow(): Row {
  return { cells: 0, emptyCells: 0, spacedCells: 0 }
}

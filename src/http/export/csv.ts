// Tables as RFC 4180 describes them: commas, CRLF, and quotes where a cell needs them.

export type Cell = string | number | boolean | null

/** One line, with its end. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** What a spreadsheet would run as a formula, if a cell began with it. */
const FORMULA = /^[=+\-@\t\r]/

function csvCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  // Callers choose names of models, end users and tags, and operators open the file in a spreadsheet.
  const harmless = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

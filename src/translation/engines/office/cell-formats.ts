import { scanXml } from './scan-xml.ts'
import { SECOND_MS, DAY_MS } from '../../../base/units/units.ts'

/** Day 0. The first spreadsheets had a 29 February 1900, so days before March 1900 are off by one. */
const EPOCHS = { 1900: Date.UTC(1899, 11, 30), 1904: Date.UTC(1904, 0, 1) }
/** Built-in formats by number: dates, dates with a time, times. */
const KNOWN_DATES = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47])
/** Texts, colours and conditions inside of a format do not matter here. */
const NOT_SHOWN = /"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\][]*\]/gi
const LAST_DAY = 2_958_465

export type CellFormats = { shown(value: string, style: number): string }

/** Dates are stored as numbers of days; only the cell format shows that a number is a date. */
export function readCellFormats(styles: Uint8Array, countsFrom1904: boolean): CellFormats {
  const isDate = dateStyles(styles)
  const epoch = EPOCHS[countsFrom1904 ? 1904 : 1900]
  return {
    shown(value, style) {
      const days = Number(value)
      return isDate[style] && days >= 0 && days <= LAST_DAY ? dateOf(days, epoch) : value
    },
  }
}

function dateStyles(styles: Uint8Array): boolean[] {
  const own = new Map<number, boolean>()
  const isDate: boolean[] = []
  let isInList = false
  scanXml(styles, {
    open(name, attribute) {
      const format = Number(attribute('numFmtId'))
      if (name === 'numFmt') own.set(format, looksLikeDate(attribute('formatCode') ?? ''))
      if (name === 'cellXfs') isInList = true
      if (name === 'xf' && isInList) isDate.push(own.get(format) ?? KNOWN_DATES.has(format))
    },
    close(name) {
      if (name === 'cellXfs') isInList = false
    },
  })
  return isDate
}

function looksLikeDate(format: string): boolean {
  return /[ymdhs]/i.test(format.replace(NOT_SHOWN, '').replace(/general/i, ''))
}

/** `2024-05-01`, with a time if there is one; only the time if there is no day. */
function dateOf(days: number, epoch: number): string {
  const moment = new Date(epoch + Math.round((days * DAY_MS) / SECOND_MS) * SECOND_MS).toISOString()
  const [day, time] = [moment.slice(0, 10), moment.slice(11, 19)]
  if (days < 1) return time
  return Number.isInteger(days) ? day : `${day} ${time}`
}

import type { TextLimit } from '../text/text-limit.ts'
import { type CellFormats, readCellFormats } from './cell-formats.ts'
import { BoundedText } from './flowing-text.ts'
import { relationshipsOf } from './relationships.ts'
import { scanXml } from './scan-xml.ts'
import { Unreadable } from '../pool/unreadable.ts'
import type { ZipArchive } from './zip-archive.ts'

const MAX_SHEETS = 500
const MAX_STRINGS = 1_000_000
/** Empty cells that are kept between two others: a cell may be far to the right. */
const MAX_GAP = 50
const NOTHING = new Uint8Array()

type Book = { strings: string[]; formats: CellFormats; limit: TextLimit }

/** One text per sheet: its name, then its rows, with tabs between cells. A formula is shown by its last result. */
export async function sheetsOf(archive: ZipArchive, main: string, limit: TextLimit): Promise<string[]> {
  const others = await relationshipsOf(archive, main)
  const member = (kind: string) => others.find(({ type }) => type === kind)?.target ?? ''
  const bytesOf = async (name: string) => (await archive.read(name)) ?? NOTHING
  const { sheets, countsFrom1904 } = readBook(await bytesOf(main))
  const book = {
    strings: sharedStrings(await bytesOf(member('sharedStrings'))),
    formats: readCellFormats(await bytesOf(member('styles')), countsFrom1904),
    limit,
  }
  const texts: string[] = []
  for (const { name, id } of sheets.slice(0, MAX_SHEETS)) {
    const target = others.find((one) => one.id === id)?.target ?? ''
    texts.push(`${name}\n${sheetText(await bytesOf(target), book)}`.trimEnd())
  }
  return texts
}

function readBook(bytes: Uint8Array) {
  const sheets: { name: string; id: string }[] = []
  let countsFrom1904 = false
  scanXml(bytes, {
    open(element, attribute) {
      if (element === 'sheet') sheets.push({ name: attribute('name') ?? '', id: attribute('r:id') ?? '' })
      if (element === 'workbookPr') countsFrom1904 = ['1', 'true'].includes(attribute('date1904') ?? '')
    },
  })
  return { sheets, countsFrom1904 }
}

/** The shared strings of cells, by index, without phonetic hints (`rPh`). */
function sharedStrings(bytes: Uint8Array): string[] {
  const strings: string[] = []
  let [isText, isPlausible] = [false, false]
  scanXml(bytes, {
    open(name) {
      if (name === 'si' && strings.push('') > MAX_STRINGS) throw tooMany()
      if (name === 't') isText = true
      if (name === 'rPh') isPlausible = true
    },
    close(name) {
      if (name === 't') isText = false
      if (name === 'rPh') isPlausible = false
    },
    text(value) {
      if (isText && !isPlausible && strings.length > 0) strings[strings.length - 1] += value
    },
  })
  return strings
}

function tooMany() {
  return new Unreadable(`This spreadsheet has more than ${MAX_STRINGS / 1_000_000} million different texts`)
}

type Cell = { column: number; type: string; style: number; value: string }

function sheetText(bytes: Uint8Array, book: Book): string {
  const text = new BoundedText(book.limit)
  let cell: Cell | undefined
  let [last, written, isValue] = [-1, 0, false]
  scanXml(bytes, {
    open(name, attribute) {
      if (name === 'row') [last, written] = [-1, 0]
      if (name === 'c') cell = { column: columnOf(attribute('r')) ?? last + 1, ...kindOf(attribute), value: '' }
      isValue = name === 'v' || name === 't'
    },
    close(name) {
      isValue = false
      if (name === 'row') text.add('\n')
      if (name !== 'c' || !cell) return
      last = cell.column
      if (cell.value === '') return
      text.add('\t'.repeat(Math.max(0, Math.min(MAX_GAP, cell.column - written))) + shown(cell, book))
      written = cell.column
    },
    text(value) {
      if (isValue && cell) cell.value += value
    },
  })
  return text.tidy()
}

function kindOf(attribute: (name: string) => string | undefined) {
  return { type: attribute('t') ?? 'n', style: Number(attribute('s') ?? 0) }
}

/** `C7` is in column 2, counting from 0. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (!letters) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** Line breaks inside of a cell would look like rows. */
function shown({ type, style, value }: Cell, { strings, formats }: Book): string {
  if (type === 's') return (strings[Number(value)] ?? '').replace(/\s+/g, ' ')
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type === 'n') return formats.shown(value, style)
  return value.replace(/\s+/g, ' ')
}

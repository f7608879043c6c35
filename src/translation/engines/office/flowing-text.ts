import type { TextLimit } from '../text/text-limit.ts'
import { scanXml } from './scan-xml.ts'

/** Elements without text of the page: paragraph settings, fallback drawings, fields that the program fills in. */
const LEFT_OUT = new Set(['pPr', 'rPr', 'Fallback', 'fld', 'instrText', 'delText', 'rPh'])
const BREAKS: Record<string, string> = { br: '\n', cr: '\n', tab: '\t', noBreakHyphen: '-' }

/** Paragraphs become lines; table rows become lines with tabs. Documents and slides use the same element names. */
export function flowingText(bytes: Uint8Array, limit: TextLimit): string {
  const text = new BoundedText(limit)
  let [hidden, cells, texts] = [0, 0, 0]
  scanXml(bytes, {
    open(name) {
      if (LEFT_OUT.has(name)) hidden++
      if (name === 'tc') cells++
      if (name === 't') texts++
      if (hidden === 0 && BREAKS[name]) text.add(cells > 0 && BREAKS[name] === '\n' ? ' ' : BREAKS[name])
    },
    close(name) {
      if (LEFT_OUT.has(name)) hidden--
      if (name === 'tc') cells--
      if (name === 't') texts--
      if (name === 'tc' && hidden === 0) text.add('\t')
      // A cell is one column of its row, however many paragraphs it has.
      if (name === 'p' && hidden === 0) text.add(cells > 0 ? ' ' : '\n')
      if (name === 'tr' && hidden === 0 && cells === 0) text.add('\n')
    },
    text(value) {
      if (hidden === 0 && texts > 0) text.add(value)
    },
  })
  return text.tidy()
}

export class BoundedText {
  readonly #pieces: string[] = []
  readonly #limit: TextLimit

  constructor(limit: TextLimit) {
    this.#limit = limit
  }

  add(piece: string): void {
    this.#limit(piece.length)
    this.#pieces.push(piece)
  }

  /** Removes trailing spaces and repeated empty lines. */
  tidy(): string {
    const lines = this.#pieces.join('').split('\n')
    const tidied = lines.map((line) => line.replaceAll(' \t', '\t').trimEnd())
    return tidied
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .replace(/^\n+|(?<!\n)\n+$/g, '')
  }
}

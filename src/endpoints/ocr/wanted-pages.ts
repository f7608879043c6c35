import { valueError } from '../../base/schema/issue-messages.ts'
import type { OcrRequest } from '../../contract/ocr.ts'
import { validationProblemOf } from '../../contract/validation-problem.ts'

const RANGE = /^(\d{1,6})(?:-(\d{1,6}))?$/

type Range = { from: number; to: number }

/** Which pages a request wants, from 0: those of a list, or of a text such as `0,2-5`. Undefined if it wants all. */
export function wantedPages({ pages }: Pick<OcrRequest, 'pages'>): ((page: number) => boolean) | undefined {
  if (pages == null) return undefined
  if (typeof pages !== 'string') return (page) => pages.includes(page)
  const ranges = pages.split(',').map((part) => rangeIn(part.trim()))
  return (page) => ranges.some(({ from, to }) => page >= from && page <= to)
}

function rangeIn(part: string): Range {
  const [, first, last = first] = RANGE.exec(part) ?? []
  const range = { from: Number(first), to: Number(last) }
  if (range.to >= range.from) return range
  throw validationProblemOf([valueError(['body', 'pages'], 'Input should be numbers and ranges, such as 0,2-5')])
}

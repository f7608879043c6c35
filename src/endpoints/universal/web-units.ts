import { recordOf } from '../../base/schema/record.ts'
import type { Feature } from '../../translation/tasks/feature.ts'
import { toText } from '../../base/schema/to-primitive.ts'

// The most that a task of the web takes. How large a site is, and how long a provider looks for an answer, is unknown before
// the task runs.

/** Of a site that is read as a whole. More are read only if the caller asks for them. */
const PAGES_OF_SITE = 100
/** Some options of providers make a page dearer. */
const CREDITS_PER_PAGE = 4
/** Of an extraction, which is paid by tokens. */
const TOKENS_PER_PAGE = 600
/** Of the deepest research. */
const CREDITS_OF_RESEARCH = 250

/** `counts` are the numbers with which the caller asks for more. */
export function unitsOfWeb({ subfeature }: Pick<Feature, 'subfeature'>, input: unknown, counts: readonly number[]) {
  if (subfeature === 'research_async') return Math.max(CREDITS_OF_RESEARCH, ...counts)
  const pages = Math.max(subfeature === 'crawl_async' ? PAGES_OF_SITE : pagesIn(input), ...counts)
  return pages * (subfeature === 'structured_extraction_async' ? TOKENS_PER_PAGE : CREDITS_PER_PAGE)
}

/** An address that ends with a star is a site. */
function pagesIn(input: unknown): number {
  const { urls } = recordOf(input)
  if (!Array.isArray(urls)) return 1
  return urls.reduce<number>((sum, url) => sum + (toText(url).endsWith('*') ? PAGES_OF_SITE : 1), 0)
}

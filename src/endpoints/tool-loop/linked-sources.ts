import type { Fields } from '../../base/schema/record.ts'
import type { Source } from './gateway-tool.ts'

/** Brackets that nothing closes are not looked at again and again. */
const LINK = /\[([^[\]\n]{0,500})\]\((https?:\/\/[^\s()<>]{1,2000})\)/g
const MAX_LINKS = 200

/**
 * The places where a text links to what a search has found, as annotations of the chat format. Nothing else is a source. `ownTitles`: a
 * source is called what the text calls it, because what tools say is not shown.
 */
export function linkedSources(text: string, found: readonly Source[], ownTitles: boolean): Fields[] {
  if (found.length === 0) return []
  const titles = new Map(found.map(({ url, title }) => [url, title]))
  const cited: Fields[] = []
  for (const match of text.matchAll(LINK)) {
    const [link, name, url = ''] = match
    const foundAs = titles.get(url)
    if (foundAs === undefined) continue
    const title = ownTitles ? name || url : foundAs
    const url_citation = { start_index: match.index, end_index: match.index + link.length, url, title }
    cited.push({ type: 'url_citation', url_citation })
    if (cited.length === MAX_LINKS) break
  }
  return cited
}

import type { ChatChunk, ChatCompletion } from '../../../contract/chat-reply.ts'
import { type Fields, listOf, recordOf, recordsIn, textOf } from '../../../base/schema/record.ts'
import { urlCitation } from '../citation.ts'

// Some hosts search by themselves and list their sources beside the answer, which names them as [1], [2], … Callers get them
// as annotations too, as from every other provider.

type Source = { url: string; title: string }
type Reply = Fields & { choices: readonly object[] }

const NO_SOURCES: readonly Source[] = []
const MARKER = /\[(\d{1,3})\]/g
/** More than any real answer cites. */
const MAX_SOURCES = 200
const MAX_CITATIONS = 1_000
/** Markers in a longer text are not looked for. */
const MAX_CHARS = 200_000

export function annotateSources(reply: ChatCompletion): void {
  const sources = sourcesIn(reply)
  if (sources.length === 0) return
  for (const { message } of reply.choices) {
    if (recordsIn(message.annotations).length > 0 || !message.content) continue
    const annotations = annotationsFor(sources, message.content)
    if (annotations.length > 0) message.annotations = annotations
  }
}

/** For streams of one answer: sources may come with any chunk, and are reported with the last. */
export class StreamedSources {
  #sources = NO_SOURCES
  #text = ''
  #isAnnotated = false

  /** Must be called when the deltas have their final form. */
  take(chunk: ChatChunk): void {
    const listed = sourcesIn(chunk as Reply)
    if (listed.length > 0) this.#sources = listed
    const [choice] = chunk.choices
    if (choice?.index !== 0) return
    const { content, annotations } = choice.delta
    if (content && this.#text.length < MAX_CHARS) this.#text += content
    if (annotations) this.#isAnnotated = true
    if (!choice.finish_reason || this.#isAnnotated || this.#sources.length === 0 || this.#text === '') return
    const cited = annotationsFor(this.#sources, this.#text)
    if (cited.length > 0) choice.delta.annotations = cited
  }
}

/** The markers of an answer; without any, each source is a source of the whole answer. */
function annotationsFor(sources: readonly Source[], text: string): Fields[] {
  const cited: Fields[] = []
  for (const match of text.slice(0, MAX_CHARS).matchAll(MARKER)) {
    const source = sources[Number(match[1]) - 1]
    const span = { start: match.index, end: match.index + match[0].length }
    if (source?.url && cited.length < MAX_CITATIONS) cited.push(urlCitation(span, source.url, source.title))
  }
  if (cited.length > 0) return cited
  return sources.flatMap(({ url, title }) => (url ? [urlCitation({ start: 0, end: text.length }, url, title)] : []))
}

/** Perplexity and others have `search_results` and `citations`, Z.ai `web_search`, Alibaba and Tencent `search_info`. */
function sourcesIn({ search_results, citations, web_search, search_info }: Reply): readonly Source[] {
  if (!search_results && !citations && !web_search && !search_info) return NO_SOURCES
  const lists = [search_results, web_search, recordOf(search_info).search_results, citations]
  const listed = lists.map(listOf).find((list) => list.length > 0) ?? []
  return listed.slice(0, MAX_SOURCES).flatMap(sourceOf)
}

/** A source without an address keeps its place, because the answer names it by its number. */
function sourceOf(source: unknown): Source[] {
  if (typeof source === 'string') return [{ url: source, title: '' }]
  const { url, link, title, name } = recordOf(source)
  return [{ url: textOf(url) || textOf(link), title: textOf(title) || textOf(name) }]
}

import Type, { type Static } from '../../../base/schema/type.ts'
import { freeObject, optional } from '../../../base/schema/fields.ts'
import { askForJson } from '../http/ask-provider.ts'
import { numberAt, textAt, textsAt } from '../results/loose-fields.ts'
import { replyReader } from '../http/reply-reader.ts'
import { TaskFailure } from '../http/task-failure.ts'
import type { Tools } from '../feature.ts'

// https://docs.firecrawl.dev/api-reference/v2-introduction. It bills credits, and mostly reports how many a task used.

/** How many further parts of a long answer are fetched. A part has up to ten megabytes. */
const MAX_PARTS = 50

export const FirecrawlPage = Type.Object({
  markdown: optional(Type.String(), 'The text.'),
  rawHtml: optional(Type.String(), 'The source.'),
  html: optional(Type.String(), 'The source, tidied.'),
  summary: optional(Type.String(), 'In short.'),
  links: Type.Optional(Type.Unknown()),
  images: Type.Optional(Type.Unknown()),
  metadata: optional(freeObject(), 'Metadata of the page.'),
})

const readPart = replyReader(
  Type.Object({
    status: Type.String(),
    total: Type.Optional(Type.Integer({ minimum: 0 })),
    completed: Type.Optional(Type.Integer({ minimum: 0 })),
    creditsUsed: Type.Optional(Type.Number({ minimum: 0 })),
    next: optional(Type.String(), 'Where the next part of the pages is.'),
    data: Type.Optional(Type.Array(FirecrawlPage)),
    error: Type.Optional(Type.Unknown()),
  }),
)

type FirecrawlState = ReturnType<typeof readPart>

/** The state of a task; when it is done, with the pages of all parts. */
export async function firecrawlState(tools: Tools, path: string): Promise<FirecrawlState> {
  const first = await askForJson(tools, { path }, readPart)
  if (first.status === 'scraping') return first
  const pages = [...(first.data ?? [])]
  for (let { next } = first, parts = 0; next && parts < MAX_PARTS; parts++) {
    const part = await askForJson(tools, { path: ownPath(next, tools) }, readPart)
    pages.push(...(part.data ?? []))
    next = part.next
  }
  return { ...first, next: null, data: pages }
}

/** The path after the provider's address in a URL that it returned; other URLs are not followed. */
function ownPath(address: string, tools: Tools): string {
  const url = URL.parse(address)
  const base = new URL(`${tools.address()}/`)
  if (url?.host === base.host && url.pathname.startsWith(base.pathname))
    return `/${url.pathname.slice(base.pathname.length)}${url.search}`
  throw new TaskFailure('garbage', 'the answer of the provider contains a URL of another host')
}

/** A page in the common format. */
export function toWebPage(page: Static<typeof FirecrawlPage>, requested?: string) {
  const { markdown, rawHtml, html, summary, links, images, metadata } = page
  return {
    url: textAt(metadata, 'sourceURL') ?? textAt(metadata, 'url') ?? requested ?? '',
    content: markdown,
    title: textAt(metadata, 'title'),
    description: textAt(metadata, 'description'),
    status_code: numberAt(metadata, 'statusCode'),
    links: Array.isArray(links) ? textsAt(links) : null,
    images: Array.isArray(images) ? textsAt(images).map((url) => ({ url })) : null,
    raw_html: rawHtml ?? html,
    summary,
    published_date: textAt(metadata, 'publishedTime'),
    favicon: textAt(metadata, 'favicon'),
  }
}

export function creditsOf(
  credits: number | null | undefined,
  guess: number,
): { units: number; usage: { credits: number } | null } {
  const isReported = credits !== null && credits !== undefined && credits > 0
  return { units: Math.max(1, Math.ceil(isReported ? credits : guess)), usage: isReported ? { credits } : null }
}

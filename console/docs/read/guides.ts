import { type Block, type Inline, parseMarkdown, plainText } from './markdown.ts'

/** A page of docs/, as the bundle has it. */
export type GuideSource = { id: string; group: string; title: string; text: string }

/** Addresses of guides: `#guides/operating`, and `#guides/operating/sizing` for a heading. */
const PREFIX = 'guides/'

export function guidePlace(id: string, heading = ''): string {
  return PREFIX + id + (heading && `/${heading}`)
}

/** Which guide an address names, and which heading in it. */
export function guideAt(place: string): { id: string; heading: string } | undefined {
  if (!place.startsWith(PREFIX)) return undefined
  const [id = '', ...heading] = place.slice(PREFIX.length).split('/')
  return { id, heading: heading.join('/') }
}

/**
 * Where a link of a guide leads on the page. A link to a file that is no guide, such as one of the source, leads nowhere here.
 */
export function linkPlace(href: string, from: string, ids: ReadonlySet<string>): string | undefined {
  if (/^https?:/.test(href)) return href
  const [file = '', heading = ''] = href.split('#')
  const id = file === '' ? from : /^([\w-]+)\.md$/.exec(file)?.[1]
  return id !== undefined && ids.has(id) ? `#${guidePlace(id, heading)}` : undefined
}

/** A part of a guide under a heading, as it is found. */
export type Section = { place: string; title: string; heading: string; texts: string }

export function sectionsOf({ id, title, text }: GuideSource): Section[] {
  const sections: Section[] = [{ place: guidePlace(id), title, heading: '', texts: '' }]
  for (const block of parseMarkdown(text)) {
    if (block.kind === 'heading' && block.level > 1)
      sections.push({ place: guidePlace(id, block.id), title, heading: plainText(block.inside), texts: '' })
    else sections.at(-1)!.texts += ` ${textOf(block)}`
  }
  return sections.map((section) => ({ ...section, texts: section.texts.toLowerCase() }))
}

function textOf(block: Block): string {
  if (block.kind === 'code') return block.text
  if (block.kind === 'list') return block.items.flat().map(textOf).join(' ')
  if (block.kind === 'details') return [plainText(block.summary), ...block.blocks.map(textOf)].join(' ')
  if (block.kind === 'table')
    return [block.heads, ...block.rows]
      .flat()
      .map((cell: Inline[]) => plainText(cell))
      .join(' ')
  return plainText(block.inside)
}

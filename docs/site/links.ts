import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GuideSource } from '../../console/docs/read/guides.ts'
import { type Block, type Inline, parseMarkdown } from '../../console/docs/read/markdown.ts'
import { guidePages } from '../guides.ts'

const DOCS = join(import.meta.dirname, '..')

/** Links of guides that lead to no file, or to a heading that is not there, each with the page that has it. */
export async function brokenLinks(): Promise<string[]> {
  const pages = await guidePages()
  const headings = new Map(pages.map(({ id, text }) => [`${id}.md`, headingsOf(parseMarkdown(text))]))
  return pages.flatMap((page) =>
    linksIn(parseMarkdown(page.text))
      .filter((href) => isBroken(href, page, headings))
      .map((href) => `${page.id}.md: ${href}`),
  )
}

function isBroken(href: string, { id }: GuideSource, headings: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  if (/^https?:/.test(href)) return false
  const [path = '', heading] = href.split('#')
  const file = path === '' ? `${id}.md` : path
  if (heading !== undefined && headings.has(file)) return !headings.get(file)!.has(heading)
  return !headings.has(file) && !existsSync(join(DOCS, file))
}

function headingsOf(blocks: readonly Block[]): Set<string> {
  return new Set(allBlocks(blocks).flatMap((block) => (block.kind === 'heading' ? [block.id] : [])))
}

function allBlocks(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) => [block, ...allBlocks(innerBlocks(block))])
}

function innerBlocks(block: Block): Block[] {
  if (block.kind === 'list') return block.items.flat()
  return block.kind === 'details' ? block.blocks : []
}

function linksIn(blocks: readonly Block[]): string[] {
  return allBlocks(blocks).flatMap(inlinesOf).flatMap(linksOf)
}

function inlinesOf(block: Block): Inline[] {
  if (block.kind === 'table') return [block.heads, ...block.rows].flat(2)
  if (block.kind === 'details') return block.summary
  return 'inside' in block ? block.inside : []
}

function linksOf(part: Inline): string[] {
  if (typeof part === 'string' || 'code' in part) return []
  if ('href' in part) return [part.href, ...part.inside.flatMap(linksOf)]
  return ('strong' in part ? part.strong : part.emphasis).flatMap(linksOf)
}

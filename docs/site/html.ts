import { coloured } from '../../console/parts/code/colours.ts'
import { type Block, type Inline, plainText } from '../../console/docs/read/markdown.ts'
import { escapeHtml } from '../../src/http/console/page.ts'

/** Where a link of a page leads on the site; undefined for what the site does not have. */
type Resolve = (href: string) => string | undefined

export function htmlOf(blocks: readonly Block[], resolve: Resolve): string {
  return blocks.map((block) => blockHtml(block, resolve)).join('\n')
}

function blockHtml(block: Block, resolve: Resolve): string {
  switch (block.kind) {
    case 'heading': {
      const link = `<a class="to-heading" href="#${block.id}" aria-label="Link to ${escapeHtml(plainText(block.inside))}">#</a>`
      return `<h${block.level} id="${block.id}">${inlineHtml(block.inside, resolve)} ${link}</h${block.level}>`
    }
    case 'paragraph':
      return `<p>${inlineHtml(block.inside, resolve)}</p>`
    case 'code':
      return `<div class="code-block"><pre tabindex="0"><code>${codeHtml(block.text, block.language)}</code></pre></div>`
    case 'table':
      return tableHtml(block, resolve)
    case 'details':
      return `<details><summary>${inlineHtml(block.summary, resolve)}</summary>\n${htmlOf(block.blocks, resolve)}</details>`
    case 'list': {
      const items = block.items.map((item) => `<li>${itemHtml(item, resolve)}</li>`).join('\n')
      return block.isOrdered ? `<ol>${items}</ol>` : `<ul class="bullets">${items}</ul>`
    }
  }
}

/** An item of one paragraph needs no paragraph. */
function itemHtml(item: readonly Block[], resolve: Resolve): string {
  const [first, ...others] = item
  if (first?.kind !== 'paragraph') return htmlOf(item, resolve)
  return `${inlineHtml(first.inside, resolve)}${htmlOf(others, resolve)}`
}

function tableHtml({ heads, rows }: Extract<Block, { kind: 'table' }>, resolve: Resolve): string {
  const row = (cells: readonly Inline[][], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${inlineHtml(cell, resolve)}</${tag.split(' ')[0]}>`).join('')}</tr>`
  const body = rows.map((cells) => row(cells, 'td')).join('\n')
  return `<div class="guide-table" tabindex="0"><table><thead>${row(heads, 'th scope="col"')}</thead><tbody>${body}</tbody></table></div>`
}

function codeHtml(text: string, language: string): string {
  return coloured(text, language)
    .map(({ colour, text: piece }) =>
      colour ? `<span class="code-${colour}">${escapeHtml(piece)}</span>` : escapeHtml(piece),
    )
    .join('')
}

function inlineHtml(parts: readonly Inline[], resolve: Resolve): string {
  return parts.map((part) => partHtml(part, resolve)).join('')
}

function partHtml(part: Inline, resolve: Resolve): string {
  if (typeof part === 'string') return escapeHtml(part)
  if ('code' in part) return `<code>${escapeHtml(part.code)}</code>`
  if ('strong' in part) return `<strong>${inlineHtml(part.strong, resolve)}</strong>`
  if ('emphasis' in part) return `<em>${inlineHtml(part.emphasis, resolve)}</em>`
  const href = resolve(part.href)
  const inside = inlineHtml(part.inside, resolve)
  return href === undefined ? inside : `<a href="${escapeHtml(href)}">${inside}</a>`
}

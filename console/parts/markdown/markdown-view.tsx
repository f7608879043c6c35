import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { ColouredBlock } from '../code/coloured-block.tsx'
import type { Inline } from './parse-inline.ts'
import { type Block, MAX_MARKDOWN_CHARS, parseMarkdown } from './parse-markdown.ts'

/** Colours are for programs that a person reads. */
const MAX_COLOURED_CHARS = 20_000

/** A text of a model as elements. Nothing of it becomes markup: the elements are made one by one. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => (text.length > MAX_MARKDOWN_CHARS ? undefined : parseMarkdown(text)), [text])
  if (!blocks) return <p class="said">{text}</p>
  return (
    <div class="markdown">
      <Blocks of={blocks} above={TITLE_LEVEL} />
    </div>
  )
}

/** The level of the heading above the text. */
const TITLE_LEVEL = 2

function Blocks({ of: blocks, above }: { of: readonly Block[]; above: number | undefined }) {
  let level = above
  return (
    <>
      {blocks.map((block, at) => {
        // A screen reader lists headings: no level is left out.
        if (block.kind === 'heading' && level !== undefined) level = levelAfter(level, block.level)
        return <BlockView key={at} block={block} level={level} />
      })}
    </>
  )
}

function levelAfter(before: number, written: number): number {
  return Math.max(TITLE_LEVEL + 1, Math.min(6, written + TITLE_LEVEL, before + 1))
}

function BlockView({ block, level }: { block: Block; level: number | undefined }) {
  switch (block.kind) {
    case 'heading':
      return <Heading level={level} inside={<Inlines parts={block.inside} />} />
    case 'paragraph':
      return (
        <p>
          <Inlines parts={block.inside} />
        </p>
      )
    case 'code':
      return <CodeView {...block} />
    case 'rule':
      return <hr />
    case 'quote':
      return (
        <blockquote>
          <Blocks of={block.blocks} above={undefined} />
        </blockquote>
      )
    case 'table':
      return <TableView {...block} />
    case 'list':
      return <ListView {...block} />
  }
}

/** Headings inside of a list or a quotation are no sections. */
function Heading({ level, inside }: { level: number | undefined; inside: ComponentChildren }) {
  if (level === undefined)
    return (
      <p>
        <strong>{inside}</strong>
      </p>
    )
  const Tag = `h${level}` as 'h3'
  return <Tag>{inside}</Tag>
}

function CodeView({ text, language }: { text: string; language: string }) {
  const shown = text.length > MAX_COLOURED_CHARS ? '' : language
  return useMemo(() => <ColouredBlock text={text} language={shown} label="the code" />, [text, shown])
}

function ListView({ start, items }: Extract<Block, { kind: 'list' }>) {
  const shown = items.map((item, at) => <ItemView key={at} item={item} />)
  return start === undefined ? <ul>{shown}</ul> : <ol start={start}>{shown}</ol>
}

/** An item of one paragraph needs no paragraph. */
function ItemView({ item }: { item: readonly Block[] }) {
  const [first, ...others] = item
  if (first?.kind !== 'paragraph')
    return (
      <li>
        <Blocks of={item} above={undefined} />
      </li>
    )
  return (
    <li>
      <Inlines parts={first.inside} />
      <Blocks of={others} above={undefined} />
    </li>
  )
}

function TableView({ heads, rows }: Extract<Block, { kind: 'table' }>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls has to be reachable by keyboard
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds fields
    <div class="markdown-table" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {heads.map((cell, at) => (
              <th key={at} scope="col">
                <Inlines parts={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>
                  <Inlines parts={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Inlines({ parts }: { parts: readonly Inline[] }) {
  return (
    <>
      {parts.map((part, at) => (
        <InlineView key={at} part={part} />
      ))}
    </>
  )
}

function InlineView({ part }: { part: Inline }) {
  if (typeof part === 'string') return <>{part}</>
  if (part.kind === 'break') return <br />
  if (part.kind === 'code') return <code>{part.text}</code>
  const inside = <Inlines parts={part.inside} />
  if (part.kind === 'strong') return <strong>{inside}</strong>
  if (part.kind === 'emphasis') return <em>{inside}</em>
  if (part.kind === 'deleted') return <del>{inside}</del>
  return (
    <a href={part.href} target="_blank" rel="noopener noreferrer">
      {inside}
    </a>
  )
}

import { useEffect, useMemo } from 'preact/hooks'
import { type GuideSource, guidePlace, linkPlace } from '../read/guides.ts'
import { type Block, type Inline, parseMarkdown, plainText } from '../read/markdown.ts'
import { ColouredBlock } from '../../parts/code/coloured-block.tsx'
import { useHeading } from './use-heading.ts'

type Props = { guide: GuideSource; heading: string; guides: readonly GuideSource[] }
/** Where a link of this page leads. */
type Resolve = (href: string) => string | undefined

/** A page of docs/, with its headings beside it. */
export function MarkdownPage({ guide, heading, guides }: Props) {
  const title = useHeading(guide.title)
  const blocks = useMemo(() => parseMarkdown(guide.text), [guide])
  const ids = useMemo(() => new Set(guides.map(({ id }) => id)), [guides])
  const resolve = (href: string) => linkPlace(href, guide.id, ids)
  useEffect(() => {
    if (heading !== '') document.getElementById(heading)?.scrollIntoView()
  }, [heading])
  return (
    <div class="guide">
      <article class="guide-text" aria-labelledby="guide-title">
        <p class="eyebrow">{guide.group}</p>
        <h1 id="guide-title" ref={title} tabIndex={-1}>
          {guide.title}
        </h1>
        {blocks.filter(isShown).map((block, at) => (
          <BlockView key={at} block={block} resolve={resolve} guide={guide.id} />
        ))}
        <Beside guide={guide} guides={guides} />
      </article>
      <Headings blocks={blocks} guide={guide.id} />
    </div>
  )
}

/** The title stands above the page already. */
function isShown(block: Block): boolean {
  return !(block.kind === 'heading' && block.level === 1)
}

function Headings({ blocks, guide }: { blocks: readonly Block[]; guide: string }) {
  const found = blocks.filter((block) => block.kind === 'heading' && block.level === 2)
  if (found.length < 2) return null
  return (
    <nav class="guide-headings" aria-label="On this page">
      <p>On this page</p>
      <ul>
        {found.map(
          (block) =>
            block.kind === 'heading' && (
              <li key={block.id}>
                <a href={`#${guidePlace(guide, block.id)}`}>{plainText(block.inside)}</a>
              </li>
            ),
        )}
      </ul>
    </nav>
  )
}

function Beside({ guide, guides }: Pick<Props, 'guide' | 'guides'>) {
  const at = guides.indexOf(guide)
  const [before, after] = [guides[at - 1], guides[at + 1]]
  return (
    <nav class="beside" aria-label="Other guides">
      {before && (
        <a href={`#${guidePlace(before.id)}`} rel="prev">
          <small>Previous</small> {before.title}
        </a>
      )}
      {after && (
        <a href={`#${guidePlace(after.id)}`} rel="next">
          <small>Next</small> {after.title}
        </a>
      )}
    </nav>
  )
}

type BlockProps = { block: Block; resolve: Resolve; guide: string }

function BlockView({ block, resolve, guide }: BlockProps) {
  if (block.kind === 'heading') return <HeadingView {...block} resolve={resolve} guide={guide} />
  if (block.kind === 'paragraph')
    return (
      <p>
        <Inlines parts={block.inside} resolve={resolve} />
      </p>
    )
  if (block.kind === 'code') return <ColouredBlock text={block.text} language={block.language} label="the example" />
  if (block.kind === 'table') return <TableView {...block} resolve={resolve} />
  if (block.kind === 'details')
    return (
      <details>
        <summary>
          <Inlines parts={block.summary} resolve={resolve} />
        </summary>
        {block.blocks.map((inner, at) => (
          <BlockView key={at} block={inner} resolve={resolve} guide={guide} />
        ))}
      </details>
    )
  const items = block.items.map((item, at) => <ItemView key={at} item={item} resolve={resolve} guide={guide} />)
  return block.isOrdered ? <ol>{items}</ol> : <ul class="bullets">{items}</ul>
}

type HeadingProps = Extract<Block, { kind: 'heading' }> & { resolve: Resolve; guide: string }

function HeadingView({ level, id, inside, resolve, guide }: HeadingProps) {
  const Tag = level === 2 ? 'h2' : level === 3 ? 'h3' : 'h4'
  return (
    <Tag id={id}>
      <Inlines parts={inside} resolve={resolve} />{' '}
      <a class="to-heading" href={`#${guidePlace(guide, id)}`} aria-label={`Link to ${plainText(inside)}`}>
        #
      </a>
    </Tag>
  )
}

/** An item of one paragraph needs no paragraph. */
function ItemView({ item, resolve, guide }: { item: Block[]; resolve: Resolve; guide: string }) {
  return (
    <li>
      {item.map((block, at) =>
        at === 0 && block.kind === 'paragraph' ? (
          <Inlines key={at} parts={block.inside} resolve={resolve} />
        ) : (
          <BlockView key={at} block={block} resolve={resolve} guide={guide} />
        ),
      )}
    </li>
  )
}

function TableView({ heads, rows, resolve }: Extract<Block, { kind: 'table' }> & { resolve: Resolve }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls has to be reachable by keyboard
    <div class="guide-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((cell, at) => (
              <th key={at} scope="col">
                <Inlines parts={cell} resolve={resolve} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>
                  <Inlines parts={cell} resolve={resolve} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Inlines({ parts, resolve }: { parts: readonly Inline[]; resolve: Resolve }) {
  return (
    <>
      {parts.map((part, at) => (
        <InlineView key={at} part={part} resolve={resolve} />
      ))}
    </>
  )
}

function InlineView({ part, resolve }: { part: Inline; resolve: Resolve }) {
  if (typeof part === 'string') return <>{part}</>
  if ('code' in part) return <code>{part.code}</code>
  if ('strong' in part)
    return (
      <strong>
        <Inlines parts={part.strong} resolve={resolve} />
      </strong>
    )
  if ('emphasis' in part)
    return (
      <em>
        <Inlines parts={part.emphasis} resolve={resolve} />
      </em>
    )
  const href = resolve(part.href)
  const inside = <Inlines parts={part.inside} resolve={resolve} />
  if (href === undefined) return inside
  return (
    <a href={href} rel={href.startsWith('#') ? undefined : 'noreferrer'}>
      {inside}
    </a>
  )
}

import { useEffect } from 'preact/hooks'
import type { Guide, GuideBlock } from '../../../src/contract/openapi/document.ts'
import { ColouredBlock } from '../../parts/code/coloured-block.tsx'
import { MarkedText } from './marked-text.tsx'
import { place } from './place.ts'
import { useHeading } from './use-heading.ts'

/** What the address of a row begins with: `errors` has `#error-not_found`. */
export function rowPrefix({ id }: Guide): string {
  return `${id.replace(/s$/, '')}-`
}

/** A chapter that is about no operation alone. */
export function GuidePage({ guide }: { guide: Guide }) {
  const { name, blocks } = guide
  const heading = useHeading(name)
  const here = place.value
  useEffect(() => document.getElementById(here)?.scrollIntoView({ block: 'center' }), [here])
  return (
    <article class="start" aria-labelledby="guide-title">
      <h1 id="guide-title" ref={heading} tabIndex={-1}>
        {name}
      </h1>
      {blocks.map((block, at) => (
        <Block key={at} block={block} prefix={rowPrefix(guide)} />
      ))}
    </article>
  )
}

function Block({ block, prefix }: { block: GuideBlock; prefix: string }) {
  if ('text' in block)
    return (
      <p>
        <MarkedText text={block.text} />
      </p>
    )
  if ('list' in block)
    return (
      <ul class="bullets">
        {block.list.map((item) => (
          <li key={item}>
            <MarkedText text={item} />
          </li>
        ))}
      </ul>
    )
  if ('code' in block)
    return (
      <section>
        <h2>{block.label}</h2>
        <ColouredBlock text={block.code} language={languageOf(block.label)} label={`the sample ${block.label}`} />
      </section>
    )
  return <Rows {...block} prefix={prefix} />
}

/** The samples of a chapter are named after their languages. */
function languageOf(label: string): string {
  if (label.startsWith('openssl')) return 'sh'
  return label === 'Node' ? 'javascript' : label.toLowerCase()
}

type RowsProps = { heads: string[]; rows: string[][]; prefix: string }

/** One entry for each row: five columns have no room on a narrow window. */
function Rows({ heads: [, ...heads], rows, prefix }: RowsProps) {
  const here = place.value
  return (
    <dl class="fields">
      {rows.map(([name, ...cells]) => (
        <div key={name} id={prefix + name} class={here === prefix + name ? 'here' : ''}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd>
            {cells.map((cell, at) => (
              <p key={heads[at]}>
                <small>{heads[at]}:</small> {cell}
              </p>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}

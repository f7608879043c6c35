import { CodeBlock } from '../../parts/code-block.tsx'

/** How images in base64 begin. */
const IMAGES = { iVBORw0KGgo: 'png', '/9j/': 'jpeg', UklGR: 'webp', R0lGOD: 'gif' }
const MAX_SHOWN = 12
const LONG_TEXT = 2_000

/** The output as JSON, and what of it can be seen or opened. */
export function TaskOutput({ output }: { output: unknown }) {
  const texts = textsIn(output)
  const images = texts.flatMap((text) => imageOf(text) ?? []).slice(0, MAX_SHOWN)
  const links = texts.filter((text) => /^https?:\/\/\S+$/.test(text)).slice(0, MAX_SHOWN)
  return (
    <>
      {images.length > 0 && (
        <ul class="pictures">
          {images.map((url) => (
            <li key={url}>
              <img src={url} alt="A result of the task" />
            </li>
          ))}
        </ul>
      )}
      {links.map((url) => (
        <p key={url} class="said">
          <a href={url} target="_blank" rel="noreferrer">
            {url.split('?')[0]}
          </a>
        </p>
      ))}
      <CodeBlock label="the output" text={JSON.stringify(output, shortened, 2) ?? 'null'} />
    </>
  )
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function imageOf(text: string): string | undefined {
  const found = Object.entries(IMAGES).find(([start]) => text.startsWith(start) && text.length > 64)
  return found && `data:image/${found[1]};base64,${text}`
}

/** Bytes in base64 say nothing to people. */
function shortened(_name: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= LONG_TEXT) return value
  return `${value.slice(0, LONG_TEXT)}… (${value.length} characters)`
}

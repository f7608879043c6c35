import { CodeBlock } from '../../../parts/code-block.tsx'
import { ResultFile } from '../media/result-file.tsx'

/** How images in base64 begin. */
const IMAGES = { iVBORw0KGgo: 'png', '/9j/': 'jpeg', UklGR: 'webp', R0lGOD: 'gif' }
const MAX_SHOWN = 12
const LONG_TEXT = 2_000

/** The text that came out, files that can be seen, heard or opened, and the whole output as JSON. */
export function TaskOutput({ output }: { output: unknown }) {
  const files = textsIn(output).flatMap(fileOf).slice(0, MAX_SHOWN)
  const text = (output as { text?: unknown } | null)?.text
  return (
    <>
      {typeof text === 'string' && <p class="said">{text}</p>}
      {files.map(({ url, kind }) => (
        <ResultFile key={url} url={url} kind={kind} />
      ))}
      <CodeBlock label="the output" text={JSON.stringify(output, shortened, 2) ?? 'null'} />
    </>
  )
}

/** A text of the output, and the name of its field. */
type Named = { name: string; text: string }

function textsIn(value: unknown, name = ''): Named[] {
  if (typeof value === 'string') return [{ name, text: value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([member, one]) => textsIn(one, Array.isArray(value) ? name : member))
}

function fileOf({ name, text }: Named): Parameters<typeof ResultFile>[0][] {
  const found = Object.entries(IMAGES).find(([start]) => text.startsWith(start) && text.length > 64)
  if (found) return [{ url: `data:image/${found[1]};base64,${text}`, kind: 'image' }]
  return /^https?:\/\/\S+$/.test(text) ? [{ url: text, kind: kindOf(name) }] : []
}

function kindOf(name: string): 'image' | 'audio' | 'video' | 'file' {
  return (['image', 'audio', 'video'] as const).find((kind) => name.includes(kind)) ?? 'file'
}

/** Bytes in base64 say nothing to people. */
function shortened(_name: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= LONG_TEXT) return value
  return `${value.slice(0, LONG_TEXT)}… (${value.length} characters)`
}

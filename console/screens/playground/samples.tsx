import { apiUrl } from '../../api/api-url.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { type SampleKind, samplesOf } from './code-samples.ts'

/** The request for other programs. */
export function Samples({ kind, body }: { kind: SampleKind; body: object }) {
  return (
    <div class="stack">
      <p class="faint">Programs need a key of their own: what you may do here ends with your session.</p>
      {Object.entries(samplesOf(kind, body as Record<string, unknown>, apiUrl())).map(([title, text]) => (
        <section key={title}>
          <h2>{title}</h2>
          <CodeBlock label={`the request in ${title}`} text={text} />
        </section>
      ))}
    </div>
  )
}

/** The same, folded away below a form. */
export function FoldedSamples(props: { kind: SampleKind; body: object }) {
  return (
    <details class="chat-settings">
      <summary>The request as curl, TypeScript and Python</summary>
      <Samples {...props} />
    </details>
  )
}

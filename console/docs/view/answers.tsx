import type { Content, Operation, Reply } from '../../../src/contract/openapi/document.ts'
import { resolve, typeName } from '../../../src/contract/openapi/read-document.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import type { OpenApiDocument } from '../read/document.ts'
import { objectsIn } from '../read/fields.ts'
import { InnerFields } from './field-list.tsx'
import { MarkedText } from './marked-text.tsx'

type Props = { responses: Operation['responses']; document: OpenApiDocument }

/** What may come back: answers in full, errors by their codes. */
export function Answers({ responses, document }: Props) {
  const all = Object.entries(responses).map(([status, reply]) => ({
    status,
    reply: resolve(reply as Reply & { $ref?: string }, document),
  }))
  const [good, bad] = [all.filter(({ status }) => status < '4'), all.filter(({ status }) => status >= '4')]
  return (
    <>
      {good.length > 0 && (
        <section>
          <h2>Responses</h2>
          {good.map(({ status, reply }) => (
            <GoodAnswer key={status} status={status} reply={reply} document={document} />
          ))}
        </section>
      )}
      {bad.length > 0 && <BadAnswers answers={bad} />}
    </>
  )
}

type GoodProps = { status: string; reply: Reply; document: OpenApiDocument }

function GoodAnswer({ status, reply: { description, content = {} }, document }: GoodProps) {
  return (
    <div class="answer">
      <p>
        <span class="status good">{status}</span> <MarkedText text={description} />
      </p>
      {Object.entries(content).map(([type, { schema = {} }]) => (
        <div key={type}>
          <p class="limits">
            {type} · {typeName(schema)}
          </p>
          {objectsIn(schema, document).map((inner) => (
            <InnerFields key={inner.title} inner={inner} document={document} />
          ))}
        </div>
      ))}
      <Example content={content} />
    </div>
  )
}

function Example({ content }: { content: Content }) {
  const example = Object.values(content).find((one) => one.example !== undefined)?.example
  if (example === undefined) return null
  return (
    <details class="inner">
      <summary>Example</summary>
      <CodeBlock label="the example" text={JSON.stringify(example, null, 2)} />
    </details>
  )
}

function BadAnswers({ answers }: { answers: readonly { status: string; reply: Reply }[] }) {
  return (
    <section>
      <h2>Errors</h2>
      <dl class="errors">
        {answers.map(({ status, reply: { description, content = {} } }) => (
          <div key={status}>
            <dt>{status}</dt>
            <dd>
              <Codes content={content} description={description} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Codes({ content, description }: { content: Content; description: string }) {
  const codes = Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples))
  if (codes.length === 0) return <MarkedText text={description} />
  return (
    <ul class="codes">
      {codes.map((code) => (
        <li key={code}>
          <a href={`#error-${code}`}>
            <code>{code}</code>
          </a>
        </li>
      ))}
    </ul>
  )
}

import { CopyButton } from '../../parts/code-block.tsx'
import type { Listed, OpenApiDocument } from '../read/document.ts'
import { baseUrl } from '../read/page-facts.ts'
import { needsKey } from '../read/sample-request.ts'
import { TryIt } from '../try/try-it.tsx'
import { Answers } from './answers.tsx'
import { Body } from './body.tsx'
import { FieldList } from './field-list.tsx'
import { MarkedText } from './marked-text.tsx'
import { Method } from './method.tsx'
import { Samples } from './samples.tsx'
import { useHeading } from './use-heading.ts'

type Props = {
  listed: Listed
  document: OpenApiDocument
  before: Listed | undefined
  after: Listed | undefined
}

export function OperationPage({ listed, document, before, after }: Props) {
  const { operation, isWebhook } = listed
  const heading = useHeading(operation.summary)
  return (
    <article class="operation" aria-labelledby="operation-title">
      <header>
        <p class="eyebrow">{listed.group}</p>
        <h1 id="operation-title" ref={heading} tabIndex={-1}>
          {operation.summary}
        </h1>
        <Endpoint listed={listed} />
        {operation.description && (
          <p class="lead">
            <MarkedText text={operation.description} />
          </p>
        )}
      </header>
      <div class="described">
        <Description listed={listed} document={document} />
        <Neighbours before={before} after={after} />
      </div>
      {!isWebhook && (
        <div class="tryable">
          <Samples listed={listed} document={document} />
          <TryIt listed={listed} document={document} />
        </div>
      )}
    </article>
  )
}

function Endpoint({ listed: { method, path, operation, isWebhook } }: { listed: Listed }) {
  return (
    <p class="endpoint">
      <Method name={method} />
      <code>{isWebhook ? 'your webhook_receiver' : path}</code>
      {!isWebhook && <CopyButton text={baseUrl + path} what="the URL" />}
      {!needsKey(operation) && !isWebhook && <span class="faint">needs no key</span>}
    </p>
  )
}

function Description({ listed: { operation }, document }: { listed: Listed; document: OpenApiDocument }) {
  const { parameters = [], requestBody, responses } = operation
  const fields = parameters.map(({ name, in: place, required, description: text = '', schema }) => {
    return { name, schema, description: text, isRequired: required, note: `in the ${place}` }
  })
  return (
    <>
      {fields.length > 0 && (
        <section>
          <h2>Parameters</h2>
          <FieldList fields={fields} document={document} trail={[]} />
        </section>
      )}
      {requestBody && <Body content={requestBody.content} document={document} />}
      <Answers responses={responses} document={document} />
    </>
  )
}

function Neighbours({ before, after }: Pick<Props, 'before' | 'after'>) {
  return (
    <nav class="neighbours" aria-label="Previous and next operation">
      {before && (
        <a href={`#${before.id}`} rel="prev">
          <small>Previous</small>
          {before.operation.summary}
        </a>
      )}
      {after && (
        <a href={`#${after.id}`} rel="next">
          <small>Next</small>
          {after.operation.summary}
        </a>
      )}
    </nav>
  )
}

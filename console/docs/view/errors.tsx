import { useEffect } from 'preact/hooks'
import type { OpenApiDocument } from '../read/document.ts'
import { place } from './place.ts'
import { useHeading } from './use-heading.ts'

type ErrorRow = { code: string; message: string; type: string; status: string }
type Example = { error?: { message?: string; type?: string } }

/** Every code that any operation may answer with. */
export function Errors({ document }: { document: OpenApiDocument }) {
  const heading = useHeading('Errors')
  const here = place.value
  useEffect(() => globalThis.document.getElementById(here)?.scrollIntoView({ block: 'center' }), [here])
  return (
    <article class="start" aria-labelledby="errors-title">
      <h1 id="errors-title" ref={heading} tabIndex={-1}>
        Errors
      </h1>
      <p class="lead">
        <code>error.code</code> is for programs, <code>error.message</code> for people. The messages here are the usual
        ones; an actual message is often more specific.
      </p>
      <dl class="fields">
        {errorRows(document).map(({ code, message, type, status }) => (
          <div key={code} id={`error-${code}`} class={here === `error-${code}` ? 'here' : ''}>
            <dt>
              <code>{code}</code> <span class="type">{status}</span> <span class="type">{type}</span>
            </dt>
            <dd>
              <p>{message}</p>
            </dd>
          </div>
        ))}
      </dl>
    </article>
  )
}

function errorRows({ components, paths }: OpenApiDocument): ErrorRow[] {
  const statuses = statusesOf(paths)
  return Object.entries(components.responses).flatMap(([name, { content = {} }]) =>
    Object.values(content).flatMap(({ examples = {} }) =>
      Object.entries(examples).map(([code, { value }]) => {
        const { message = '', type = '' } = (value as Example).error ?? {}
        return { code, message, type, status: statuses.get(`#/components/responses/${name}`) ?? '' }
      }),
    ),
  )
}

/** A response of the document has a name; its status is where an operation refers to it. */
function statusesOf(paths: OpenApiDocument['paths']): Map<string, string> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const replies = operations.flatMap(({ responses }) => Object.entries(responses))
  return new Map(replies.flatMap(([status, reply]) => ('$ref' in reply ? [[reply.$ref, status] as const] : [])))
}

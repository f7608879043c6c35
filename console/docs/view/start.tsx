import { groupsOf, type Listed, type OpenApiDocument } from '../read/document.ts'
import { baseUrl, isAdmin } from '../read/page-facts.ts'
import { MarkedText } from './marked-text.tsx'
import { Method } from './method.tsx'
import { Samples } from './samples.tsx'
import { useHeading } from './use-heading.ts'

type Props = { document: OpenApiDocument; operations: readonly Listed[] }

/** What the API is, how to make the first call, and everything that it has. */
export function Start({ document, operations }: Props) {
  const title = isAdmin ? 'Admin API' : 'Gatehouse API'
  const heading = useHeading(title)
  const first = operations.find(({ path }) => path === (isAdmin ? '/admin/keys' : '/v3/chat/completions'))
  return (
    <article class="start" aria-labelledby="start-title">
      <h1 id="start-title" ref={heading} tabIndex={-1}>
        {title}
      </h1>
      <About document={document} />
      {first && (
        <section>
          <h2>
            First call: <a href={`#${first.id}`}>{first.operation.summary}</a>
          </h2>
          <Samples listed={first} document={document} />
        </section>
      )}
      <Authentication document={document} />
      <ResponseHeaders document={document} />
      <section>
        <h2>Operations</h2>
        <div class="overview">
          {groupsOf(operations).map(([name, within]) => (
            <Group key={name} name={name} within={within} />
          ))}
        </div>
      </section>
    </article>
  )
}

function About({ document: { info } }: { document: OpenApiDocument }) {
  return (
    <>
      <p class="lead">
        {isAdmin ? 'The API behind the console: keys, projects, budgets, people and the request log.' : info.summary}
      </p>
      {!isAdmin && (
        <p>
          <MarkedText text={info.description} />
        </p>
      )}
      <p>
        Version {info.version} of the API. Base URL: <code>{isAdmin ? baseUrl : `${baseUrl}/v3`}</code>
      </p>
    </>
  )
}

function Authentication({ document: { components } }: { document: OpenApiDocument }) {
  return (
    <section>
      <h2>Authentication</h2>
      <p>Send your key with each request in one of these ways. Operations that need no key are marked.</p>
      <ul class="bullets">
        {Object.entries(components.securitySchemes).map(([name, { description }]) => (
          <li key={name}>
            <MarkedText text={description} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function ResponseHeaders({ document: { components } }: { document: OpenApiDocument }) {
  return (
    <section>
      <h2>Response headers</h2>
      <details class="inner">
        <summary>{Object.keys(components.headers).length} headers</summary>
        <dl class="fields">
          {Object.entries(components.headers).map(([name, { description }]) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
              </dt>
              <dd>
                <p>
                  <MarkedText text={description} />
                </p>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  )
}

function Group({ name, within }: { name: string; within: readonly Listed[] }) {
  return (
    <section>
      <h3>{name}</h3>
      <ul>
        {within.map(({ id, method, path, operation }) => (
          <li key={id}>
            <a href={`#${id}`} title={path}>
              <Method name={method} />
              <span>{operation.summary}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

import { useEffect, useMemo, useState } from 'preact/hooks'
import { Failure, Loading } from '../../parts/notice.tsx'
import { Toasts } from '../../parts/toast.tsx'
import { type Listed, type OpenApiDocument, operationsOf } from '../read/document.ts'
import { GuidePage, rowPrefix } from './guide-page.tsx'
import { OperationPage } from './operation-page.tsx'
import { place } from './place.ts'
import { Sidebar } from './sidebar.tsx'
import { Start } from './start.tsx'

export function DocsPage() {
  const [document, setDocument] = useState<OpenApiDocument>()
  const [error, setError] = useState<Error>()
  const load = () => {
    setError(undefined)
    readDocument().then(setDocument, setError)
  }
  useEffect(load, [])
  if (document) return <Loaded document={document} />
  return <main class="entrance">{error ? <Failure error={error} onRetry={load} /> : <Loading what="the API" />}</main>
}

async function readDocument(): Promise<OpenApiDocument> {
  const answer = await fetch('openapi.json', { credentials: 'omit' })
  if (!answer.ok) throw new Error(`The gateway did not send its OpenAPI document (status ${answer.status}).`)
  return (await answer.json()) as OpenApiDocument
}

function Loaded({ document }: { document: OpenApiDocument }) {
  const operations = useMemo(() => operationsOf(document), [document])
  // A link would change the part of the address that says what is shown.
  const skip = () => globalThis.document.getElementById('main')?.focus()
  return (
    <div class="docs">
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <Sidebar document={document} operations={operations} />
      <main id="main" tabIndex={-1}>
        <Content document={document} operations={operations} />
      </main>
      <Toasts />
    </div>
  )
}

function Content({ document, operations }: { document: OpenApiDocument; operations: readonly Listed[] }) {
  const id = place.value
  const at = operations.findIndex((one) => one.id === id)
  const listed = operations[at]
  if (listed)
    return <OperationPage key={id} {...{ listed, document }} before={operations[at - 1]} after={operations[at + 1]} />
  const guide = document['x-guides']?.find((one) => one.id === id || id.startsWith(rowPrefix(one)))
  if (guide) return <GuidePage key={guide.id} guide={guide} />
  return <Start document={document} operations={operations} />
}

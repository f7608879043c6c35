import { useEffect, useMemo, useState } from 'preact/hooks'
import { Failure, Loading } from '../../parts/notice.tsx'
import { Toasts } from '../../parts/toast.tsx'
import { type Listed, type OpenApiDocument, operationsOf } from '../read/document.ts'
import { type GuideSource, guideAt } from '../read/guides.ts'
import { GuidePage, rowPrefix } from './guide-page.tsx'
import { MarkdownPage } from './markdown-page.tsx'
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
  const guides = useGuides()
  // A link would change the part of the address that says what is shown.
  const skip = () => globalThis.document.getElementById('main')?.focus()
  return (
    <div class="docs">
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <Sidebar document={document} operations={operations} guides={guides ?? []} />
      <main id="main" tabIndex={-1}>
        <Content document={document} operations={operations} guides={guides} />
      </main>
      <Toasts />
    </div>
  )
}

/** The guides are most of the page, so they come after what was asked for. */
function useGuides(): readonly GuideSource[] | undefined {
  const [guides, setGuides] = useState<readonly GuideSource[]>()
  useEffect(() => {
    // Without them the page still has the operations; a reload tries again.
    import('virtual:guides').then(
      ({ GUIDES }) => setGuides(GUIDES),
      () => setGuides([]),
    )
  }, [])
  return guides
}

type ContentProps = {
  document: OpenApiDocument
  operations: readonly Listed[]
  guides: readonly GuideSource[] | undefined
}

function Content({ document, operations, guides }: ContentProps) {
  const id = place.value
  const at = guideAt(id)
  if (at && !guides) return <Loading what="the guide" />
  const text = at && guides?.find((one) => one.id === at.id)
  if (text) return <MarkdownPage key={text.id} guide={text} heading={at.heading} guides={guides!} />
  return <Described document={document} operations={operations} id={id} />
}

function Described({ document, operations, id }: Omit<ContentProps, 'guides'> & { id: string }) {
  const at = operations.findIndex((one) => one.id === id)
  const listed = operations[at]
  if (listed)
    return <OperationPage key={id} {...{ listed, document }} before={operations[at - 1]} after={operations[at + 1]} />
  const guide = document['x-guides']?.find((one) => one.id === id || id.startsWith(rowPrefix(one)))
  if (guide) return <GuidePage key={guide.id} guide={guide} />
  return <Start document={document} operations={operations} />
}

import { SamplesCard } from '../../parts/samples/samples-card.tsx'
import type { Listed, OpenApiDocument } from '../read/document.ts'
import { baseUrl, isAdmin } from '../read/page-facts.ts'
import { sampleRequest } from '../read/sample-request.ts'
import { draftOf } from '../try/drafts.ts'

/** The request of the form below as a program. */
export function Samples({ listed, document }: { listed: Listed; document: OpenApiDocument }) {
  return (
    <SamplesCard request={sampleRequest(listed, draftOf(listed, document), { document, base: baseUrl, isAdmin })} />
  )
}

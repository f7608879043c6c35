import { signal } from '@preact/signals'
import { CopyButton } from '../../parts/code-block.tsx'
import type { Listed, OpenApiDocument } from '../read/document.ts'
import { baseUrl, isAdmin } from '../read/page-facts.ts'
import { sampleRequest } from '../samples/sample-request.ts'
import { LANGUAGES, type Language, plainSample, sdkSample } from '../samples/samples.ts'
import { draftOf } from '../try/drafts.ts'
import { Code } from './code.tsx'

/** Stays the same from page to page. */
const language = signal<Language>('curl')
const withSdk = signal(false)

/** The request of the form below as a program. */
export function Samples({ listed, document }: { listed: Listed; document: OpenApiDocument }) {
  const request = sampleRequest(listed, draftOf(listed, document), { document, base: baseUrl, isAdmin })
  const chosen = language.value
  const official = sdkSample(request, chosen)
  const text = official && withSdk.value ? official.text : plainSample(request, chosen)
  return (
    <section class="card samples" aria-label="Samples">
      <div class="sample-bar">
        {Object.entries(LANGUAGES).map(([name, title]) => (
          <button
            key={name}
            type="button"
            class="small quiet"
            aria-pressed={chosen === name}
            onClick={() => (language.value = name as Language)}
          >
            {title}
          </button>
        ))}
        <CopyButton text={text} what="the sample" />
      </div>
      {official && <SdkChoice sdk={official.sdk} />}
      <Code text={text} language={chosen} label="the sample" />
    </section>
  )
}

function SdkChoice({ sdk }: { sdk: string }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={withSdk.value}
        onChange={(event) => (withSdk.value = event.currentTarget.checked)}
      />
      with {sdk}
    </label>
  )
}

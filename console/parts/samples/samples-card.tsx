import { signal } from '@preact/signals'
import { CopyButton } from '../code-block.tsx'
import { Code } from '../code/coloured-block.tsx'
import type { SampleRequest } from './sample-request.ts'
import { LANGUAGES, type Language, plainSample, sdkSample } from './samples.ts'

/** Stays the same from page to page. */
const language = signal<Language>('curl')
const withSdk = signal(false)

/** A request as a program, in the language that the reader chooses. */
export function SamplesCard({ request }: { request: SampleRequest }) {
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

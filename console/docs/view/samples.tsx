import { signal } from '@preact/signals'
import { CopyButton } from '../../parts/code-block.tsx'
import type { Listed, OpenApiDocument } from '../read/document.ts'
import { baseUrl, isAdmin } from '../read/page-facts.ts'
import { curlSample } from '../samples/curl.ts'
import { goSample } from '../samples/go.ts'
import { javaSample } from '../samples/java.ts'
import { pythonSample } from '../samples/python.ts'
import { type SampleRequest, sampleRequest } from '../samples/sample-request.ts'
import { sdkPackage, sdkPython, sdkTypescript } from '../samples/sdk.ts'
import { typescriptSample } from '../samples/typescript.ts'
import { draftOf } from '../try/drafts.ts'
import { Code } from './code.tsx'

const LANGUAGES = { curl: 'curl', typescript: 'TypeScript', python: 'Python', go: 'Go', java: 'Java' } as const
type Language = keyof typeof LANGUAGES

/** Stays the same from page to page. */
const language = signal<Language>('curl')
const withSdk = signal(false)

/** The request of the form below as a program. */
export function Samples({ listed, document }: { listed: Listed; document: OpenApiDocument }) {
  const request = sampleRequest(listed, draftOf(listed, document), { document, base: baseUrl, isAdmin })
  const chosen = language.value
  const sdk = chosen === 'typescript' || chosen === 'python' ? sdkPackage(request, chosen) : undefined
  const text = textOf(request, chosen, sdk !== undefined && withSdk.value)
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
      {sdk && <SdkChoice sdk={sdk} />}
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

function textOf(request: SampleRequest, chosen: Language, isSdk: boolean): string {
  if (chosen === 'curl') return curlSample(request)
  if (chosen === 'go') return goSample(request)
  if (chosen === 'java') return javaSample(request)
  if (chosen === 'typescript') return isSdk ? sdkTypescript(request) : typescriptSample(request)
  return isSdk ? sdkPython(request) : pythonSample(request)
}

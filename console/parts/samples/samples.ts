import { curlSample } from './curl.ts'
import { goSample } from './go.ts'
import { javaSample } from './java.ts'
import { pythonSample } from './python.ts'
import type { SampleRequest } from './sample-request.ts'
import { goModule, sdkGo } from './sdk-go.ts'
import { javaArtifact, sdkJava } from './sdk-java.ts'
import { sdkPackage, sdkPython, sdkTypescript } from './sdk.ts'
import { typescriptSample } from './typescript.ts'

// The programs of one request: in each language one that needs no SDK, and one with the official SDK where it has the function.

export const LANGUAGES = { curl: 'curl', typescript: 'TypeScript', python: 'Python', go: 'Go', java: 'Java' } as const
export type Language = keyof typeof LANGUAGES

type Samples = {
  plain(request: SampleRequest): string
  /** The package of the SDK, or undefined if none has a function for this request. */
  sdk?(request: SampleRequest): string | undefined
  withSdk?(request: SampleRequest): string
}

const SAMPLES: Readonly<Record<Language, Samples>> = {
  curl: { plain: curlSample },
  typescript: {
    plain: typescriptSample,
    sdk: (request) => sdkPackage(request, 'typescript'),
    withSdk: sdkTypescript,
  },
  python: { plain: pythonSample, sdk: (request) => sdkPackage(request, 'python'), withSdk: sdkPython },
  go: { plain: goSample, sdk: goModule, withSdk: sdkGo },
  java: { plain: javaSample, sdk: javaArtifact, withSdk: sdkJava },
}

export function plainSample(request: SampleRequest, language: Language): string {
  return SAMPLES[language].plain(request)
}

/** Undefined if no official SDK of this language has a function for the request. */
export function sdkSample(request: SampleRequest, language: Language): { sdk: string; text: string } | undefined {
  const { sdk, withSdk } = SAMPLES[language]
  const name = sdk?.(request)
  return name && withSdk ? { sdk: name, text: withSdk(request) } : undefined
}

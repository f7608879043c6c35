/** A request as the samples of all languages write it. A key is never part of it, only the name of its variable. */
export type SampleRequest = {
  method: string
  /** The method and the path of the document, by which the SDKs are found. */
  name: string
  base: string
  url: string
  key: string | undefined
  headers: Record<string, string>
  json?: unknown
  form?: { type: string; fields: [string, string][]; files: [string, string][] }
  answer: 'json' | 'text' | 'stream' | 'binary' | 'empty'
  parameters: Readonly<Record<string, string>>
}

export function isStreamed({ json }: SampleRequest): boolean {
  return (json as { stream?: unknown } | undefined)?.stream === true
}

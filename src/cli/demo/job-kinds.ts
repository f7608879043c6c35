/** A kind of job, with what goes in, what comes out and what can go wrong. */
export type JobKind = {
  feature: string
  subfeature: string
  provider: string
  model: string | null
  /** The name of the key. */
  key: string
  input: Record<string, unknown>
  output: Record<string, unknown>
  errors: readonly string[]
  /** Pages or seconds, as the price counts them. */
  units: number
  usualMs: number
}

const INVOICE = 'https://files.demo.example/invoices/2026-10-1841.pdf'
const RECORDING = 'https://files.demo.example/calls/support-20261014.mp3'
const UNREADABLE = 'The provider cannot read this file.'
const GONE = 'The file could not be loaded: the server answered 404.'

const TEXT = 'Invoice 2026-10-1841\nMeridian Paper Supplies\nTotal 1,284.50 EUR'
const SPEECH = 'Good morning, this is the support line. How can I help you today?'

/** Of a provider that needs no account. */
export const FREE_KIND: JobKind = {
  feature: 'text',
  subfeature: 'moderation',
  provider: 'sandbox',
  model: null,
  key: 'contract review',
  input: { text: 'Hello!' },
  output: { nsfw_likelihood: 0, items: [], nsfw_likelihood_score: 0 },
  errors: ['The provider failed to answer.'],
  units: 1,
  usualMs: 300,
}

export const JOB_KINDS: readonly JobKind[] = [
  ocr('amazon', null),
  ocr('google', null),
  ocr('mistral', 'mistral-ocr-latest'),
  {
    feature: 'audio',
    subfeature: 'speech_to_text_async',
    provider: 'deepgram',
    model: 'nova-3',
    key: 'contract review',
    input: { file: RECORDING, language: 'en' },
    output: { text: SPEECH, diarization: null },
    errors: [GONE, 'The audio has no speech.'],
    units: 312,
    usualMs: 28_000,
  },
  FREE_KIND,
]

function ocr(provider: string, model: string | null): JobKind {
  return {
    feature: 'ocr',
    subfeature: 'ocr_async',
    provider,
    model,
    key: 'scanned invoices',
    input: { file: INVOICE, language: 'en' },
    output: { raw_text: TEXT, number_of_pages: 2, pages: [] },
    errors: [UNREADABLE, GONE],
    units: 2,
    usualMs: 9_000,
  }
}

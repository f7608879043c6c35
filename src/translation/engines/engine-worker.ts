import { getPriority, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { EngineName, Engines } from '../engine-api/engines.ts'
import { exceededMemory, limitBuffers } from './pool/engine-memory.ts'
import { missingPackage } from './pool/missing-package.ts'
import { Unreadable } from './pool/unreadable.ts'

export type Order = { name: EngineName; input: unknown }
export type EngineFailure = { kind: 'missing' | 'unreadable' | 'memory' | 'failed'; message: string }
export type Answer = { output: unknown } | { failure: EngineFailure }

type Engine<Name extends EngineName> = (
  input: Engines[Name]['input'],
) => Engines[Name]['output'] | Promise<Engines[Name]['output']>

const MAX_ERROR_CHARS = 300
/** The priority of engines below the event loop, for machines with few processors; 19 is the lowest. */
const STANDS_BACK = 10
const [OWN_THREAD, LAST] = [0, 19]

/** Each engine is loaded on first use: most installations use only a few. */
const ENGINES: { [Name in EngineName]: () => Promise<Engine<Name>> } = {
  language: async () => (await import('./text/language.ts')).detectLanguage,
  sentiment: async () => (await import('./text/sentiment.ts')).feelText,
  profanity: async () => (await import('./text/profanity.ts')).findProfanity,
  entities: async () => (await import('./text/entities.ts')).findEntities,
  syntax: async () => (await import('./text/syntax.ts')).tagWords,
  keywords: async () => (await import('./text/keywords.ts')).rankPhrases,
  summary: async () => (await import('./text/summary.ts')).chooseSentences,
  privacy: async () => (await import('./text/privacy.ts')).findPrivate,
  redact_pii: async () => (await import('./text/personal-data.ts')).findPersonalDataIn,
  spelling: async () => (await import('./text/spelling.ts')).checkSpelling,
  pdf: async () => (await import('./pdf/pdf.ts')).readPdf,
  pdf_page: async () => (await import('./pdf/extract-page.ts')).extractPage,
  scan: async () => (await import('./pdf/scan.ts')).readScan,
  office: async () => (await import('./office/office.ts')).readOffice,
  web_page: async () => (await import('./text/page-text.ts')).pageText,
  image: async () => (await import('./image/image.ts')).readImage,
  mask: async () => (await import('./image/mask.ts')).paintMask,
  barcodes: async () => (await import('./image/barcodes.ts')).findBarcodes,
  embeddings: async () => (await import('./text/embeddings.ts')).embedTexts,
  json_heal: async () => (await import('./text/heal-json.ts')).healLongJson,
  block_patterns: async () => (await import('./text/find-patterns.ts')).findPatterns,
  speech: async () => (await import('./speech/speech.ts')).speak,
}

// On Linux every thread has its own priority; elsewhere this would change the whole gateway.
if (process.platform === 'linux') setPriority(OWN_THREAD, Math.min(getPriority(OWN_THREAD) + STANDS_BACK, LAST))

limitBuffers()

parentPort!.on('message', async ({ name, input }: Order) => parentPort!.postMessage(await answer(name, input)))

async function answer(name: EngineName, input: unknown): Promise<Answer> {
  try {
    const engine = (await ENGINES[name]()) as (input: unknown) => unknown
    const output = await engine(input)
    return exceededMemory() ? { failure: TOO_MUCH } : { output }
  } catch (error) {
    return { failure: exceededMemory() || isOutOfMemory(error) ? TOO_MUCH : failureOf(error) }
  }
}

const TOO_MUCH: EngineFailure = { kind: 'memory', message: '' }

/** What V8 and programs in WebAssembly say if they get no more memory. */
function isOutOfMemory(error: unknown): boolean {
  return /out of memory|\bOOM\b|allocation failed|memory access out of bounds|invalid (typed )?array (buffer )?length/i.test(
    String((error as Error)?.message ?? error),
  )
}

function failureOf(error: unknown): EngineFailure {
  if (error instanceof Unreadable) return { kind: 'unreadable', message: error.message }
  const missing = missingPackage(error)
  if (missing) return { kind: 'missing', message: missing }
  return { kind: 'failed', message: String((error as Error)?.message ?? error).slice(0, MAX_ERROR_CHARS) }
}

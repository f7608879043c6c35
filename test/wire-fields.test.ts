import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Note, Target } from '../src/translation/dialects/chat-codec.ts'
import { EMBEDDING_WIRES } from '../src/translation/dialects/embedding-wires/index.ts'
import type { EmbeddingCall, EmbeddingCodec } from '../src/translation/dialects/embedding-codec.ts'
import type { ImageCall, ImageCodec } from '../src/translation/dialects/image-codec.ts'
import { IMAGE_WIRES } from '../src/translation/dialects/image-wires/index.ts'
import { RERANK_WIRES } from '../src/translation/dialects/rerank-wires/index.ts'
import type { RerankCall, RerankCodec } from '../src/translation/dialects/rerank-wires/rerank-codec.ts'
import type { SpeechCall, SpeechCodec } from '../src/translation/dialects/speech-codec.ts'
import { SPEECH_WIRES } from '../src/translation/dialects/speech-wires/index.ts'
import type { WireRequest } from '../src/translation/wire/wire.ts'
import { png } from '../src/base/sniff/fixtures/small-files.ts'

// What dialect-conformance.test.ts is for chats: on every wire format for images, speech, vectors and rankings, each field of a call
// changes what is sent, or is noted, or is refused. None is dropped silently.

type Encoded = { wire: WireRequest; notes: readonly Note[] }

const TARGET: Target = { baseUrl: 'https://provider.test/v1', model: 'some-model', name: 'Provider' }
/** Wire formats that read the name of the model. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  bedrock: ['amazon.nova-canvas-v1:0', 'stability.sd3-5-large-v1:0'],
  'bedrock embeddings': ['amazon.titan-embed-text-v2:0', 'amazon.titan-embed-text-v1', 'cohere.embed-v4:0'],
  'vertex embeddings': ['text-embedding-005', 'gemini-embedding-001', 'multimodalembedding@001'],
  vertex: ['gemini-3-pro-image', 'imagen-4.0-generate-001'],
  openai: ['gpt-image-2', 'some-model'],
}

function image(size: number) {
  const painted = { kind: 'painted', redrawn: 'white', bytes: png(size, 1) } as const
  return { bytes: png(size, size), mediaType: 'image/png', name: 'image.png', painted }
}

const DRAWN: ImageCall = {
  mode: 'generate',
  prompt: 'a gate',
  n: 1,
  size: undefined,
  quality: undefined,
  responseFormat: undefined,
  extra: {},
  images: [],
  mask: undefined,
}
const EDITED: ImageCall = { ...DRAWN, mode: 'edit', images: [image(2)] }
const IMAGE_FIELDS: Record<string, Partial<ImageCall>> = {
  size: { size: '512x256' },
  quality: { quality: 'hd' },
  seed: { extra: { seed: 7 } },
  background: { extra: { background: 'transparent' } },
  output_format: { extra: { output_format: 'webp' } },
  partial_images: { extra: { partial_images: 2 } },
  negative_prompt: { extra: { negative_prompt: 'dogs' } },
  image_config: { extra: { image_config: { aspect_ratio: '3:2' } } },
  'a field that no provider has': { extra: { never_heard_of: 'x' } },
}
const EDIT_FIELDS: Record<string, Partial<ImageCall>> = {
  ...IMAGE_FIELDS,
  mask: { mask: image(3) },
  'a second image': { images: [image(2), image(4)] },
}

const SPOKEN: SpeechCall = { input: 'a', voice: 'v', format: 'mp3', options: { input: 'a', voice: 'v' } }
const spoken = (more: object, format = 'mp3') =>
  ({ format, options: { ...SPOKEN.options, ...more } }) as Partial<SpeechCall>
const SPEECH_FIELDS: Record<string, Partial<SpeechCall>> = {
  speed: spoken({ speed: 2 }),
  instructions: spoken({ instructions: 'Softly' }),
  response_format: spoken({ response_format: 'flac' }, 'flac'),
}

const NOTED: Note = { field: 'user', action: 'dropped', reason: '' }
const EMBEDDED: EmbeddingCall = { input: ['a'], extra: {} }
const EMBEDDING_FIELDS: Record<string, Partial<EmbeddingCall>> = {
  dimensions: { dimensions: 8 },
  user: { user: 'u' },
  'a field that no provider has': { extra: { never_heard_of: 'x' } },
}

const RANKED: RerankCall = { query: 'q', documents: ['a'], topN: undefined, extra: {} }
const RERANK_FIELDS: Record<string, Partial<RerankCall>> = { truncation: { extra: { truncation: true } } }

for (const [name, codec] of Object.entries<ImageCodec>(IMAGE_WIRES)) {
  checkAll(`images, ${name}`, name, DRAWN, IMAGE_FIELDS, (call, target) => codec.encode(call, target))
  checkAll(`edits, ${name}`, name, EDITED, EDIT_FIELDS, (call, target) => codec.encode(call, target))
}
for (const [name, codec] of Object.entries<SpeechCodec>(SPEECH_WIRES))
  checkAll(`speech, ${name}`, name, SPOKEN, SPEECH_FIELDS, (call, target) => codec.encode(call, target))
for (const [name, codec] of Object.entries<EmbeddingCodec>(EMBEDDING_WIRES))
  checkAll(`vectors, ${name}`, `${name} embeddings`, EMBEDDED, EMBEDDING_FIELDS, (call, target) => {
    // The endpoint notes it.
    return { wire: codec.encode(call, target), notes: call.user !== undefined && !codec.takesUser ? [NOTED] : [] }
  })
for (const [name, codec] of Object.entries<RerankCodec>(RERANK_WIRES))
  checkAll(`rankings, ${name}`, name, RANKED, RERANK_FIELDS, (call, target) => {
    return { wire: codec.encode(call, target), notes: [] }
  })

function checkAll<Call>(
  title: string,
  wire: string,
  plain: Call,
  fields: Record<string, Partial<Call>>,
  encode: (call: Call, target: Target) => Encoded,
): void {
  describe(title, () => {
    for (const model of MODELS[wire] ?? ['some-model'])
      for (const [field, change] of Object.entries(fields))
        test(`${field} (${model}) is sent, noted or refused`, () => {
          const before = encodedBy(encode, plain, model)
          // This model does nothing of the kind, and says so.
          if (before === 'refused') return assert.throws(() => encode(plain, { ...TARGET, model }))
          assert.notEqual(encodedBy(encode, { ...plain, ...change }, model), before)
        })
  })
}

/** What is sent and noted, or that it is refused. */
function encodedBy<Call>(encode: (call: Call, target: Target) => Encoded, call: Call, model: string): string {
  try {
    const { wire, notes } = encode(call, { ...TARGET, model })
    const body = typeof wire.body === 'string' ? wire.body : Buffer.from(wire.body ?? []).toString('latin1')
    return JSON.stringify([wire.url, wire.headers, body, notes])
  } catch {
    return 'refused'
  }
}

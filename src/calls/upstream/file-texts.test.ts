import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest, ContentPart } from '../../contract/chat.ts'
import type { ReadPage, RunEngine } from '../../translation/engine-api/engines.ts'
import { UpstreamProblem } from '../../translation/wire/upstream-problem.ts'
import { FERRY_DOCX } from '../../translation/engines/fixtures/documents.ts'
import { pdfSaying } from '../../translation/engines/fixtures/pdf-saying.ts'
import { SIGN } from '../../translation/engines/fixtures/example-images.ts'
import type { Call } from '../call.ts'
import { takesNoFiles, withFileTexts } from './file-texts.ts'
import type { AskedChat } from './native-codec.ts'
import type { CallServices } from '../services/call-services.ts'
import type { ChatTarget } from '../routing/chat-targets.ts'

const PDF = partOf(pdfSaying(['x']), 'a.pdf')
const TEXT_ONLY = targetOf(['tools'])
const SEEING = targetOf(['vision'])
const READING = targetOf(['files'])

describe('files for models that do not accept files', () => {
  test('only a model that is known not to accept files gets texts', () => {
    const silent = { ...targetOf([]), provider: { id: 'own', models: [{ id: 'm' }] } } as unknown as ChatTarget
    const unknown = { ...TEXT_ONLY, entry: undefined }
    assert.deepEqual([TEXT_ONLY, SEEING, READING, silent, unknown].map(takesNoFiles), [
      true,
      false,
      false,
      false,
      false,
    ])
  })

  test('without a file, or with models that accept files, there is nothing to do', () => {
    assert.equal(open(askWith({ type: 'text', text: 'x' }), [TEXT_ONLY]).files, undefined)
    assert.equal(open(askWith(PDF), [READING, SEEING]).files, undefined)
    assert.ok(open(askWith(PDF), [READING, TEXT_ONLY]).files)
  })

  test('the text replaces the file, for this target only', async () => {
    const text: ContentPart = { type: 'text', text: 'Sum up:' }
    const input = askWith(text, { ...PDF, cache_control: { type: 'ephemeral' } }, partOf(FERRY_DOCX), partOf('Plain.'))
    const { files, fit } = open(input, [READING, TEXT_ONLY])
    assert.equal(files!.readyFor(READING), undefined)
    assert.equal(fit(READING), input)
    await files!.readyFor(TEXT_ONLY)
    assert.deepEqual(fit(TEXT_ONLY).request.messages[0]!.content, [
      text,
      { type: 'text', text: 'a.pdf\n\nof pdf', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'of office' },
      { type: 'text', text: 'Plain.' },
    ])
    assert.equal(fit(READING), input)
  })

  test('a file is read once, however often it occurs and however many targets are asked', async () => {
    const { files, runs } = open(askWith(PDF, PDF, partOf(SIGN)), [TEXT_ONLY])
    await files!.readyFor(TEXT_ONLY)
    await files!.readyFor(targetOf(['reasoning']))
    assert.deepEqual(runs, ['pdf', 'image'])
  })

  test('pages without text are read as images', async () => {
    const { files, fit, runs } = open(askWith(PDF), [TEXT_ONLY], { bare: true })
    await files!.readyFor(TEXT_ONLY)
    assert.deepEqual(runs, ['pdf', 'scan'])
    assert.deepEqual(fit(TEXT_ONLY).request.messages[0]!.content![0], { type: 'text', text: 'a.pdf\n\nof scan' })
  })

  test('files that are not documents stay as they are, and so do ids of providers', async () => {
    const input = askWith(partOf(Buffer.from([0, 1, 2, 3])), { type: 'file', file: { file_id: 'file-1' } })
    const { files, fit } = open(input, [TEXT_ONLY])
    await files!.readyFor(TEXT_ONLY)
    assert.equal(fit(TEXT_ONLY), input)
  })

  test('an unreadable file is reported at its location; a busy engine is not the fault of the file', async () => {
    const refusal = new UpstreamProblem('context_length', 'This PDF file is encrypted', { status: 422 })
    const locked = open(askWith(PDF), [TEXT_ONLY], { fails: refusal }).files!.readyFor(TEXT_ONLY)!
    await assert.rejects(locked, { status: 422, message: /does not accept files.*encrypted/ })
    const busy = open(askWith(PDF), [TEXT_ONLY], { fails: new UpstreamProblem('rate_limited', 'full') })
    await assert.rejects(busy.files!.readyFor(TEXT_ONLY)!, { code: 'overloaded' })
  })

  test('more files than one request may have read are refused', async () => {
    const many = Array.from({ length: 101 }, (_, index) => partOf(`file ${index}`))
    await assert.rejects(open(askWith(...many), [TEXT_ONLY]).files!.readyFor(TEXT_ONLY)!, { code: 'too_large' })
  })
})

type Mood = { bare?: boolean; fails?: Error }

/** The engines answer with their own names. */
function open(input: AskedChat, targets: ChatTarget[], { bare, fails }: Mood = {}) {
  const runs: string[] = []
  const engine = (async (name: string) => {
    runs.push(name)
    if (fails) throw fails
    if (name === 'office') return { pages: ['of office'] }
    if (name === 'scan') return pageSaying('of scan')
    return { pages: [bare ? { lines: [] } : pageSaying(`of ${name}`)] }
  }) as unknown as RunEngine
  const call = { signal: new AbortController().signal, caller: { owner: 'owner' } } as Call
  const { files } = withFileTexts(input, targets, { call, services: { engine } as CallServices })
  return { files, runs, fit: (target: ChatTarget) => files!.fit(input, target) }
}

function pageSaying(text: string): ReadPage {
  return { lines: [{ text, words: [], box: null, confidence: null }] }
}

function askWith(...content: ContentPart[]): AskedChat {
  return { request: { model: 'x/y', messages: [{ role: 'user', content }] } satisfies ChatRequest }
}

function partOf(bytes: Uint8Array | string, filename?: string): ContentPart {
  const file_data = Buffer.from(bytes as string).toString('base64')
  return { type: 'file', file: { file_data, ...(filename && { filename }) } }
}

function targetOf(can: string[]): ChatTarget {
  return { id: 'x/m', entry: { id: 'm', can }, provider: { id: 'x' } } as unknown as ChatTarget
}

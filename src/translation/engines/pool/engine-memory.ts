import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { workerData } from 'node:worker_threads'
import { MB } from '../../../base/units/units.ts'

// V8 limits the heap of a thread, but not what is outside of it: buffers and the memory of WebAssembly. A file of a kilobyte can
// decompress to gigabytes of buffers before another thread notices. So a thread of engines weighs itself before it allocates.

const WASM_PAGE = 65_536
const WASM_SHARE = 0.75
/** For tests: of pools without a stated limit, and of engines without a thread of their own. */
export const DEFAULT_ENGINE_BYTES = 1024 * MB
/** Smaller buffers are weighed together: weighing takes some microseconds. */
const UNWEIGHED_BYTES = MB

/** What the thread is started with. */
export type EngineData = { engineBytes: number }

/** What this thread may hold: its heap, buffers and WebAssembly together. */
export const ENGINE_BYTES = (workerData as EngineData | null)?.engineBytes ?? DEFAULT_ENGINE_BYTES

class TooMuchMemory extends Error {
  override readonly name = 'TooMuchMemory'
}

const CONSTRUCTORS = ['ArrayBuffer', 'SharedArrayBuffer'] as const
const VIEWS = [
  ...(['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array'] as const),
  ...(['Uint32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'] as const),
]

let unweighed = 0
let hasExceeded = false

/** From here on, the thread cannot allocate buffers beyond its limit: the engine that tries gets an exception. */
export function limitBuffers(): void {
  for (const name of CONSTRUCTORS) guard(name, 1)
  for (const name of VIEWS) guard(name, globalThis[name].BYTES_PER_ELEMENT)
  setFlagsFromString(`--wasm-max-mem-pages=${Math.floor((ENGINE_BYTES * WASM_SHARE) / WASM_PAGE)}`)
}

/** Whether an allocation was refused since the last question. Engines catch exceptions and go on with part of a document. */
export function exceededMemory(): boolean {
  const had = hasExceeded
  hasExceeded = false
  return had
}

type BufferConstructor = new (...values: never[]) => object

function guard(name: (typeof CONSTRUCTORS | typeof VIEWS)[number], elementBytes: number): void {
  const plain: BufferConstructor = globalThis[name]
  const guarded: BufferConstructor = new Proxy(plain, {
    construct(target, values, newTarget) {
      weigh(elementsOf(values[0]) * elementBytes)
      return Reflect.construct(target, values, newTarget === guarded ? target : newTarget)
    },
  })
  // Methods such as `slice` find the constructor here, and libraries compare it with the global one.
  Object.defineProperty(plain.prototype, 'constructor', { value: guarded, writable: true, configurable: true })
  Object.defineProperty(globalThis, name, { value: guarded, writable: true, configurable: true })
}

/** A number, or a list to copy. A view of a buffer takes nothing. */
function elementsOf(value: unknown): number {
  if (typeof value === 'number') return value
  const { length } = (value ?? {}) as { length?: unknown }
  return typeof length === 'number' ? length : 0
}

function weigh(bytes: number): void {
  unweighed += bytes
  if (!(unweighed >= UNWEIGHED_BYTES)) return
  unweighed = 0
  if (hasExceeded || (!fits(bytes) && !fitsWithoutGarbage(bytes))) refuse()
}

function fits(bytes: number): boolean {
  const { total_heap_size: heap, external_memory: outside } = getHeapStatistics()
  return heap + outside + bytes <= ENGINE_BYTES
}

/** The pool exposes the function before it starts a thread. */
function fitsWithoutGarbage(bytes: number): boolean {
  globalThis.gc?.()
  return fits(bytes)
}

function refuse(): never {
  hasExceeded = true
  throw new TooMuchMemory('this input takes more memory than an engine may have')
}

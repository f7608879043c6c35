import { type MemoryFile, memoryFile } from './memory-file.ts'

// The part of WASI (preview 1) that a program needs to read a file and write a file. `node:wasi` is not used, because its files
// are on disk, where a thread that is ended would leave the caller's data behind.

/** The parts of the global that are used here; Node's types do not contain it. */
declare const WebAssembly: {
  Instance: new (module: WasmModule, imports: Record<string, SystemCalls>) => { exports: unknown }
}
export type WasmModule = object
type SystemCalls = Record<string, (...numbers: never[]) => number>
type Program = { memory: { buffer: ArrayBuffer }; _start(): void }
type Opened = { file: MemoryFile; at: number }

const [DONE, BAD_DESCRIPTOR, NO_SUCH_FILE] = [0, 8, 44]
const [STDOUT, STDERR, ROOT] = [1, 2, 3]
const FIRST_FREE = 4
const [CREATE, TRUNCATE] = [1, 8]
const [CHARACTER_DEVICE, REGULAR_FILE] = [2, 4]
/** The wall clock. The other clocks measure time that passes. */
const REALTIME = 0
const ALL_RIGHTS = 0xffff_ffff_ffff_ffffn
const ROOT_NAME = Buffer.from('/')

/** Thrown to leave the program when it exits. */
class Exited extends Error {}

/** Runs the program with these files in its root directory, where it also writes its output. */
export function runWasi(module: WasmModule, words: string[], files: Map<string, MemoryFile>): void {
  let program: Program | undefined
  const memory = () => Buffer.from(program!.memory.buffer)
  const calls = { ...argumentCalls(words, memory), ...fileCalls(files, memory), ...otherCalls(memory) }
  const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: calls })
  program = exports as Program
  try {
    program._start()
  } catch (error) {
    if (!(error instanceof Exited)) throw error
  }
}

function argumentCalls(words: string[], memory: () => Buffer): SystemCalls {
  const texts = words.map((word) => Buffer.from(`${word}\0`))
  return {
    args_sizes_get: (count: number, size: number) => {
      memory().writeUInt32LE(texts.length, count)
      memory().writeUInt32LE(Buffer.concat(texts).length, size)
      return DONE
    },
    args_get: (pointers: number, space: number) => {
      let at = space
      for (const [index, text] of texts.entries()) {
        memory().writeUInt32LE(at, pointers + 4 * index)
        at += text.copy(memory(), at)
      }
      return DONE
    },
  }
}

function fileCalls(files: Map<string, MemoryFile>, memory: () => Buffer): SystemCalls {
  const opened = new Map<number, Opened>([STDOUT, STDERR].map((one) => [one, { file: memoryFile(), at: 0 }]))
  return { ...directoryCalls(memory), ...openingCalls(files, opened, memory), ...movingCalls(opened, memory) }
}

/** There is one directory and nothing outside of it. */
function directoryCalls(memory: () => Buffer): SystemCalls {
  return {
    fd_prestat_get: (descriptor: number, answer: number) => {
      if (descriptor !== ROOT) return BAD_DESCRIPTOR
      memory().writeUInt32LE(0, answer)
      memory().writeUInt32LE(ROOT_NAME.length, answer + 4)
      return DONE
    },
    fd_prestat_dir_name: (_: number, answer: number) => {
      ROOT_NAME.copy(memory(), answer)
      return DONE
    },
  }
}

function openingCalls(files: Map<string, MemoryFile>, opened: Map<number, Opened>, memory: () => Buffer): SystemCalls {
  let next = FIRST_FREE
  return {
    path_open: (...[, , name, length, how, , , , answer]: OpenCall) => {
      const path = memory().toString('utf8', name, name + length)
      const file = files.get(path) ?? (how & CREATE ? memoryFile() : undefined)
      if (!file) return NO_SUCH_FILE
      if (how & TRUNCATE) file.empty()
      files.set(path, file)
      opened.set(next, { file, at: 0 })
      memory().writeUInt32LE(next++, answer)
      return DONE
    },
    fd_close: (descriptor: number) => (opened.delete(descriptor) ? DONE : BAD_DESCRIPTOR),
  }
}

type OpenCall = [number, number, name: number, length: number, how: number, bigint, bigint, number, answer: number]

function movingCalls(opened: Map<number, Opened>, memory: () => Buffer): SystemCalls {
  return { fd_seek: seek, fd_read: over(readInto), fd_write: over(writeFrom) }

  function seek(descriptor: number, offset: bigint, from: number, answer: number) {
    const one = opened.get(descriptor)
    if (!one) return BAD_DESCRIPTOR
    one.at = [0, one.at, one.file.size()][from]! + Number(offset)
    memory().writeBigUInt64LE(BigInt(one.at), answer)
    return DONE
  }

  /** A call with a list of buffers, which returns the number of bytes moved. */
  function over(move: (one: Opened, piece: Buffer) => number) {
    return (descriptor: number, list: number, count: number, answer: number) => {
      const one = opened.get(descriptor)
      if (!one) return BAD_DESCRIPTOR
      const start = one.at
      for (let index = 0; index < count; index++) {
        const from = memory().readUInt32LE(list + 8 * index)
        one.at += move(one, memory().subarray(from, from + memory().readUInt32LE(list + 8 * index + 4)))
      }
      memory().writeUInt32LE(one.at - start, answer)
      return DONE
    }
  }
}

function readInto({ file, at }: Opened, piece: Buffer): number {
  const bytes = file.read(at, piece.length)
  piece.set(bytes)
  return bytes.length
}

function writeFrom({ file, at }: Opened, piece: Buffer): number {
  file.write(at, piece)
  return piece.length
}

function otherCalls(memory: () => Buffer): SystemCalls {
  return {
    fd_fdstat_get: (descriptor: number, answer: number) => {
      memory().fill(0, answer, answer + 24)
      memory().writeUInt8(descriptor < ROOT ? CHARACTER_DEVICE : REGULAR_FILE, answer)
      memory().writeBigUInt64LE(ALL_RIGHTS, answer + 8)
      memory().writeBigUInt64LE(ALL_RIGHTS, answer + 16)
      return DONE
    },
    fd_fdstat_set_flags: () => DONE,
    clock_time_get: (clock: number, _: bigint, answer: number) => {
      const time = clock === REALTIME ? BigInt(Date.now()) * 1_000_000n : process.hrtime.bigint()
      memory().writeBigUInt64LE(time, answer)
      return DONE
    },
    proc_exit: () => {
      throw new Exited()
    },
  }
}

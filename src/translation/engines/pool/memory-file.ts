/** A file in memory, for a program that expects a disk. */
export type MemoryFile = ReturnType<typeof memoryFile>

const FIRST_SIZE = 64 * 1024

export function memoryFile(options: Uint8Array = new Uint8Array(0)) {
  let buffer: Uint8Array = options
  let length = options.length

  return {
    size: () => length,
    bytes: () => buffer.subarray(0, length),
    empty: () => {
      length = 0
    },
    /** The bytes from that offset on, at most as many as requested. */
    read: (at: number, peak: number) => buffer.subarray(Math.min(at, length), Math.min(at + peak, length)),
    write: (at: number, bytes: Uint8Array) => {
      const end = at + bytes.length
      if (end > buffer.length) enlarge(end)
      buffer.set(bytes, at)
      length = Math.max(length, end)
    },
  }

  function enlarge(least: number) {
    const larger = new Uint8Array(Math.max(least, 2 * buffer.length, FIRST_SIZE))
    larger.set(buffer.subarray(0, length))
    buffer = larger
  }
}
